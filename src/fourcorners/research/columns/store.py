"""Store the custom columns of reviews in an append-only table.

A column belongs to a collection and a playbook (its id: a later version keeps it). Its cells are
stored as findings, under a playbook made of the active columns; so people confirm, correct and
discuss them in the same way. A changed question is a new version with separate cells.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from hashlib import sha256

from fourcorners.errors import ConfigError
from fourcorners.library.audit import utc_now
from fourcorners.library.database import Row, as_integer, as_string, in_transaction
from fourcorners.library.store import Library
from fourcorners.library.tokens import fold_name
from fourcorners.playbooks.playbook import Playbook, Provision
from fourcorners.research.columns.form import ColumnForm, ColumnKind, check_form, risk_question
from fourcorners.review import store
from fourcorners.search.query import Or, Query, Word
from fourcorners.text.invisible_characters import shorten, single_line
from fourcorners.text.stems import content_tokens
from fourcorners.text.tokenization import tokenize

MAX_COLUMNS = 20
"""Columns of one review."""
MAX_QUESTION = 400
"""Characters of a question."""
PREFIX = "asked-"
"""The prefix of column ids and of their cells' names."""
LANGUAGE = "en"  # the language of the search and the rules
_NAME = 70  # characters of a question shown as the title of its column


_COLUMNS = (
    "c.id, c.version, collection, playbook, question, way = 'model', stands, by, at, "
    "coalesce(short, ''), coalesce(kind, 'auto')"
)


class NoSuchColumn(ConfigError):
    """There is no active column of that name."""


class DuplicateColumn(ConfigError):
    """The review already asks the same question, to be answered the same way."""


@dataclass(frozen=True, slots=True)
class QuestionColumn:
    """A question that is put to every contract of a review.

    Attributes:
        version: From 1; a changed question is another version.
        with_model: Whether the language model reads what the search finds; else it is by rules.
        is_active: False once it is removed.
        by: Who changed it last; `at` is when, in UTC and ISO 8601.
    """

    id: str
    version: int
    collection: str
    playbook: str
    question: str
    with_model: bool
    is_active: bool
    by: str
    at: str
    form: ColumnForm = field(default_factory=ColumnForm)

    @property
    def title(self) -> str:
        """Return what the column is called."""
        return self.form.short or shorten(self.question, _NAME)

    @property
    def provision(self) -> str:
        return f"{self.id}-v{self.version}"


def draft_column(collection: str, playbook: str, question: str) -> QuestionColumn:
    """Return a column that is not stored, to see what it would take.

    Raises:
        ConfigError: If the question is empty or too long.
    """
    return QuestionColumn(
        f"{PREFIX}draft", 1, collection, playbook, _sound(question), True, True, "", ""
    )


@in_transaction
def add_column(
    library: Library,
    collection: str,
    playbook: str,
    question: str,
    *,
    with_model: bool,
    by: str,
    form: ColumnForm | None = None,
) -> QuestionColumn:
    """Store a new column, and return it; its cells are empty.

    Raises:
        ConfigError: If the question is empty or too long, or there are too many columns.
        DuplicateColumn: If the same is asked already.
    """
    asked, form = _sound(question), check_form(form or ColumnForm())
    there = review_columns(library, collection, playbook)
    if len(there) >= MAX_COLUMNS:
        raise ConfigError(
            f"a review has at most {MAX_COLUMNS} custom columns.",
            remedy="Remove one first.",
        )
    _require_new(there, asked, with_model=with_model)
    column = QuestionColumn(
        f"{PREFIX}{secrets.token_hex(4)}", 1, collection, playbook, asked, with_model,
        True, by, utc_now(), form,
    )  # fmt: skip
    _keep(library, column, "column")
    return column


@in_transaction
def update_column(
    library: Library,
    identity: str,
    question: str,
    *,
    with_model: bool,
    by: str,
    form: ColumnForm | None = None,
) -> QuestionColumn:
    """Change what a column asks, and return its next version, whose cells are empty.

    Where only its short name is new, it stays the same version, with its cells.

    Raises:
        NoSuchColumn: If there is no such column.
        ConfigError: If the question is empty or too long.
        DuplicateColumn: If the same is asked already, here or in another column of the review.
    """
    asked = _sound(question)
    before = find_column(library, identity)
    form = before.form if form is None else check_form(form)
    same = (asked, with_model, form.kind) == (
        *(before.question, before.with_model), before.form.kind,
    )  # fmt: skip
    if same and form != before.form:
        renamed = replace(before, form=form, by=by)
        _keep_form(library, renamed, "column renamed")
        return renamed
    others = review_columns(library, before.collection, before.playbook)
    if form.kind != before.form.kind:
        others = [each for each in others if each.id != before.id]
    _require_new(others, asked, with_model=with_model)
    column = replace(
        before,
        version=before.version + 1,
        question=asked,
        with_model=with_model,
        by=by,
        at=utc_now(),
        form=form,
    )
    _keep(library, column, "column changed")
    return column


@in_transaction
def remove_column(library: Library, identity: str, *, by: str) -> QuestionColumn:
    """Remove a column from its review; what people said of its cells remains in the audit trail.

    Raises:
        NoSuchColumn: If there is no such column.
    """
    was = find_column(library, identity)
    gone = replace(was, is_active=False, by=by, at=utc_now())
    _keep(library, gone, "column removed")
    return gone


def find_column(library: Library, identity: str) -> QuestionColumn:
    """Return an active column, by its id or by the provision name of its cells.

    Raises:
        NoSuchColumn: If there is none.
    """
    versions = column_versions(library, identity.rpartition("-v")[0] or identity)
    if (
        not versions
        or not versions[-1].is_active
        or identity not in (versions[-1].id, versions[-1].provision)
    ):
        raise NoSuchColumn(
            f"column {identity[:60]!r} not found, or you don't have access.",
            remedy="It may have been removed.",
        )
    return versions[-1]


def column_versions(library: Library, identity: str) -> list[QuestionColumn]:
    return _select(library, "c.id = ?", identity)


def is_current(library: Library, column: QuestionColumn) -> bool:
    """Return whether a column is still asked in this version."""
    last = column_versions(library, column.id)[-1:]
    return any(each.is_active and each.version == column.version for each in last)


def review_columns(library: Library, collection: str, playbook: str) -> list[QuestionColumn]:
    """Return the active columns of a review, in the order in which they were added."""
    asked = _select(library, "fold = ? AND playbook = ?", fold_name(collection), playbook)
    last = {each.id: each for each in asked}
    return [each for each in last.values() if each.is_active]


def columns_of_collections(library: Library, collections: Collection[str]) -> list[QuestionColumn]:
    """Return the active columns of any review of these collections."""
    reviews = library.execute("SELECT DISTINCT fold, playbook FROM server_columns ORDER BY 1, 2")
    wanted = {fold_name(each) for each in collections}
    return [
        column
        for fold, playbook in reviews
        if as_string(fold) in wanted
        for column in review_columns(library, as_string(fold), as_string(playbook))
    ]


def columns_playbook(
    collection: str, playbook: str, columns: Collection[QuestionColumn]
) -> Playbook:
    """Return columns of one review as the playbook under which their cells are stored.

    Its id and hash depend on the review alone: a cell is identified by the name of its column and
    version.
    """
    digest = sha256(f"columns\n{fold_name(collection)}\n{playbook}".encode("utf-8", "replace"))
    return Playbook(
        id=f"asked-{digest.hexdigest()[:16]}",
        name="Asked in this review",
        version="1",
        hash=digest.hexdigest(),
        language=LANGUAGE,
        provisions=tuple(_provision(each) for each in columns),
    )


def review_playbook(library: Library, collection: str, playbook: str) -> Playbook:
    return columns_playbook(collection, playbook, review_columns(library, collection, playbook))


def find_duplicate(
    library: Library, collection: str, playbook: str, question: str, *, with_model: bool
) -> QuestionColumn | None:
    """Return the column of a review that already asks this in the same way; None if none does."""
    asked = _sound(question)
    return _duplicate(review_columns(library, collection, playbook), asked, with_model=with_model)


def playbook_for(library: Library, collection: str, playbook: Playbook, provision: str) -> Playbook:
    """Return which playbook a cell belongs to: the review's, or that of its custom columns."""
    asked = review_playbook(library, collection, playbook.id)
    return asked if any(each.id == provision for each in asked.provisions) else playbook


def empty_cells(library: Library, column: QuestionColumn, documents: Collection[str]) -> list[str]:
    """Return the documents whose cells of a column are empty, or failed, in their order."""
    book = columns_playbook(column.collection, column.playbook, [column])
    done = store.answered_cells(library, book)
    return [each for each in documents if column.provision not in done.get(each, ())]


def _sound(question: str) -> str:
    asked = single_line(" ".join(question.split()))
    if not asked:
        raise ConfigError(
            "the question is empty.", remedy="Say what you want to know of each contract."
        )
    if len(asked) > MAX_QUESTION:
        raise ConfigError(f"the question of a column has at most {MAX_QUESTION:,} characters.")
    if not tokenize(asked).tokens:
        raise ConfigError("the question contains no words.", remedy="Write it in words.")
    return asked


def _duplicate(
    there: Collection[QuestionColumn], asked: str, *, with_model: bool
) -> QuestionColumn | None:
    same = (each for each in there if each.question == asked and each.with_model == with_model)
    return next(same, None)


def _require_new(there: Collection[QuestionColumn], asked: str, *, with_model: bool) -> None:
    if _duplicate(there, asked, with_model=with_model):
        raise DuplicateColumn("this review already has a column with this question.")


def _keep(library: Library, column: QuestionColumn, event: str) -> None:
    library.execute(
        "INSERT INTO server_columns(id, version, fold, collection, playbook, question, way, "
        "stands, by, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(column.id, column.version, fold_name(column.collection), column.collection),
            *(column.playbook, column.question, "model" if column.with_model else "rules"),
            *(int(column.is_active), column.by, column.at),
        ),
    )
    _keep_form(library, column, event)


def _keep_form(library: Library, column: QuestionColumn, event: str) -> None:
    library.execute(
        "INSERT OR REPLACE INTO server_column_forms(id, version, short, kind) VALUES (?, ?, ?, ?)",
        (column.id, column.version, column.form.short, column.form.kind.value),
    )
    library.record(
        event,
        {"column": column.id}
        | {name: getattr(column, name) for name in ("version", "collection", "playbook", "by")},
    )


def _select(library: Library, where: str, *values: str) -> list[QuestionColumn]:
    rows = library.execute(
        f"SELECT {_COLUMNS} FROM server_columns c LEFT JOIN server_column_forms f "  # noqa: S608
        f"ON f.id = c.id AND f.version = c.version WHERE {where} ORDER BY c.row",
        values,
    )
    return [_column(row) for row in rows]


def _column(row: Row) -> QuestionColumn:
    identity, collection, playbook, question, by, at, short, kind = (
        as_string(row[place]) for place in (0, 2, 3, 4, 7, 8, 9, 10)
    )
    form = ColumnForm(short, ColumnKind(kind))
    with_model, is_active = bool(row[5]), bool(row[6])
    return QuestionColumn(
        *(identity, as_integer(row[1]), collection, playbook, question, with_model, is_active),
        *(by, at, form),
    )


def _provision(column: QuestionColumn) -> Provision:
    tokens = dict.fromkeys(content_tokens(tokenize(column.question).tokens))
    return Provision(
        id=column.provision,
        name=column.title,
        definition=column.question,
        query=Query(column.question, Or(tuple(Word(each) for each in tokens))),
        questions=(risk_question(column.question, column.form.kind),),
    )
