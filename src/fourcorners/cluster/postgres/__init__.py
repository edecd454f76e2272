"""A library in PostgreSQL: tables, words, vectors and jobs of all rooms in one database."""
