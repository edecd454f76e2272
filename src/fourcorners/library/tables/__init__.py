"""The tables of a library: their schema, the form of stored values, and the SQLite file."""
