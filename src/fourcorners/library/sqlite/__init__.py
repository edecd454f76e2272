"""The tables of a library in one SQLite file, and how an earlier one is converted."""
