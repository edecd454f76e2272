"""The store: documents, passages, vectors, jobs and the audit trail, in one SQLite file."""

from fourcorners.library.entries import Entry, Failure, PassageRow, Stats, Vectors
from fourcorners.library.store import Library

__all__ = ["Entry", "Failure", "Library", "PassageRow", "Stats", "Vectors"]
