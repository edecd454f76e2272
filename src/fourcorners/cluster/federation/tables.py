"""The tables of a federation: it has none of its own, and rejects what would need them."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

from fourcorners.cluster.federation.members import Federation
from fourcorners.errors import LibraryError


class NoTables:
    """A `Database` that has nothing."""

    def __init__(self, federation: Federation) -> None:
        self._federation = federation

    @property
    def path(self) -> Path:
        return self._federation.path

    def reject(self, *_: object) -> NoReturn:
        names = ", ".join(member.name for member in self._federation.members)
        raise LibraryError(
            f"{self.path} names several libraries ({names}), which are only searched together.",
            remedy="Name one library by its own URL for this.",
        )

    execute = execute_many = run_script = columns = size = reject
    transaction = snapshot = restore_transaction = reject

    def tables(self) -> list[str]:
        return []

    def limit_cache(self, kilobytes: int) -> None:
        """Leave it to the servers."""

    def close(self) -> None:
        """Close nothing."""
