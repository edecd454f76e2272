"""Where a library in PostgreSQL lies, as its URL says."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from fourcorners.errors import ConfigError

_SECRET = {"password", "sslpassword", "oauth_client_secret"}  # options of libpq
_ONE_SLASH = re.compile(r"^postgres(?:ql)?:/(?=[^/])")


@dataclass(frozen=True, slots=True)
class Address:
    """A database, and the user, host and options with which libpq reaches it.

    Attributes:
        url: As libpq takes it; it holds no password.
        database: The name of the database; empty for libpq's default.
    """

    url: str
    database: str


def address_of(url: str) -> Address:
    """Read `postgresql://user@host/database?sslmode=verify-full`, with all that libpq allows.

    Raises:
        ConfigError: If it contains a password: URLs appear in messages, logs and process lists.
    """
    whole = _ONE_SLASH.sub("postgresql://", url)
    if whole != url and "/" not in url.partition("?")[0].partition("/")[2]:
        whole = whole.replace("://", ":///")  # a `Path` holds one slash of two or three
    parts = urlsplit(whole)
    if parts.password is not None or _SECRET & {*parse_qs(parts.query, keep_blank_values=True)}:
        raise ConfigError(
            "the URL of a library must not contain a password.",
            remedy="Put it into PGPASSWORD or the file ~/.pgpass.",
        )
    return Address(whole, parts.path.strip("/"))
