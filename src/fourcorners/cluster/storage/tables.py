"""Lance tables under one address: opened once, read at their latest, errors told as ours."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, TypeAlias, cast

from fourcorners.cluster.storage.address import Address
from fourcorners.errors import LibraryError

os.environ.setdefault("LANCEDB_LOG", "error")  # it warns of every table that it makes

import lancedb
import pyarrow as pa
from lancedb.index import FTS, BTree

if TYPE_CHECKING:
    import numpy as np
    from lancedb.query import FullTextQuery, LanceVectorQueryBuilder
    from numpy.typing import NDArray

Value: TypeAlias = str | int | float | bytes | None
Rows: TypeAlias = Sequence[Mapping[str, Value]]
NO_LIMIT = 2**31 - 1
"""Lance returns ten rows where no limit is given."""
RESTORE_REMEDY = "Restore a copy of the tables, or add the contracts to a new library."
_MAX_ERROR = 240  # characters of an error


class Tables:
    """The tables of one library."""

    def __init__(self, address: Address) -> None:
        self.address = address
        with lance_errors(address):
            self._connection = lancedb.connect(
                address.uri,
                read_consistency_interval=timedelta(0),
                storage_options=dict(address.options),
            )
        self._open: dict[str, lancedb.table.Table] = {}

    def names(self) -> set[str]:
        with lance_errors(self.address):
            return set(self._connection.list_tables().tables)

    def make(self, name: str, schema: pa.Schema, first: pa.Table | None = None) -> None:
        """Make a table, with its first rows; another process may have been faster."""
        with lance_errors(self.address):
            self._connection.create_table(name, first, schema=schema, exist_ok=True)

    def drop(self, name: str) -> None:
        self._open.pop(name, None)
        with lance_errors(self.address):
            self._connection.drop_table(name)

    def table(self, name: str) -> lancedb.table.Table:
        """Return a table.

        Raises:
            LibraryError: If it is not there.
        """
        if name not in self._open:
            with lance_errors(self.address):
                self._open[name] = self._connection.open_table(name)
        return self._open[name]

    @contextmanager
    def _open_table(self, name: str) -> Iterator[lancedb.table.Table]:
        table = self.table(name)
        with lance_errors(self.address):
            yield table

    def append(self, name: str, rows: pa.Table) -> None:
        with self._open_table(name) as table:
            table.add(rows)

    def rows(
        self, name: str, where: str, columns: Sequence[str], limit: int = NO_LIMIT
    ) -> pa.Table:
        with self._open_table(name) as table:
            query = table.search().select(list(columns)).limit(limit)
            return (query.where(where) if where else query).to_arrow()

    def swap(self, name: str, where: str, values: Mapping[str, Value]) -> bool:
        """Change the one row where a condition holds; False where it holds no more."""
        with self._open_table(name) as table:
            return bool(table.update(where=where, values=dict(values)).rows_updated)

    def delete(self, name: str, where: str) -> None:
        with self._open_table(name) as table:
            table.delete(where)

    def words(
        self, name: str, query: FullTextQuery, columns: Sequence[str], where: str = ""
    ) -> pa.Table:
        with self._open_table(name) as table:
            found = table.search(query, query_type="fts").select([*columns, "_score"])
            return (found.where(where) if where else found).limit(NO_LIMIT).to_arrow()

    def nearest(
        self, name: str, vector: NDArray[np.float32], columns: Sequence[str], limit: int, where: str
    ) -> pa.Table:
        """Return the columns of the rows nearest to a vector by the product, the nearest first."""
        with self._open_table(name) as table:
            found = cast(
                "LanceVectorQueryBuilder", table.search(vector, vector_column_name="vector")
            ).distance_type("dot")
            found = found.select([*columns, "_distance"]).limit(limit)
            return (found.where(where, prefilter=True) if where else found).to_arrow()

    def index_words(self, name: str, column: str) -> None:
        """Index a column of words, separated by spaces, each with its place, all as they are."""
        config = FTS(
            with_position=True,
            base_tokenizer="whitespace",
            lower_case=False,
            ascii_folding=False,
            stem=False,
            remove_stop_words=False,
            max_token_length=None,
        )
        self._index(name, column, config)

    def index_values(self, name: str, column: str) -> None:
        self._index(name, column, BTree())

    def _index(self, name: str, column: str, config: FTS | BTree) -> None:
        with self._open_table(name) as table:
            if f"{column}_idx" not in {each.name for each in table.list_indices()}:
                table.create_index(column, config=config)

    def optimize(self, name: str, keep: timedelta) -> None:
        """Join small parts, bring indexes up to date, and drop versions older than `keep`."""
        with self._open_table(name) as table:
            table.optimize(cleanup_older_than=keep)

    def size(self) -> int:
        """Return the bytes of the latest versions of all tables."""
        total = 0
        for name in self.names():
            with self._open_table(name) as table:
                total += cast("dict[str, int]", table.stats())["total_bytes"]
        return total


@contextmanager
def lance_errors(address: Address) -> Iterator[None]:
    """Turn what Lance says of the tables into a `LibraryError` that says who must act."""
    try:
        yield
    except (RuntimeError, OSError, ValueError, pa.ArrowException) as error:
        message = " ".join(str(error).split())
        short = message if len(message) <= _MAX_ERROR else f"{message[:_MAX_ERROR]}…"
        raise LibraryError(f"{address.url}: {short}", remedy=_remedy(message)) from error


_REMEDIES = (
    (r"no space left|file too large|disk quota", "Make room and run the command again."),
    (
        r"timed? ?out|connect error|error sending|\b50[0-9] |\bdns\b",
        "The object store does not answer as it should: look at it, and run the command again.",
    ),
    (
        r"bucket|access ?denied|forbidden|\b403\b|credential|permission",
        "Check the bucket's name, and region, keys and AWS_ENDPOINT_URL in the environment.",
    ),
    (r"conflict|concurrent", "Another process was writing: run the command again."),
)


def _remedy(message: str) -> str:
    fitting = (remedy for form, remedy in _REMEDIES if re.search(form, message, re.IGNORECASE))
    return next(fitting, RESTORE_REMEDY)


def sql_quote(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
