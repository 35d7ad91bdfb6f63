"""From a question to a cited answer, and the doors through which it is asked."""
