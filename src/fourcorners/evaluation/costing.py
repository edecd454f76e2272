"""What one contract costs: the time in which every shipped model reads it, and their loading.

A contract is read as the commands do it: its passages get vectors (`add`), the clause reader judges
41 provisions and the entailment model 17 rules (`review`), and its clauses are ranked for a query
(`precedents`). Reading the file and its outline is no model's work and stands outside.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from fourcorners.documents.read import read_document as read_document
from fourcorners.errors import ConfigError
from fourcorners.evaluation import loading
from fourcorners.evaluation.benchmark import Json
from fourcorners.evaluation.outlining import contract_files
from fourcorners.models.entailment import Entailment
from fourcorners.models.entailment import load as load_entailment
from fourcorners.models.entailment_spans import pieces
from fourcorners.models.registry import (
    DEFAULT_ENCODER,
    default_clause_reader,
    folders,
    load_encoder,
)
from fourcorners.outline.build import build
from fourcorners.outline.cards import read_card
from fourcorners.outline.passages import passages
from fourcorners.playbooks.load import load as load_playbook
from fourcorners.precedents.collection import Collection
from fourcorners.precedents.gather import clauses
from fourcorners.precedents.scoring import scores
from fourcorners.review.calibration import Calibration
from fourcorners.review.calibration import shipped as shipped_calibration
from fourcorners.review.extract import MOST_CANDIDATES
from fourcorners.review.reader import Judge
from fourcorners.review.reading import Reading, read
from fourcorners.review.run import prepare
from fourcorners.review.scoring import Prepared, has_meaning

if TYPE_CHECKING:
    from rich.table import Table

    from fourcorners.models.encoder import Encoder

PROVISIONS, RULES = "cuad-41", "nda-review"
QUERY = "mutual cap on liability with an exception for confidentiality"
GOALS: dict[str, float] = {"seconds": 1.5, "load_seconds": 0.5, "megabytes": 60.0}
"""A contract of some 50,000 characters on a quiet machine; the models without libraries."""


@dataclass(frozen=True, slots=True)
class Models:
    """Every shipped model, loaded, with what each is asked."""

    encoder: Encoder
    judge: Judge
    provisions: tuple[Prepared, ...]
    calibration: Calibration
    entailment: Entailment
    statements: tuple[str, ...]


@dataclass(slots=True)
class Cost:
    """Wall and CPU seconds of a contract by step, and how much there was to read."""

    characters: int
    wall: dict[str, float] = field(default_factory=dict)
    cpu: dict[str, float] = field(default_factory=dict)
    read: dict[str, int] = field(default_factory=dict)

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        """Take the time of a step."""
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self.wall[step] = time.perf_counter() - wall
        self.cpu[step] = time.process_time() - cpu


def measure(
    data: Path,
    *,
    characters: int,
    contracts: int,
    threads: int,
    on_progress: Callable[[str, int, int], None] = lambda _what, _done, _total: None,
) -> dict[str, Json]:
    """Read the contracts that are nearest to a length; return the medians over them.

    Args:
        data: A folder with texts, such as CUAD's.
        characters: The length.
        contracts: How many.
        threads: Cores that may be used at once.
        on_progress: Is told what is done, how much of it, and of how much.

    Raises:
        ConfigError: If there are no texts.
        ModelError: If a model cannot be loaded.
    """
    paths = nearest(data, characters, contracts)
    with _held_to(threads):
        load = loading.seconds(3)
        models = opened(threads)
        cost(paths[0], models)  # so that nothing is loaded while the clock runs
        costs = []
        for done, path in enumerate(paths, 1):
            costs.append(cost(path, models))
            on_progress("Reading", done, len(paths))
    steps = list(costs[0].wall)
    loaded = [clocks for name, clocks in load.items() if name != "libraries"]
    return {
        "contracts": len(paths),
        "characters": round(median(each.characters for each in costs)),
        "threads": threads,
        "read": {name: round(median(each.read[name] for each in costs)) for name in costs[0].read},
        "seconds": {
            "wall": round(median(sum(each.wall.values()) for each in costs), 3),
            "cpu": round(median(sum(each.cpu.values()) for each in costs), 3),
        },
        "step_seconds": {
            step: {
                "wall": round(median(each.wall[step] for each in costs), 3),
                "cpu": round(median(each.cpu[step] for each in costs), 3),
            }
            for step in steps
        },
        "load_seconds": {
            clock: round(sum(each[clock] for each in loaded), 3) for clock in ("wall", "cpu")
        },
        "loaded_seconds": load,
        "megabytes": round(weights_bytes() / 1e6, 2),
        "goals": GOALS,
    }


def nearest(data: Path, characters: int, count: int) -> list[Path]:
    """Return the texts whose length is nearest to so many characters, the nearest first.

    Raises:
        ConfigError: If there are none.
    """
    texts = [path for path in contract_files(data) if path.suffix == ".txt"]
    if not texts:
        raise ConfigError(
            f"{data} has no texts.", remedy="Name the folder of CUAD with its contracts as .txt."
        )
    lengths = {path: len(path.read_text("utf-8", errors="replace")) for path in texts}
    return sorted(texts, key=lambda path: (abs(lengths[path] - characters), path))[:count]


def opened(threads: int) -> Models:
    """Load every model, and encode what playbooks ask once for all contracts."""
    encoder = load_encoder(DEFAULT_ENCODER, threads=threads)
    reader = default_clause_reader()
    rules = [rule for each in load_playbook(RULES).provisions for rule in each.rules]
    return Models(
        encoder=encoder,
        judge=Judge(reader, vectors=encoder.name == reader.encoder),
        provisions=prepare(load_playbook(PROVISIONS), encoder),
        calibration=shipped_calibration(),
        entailment=replace(load_entailment(), encoder=encoder),  # which keeps no vectors
        statements=tuple(rule.statement for rule in rules),
    )


def cost(path: Path, models: Models) -> Cost:
    """Have every model read a contract, and take the time of each step."""
    document = read_document(path)
    outline = build(document)
    text, found = document.text, Cost(len(document.text))
    reading = read(
        document, outline, read_card(document, outline), passages(document, outline), None
    )
    with found.timed("vectors of passages"):
        vectors = models.encoder.encode([each.span.of(text) for each in reading.passages])
    reading = replace(reading, vectors=vectors)
    with found.timed("clause reader"):
        _judge(reading, models)
    spans = pieces(text, [unit.span for unit in reading.segments])
    with found.timed("entailment"):
        models.entailment.judge(text, spans, models.statements)
    cut = [span.of(text) for span, _ in clauses(outline, text)]
    with found.timed("vectors of clauses"):
        collection = Collection(cut, models.encoder, vectors=models.encoder.encode(cut))
    with found.timed("precedents"):
        scores([QUERY], collection)
    found.read = {"passages": len(reading.passages), "sentences": len(spans), "clauses": len(cut)}
    return found


def _judge(reading: Reading, models: Models) -> None:
    heard = models.judge.listen(reading)
    for each in models.provisions:
        curve = models.calibration.curve(each.provision.id, meaning=has_meaning(reading, each))
        models.judge.candidates(reading, each, heard, curve, MOST_CANDIDATES)


def weights_bytes() -> int:
    """Return the size of all files of the shipped models."""
    return sum(
        path.stat().st_size for folder in folders() for path in folder.rglob("*") if path.is_file()
    )


@contextmanager
def _held_to(threads: int) -> Iterator[None]:
    """Hold this process, and those it starts, to so many cores, where the system can."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[:threads])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def table(figures: dict[str, Json]) -> Table:
    """Return the figures as a table."""
    from rich.table import Table

    shown = Table(title_justify="left", header_style="bold", box=None, pad_edge=False)
    shown.title = (
        f"One contract of {figures['characters']:,} characters on {figures['threads']} threads: "
        f"the median of {figures['contracts']}"
    )
    for head in ("", "wall s", "CPU s", "goal"):
        shown.add_column(head, justify="left" if not head else "right", no_wrap=True)

    def row(name: str, clocks: Json, goal: str = "", style: str | None = None) -> None:
        if isinstance(clocks, dict):
            told = (f"{clocks['wall']:.3f}", f"{clocks['cpu']:.3f}")
            shown.add_row(name, *told, goal, style=style)

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
