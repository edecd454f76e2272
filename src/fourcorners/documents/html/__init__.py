"""HTML pages: text, hidden words and tables."""
