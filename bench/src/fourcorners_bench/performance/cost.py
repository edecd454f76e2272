"""What one contract costs: the time in which every shipped model reads it, and their loading.

A contract is read as the commands do it: its passages get vectors (`add`), the clause reader judges
41 provisions and the entailment model 17 rules (`review`), and its clauses are ranked for a query
(`precedents`). Reading the file and its outline is no model's work and is left out.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from fourcorners.documents.read import read_document as read_document
from fourcorners.library.contract import Contract
from fourcorners.library.prepare import text_with_context
from fourcorners.models.entailment.model import EntailmentModel
from fourcorners.models.entailment.model import load_entailment as load_entailment
from fourcorners.models.entailment.spans import split_items
from fourcorners.models.registry import (
    DEFAULT_ENCODER,
    WEIGHTS,
    default_clause_reader,
    load_encoder,
)
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.read import read_card
from fourcorners.outline.passages.cut import cut_passages
from fourcorners.playbooks.load import load_playbook as load_playbook
from fourcorners.precedents.clause import MIN_WORDS, cut_clauses
from fourcorners.precedents.scoring.collection import ClauseCollection
from fourcorners.precedents.scoring.score import score_clauses
from fourcorners.precedents.scoring.vectors import passage_mean
from fourcorners.review.extract.cells import MAX_CANDIDATES
from fourcorners.review.extract.reader import ProvisionReader
from fourcorners.review.extract.scoring import Calibration, PreparedProvision, has_meaning
from fourcorners.review.extract.scoring import default_calibration as shipped_calibration
from fourcorners.review.run import prepare_provisions
from fourcorners_bench.measures.tables import figure_table
from fourcorners_bench.outline.run import contract_texts
from fourcorners_bench.performance import loading
from fourcorners_bench.performance.usage import limited_cores
from fourcorners_bench.record import Json, OnProgress, with_progress

if TYPE_CHECKING:
    from rich.table import Table

    from fourcorners.models.encoder.protocol import Encoder

PROVISIONS, RULES = "cuad-41", "nda-review"
QUERY = "mutual cap on liability with an exception for confidentiality"
GOALS: dict[str, float] = {"seconds": 1.5, "load_seconds": 0.4, "megabytes": 45.0}
"""A contract of some 50,000 characters on a quiet machine; the models without libraries."""


@dataclass(frozen=True, slots=True)
class Models:
    """Every shipped model, loaded, with what each is asked."""

    encoder: Encoder
    judge: ProvisionReader
    provisions: tuple[PreparedProvision, ...]
    calibration: Calibration
    entailment: EntailmentModel
    statements: tuple[str, ...]


@dataclass(slots=True)
class Cost:
    """Wall and CPU seconds of a contract by step, and how much there was to read."""

    characters: int
    wall: dict[str, float] = field(default_factory=dict)
    cpu: dict[str, float] = field(default_factory=dict)
    read: dict[str, int] = field(default_factory=dict)

    @contextmanager
    def measure_step(self, step: str) -> Iterator[None]:
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self.wall[step] = time.perf_counter() - wall
        self.cpu[step] = time.process_time() - cpu


def measure_cost(
    data: Path,
    *,
    characters: int,
    contracts: int,
    threads: int,
    on_progress: OnProgress | None = None,
) -> dict[str, Json]:
    """Read the contracts that are nearest to a length; return the medians over them.

    Raises:
        ConfigError: If there are no texts.
        ModelError: If a model cannot be loaded.
    """
    paths = texts_nearest(data, characters, contracts)
    with limited_cores(threads):
        load = loading.loading_seconds(3)
        models = load_models(threads)
        measure_contract(paths[0], models)  # so that nothing is loaded while the clock runs
        read = with_progress(paths, "Reading", on_progress)
        costs = [measure_contract(path, models) for path in read]
    clocks = ("wall", "cpu")
    spent = [{clock: getattr(each, clock) for clock in clocks} for each in costs]
    loaded = [each for name, each in load.items() if name != "libraries"]
    return {
        "contracts": len(paths),
        "characters": round(median(each.characters for each in costs)),
        "threads": threads,
        "read": {name: round(median(each.read[name] for each in costs)) for name in costs[0].read},
        "seconds": {
            clock: round(median(sum(each[clock].values()) for each in spent), 3) for clock in clocks
        },
        "step_seconds": {
            step: {clock: round(median(each[clock][step] for each in spent), 3) for clock in clocks}
            for step in costs[0].wall
        },
        "load_seconds": {clock: round(sum(each[clock] for each in loaded), 3) for clock in clocks},
        "loaded_seconds": load,
        "megabytes": round(weights_bytes() / 1e6, 2),
        "goals": GOALS,
    }


def texts_nearest(data: Path, characters: int, count: int) -> list[Path]:
    """Return the texts whose length is nearest to so many characters, the nearest first.

    Raises:
        ConfigError: If there are none.
    """
    texts = contract_texts(data)
    lengths = {path: len(path.read_text("utf-8", errors="replace")) for path in texts}
    return sorted(texts, key=lambda path: (abs(lengths[path] - characters), path))[:count]


def load_models(threads: int) -> Models:
    encoder = load_encoder(DEFAULT_ENCODER, threads=threads)
    reader = default_clause_reader()
    rules = [rule for each in load_playbook(RULES).provisions for rule in each.rules]
    return Models(
        encoder=encoder,
        judge=ProvisionReader(reader, vectors=encoder.name == reader.encoder),
        provisions=prepare_provisions(load_playbook(PROVISIONS), encoder),
        calibration=shipped_calibration(),
        entailment=replace(load_entailment(), encoder=encoder),  # which keeps no vectors
        statements=tuple(rule.statement for rule in rules),
    )


def measure_contract(path: Path, models: Models) -> Cost:
    """Have every model read a contract, and take the time of each step."""
    document = read_document(path)
    outline = build_outline(document)
    text, found = document.text, Cost(len(document.text))
    card, passages = read_card(document, outline), cut_passages(document, outline)
    with found.measure_step("vectors of passages"):
        vectors = models.encoder.encode(
            [text_with_context(each.context, each.span.text_in(text)) for each in passages]
        )
    reading = Contract.build(document, outline, card, passages, vectors)
    with found.measure_step("clause reader"):
        _judge(reading, models)
    spans = split_items(text, [unit.span for unit in reading.sentences])
    with found.measure_step("entailment"):
        models.entailment.judge(text, spans, models.statements)
    with found.measure_step("vectors of clauses"):
        collection = clauses_of(reading, models.encoder)
    with found.measure_step("precedents"):
        score_clauses([QUERY], collection)
    found.read = {
        "passages": len(reading.passages),
        "sentences": len(spans),
        "clauses": len(collection.texts),
    }
    return found


def clauses_of(reading: Contract, encoder: Encoder) -> ClauseCollection:
    """Return a contract's clauses, as `precedents` reads them, with vectors."""
    import numpy as np

    text, passages = reading.document.text, [each.span for each in reading.passages]
    spans = [span.strip(text) for span, _ in cut_clauses(reading.outline, text)]
    spans = [span for span in spans if len(span.text_in(text).split()) >= MIN_WORDS]
    texts = [span.text_in(text) for span in spans]
    assert reading.vectors is not None  # noqa: S101
    rows = [passage_mean(span, passages, reading.vectors) for span in spans]
    others = [at for at, row in enumerate(rows) if row is None]
    made = encoder.encode([texts[at] for at in others])
    for at, row in zip(others, made, strict=True):
        rows[at] = row
    vectors = np.array(rows, np.float32).reshape(len(rows), encoder.dimension)
    return ClauseCollection(texts, encoder, vectors=vectors)


def _judge(reading: Contract, models: Models) -> None:
    scores = models.judge.read(reading)
    for each in models.provisions:
        curve = models.calibration.curve(each.provision.id, meaning=has_meaning(reading, each))
        models.judge.candidates(reading, each, scores, curve, MAX_CANDIDATES)


def weights_bytes() -> int:
    return sum(path.stat().st_size for path in WEIGHTS.rglob("*") if path.is_file())


def cost_table(figures: dict[str, Json]) -> Table:
    title = (
        f"One contract of {figures['characters']:,} characters on {figures['threads']} threads: "
        f"the median of {figures['contracts']}"
    )
    shown = figure_table(title, "", "wall s", "CPU s", "goal")

    def row(name: str, clocks: Json, goal: str = "", style: str | None = None) -> None:
        if isinstance(clocks, dict):
            seconds_text = (f"{clocks['wall']:.3f}", f"{clocks['cpu']:.3f}")
            shown.add_row(name, *seconds_text, goal, style=style)

    for part, total, what in (
        ("step_seconds", "seconds", "all models read it"),
        ("loaded_seconds", "load_seconds", "all models loaded"),
    ):
        steps = figures[part]
        for name, clocks in steps.items() if isinstance(steps, dict) else ():
            row(f"  {name}", clocks, style="dim")
        row(what, figures[total], f"≤ {GOALS[total]}")
        shown.add_section()
    shown.add_row("weights, megabytes", f"{figures['megabytes']}", "", f"≤ {GOALS['megabytes']:g}")
    return shown
