"""Commands that read, search and ask."""
