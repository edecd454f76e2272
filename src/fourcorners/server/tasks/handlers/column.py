"""Putting a question to every contract of a review: a cell at a time, each kept as it is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from fourcorners.library.llm_store import LibraryCache, LibraryLedger
from fourcorners.llm import Port, is_configured, open_port
from fourcorners.playbooks.concepts import default_concepts
from fourcorners.research.columns import store as kept
from fourcorners.research.columns.fill import ColumnFiller
from fourcorners.research.columns.jobs import fill_column, pending_documents
from fourcorners.research.columns.store import Column
from fourcorners.review.finding import CellState
from fourcorners.server.errors import HttpError
from fourcorners.server.tasks.handlers.work import TaskContext

KIND = "column"
LANE = "looking"


def run(work: TaskContext) -> Mapping[str, str | int]:
    """Fill the cells of a column that are empty or failed; those that are filled stay."""
    column = kept.find_column(work.library, work.task.spec["column"])
    book = kept.columns_playbook(column.collection, column.playbook, [column])
    documents = [entry.id for entry in work.library.documents(column.collection)]
    counts: Counter[CellState] = Counter()
    with _port(work, column) as port:
        filler = ColumnFiller(
            work.library,
            book,
            column.collection,
            encoder=work.engines.encoder if work.library.encoder is not None else None,
            concepts=default_concepts(),
            port=port,
        )
        missing = pending_documents(work.library, column, filler.engine, documents)
        before = len(documents) - len(missing)
        work.report_progress(before, len(documents), 0, "")
        for number, cell in enumerate(fill_column(work.library, column, filler, missing), start=1):
            counts[cell.state] += 1
            work.report_progress(before + number, len(documents), _failed(counts), "")
    work.report_progress(len(documents), len(documents), _failed(counts), "")
    return {
        "column": column.id,
        "provision": column.provision,
        "filled": sum(counts.values()),
        **{state.value: count for state, count in sorted(counts.items())},
    }


def _failed(counts: Counter[CellState]) -> int:
    return counts[CellState.FAILED]


@contextmanager
def _port(work: TaskContext, column: Column) -> Iterator[Port | None]:
    if not column.with_model:
        yield None
        return
    settings = work.settings.llm
    if not is_configured(settings):
        raise HttpError(
            "this column is to be read by a language model, and none is configured any more.",
            remedy="Configure one in the section [llm], or ask again without it.",
        )
    cache = LibraryCache(work.library)
    ledger = work.telemetry.ledger(LibraryLedger(work.library))
    with open_port(settings, cache=cache, ledger=ledger, job=f"column {column.id}") as port:
        yield port
