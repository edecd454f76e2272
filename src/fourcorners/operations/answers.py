"""Answers as the server keeps them: where each was asked, and who may see it.

An answer is seen by whoever may read the collection that it was asked of, and every contract that
was read for it. One that was made by the command `fourcorners ask` has no such collection: only who
may read everything sees it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from fourcorners.errors import ConfigError
from fourcorners.library.database import as_string, in_transaction
from fourcorners.library.store import Library
from fourcorners.operations.access import Access
from fourcorners.operations.errors import NotFound
from fourcorners.operations.principal import Role
from fourcorners.research import store
from fourcorners.research.answer import Answer
from fourcorners.research.store import AnswerEntry

_REMEDY = "It may have been removed. The list of answers has those there are."
_LONGEST_THREAD = 50  # questions before one that are shown
_MOST = 10_000  # answers looked through for those that one person may see


@dataclass(frozen=True, slots=True)
class AnswerOrigin:
    """Where an answer was asked; all are empty for one that a command made.

    Attributes:
        follows: The answer that the question follows.
    """

    collection: str = ""
    asked_by: str = ""
    follows: str = ""


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    summary: AnswerEntry
    home: AnswerOrigin


@in_transaction
def save_answer(library: Library, answer: Answer, task: str, home: AnswerOrigin) -> str:
    identity = store.save_answer(library, answer)
    library.execute(
        "INSERT OR REPLACE INTO server_answers VALUES (?, ?, ?, ?)",
        (task, identity, home.collection, home.asked_by),
    )
    if home.follows:
        library.execute(
            "INSERT OR IGNORE INTO server_follow_ups VALUES (?, ?)", (identity, home.follows)
        )
    return identity


def answer_of_task(library: Library, task: str) -> str:
    rows = library.execute("SELECT answer FROM server_answers WHERE task = ?", (task,))
    return as_string(rows[0][0]) if rows else ""


def list_answers(
    access: Access, *, collection: str | None = None, document: str | None = None
) -> list[StoredAnswer]:
    """Return the answers that a person may see, the newest first.

    Raises:
        NotFound: If they may not know of the collection, or of the document.
    """
    if collection:
        access.require(Role.READER, collection)
    if document is not None:
        access.visible(document)
    library = access.common()
    homes = _homes(library)
    may_all = access.readable() is None
    documents = set() if may_all else {each.id for each in access.documents()}

    def is_visible(home: AnswerOrigin) -> bool:
        if collection not in (None, home.collection):
            return False
        return access.principal.may(Role.READER, home.collection) if home.collection else may_all

    found = []
    for each in store.list_answers(library, document=document, limit=_MOST):
        if may_all or documents.issuperset(each.documents):
            asked = homes.get(each.id) or ([] if collection else [AnswerOrigin()])
            found += [StoredAnswer(each, home) for home in asked if is_visible(home)][:1]
    return sorted(found, key=lambda each: (each.summary.made, each.summary.id), reverse=True)


@dataclass(frozen=True, slots=True)
class Thread:
    """The questions around one: those that it follows, the first first, and those that follow."""

    before: tuple[StoredAnswer, ...] = ()
    after: tuple[StoredAnswer, ...] = ()


def find_thread(access: Access, stored: StoredAnswer) -> Thread:
    """Return the questions around an answer, as far as a person may see them."""
    known = {each.summary.id: each for each in list_answers(access)}
    before: list[StoredAnswer] = []
    follows = stored.home.follows
    while follows in known and len(before) < _LONGEST_THREAD:
        before.insert(0, known[follows])
        follows = known[follows].home.follows
    after = [each for each in known.values() if each.home.follows == stored.summary.id]
    return Thread(tuple(before), tuple(reversed(after)))


def find_answer(access: Access, identity: str) -> tuple[Answer, StoredAnswer]:
    """Return an answer; the audit trail keeps that it was read.

    Raises:
        NotFound: If there is none that they may see.
    """
    known = {each.summary.id: each for each in list_answers(access)}
    if identity not in known:
        raise NotFound(
            f"answer {identity[:40]!r} not found, or you don't have access.", remedy=_REMEDY
        )
    try:
        answer = store.load_answer(access.common(), identity)
    except ConfigError as error:  # removed in between
        raise NotFound(
            f"answer {identity[:40]!r} not found, or you don't have access.", remedy=_REMEDY
        ) from error
    access.record("answer read", {"answer": identity})
    return _without_paths(answer), known[identity]


def _without_paths(answer: Answer) -> Answer:
    """Leave out where files lie on the server: the folder may be of another collection."""
    return replace(answer, sources=tuple(replace(each, path="") for each in answer.sources))


def _homes(library: Library) -> Mapping[str, list[AnswerOrigin]]:
    homes: dict[str, list[AnswerOrigin]] = {}
    for answer, collection, by, follows in library.execute(
        "SELECT a.answer, a.collection, a.asked_by, coalesce(f.earlier, '') FROM server_answers a "
        "LEFT JOIN server_follow_ups f ON f.answer = a.answer ORDER BY a.task"
    ):
        homes.setdefault(as_string(answer), []).append(
            AnswerOrigin(as_string(collection), as_string(by), as_string(follows))
        )
    return homes
