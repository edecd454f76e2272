"""Putting a question to every contract of a review: a cell at a time, each kept as it is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import nullcontext

from fourcorners.llm import is_configured
from fourcorners.operations.errors import Refusal
from fourcorners.playbooks.concepts import default_concepts
from fourcorners.research.columns import store as column_store
from fourcorners.research.columns.fill import ColumnFiller
from fourcorners.review.finding import CellState
from fourcorners.server.tasks.handlers import TaskContext

KIND = "column"
LANE = "looking"


def run(work: TaskContext) -> Mapping[str, str | int]:
    column = column_store.find_column(work.library, work.task.spec["column"])
    documents = [entry.id for entry in work.library.documents(column.collection)]
    counts: Counter[CellState] = Counter()
    if column.with_model and not is_configured(work.settings.llm):
        raise Refusal(
            "this column is to be read by a language model, and none is configured any more.",
            remedy="Configure one in the section [llm], or ask again without it.",
        )
    with work.open_port(f"column {column.id}") if column.with_model else nullcontext() as port:
        filler = ColumnFiller(
            work.library,
            column,
            encoder=work.encoder,
            concepts=default_concepts(),
            port=port,
        )
        missing = filler.pending_documents(documents)
        before = len(documents) - len(missing)
        work.report_progress(before, len(documents), 0, "")
        for number, cell in enumerate(filler.fill_all(missing), start=1):
            counts[cell.state] += 1
            work.report_progress(before + number, len(documents), counts[CellState.FAILED], "")
    work.report_progress(len(documents), len(documents), counts[CellState.FAILED], "")
    return {
        "column": column.id,
        "provision": column.provision,
        "filled": sum(counts.values()),
        **{state.value: count for state, count in sorted(counts.items())},
    }
