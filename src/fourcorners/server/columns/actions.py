"""What people do with the columns of a review: ask one, ask it otherwise, fill it, take it out."""

from __future__ import annotations

from dataclasses import dataclass

from fourcorners.library.tokens import fold_name
from fourcorners.llm import is_configured
from fourcorners.server.auth.access import Access
from fourcorners.server.auth.principal import Role
from fourcorners.server.columns import store as kept
from fourcorners.server.columns.store import Column
from fourcorners.server.context import RequestContext
from fourcorners.server.errors import HttpError, NotFound
from fourcorners.server.store import playbook_store as books
from fourcorners.server.tasks.handlers import column as doing
from fourcorners.server.tasks.queue import Task, TaskQueue

_LOOKED = 200  # tasks looked through for those of columns


@dataclass(frozen=True, slots=True)
class ColumnStatus:
    """A column with its last task, if there was one that is remembered."""

    column: Column
    task: Task | None

    @property
    def is_busy(self) -> bool:
        """Tell whether it is being filled, or waits for that."""
        return self.task is not None and not self.task.state.is_final


def add_column(
    context: RequestContext, collection: str, playbook: str, question: str, *, with_model: bool
) -> tuple[Column, Task]:
    """Put a question to every contract of a review.

    Raises:
        NotFound: If they may not know of the collection, or there is no such playbook.
        NotAllowed: If they are no reviewer there.
        Refusal: If the question is none, or a model is wanted and there is none.
    """
    _require_model(context, wanted=with_model)
    with context.access() as access:
        library = access.library_for(collection, Role.REVIEWER)
        name = _named(access, collection)
        book = books.load_playbook(library, playbook)
        column = kept.add_column(
            library, name, book.id, question, with_model=with_model, by=context.principal.name
        )
    return column, fill_column(context, column)


def update_column(
    context: RequestContext, identity: str, question: str, *, with_model: bool
) -> tuple[Column, Task]:
    """Ask something else in a column; its cells are filled anew, and the earlier ones are kept.

    Raises:
        NotFound: If there is no such column that they may see.
        NotAllowed: If they are no reviewer there.
        Refusal: If the question is none, or a model is wanted and there is none.
    """
    _require_model(context, wanted=with_model)
    with context.access() as access:
        _found(access, identity, Role.REVIEWER)
        column = kept.update_column(
            access.common(), identity, question, with_model=with_model, by=context.principal.name
        )
    _end(context, column)
    return column, fill_column(context, column)


def remove_column(context: RequestContext, identity: str) -> Column:
    """Take a column out of its review, and end the work on it.

    Raises:
        NotFound: If there is no such column that they may see.
        NotAllowed: If they are no reviewer there.
    """
    with context.access() as access:
        _found(access, identity, Role.REVIEWER)
        column = kept.remove_column(access.common(), identity, by=context.principal.name)
    _end(context, column)
    return column


def fill_column(context: RequestContext, column: Column) -> Task:
    """Have the empty and the failed cells of a column filled, if that is not going on already."""
    for each in _tasks(context, column):
        if not each.state.is_final:
            return each
    spec = {"column": column.id, "playbook": column.playbook, "question": column.question}
    return context.start_task(doing.KIND, doing.LANE, column.collection, spec)


def fill_new_documents(context: RequestContext, collection: str, playbook: str) -> list[Task]:
    """Have the columns of a review filled where contracts have come to it since."""
    with context.access() as access:
        library = access.library_for(collection, Role.REVIEWER)
        documents = [entry.id for entry in access.documents(collection)]
        short = [
            each
            for each in kept.review_columns(library, collection, playbook)
            if kept.empty_cells(library, each, documents)
        ]
    return [fill_column(context, each) for each in short]


def find_column(context: RequestContext, identity: str, role: Role = Role.READER) -> Column:
    """Return a column.

    Raises:
        NotFound: If there is no such column that they may see.
        NotAllowed: If they hold a lesser role in its collection.
    """
    with context.access() as access:
        return _found(access, identity, role)


def list_columns(context: RequestContext, collection: str, playbook: str) -> list[ColumnStatus]:
    """Return the columns of a review, each with its last task."""
    with context.access() as access:
        library = access.library_for(collection, Role.READER)
        columns = kept.review_columns(library, collection, playbook)
    if not columns:
        return []
    last: dict[str, Task] = {}
    for task in context.tasks(limit=_LOOKED):
        if task.kind == doing.KIND:
            last.setdefault(task.spec["column"], task)
    return [ColumnStatus(each, last.get(each.id)) for each in columns]


def has_model(context: RequestContext) -> bool:
    """Tell whether a language model may be asked."""
    return is_configured(context.state.settings.llm)


def _found(access: Access, identity: str, role: Role) -> Column:
    column = kept.find_column(access.common(), identity)
    try:
        access.require(role, column.collection)
    except NotFound as error:  # the wall tells no more of a column than of a collection
        raise NotFound(
            f"there is no column {identity[:60]!r}.", remedy="It may be removed."
        ) from error
    return column


def _named(access: Access, collection: str) -> str:
    """Return a collection's name as the library has it."""
    wanted = fold_name(collection)
    names = [each.name for each in access.collections()]
    return next((name for name in names if fold_name(name) == wanted), collection)


def _require_model(context: RequestContext, *, wanted: bool) -> None:
    if wanted and not has_model(context):
        raise HttpError(
            "no language model is configured.",
            remedy="Configure one in the section [llm], or ask without it.",
        )


def _tasks(context: RequestContext, column: Column) -> list[Task]:
    return [
        each
        for each in context.tasks(limit=_LOOKED)
        if each.kind == doing.KIND and each.spec["column"] == column.id
    ]


def _end(context: RequestContext, column: Column) -> None:
    """End what is going on for a column that is another now, or gone."""
    going = [each.id for each in _tasks(context, column) if not each.state.is_final]
    with context.state.connection_pool.library() as library:
        for each in going:
            TaskQueue(library).cancel(each, by=context.principal.name)
