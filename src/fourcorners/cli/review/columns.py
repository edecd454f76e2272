"""Columns of a review by one's own question: asked, filled, listed and taken out by command."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

from fourcorners.cli import options
from fourcorners.cli.options import option
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError
from fourcorners.text.invisible_characters import shorten, single_line

if TYPE_CHECKING:
    from fourcorners.library.store import Library
    from fourcorners.llm import Port
    from fourcorners.models.encoder.protocol import Encoder
    from fourcorners.playbooks.playbook import Playbook, Provision
    from fourcorners.research.columns.store import QuestionColumn


_NO_REVIEW = ConfigError(
    "a column belongs to the review of one collection.", remedy="Name it with --collection."
)


def require_collection(questions: Sequence[str], collection: str | None) -> None:
    """Refuse questions that no review is named for.

    Raises:
        ConfigError: If there are any.
    """
    if questions and collection is None:
        raise _NO_REVIEW


def of_review(library: Library, collection: str | None, playbook: str) -> list[QuestionColumn]:
    """Return the columns of a review; a review of all contracts has none."""
    from fourcorners.research.columns import store as column_store

    return [] if collection is None else column_store.review_columns(library, collection, playbook)


def ask(
    library: Library, collection: str, playbook: str, questions: Sequence[str], *, with_model: bool
) -> None:
    """Keep a column for each question that is not asked already.

    Raises:
        ConfigError: If a question is none, or there are as many columns as may be.
    """
    from fourcorners.research.columns import store as column_store

    with library.transaction():
        for question in questions:
            where = (library, collection, playbook, question)
            if not column_store.find_duplicate(*where, with_model=with_model):
                column_store.add_column(*where, with_model=with_model, by=console.reviewer(None))


def fill(
    library: Library,
    columns: Sequence[QuestionColumn],
    *,
    encoder: Encoder | None,
    port: Port | None,
    again: bool,
    only_failed: bool,
    show: Callable[[int, int, str], None],
) -> None:
    """Fill the cells of columns; those for a language model only where there is one to ask.

    `show` is called with cells that are done, all cells, and the question.

    Raises:
        BudgetExceeded: When the budget of the language model has ended; what is done is kept.
    """
    from fourcorners.playbooks.concepts import default_concepts
    from fourcorners.research.columns.fill import ColumnFiller

    for column in columns:
        if column.with_model and port is None:
            continue
        documents = [entry.id for entry in library.documents(column.collection)]
        filler = ColumnFiller(
            library,
            column,
            encoder=encoder,
            concepts=default_concepts(),
            port=port if column.with_model else None,
        )
        missing = filler.pending_documents(documents, again=again, only_failed=only_failed)
        done = len(documents) - len(missing)
        for _ in filler.fill_all(missing):
            done += 1
            show(done, len(documents), column.question)


def find(
    library: Library, collections: Sequence[str], playbook: Playbook, name: str
) -> tuple[Playbook, Provision]:
    """Return what a name means in the reviews of collections: a provision, or an asked column.

    What the playbook's provisions are called goes before what columns ask; of a column it is the
    id, the question, or a part of one question alone.

    Raises:
        ConfigError: If it means nothing, or the questions of several columns.
    """
    from fourcorners.research.columns import store as column_store

    try:
        return playbook, playbook.provision(name)
    except ConfigError:
        there = [
            (c, each)
            for c in collections
            for each in column_store.review_columns(library, c, playbook.id)
        ]
        wanted = " ".join(name.split()).casefold()
        same = [
            (collection, each)
            for collection, each in there
            if wanted in (each.id, each.provision, each.question.casefold())
        ]
        meant = same or [each for each in there if wanted and wanted in each[1].question.casefold()]
        if not meant:
            raise
    if len(meant) > 1:
        choices = "; ".join(f"{each.id} ({shorten(each.question, 60)})" for _, each in meant)
        raise ConfigError(
            f"{name!r} may mean {len(meant)} columns: {choices}.",
            remedy="Name one by its id, or its review by --collection.",
        )
    collection, column = meant[0]
    book = column_store.review_playbook(library, collection, playbook.id)
    return book, book.provision(column.provision)


def columns(
    collection: options.Collection = None,
    playbook: options.Playbook = "due-diligence",
    remove: Annotated[
        str | None, option("--remove ID", "Take this column out of the review.")
    ] = None,
    by: options.By = None,
    library: options.Library = None,
    as_json: options.Json = False,
) -> None:
    """List the columns that people asked for, or take one out.

    What a column held, and what people said of it, stays in the library and in the audit trail;
    the grid and the reports have it no more.
    """
    from fourcorners.playbooks.load import load_playbook
    from fourcorners.research.columns import store as column_store

    if collection is None:
        raise _NO_REVIEW
    book = load_playbook(playbook)
    with console.open_library(library) as store:
        if remove is not None:
            if remove not in {
                each.id for each in column_store.review_columns(store, collection, book.id)
            }:
                raise ConfigError(
                    f"the review has no column {remove!r}.",
                    remedy="`fourcorners review columns` lists them.",
                )
            column_store.remove_column(store, remove, by=console.reviewer(by))
        standing = column_store.review_columns(store, collection, book.id)
        documents = [entry.id for entry in store.documents(collection)]
        left = {each.id: len(column_store.empty_cells(store, each, documents)) for each in standing}
    if as_json:
        names = "id version question with_model by at"
        console.print_json(
            [{**console.attributes(each, names), "open": left[each.id]} for each in standing]
        )
        return
    for each in standing:
        way = ", read by the language model" if each.with_model else ""
        empty = f", {console.count_noun(left[each.id], 'cell')} to fill" if left[each.id] else ""
        console.print_line(
            f"{each.id}  {single_line(each.question)}  "
            f"({single_line(each.by)}, {each.at[:10]}{way}{empty})"
        )
    if not standing:
        console.err().print("Nobody asked for a column in this review.", style="dim")
