"""The libraries of a federation: a TOML file names them, in the order of their passages.

```toml
[libraries]
deals = "postgresql://db1.firm.example/contracts"
leases = "postgresql://db2.firm.example/contracts"
```

`federation:firm.toml?without=leases` leaves one out.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn
from urllib.parse import parse_qs, quote, urlsplit

from fourcorners.cluster.postgres.connection import Address, address_of
from fourcorners.errors import ConfigError, LibraryError

_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")
_ROWS = 1 << 32  # so far apart are the rows of two libraries
_LIMITS = {  # where the URL has none: a server that has vanished is missed in seconds
    "connect_timeout": "5",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "10000",
    "outage_seconds": "5",
}


@dataclass(frozen=True, slots=True)
class Member:
    """A library of a federation.

    Attributes:
        name: The prefix of the ids of its documents.
        number: Its place in the file, from 0; its rows come after those of the ones before.
    """

    name: str
    number: int
    address: Address

    @property
    def first_row(self) -> int:
        """Return what is added to its rows."""
        return self.number * _ROWS

    @property
    def end_row(self) -> int:
        return self.first_row + _ROWS

    def global_id(self, document: str) -> str:
        return f"{self.name}:{document}"


@dataclass(frozen=True, slots=True)
class Federation:
    """The file of a federation, and those of its libraries that are searched."""

    path: Path
    members: tuple[Member, ...]
    without: tuple[str, ...] = ()

    @property
    def url(self) -> str:
        return self.url_without(())

    def url_without(self, more: tuple[str, ...]) -> str:
        """Return the URL of this federation without some more of its libraries."""
        left_out = ",".join((*self.without, *more))
        place = f"federation:{self.path.absolute()}"
        return f"{place}?without={quote(left_out, safe=',')}" if left_out else place

    def member_of_row(self, row: int) -> Member:
        return next(each for each in self.members if each.number == row // _ROWS)

    def split_id(self, document: str) -> tuple[Member, str] | None:
        """Return the library of a document and its id there; None if no library has that name."""
        name, _, identifier = document.partition(":")
        found = (each for each in self.members if each.name == name)
        return next(((each, identifier) for each in found), None)


class NoTables:
    """The tables of a federation: it has none, and rejects what needs them."""

    is_read_only = True

    def __init__(self, federation: Federation) -> None:
        self._federation = federation

    @property
    def path(self) -> Path:
        return self._federation.path

    @property
    def place(self) -> str:
        return self._federation.url

    def reject(self, *_: object) -> NoReturn:
        names = ", ".join(member.name for member in self._federation.members)
        raise LibraryError(
            f"{self.place} names several libraries ({names}), which are only searched together.",
            remedy="Name one library by its own URL for this.",
        )

    execute = execute_many = run_script = columns = size = erase_deleted = reject
    transaction = snapshot = restore_transaction = reject

    def tables(self) -> list[str]:
        return []

    def limit_cache(self, kilobytes: int) -> None:
        """Leave it to the servers."""

    def close(self) -> None:
        """Close nothing."""


def read_federation(url: str) -> Federation:
    """Read the file that `federation:PATH` names.

    Raises:
        ConfigError: If it is missing or does not name libraries in PostgreSQL.
    """
    place, _, query = url.partition(":")[2].partition("?")
    path = Path(place).expanduser()
    try:
        named = tomllib.loads(path.read_text(encoding="utf-8")).get("libraries")
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"the federation {path} cannot be read: {error}.") from error
    if not isinstance(named, dict) or not named:
        raise _wrong(path, "it has no table [libraries]")
    for name, value in named.items():
        if not _NAME.fullmatch(name):
            raise _wrong(path, f"the name {name!r} has other characters than a-z, 0-9 and -")
        if not isinstance(value, str) or not value.startswith(("postgresql:", "postgres:")):
            raise _wrong(path, f"{name!r} is not the URL of a library in PostgreSQL")
    if len({*named.values()}) < len(named):
        raise _wrong(path, "it names a library twice")
    left_out = parse_qs(query).get("without", [""])[0]
    without = tuple(name for name in left_out.split(",") if name)
    if unknown := [name for name in without if name not in named]:
        raise _wrong(path, f"it names no library {unknown[0]!r}")
    members = tuple(
        Member(name, number, address_of(_with_limits(value)))
        for number, (name, value) in enumerate(named.items())
        if name not in without
    )
    if not members:
        raise _wrong(path, "all its libraries are left out")
    return Federation(path, members, without)


def _with_limits(url: str) -> str:
    known = parse_qs(urlsplit(url).query)
    more = "&".join(f"{name}={value}" for name, value in _LIMITS.items() if name not in known)
    return f"{url}{'&' if known else '?'}{more}" if more else url


def _wrong(path: Path, problem: str) -> ConfigError:
    return ConfigError(
        f"the federation {path} cannot be used: {problem}.",
        remedy='Write a line NAME = "postgresql://HOST/DATABASE" for each under [libraries].',
    )
