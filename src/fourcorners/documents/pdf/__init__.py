"""PDF files: text with a box for every character, tables, comments and hidden words."""
