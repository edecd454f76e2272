"""The library's tables, as migrations: the file's `user_version` counts those applied.

A migration that was released never changes; a new one is appended.

Facts about the layout:

- In `documents` short columns come first: reading a column after a text reads all its pages.
- Passages of one document have consecutive rowids in the order of their ordinals, so
  `documents.first_passage` and `documents.passage_count` name them all (and their rows in `words`).
- Vectors are stored per passage (`library/vectors/rows.py` says why), codes per document.
- SQLite notices damage to the structure of the file, not to its contents: so a text has a hash,
  checked whenever the text is read, and vectors and codes have a checksum.
- `concordances` holds what can be recomputed: a document that was added before has none.
- `words` contains no text: the words are in `documents.text`.
- A document belongs to one collection: `documents.key` is the row of that collection and the
  SHA-256 of the file, so that the same bytes in another are another document.
"""

from __future__ import annotations

APPLICATION_ID = 0x34434E52  # "4CNR", in the file's header

LARGE_COLUMNS = ("text", "pages", "marks", "warnings", "outline", "words")
"""The columns of `documents` that are large."""

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE meta(
        key   TEXT PRIMARY KEY,
        value TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE rooms(
        name    TEXT PRIMARY KEY,
        version INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE collections(
        row  INTEGER PRIMARY KEY,
        name TEXT NOT NULL,
        fold TEXT NOT NULL UNIQUE
    ) STRICT;

    CREATE TABLE documents(
        row           INTEGER PRIMARY KEY AUTOINCREMENT,
        id            TEXT NOT NULL UNIQUE,
        sha256        TEXT NOT NULL UNIQUE,
        first_passage INTEGER NOT NULL,
        passage_count INTEGER NOT NULL,
        name          TEXT NOT NULL,
        path          TEXT NOT NULL,
        media_type    TEXT NOT NULL,
        reader        TEXT NOT NULL,
        title         TEXT NOT NULL,
        type          TEXT NOT NULL,
        characters    INTEGER NOT NULL,
        page_count    INTEGER NOT NULL,
        needs_ocr     TEXT NOT NULL,
        added         TEXT NOT NULL,
        text_sha256   TEXT NOT NULL,
        card          TEXT NOT NULL,
        warnings      TEXT NOT NULL,
        outline       TEXT NOT NULL,
        text          TEXT NOT NULL,
        pages         TEXT NOT NULL,
        marks         TEXT NOT NULL
    ) STRICT;

    CREATE TABLE document_collections(
        document   INTEGER NOT NULL REFERENCES documents(row) ON DELETE CASCADE,
        collection INTEGER NOT NULL REFERENCES collections(row),
        PRIMARY KEY (document, collection)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX document_collections_by_collection ON document_collections(collection, document);

    CREATE TABLE sources(
        path     TEXT PRIMARY KEY,
        document INTEGER NOT NULL REFERENCES documents(row) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX sources_by_document ON sources(document);

    CREATE TABLE passages(
        row      INTEGER PRIMARY KEY AUTOINCREMENT,
        document INTEGER NOT NULL REFERENCES documents(row) ON DELETE CASCADE,
        ordinal  INTEGER NOT NULL,
        start    INTEGER NOT NULL,
        "end"    INTEGER NOT NULL,
        view     TEXT NOT NULL,
        node     INTEGER,
        context  TEXT NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX passages_by_document ON passages(document, ordinal);

    CREATE TABLE vectors(
        document INTEGER PRIMARY KEY REFERENCES documents(row) ON DELETE CASCADE,
        data     BLOB NOT NULL,
        crc32    INTEGER NOT NULL
    ) STRICT;

    CREATE VIRTUAL TABLE words USING fts5(
        body, meta, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2"
    );

    CREATE TABLE jobs(
        row      INTEGER PRIMARY KEY AUTOINCREMENT,
        kind     TEXT NOT NULL,
        spec     TEXT NOT NULL,
        created  TEXT NOT NULL,
        finished TEXT,
        done     INTEGER NOT NULL DEFAULT 0,
        failed   INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE UNIQUE INDEX jobs_unfinished ON jobs(kind, spec) WHERE finished IS NULL;

    CREATE TABLE steps(
        job      INTEGER NOT NULL REFERENCES jobs(row) ON DELETE CASCADE,
        key      TEXT NOT NULL,
        state    TEXT NOT NULL CHECK (state IN ('waiting', 'claimed', 'done', 'failed')),
        worker   TEXT NOT NULL,
        lease    REAL NOT NULL,
        attempts INTEGER NOT NULL,
        reason   TEXT NOT NULL,
        remedy   TEXT NOT NULL,
        PRIMARY KEY (job, key)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX steps_by_state ON steps(job, state, attempts, key);

    CREATE TABLE failures(
        path       TEXT NOT NULL,
        collection TEXT NOT NULL,
        reason     TEXT NOT NULL,
        remedy     TEXT NOT NULL,
        sha256     TEXT NOT NULL,
        job        INTEGER REFERENCES jobs(row) ON DELETE SET NULL,
        at         TEXT NOT NULL,
        PRIMARY KEY (path, collection)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE audit(
        seq      INTEGER PRIMARY KEY,
        at       TEXT NOT NULL,
        event    TEXT NOT NULL,
        detail   TEXT NOT NULL,
        previous TEXT NOT NULL,
        hash     TEXT NOT NULL
    ) STRICT;
    CREATE TRIGGER audit_refuses_update BEFORE UPDATE ON audit
    BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END;
    CREATE TRIGGER audit_refuses_delete BEFORE DELETE ON audit
    BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END;
    CREATE TRIGGER audit_refuses_gaps BEFORE INSERT ON audit
    WHEN NEW.seq != (SELECT coalesce(max(seq), 0) + 1 FROM audit)
    BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END;
    """,
    """
    ALTER TABLE documents ADD COLUMN words TEXT NOT NULL DEFAULT '';
    """,
    # The words of headings are in `words.meta` of documents that were added after this.
    """
    INSERT OR IGNORE INTO meta(key, value)
    SELECT 'headings_after', coalesce(max(row), 0) FROM documents;
    """,
    # Objects in buckets were named as a path, with one slash; now by their URL.
    """
    UPDATE documents SET path = 's3://' || substr(path, 5) WHERE path GLOB 's3:/[^/]*';
    UPDATE OR REPLACE sources SET path = 's3://' || substr(path, 5) WHERE path GLOB 's3:/[^/]*';
    UPDATE OR REPLACE failures SET path = 's3://' || substr(path, 5) WHERE path GLOB 's3:/[^/]*';
    """,
    """
    CREATE TABLE IF NOT EXISTS concordances(
        document INTEGER PRIMARY KEY REFERENCES documents(row) ON DELETE CASCADE,
        crc32    INTEGER NOT NULL,
        data     BLOB NOT NULL
    ) STRICT;
    """,
    # The names of the parties for whom the contracts of a collection are read, one per line.
    """
    CREATE TABLE IF NOT EXISTS collection_sides(
        collection INTEGER PRIMARY KEY REFERENCES collections(row),
        names      TEXT NOT NULL
    ) STRICT;
    """,
    # A document was in any number of collections; it stays in the first. What must be
    # copied to the others waits in `shared_documents`. Only a library with one collection goes
    # on calling documents by their content alone: `Library.document_id` says why.
    """
    CREATE TABLE shared_documents(
        document   INTEGER NOT NULL,
        collection INTEGER NOT NULL,
        copied     INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (document, collection)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO shared_documents(document, collection)
    SELECT m.document, m.collection FROM document_collections m
    WHERE m.collection > (SELECT min(o.collection) FROM document_collections o
                          WHERE o.document = m.document);
    INSERT OR IGNORE INTO meta(key, value)
    SELECT 'ids', 'collection' WHERE (SELECT count(*) FROM collections) > 1;

    ALTER TABLE documents RENAME COLUMN sha256 TO key;
    UPDATE documents SET key = coalesce(
        (SELECT min(collection) FROM document_collections WHERE document = row), 0) || ':' || key;
    ALTER TABLE documents ADD COLUMN collection INTEGER NOT NULL
        GENERATED ALWAYS AS (CAST(key AS INTEGER)) VIRTUAL;
    ALTER TABLE documents ADD COLUMN sha256 TEXT NOT NULL
        GENERATED ALWAYS AS (substr(key, instr(key, ':') + 1)) VIRTUAL;
    DROP TABLE document_collections;
    CREATE INDEX documents_by_collection ON documents(collection);

    CREATE TABLE collection_sources(
        path       TEXT NOT NULL,
        collection INTEGER NOT NULL,
        document   INTEGER NOT NULL REFERENCES documents(row) ON DELETE CASCADE,
        PRIMARY KEY (path, collection)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO collection_sources SELECT s.path, d.collection, d.row
    FROM sources s JOIN documents d ON d.row = s.document;
    DROP TABLE sources;
    ALTER TABLE collection_sources RENAME TO sources;
    CREATE INDEX sources_by_document ON sources(document);
    """,
    # Vectors were stored per document; `migration/vector_rows.py` moves them.
    """
    ALTER TABLE vectors RENAME TO packed_vectors;
    CREATE TABLE vectors(
        document INTEGER PRIMARY KEY REFERENCES documents(row) ON DELETE CASCADE,
        crc32    INTEGER NOT NULL,
        codes    BLOB NOT NULL
    ) STRICT;
    CREATE TABLE passage_vectors(
        passage INTEGER PRIMARY KEY REFERENCES passages(row) ON DELETE CASCADE,
        data    BLOB NOT NULL
    ) STRICT;
    """,
)
