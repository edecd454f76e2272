"""What people do with the columns of a review: ask one, ask it otherwise, fill it, take it out."""

from __future__ import annotations

from dataclasses import dataclass

from fourcorners.library.tokens import folded
from fourcorners.llm import is_configured
from fourcorners.server import books
from fourcorners.server.access import Access
from fourcorners.server.columns import kept
from fourcorners.server.columns.kept import Column
from fourcorners.server.desk import DeskOf
from fourcorners.server.doing import columns as doing
from fourcorners.server.principal import Role
from fourcorners.server.refusals import NotFound, Refusal
from fourcorners.server.tasks import Task, Tasks

_LOOKED = 200  # tasks looked through for those of columns


@dataclass(frozen=True, slots=True)
class Standing:
    """A column with its last task, if there was one that is remembered."""

    column: Column
    task: Task | None

    @property
    def at_work(self) -> bool:
        """Tell whether it is being filled, or waits for that."""
        return self.task is not None and not self.task.state.ended


def add(
    desk: DeskOf, collection: str, playbook: str, question: str, *, with_model: bool
) -> tuple[Column, Task]:
    """Put a question to every contract of a review.

    Raises:
        NotFound: If they may not know of the collection, or there is no such playbook.
        NotAllowed: If they are no reviewer there.
        Refusal: If the question is none, or a model is wanted and there is none.
    """
    _require_model(desk, wanted=with_model)
    with desk.access() as access:
        library = access.library_for(collection, Role.REVIEWER)
        name = _named(access, collection)
        book = books.load(library, playbook)
        column = kept.ask(
            library, name, book.id, question, with_model=with_model, by=desk.principal.name
        )
    return column, fill(desk, column)


def change(desk: DeskOf, identity: str, question: str, *, with_model: bool) -> tuple[Column, Task]:
    """Ask something else in a column; its cells are filled anew, and the earlier ones are kept.

    Raises:
        NotFound: If there is no such column that they may see.
        NotAllowed: If they are no reviewer there.
        Refusal: If the question is none, or a model is wanted and there is none.
    """
    _require_model(desk, wanted=with_model)
    with desk.access() as access:
        _found(access, identity, Role.REVIEWER)
        column = kept.change(
            access.common(), identity, question, with_model=with_model, by=desk.principal.name
        )
    _end(desk, column)
    return column, fill(desk, column)


def remove(desk: DeskOf, identity: str) -> Column:
    """Take a column out of its review, and end the work on it.

    Raises:
        NotFound: If there is no such column that they may see.
        NotAllowed: If they are no reviewer there.
    """
    with desk.access() as access:
        _found(access, identity, Role.REVIEWER)
        column = kept.remove(access.common(), identity, by=desk.principal.name)
    _end(desk, column)
    return column


def fill(desk: DeskOf, column: Column) -> Task:
    """Have the empty and the failed cells of a column filled, if that is not going on already."""
    for each in _tasks(desk, column):
        if not each.state.ended:
            return each
    spec = {"column": column.id, "playbook": column.playbook, "question": column.question}
    return desk.start(doing.KIND, doing.LANE, column.collection, spec)


def catch_up(desk: DeskOf, collection: str, playbook: str) -> list[Task]:
    """Have the columns of a review filled where contracts have come to it since."""
    with desk.access() as access:
        library = access.library_for(collection, Role.REVIEWER)
        documents = [entry.id for entry in access.documents(collection)]
        short = [
            each
            for each in kept.review_columns(library, collection, playbook)
            if kept.empty_cells(library, each, documents)
        ]
    return [fill(desk, each) for each in short]


def look(desk: DeskOf, identity: str, role: Role = Role.READER) -> Column:
    """Return a column.

    Raises:
        NotFound: If there is no such column that they may see.
        NotAllowed: If they hold a lesser role in its collection.
    """
    with desk.access() as access:
        return _found(access, identity, role)


def standing(desk: DeskOf, collection: str, playbook: str) -> list[Standing]:
    """Return the columns of a review, each with its last task."""
    with desk.access() as access:
        library = access.library_for(collection, Role.READER)
        columns = kept.review_columns(library, collection, playbook)
    if not columns:
        return []
    last: dict[str, Task] = {}
    for task in desk.tasks(limit=_LOOKED):
        if task.kind == doing.KIND:
            last.setdefault(task.spec["column"], task)
    return [Standing(each, last.get(each.id)) for each in columns]


def has_model(desk: DeskOf) -> bool:
    """Tell whether a language model may be asked."""
    return is_configured(desk.office.settings.llm)


def _found(access: Access, identity: str, role: Role) -> Column:
    column = kept.find(access.common(), identity)
    try:
        access.require(role, column.collection)
    except NotFound as error:  # the wall tells no more of a column than of a collection
        raise NotFound(
            f"there is no column {identity[:60]!r}.", remedy="It may be removed."
        ) from error
    return column


def _named(access: Access, collection: str) -> str:
    """Return a collection's name as the library has it."""
    wanted = folded(collection)
    names = [each.name for each in access.collections()]
    return next((name for name in names if folded(name) == wanted), collection)


def _require_model(desk: DeskOf, *, wanted: bool) -> None:
    if wanted and not has_model(desk):
        raise Refusal(
            "no language model is configured.",
            remedy="Configure one in the section [llm], or ask without it.",
        )


def _tasks(desk: DeskOf, column: Column) -> list[Task]:
    return [
        each
        for each in desk.tasks(limit=_LOOKED)
        if each.kind == doing.KIND and each.spec["column"] == column.id
    ]


def _end(desk: DeskOf, column: Column) -> None:
    """End what is going on for a column that is another now, or gone."""
    going = [each.id for each in _tasks(desk, column) if not each.state.ended]
    with desk.office.shelf.library() as library:
        for each in going:
            Tasks(library).cancel(each, by=desk.principal.name)
