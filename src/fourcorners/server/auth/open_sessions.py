"""The sessions that someone has open: when and where each began, and how it is ended."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime

from starlette.requests import Request

from fourcorners.library.audit import utc_now
from fourcorners.library.database import as_string
from fourcorners.library.store import Library
from fourcorners.operations.errors import NotFound
from fourcorners.server.auth.accounts import Accounts, as_number, hash_secret

IDLE_SECONDS = 8 * 3600
"""Seconds without a request after which a session has ended."""
SESSION_SECONDS = 7 * 24 * 3600  # after which everybody must sign in again
PANE_KIND = "pane "
"""With which the hashes of sessions of panes in Word begin."""
_ID = 12  # characters of a session's hash that name it
# Each header names its ancestors as well, so the first that fits is the browser.
_BROWSERS = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser/": "Samsung Internet",
    "Firefox/": "Firefox",
    "FxiOS/": "Firefox",
    "CriOS/": "Chrome",
    "Chrome/": "Chrome",
    "Safari/": "Safari",
}
_SYSTEMS = {
    "Windows": "Windows",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "CrOS": "ChromeOS",
    "Mac OS X": "macOS",
    "Linux": "Linux",
}


@dataclass(frozen=True, slots=True)
class SessionOrigin:
    """Where a session began."""

    address: str = ""
    browser: str = ""

    @classmethod
    def from_request(cls, request: Request) -> SessionOrigin:
        address = request.client.host if request.client else ""
        return cls(address, describe_browser(request.headers.get("user-agent", "")))


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A session, without its secret.

    Attributes:
        is_current: Whether it is the session in which the list is shown.
    """

    id: str
    since: datetime
    last_used: datetime
    address: str
    browser: str
    is_current: bool


UNKNOWN_ORIGIN = SessionOrigin()


def describe_browser(header: str) -> str:
    """Return a browser and its system in words, such as `Firefox on Windows`."""
    browser = next((name for mark, name in _BROWSERS.items() if mark in header), "")
    system = next((name for mark, name in _SYSTEMS.items() if mark in header), "")
    return f"{browser or 'Unknown browser'} on {system}" if system else browser


class OpenSessions:
    def __init__(self, library: Library) -> None:
        self._library = library
        self._accounts = Accounts(library)

    def add(self, name: str, hashed: str, ends: float, origin: SessionOrigin) -> None:
        """Begin a session of someone who has proven who they are; call it in a transaction."""
        at = time.time()
        self._library.execute(
            "INSERT INTO server_sessions(hash, user, begun, seen, ends) VALUES (?, ?, ?, ?, ?)",
            (hashed, name, at, at, ends),
        )
        self._library.execute(
            "INSERT INTO server_session_origins VALUES (?, ?, ?)",
            (hashed, origin.address, origin.browser),
        )
        self._library.execute(
            "INSERT OR REPLACE INTO server_last_sign_ins VALUES (?, ?)", (name, utc_now())
        )

    def of_person(self, name: str, current: str = "") -> list[OpenSession]:
        """Return someone's sessions, the latest first; `current` is the secret of one of them."""
        return [session for _, session in self._find(name, current)]

    def end(self, name: str, session: str, *, by: str) -> None:
        """End one of someone's sessions.

        Raises:
            NotFound: If they have no such session.
        """
        with self._library.transaction():
            found = [hashed for hashed, each in self._find(name) if each.id == session]
            if not found:
                raise NotFound("this session has ended already.")
            self._end(name, found, by)

    def end_all(self, name: str, *, by: str, current: str = "") -> int:
        """End all of someone's sessions but the `current` one, and return how many that were."""
        with self._library.transaction():
            self._library.execute("DELETE FROM server_word_codes WHERE user = ?", (name,))
            found = [hashed for hashed, each in self._find(name, current) if not each.is_current]
            self._end(name, found, by)
        return len(found)

    def _find(self, name: str, current: str = "") -> list[tuple[str, OpenSession]]:
        at = time.time()
        rows = self._library.execute(
            "SELECT s.hash, s.begun, s.seen, coalesce(o.address, ''), coalesce(o.browser, '') "
            "FROM server_sessions s LEFT JOIN server_session_origins o ON o.hash = s.hash "
            "WHERE s.user = ? AND s.seen >= ? AND s.begun >= ? AND (s.ends = 0 OR s.ends > ?) "
            "ORDER BY s.seen DESC, s.hash",
            (name, at - IDLE_SECONDS, at - SESSION_SECONDS, at),
        )
        return [
            (
                as_string(hashed),
                OpenSession(
                    id=as_string(hashed)[-_ID:],
                    since=datetime.fromtimestamp(as_number(since), UTC),
                    last_used=datetime.fromtimestamp(as_number(seen), UTC),
                    address=as_string(address),
                    browser="Word" if is_pane(as_string(hashed)) else as_string(browser),
                    is_current=bool(current) and hash_secret(current) == hashed,
                ),
            )
            for hashed, since, seen, address, browser in rows
        ]

    def _end(self, name: str, hashes: list[str], by: str) -> None:
        for hashed in hashes:
            self._library.execute("DELETE FROM server_sessions WHERE hash = ?", (hashed,))
            through = {"through": "Word"} if is_pane(hashed) else {}
            self._library.record("signed out", {"user": name, "by": by, **through})


def is_pane(hashed: str) -> bool:
    """Tell whether a session's hash is that of a pane in Word."""
    return hashed.startswith(PANE_KIND)
