"""The HTTP door: it converts, calls the engine, and converts back."""
