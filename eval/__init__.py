"""Cases, metrics and speed: what shows that the answers are right."""
