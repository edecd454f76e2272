"""The tables of a library in PostgreSQL that take the place of those of FTS5."""

TABLES = """
    CREATE TABLE word_lengths(
        document BIGINT PRIMARY KEY REFERENCES documents(row) ON DELETE CASCADE DEFERRABLE,
        words    BIGINT NOT NULL,
        lengths  BYTEA NOT NULL
    );
    CREATE TABLE postings(
        term     TEXT COLLATE "C" NOT NULL,
        document BIGINT NOT NULL REFERENCES documents(row) ON DELETE CASCADE DEFERRABLE,
        passages INTEGER NOT NULL,
        entries  BYTEA NOT NULL
    );
    CREATE UNIQUE INDEX postings_by_term ON postings(term, document) INCLUDE (passages);
    CREATE INDEX postings_by_document ON postings(document);
"""
"""In place of FTS5's: which passages have each word, and how many words a passage has."""
