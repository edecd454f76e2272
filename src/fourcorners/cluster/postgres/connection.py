"""Connections to the server of a library: where it is, how to reach it, what its errors mean."""

from __future__ import annotations

import logging
import random
import re
import time
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import parse_qsl, urlsplit

import psycopg
from psycopg import errors
from psycopg.adapt import Buffer, Dumper
from psycopg.types.numeric import NumericBinaryLoader

from fourcorners.errors import (
    ConfigError,
    DiskFull,
    InputError,
    LibraryError,
    LibraryUnreachable,
    TransactionLost,
)
from fourcorners.library.database import BUSY_SECONDS, WAIT_FOR_SERVER, Row

_OUTAGE_OPTION = "outage_seconds"
_OUTAGE_SECONDS = 60.0  # in which most restarts and failovers end
_SHORTEST, _LONGEST = 0.05, 2.0  # seconds between two attempts
_NETWORK = {  # so that a machine that vanished is noticed; in seconds, the last in milliseconds
    "connect_timeout": "10",
    "keepalives_idle": "20",
    "keepalives_interval": "5",
    "keepalives_count": "4",
    "tcp_user_timeout": "40000",
}
_ENDED = re.compile("08|57P0[1-5]|25P0[34]")  # states of a connection that the server has ended
_REFUSED = re.compile("FATAL|session is read-only|hot standby")  # the server itself answered
_PASSING = re.compile(
    "the database system is (starting|shutting|in recovery|not )|session is read-only|hot standby"
)
_NO_DATABASE = re.compile(r'database ".*" does not exist')  # psycopg has no class for it here
_log = logging.getLogger("fourcorners.cluster")


def connect(address: Address, name: str, *, again: bool) -> psycopg.Connection[Row]:
    """Connect to the server, and wait for one that restarts or fails over.

    Args:
        address: Where it is, and how long to wait.
        name: What the server calls the connection.
        again: Whether the server took such a connection before, so that a refusal will pass.

    Raises:
        LibraryUnreachable: If it does not answer in time.
        LibraryError: If it refuses the connection, or has no such database.
    """
    allowed = address.outage_seconds if WAIT_FOR_SERVER.get() else 0
    until = time.monotonic() + allowed
    pause = _SHORTEST
    while True:
        try:
            return _connect_once(address, name)
        except errors.OperationalError as error:
            if not again and _REFUSED.search(str(error)) and not _PASSING.search(str(error)):
                raise convert_error(address, error) from error
            left = until - time.monotonic()
            if left <= 0:
                raise _unreachable(address, error) from error
            if pause == _SHORTEST:
                _log.warning(
                    "the server of %s does not answer: waiting %g seconds at most",
                    address.url,
                    allowed,
                )
        pause = random.uniform(_SHORTEST, min(_LONGEST, 3 * pause))  # noqa: S311 - no secret
        time.sleep(min(pause, left))


def _connect_once(address: Address, name: str) -> psycopg.Connection[Row]:
    options = {key: value for key, value in _NETWORK.items() if key not in address.options}
    made = psycopg.connect(
        address.target,
        autocommit=True,
        application_name=name,
        prepare_threshold=None,  # PgBouncer may run it on another connection
        **cast("dict[str, Any]", options),
    )
    made.cursor_factory = psycopg.RawCursor
    for kind in (int, bool):
        made.adapters.register_dumper(kind, _UntypedInteger)
    made.adapters.register_loader("numeric", _Number)
    return cast("psycopg.Connection[Row]", made)


def is_ended(connection: psycopg.Connection[Row], error: psycopg.Error) -> bool:
    """Return whether an error is that of a connection which has ended; it is closed then."""
    if not connection.closed and _ENDED.match(error.sqlstate or ""):
        connection.close()
    return connection.closed


def _unreachable(address: Address, error: psycopg.Error) -> LibraryUnreachable:
    return LibraryUnreachable(
        f"the server of {address.url} does not answer: {_first_line(error)}.",
        remedy="See that it runs, and run the command again: what was stored is there.",
    )


def connection_lost(address: Address, error: psycopg.Error) -> TransactionLost:
    return TransactionLost(
        f"the connection to {address.url} was lost: {_first_line(error)}.",
        remedy="Nothing of this step was stored. Run the command again.",
    )


def _first_line(error: psycopg.Error) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".")


def missing_library(address: Address) -> LibraryError:
    name = address.database or "NAME"
    return LibraryError(
        f"there is no library at {address.url}.",
        remedy=f"Make the database with `createdb {name}`, then run `fourcorners add FOLDER`.",
    )


def convert_error(address: Address, error: psycopg.Error) -> Exception:
    """Return what an error of PostgreSQL is here; itself if it is a defect of ours."""
    message = _first_line(error)
    match error:
        case errors.OperationalError() if _NO_DATABASE.search(message):
            return missing_library(address)
        case errors.LockNotAvailable():
            return LibraryError(
                f"{address.url} is locked: another process has been writing for "
                f"{BUSY_SECONDS} seconds.",
                remedy="Wait for it to end, or end it, and try again.",
            )
        case errors.DiskFull() | errors.OutOfMemory():
            return DiskFull(
                f"the server of {address.url} has no room left: {message}.",
                remedy="Make room and run the command again.",
            )
        case (
            errors.InsufficientPrivilege()
            | errors.ReadOnlySqlTransaction()
            | errors.InvalidSchemaName()
        ):
            return LibraryError(
                f"{address.url} may not be written: {message}.",
                remedy="Ask the server's administrator for the right to write (GRANT).",
            )
        case errors.UntranslatableCharacter() | errors.DataError():
            return InputError(f"the database cannot hold this: {message}.")
        case errors.DataCorrupted() | errors.IndexCorrupted():
            return LibraryError(
                f"{address.url} is damaged: {message}.", remedy="Restore a copy of the database."
            )
        case errors.OperationalError():
            return LibraryError(
                f"the server of {address.url} says: {message}.",
                remedy="See that it runs and that it knows this user.",
            )
        case _:
            return error


class _UntypedInteger(Dumper):
    """Writes a number, or a truth value as one, and leaves its type to the statement."""

    oid = 0

    def dump(self, obj: int) -> Buffer:
        return str(int(obj)).encode()


class _Number(NumericBinaryLoader):
    """Reads sums, which PostgreSQL gives as `numeric`, as SQLite gives them."""

    def load(self, data: Buffer) -> int | float:  # type: ignore[override] # a number all the same
        number = super().load(data)
        return int(number) if number == int(number) else float(number)


_SECRET = {"password", "sslpassword", "oauth_client_secret"}  # options of libpq
_SECONDS = re.compile(r"\d{1,6}(\.\d{1,3})?")


@dataclass(frozen=True, slots=True)
class Address:
    """A database, and the user, host and options with which libpq reaches it.

    Attributes:
        url: As it was given; it holds no password.
        target: As libpq takes it.
        database: The name of the database; empty for libpq's default.
        options: The names of its options.
        outage_seconds: For how long a server is waited for that does not answer.
    """

    url: str
    target: str
    database: str
    options: frozenset[str]
    outage_seconds: float


def address_of(url: str) -> Address:
    """Read `postgresql://user@host/database?sslmode=verify-full`, with all that libpq allows.

    The option `outage_seconds` is ours.

    Raises:
        ConfigError: If it contains a password: URLs appear in messages, logs and process lists; or
            if `outage_seconds` is no number.
    """
    place = url.partition(":")[2]
    if place[:1] == "/" != place[1:2]:  # a `Path` holds one slash of two or three
        place = f"/{place}" if "/" in place.partition("?")[0][1:] else f"//{place}"
    whole = f"postgresql:{place}"
    parts = urlsplit(whole)
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    if parts.password is not None or _SECRET & options.keys():
        raise ConfigError(
            "the URL of a library must not contain a password.",
            remedy="Put it into PGPASSWORD or the file ~/.pgpass.",
        )
    seconds = options.pop(_OUTAGE_OPTION, f"{_OUTAGE_SECONDS}")
    if not _SECONDS.fullmatch(seconds):
        raise ConfigError(
            f"{_OUTAGE_OPTION} must be a number of seconds, not {seconds!r}.",
            remedy="Write for example outage_seconds=120.",
        )
    target = whole
    if _OUTAGE_OPTION in whole:  # the others stay as they were written
        head, _, query = whole.partition("?")
        rest = [each for each in query.split("&") if not each.startswith(f"{_OUTAGE_OPTION}=")]
        target = f"{head}?{'&'.join(rest)}" if rest else head
    return Address(whole, target, parts.path.strip("/"), frozenset(options), float(seconds))
