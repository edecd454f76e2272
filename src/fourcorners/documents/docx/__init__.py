"""Word documents: text, computed numbers, tables, comments and tracked changes."""
