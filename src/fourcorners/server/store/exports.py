"""The files of long exports, which wait a day to be fetched."""

from __future__ import annotations

import re
import time
from typing import cast

from fourcorners.library.database import as_string
from fourcorners.library.store import Library
from fourcorners.operations.access import Access
from fourcorners.operations.errors import NotFound
from fourcorners.operations.principal import Role

KEEP_SECONDS = 24 * 3600.0
"""How long a file is there: it has words of contracts, which may be removed meanwhile."""
_UNSAFE = re.compile(r"[^\w.-]+")


def file_name(title: str, playbook: str, form: str) -> str:
    """Return what the file of a review is called."""
    return f"{_UNSAFE.sub('-', f'{title} {playbook}').strip('-') or 'review'}.{form}"


def save_file(library: Library, task: str, name: str, data: bytes) -> None:
    """Keep the file of a task; those that have waited long enough are deleted."""
    with library.transaction():
        delete_old(library)
        library.execute(
            "INSERT OR REPLACE INTO server_exports(task, name, at, data) VALUES (?, ?, ?, ?)",
            (task, name, time.time(), data),
        )


def delete_old(library: Library) -> None:
    library.execute("DELETE FROM server_exports WHERE at < ?", (time.time() - KEEP_SECONDS,))


def find_file(access: Access, task: str, collection: str) -> tuple[str, bytes]:
    """Return the name and the content of the file of a task of a collection, or of the library.

    Raises:
        NotFound: If there is none, or it has been deleted by now.
        NotAllowed: If it is of the whole library, and they do not administer that.
    """
    if collection:
        library = access.library_for(collection, Role.READER)
    else:
        library = access.full_library(Role.ADMIN)
    rows = library.execute(
        "SELECT name, data FROM server_exports WHERE task = ? AND at >= ?",
        (task, time.time() - KEEP_SECONDS),
    )
    if not rows:
        raise NotFound("This file is no longer available.", remedy="It is there for a day.")
    return as_string(rows[0][0]), cast("bytes", rows[0][1])
