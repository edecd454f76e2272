"""Files that could not be read: chosen, dismissed, or brought to who administers the collection."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from hashlib import sha256
from pathlib import PurePath

from pydantic import Field

from fourcorners.library.entries import Failure
from fourcorners.library.tokens import fold_name
from fourcorners.operations.access import Access
from fourcorners.operations.errors import NotFound
from fourcorners.operations.notices import Notice, NoticeKind, notify
from fourcorners.operations.principal import Role
from fourcorners.value import Value

_NAMED = 20  # files that an entry of the audit trail names


class FailuresRequest(Value):
    """Files of a collection that could not be read."""

    collection: str = Field(max_length=500, examples=["Project Larch"])
    files: list[str] = Field(
        default_factory=list, max_length=5_000, description="Their ids; empty for all of them."
    )


def failure_id(failure: Failure) -> str:
    """Return what names a failed file without its path on the server."""
    return sha256(failure.path.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def select_failures(access: Access, asked: FailuresRequest) -> list[Failure]:
    """Return the files that are meant, to someone who edits the collection.

    Raises:
        NotFound: If they may not know of the collection, or one of the files is not among those
            that could not be read.
        NotAllowed: If they are no editor there.
    """
    access.require(Role.EDITOR, asked.collection)
    known = {failure_id(each): each for each in access.failures(asked.collection)}
    wanted = asked.files or list(known)
    if not wanted or not known.keys() >= set(wanted):
        raise NotFound(
            "this file is not among those that could not be read.",
            remedy="Reload the page: it may have been read in the meantime.",
        )
    return [known[each] for each in dict.fromkeys(wanted)]


def dismiss_failures(access: Access, asked: FailuresRequest) -> list[str]:
    """Take files off the list, and return the paths of those that no document is from.

    Raises:
        NotFound: As `select_failures` does.
        NotAllowed: As `select_failures` does.
        Conflict: If the collection is under a legal hold.
    """
    paths = [each.path for each in select_failures(access, asked)]
    library = access.library_for(asked.collection, Role.EDITOR)
    with library.transaction():
        access.require_no_hold(asked.collection)
        library.forget_failures(paths, collection=asked.collection)
        names = "; ".join(PurePath(path).name for path in paths[:_NAMED])
        detail: dict[str, str | int] = {"collection": asked.collection, "files": len(paths)}
        access.record("failures dismissed", {**detail, "names": names}, always=True)
    return [path for path in paths if not library.is_source(path)]


def ask_for_help(access: Access, collection: str, admins: Iterable[str]) -> None:
    """Notify those who administer a collection that someone needs help with its files.

    Raises:
        NotFound: If they may not know of the collection.
    """
    library = access.library_for(collection, Role.READER)
    notice = Notice(kind=NoticeKind.HELP, by=access.principal.name, collection=collection)
    with library.transaction():
        for person in admins:
            if notice.by not in help_requests(access, collection, [person]):
                notify(library, person, notice)
        access.record("help asked", {"collection": collection}, always=True)


def help_requests(access: Access, collection: str, people: Collection[str]) -> list[str]:
    """Return who asked some people for help with a collection, and has not been answered yet."""
    rows = [
        row
        for person in people
        for row in access.library_for(collection, Role.READER).execute(
            "SELECT DISTINCT by FROM server_notices WHERE person = ? AND kind = ? "
            "AND collection = ? AND seen = '' ORDER BY by",
            (person, NoticeKind.HELP.value, fold_name(collection)),
        )
    ]
    return [str(by) for (by,) in rows]
