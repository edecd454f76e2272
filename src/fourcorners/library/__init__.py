"""The store: documents, passages, vectors, jobs and the audit trail, in one SQLite file."""
