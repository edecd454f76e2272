"""What people do with the columns of a review: ask one, ask it otherwise, fill it, take it out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fourcorners.library.tokens import fold_name
from fourcorners.llm import is_configured
from fourcorners.operations.errors import Refusal
from fourcorners.operations.knowledge import playbooks
from fourcorners.operations.principal import Role
from fourcorners.operations.reviewing.findings import column_errors, visible_column
from fourcorners.research.columns import store
from fourcorners.research.columns.form import ColumnForm
from fourcorners.research.columns.store import QuestionColumn
from fourcorners.server.context import RequestContext
from fourcorners.server.tasks.handlers import column as column_task
from fourcorners.server.tasks.queue import Task, TaskQueue

if TYPE_CHECKING:
    from fourcorners.review.estimate import CostEstimate

_MAX_SEARCHED = 200  # tasks looked through for those of columns


@dataclass(frozen=True, slots=True)
class ColumnStatus:
    """A column with its last task, if there was one that is remembered."""

    column: QuestionColumn
    task: Task | None

    @property
    def is_busy(self) -> bool:
        return self.task is not None and not self.task.state.is_final


def add_column(
    context: RequestContext,
    collection: str,
    playbook: str,
    question: str,
    *,
    with_model: bool,
    form: ColumnForm | None = None,
) -> ColumnStatus:
    """Put a question to every contract of a review.

    Raises:
        NotFound: If they may not know of the collection, or there is no such playbook.
        NotAllowed: If they are no reviewer there.
        Refusal: If the question is none, or a model is wanted and there is none.
        Conflict: If the same is asked already.
    """
    _require_model(context, wanted=with_model)
    with context.access() as access:
        library = access.library_for(collection, Role.REVIEWER)
        names = {fold_name(each.name): each.name for each in access.collections()}
        name = names.get(fold_name(collection), collection)
        book, by = playbooks.load_playbook(access, playbook, name), context.principal.name
        with column_errors():
            column = store.add_column(
                library, name, book.id, question, with_model=with_model, by=by, form=form
            )
    return ColumnStatus(column, fill_column(context, column))


def update_column(
    context: RequestContext,
    identity: str,
    question: str,
    *,
    with_model: bool,
    form: ColumnForm | None = None,
) -> ColumnStatus:
    """Change what a column asks; fill its cells again and keep the earlier ones.

    Where only its short name is new, its cells stay.

    Raises:
        NotFound: If there is no such column that they may see.
        NotAllowed: If they are no reviewer there.
        Refusal: If the question is none, or a model is wanted and there is none.
        Conflict: If the same is asked already, here or in another column of the review.
    """
    _require_model(context, wanted=with_model)
    with context.access() as access:
        before = visible_column(access, identity, Role.REVIEWER)
        library, by = access.common(), context.principal.name
        with column_errors():
            column = store.update_column(
                library, identity, question, with_model=with_model, by=by, form=form
            )
    if column.version == before.version:
        return ColumnStatus(column, fill_column(context, column))
    _end(context, column)
    return ColumnStatus(column, fill_column(context, column))


def remove_column(context: RequestContext, identity: str) -> QuestionColumn:
    """Take a column out of its review, and end the work on it.

    Raises:
        NotFound: If there is no such column that they may see.
        NotAllowed: If they are no reviewer there.
    """
    with context.access() as access:
        visible_column(access, identity, Role.REVIEWER)
        with column_errors():
            column = store.remove_column(access.common(), identity, by=context.principal.name)
    _end(context, column)
    return column


def fill_column(context: RequestContext, column: QuestionColumn) -> Task:
    """Have the empty and the failed cells of a column filled, unless that is running already."""
    spec = {"column": column.id, "playbook": column.playbook, "question": column.question}
    unfinished = next(iter(_unfinished_tasks(context, column)), None)
    return unfinished or context.start_task(
        column_task.KIND, column_task.LANE, column.collection, spec
    )


def fill_new_documents(context: RequestContext, collection: str, playbook: str) -> None:
    with context.access() as access:
        library = access.library_for(collection, Role.REVIEWER)
        documents = [entry.id for entry in access.documents(collection)]
        short = [
            each
            for each in store.review_columns(library, collection, playbook)
            if store.empty_cells(library, each, documents)
        ]
    for each in short:
        fill_column(context, each)


def find_column(context: RequestContext, identity: str, role: Role = Role.READER) -> QuestionColumn:
    """Return a column, as `visible_column` does."""
    with context.access() as access:
        return visible_column(access, identity, role)


def list_columns(context: RequestContext, collection: str, playbook: str) -> list[ColumnStatus]:
    with context.access() as access:
        library = access.library_for(collection, Role.READER)
        columns = store.review_columns(library, collection, playbook)
    # The latest comes first; so it is the one that stays.
    last = {each.spec["column"]: each for each in reversed(_tasks(context))} if columns else {}
    return [ColumnStatus(each, last.get(each.id)) for each in columns]


def estimate_column(
    context: RequestContext, collection: str, playbook: str, question: str
) -> CostEstimate:
    """Estimate what asking a question of every contract with the language model would use.

    Raises:
        NotFound: If they may not know of the collection.
        NotAllowed: If they are no reviewer there.
        Refusal: If the question is none, or there is no model.
    """
    from fourcorners.library.llm_store import library_port
    from fourcorners.review.estimate import estimate_cost
    from fourcorners.review.prompting.reviewer import ModelReviewer
    from fourcorners.review.prompting.settings import PromptSettings

    _require_model(context, wanted=True)
    encoder = context.state.engines.encoder
    with context.access() as access, column_errors():
        library = access.library_for(collection, Role.REVIEWER)
        column = store.draft_column(collection, playbook, question)
        book = store.columns_playbook(collection, playbook, [column])
        with library_port(library, context.state.settings.llm, "estimate") as port:
            asker = ModelReviewer(port, book, PromptSettings(), encoder=encoder)
            return estimate_cost(library, asker, collection=collection, again=True)


def has_model(context: RequestContext) -> bool:
    return is_configured(context.state.settings.llm)


def _require_model(context: RequestContext, *, wanted: bool) -> None:
    if wanted and not has_model(context):
        raise Refusal(
            "no language model is configured.",
            remedy="Configure one in the section [llm], or ask without it.",
        )


def _tasks(context: RequestContext) -> list[Task]:
    return [each for each in context.tasks(limit=_MAX_SEARCHED) if each.kind == column_task.KIND]


def _unfinished_tasks(context: RequestContext, column: QuestionColumn) -> list[Task]:
    some = [each for each in _tasks(context) if each.spec["column"] == column.id]
    return [each for each in some if not each.state.is_final]


def _end(context: RequestContext, column: QuestionColumn) -> None:
    """Cancel the unfinished tasks of a column that was changed or removed."""
    unfinished = _unfinished_tasks(context, column)
    with context.state.connection_pool.library() as library:
        for each in unfinished:
            TaskQueue(library).cancel(each.id, by=context.principal.name)
