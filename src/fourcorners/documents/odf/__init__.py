"""OpenDocument texts: text, computed numbers and tracked changes."""
