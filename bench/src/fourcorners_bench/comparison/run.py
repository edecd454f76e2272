"""The benchmark of comparisons: made versions of contracts of one half, compared and scored."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from typing import TYPE_CHECKING, Literal, TypeAlias

from fourcorners.comparison.compare import compare_documents
from fourcorners.comparison.comparison import Clause, Relation
from fourcorners.text.invisible_characters import shorten
from fourcorners_bench.comparison.score import KindScore, Score
from fourcorners_bench.comparison.versions import VersionPair, eligible, make_version
from fourcorners_bench.extraction.loader import AnnotatedContract
from fourcorners_bench.outline.references import text_document
from fourcorners_bench.record import OnProgress, json_figures, with_progress

if TYPE_CHECKING:
    from rich.table import Table

    from fourcorners.models.encoder.protocol import Encoder
    from fourcorners_bench.record import Json

Half: TypeAlias = Literal["development", "report"]
PAGE = 3_000
"""Characters of a page of a contract, as it is usually set."""
_SHORT = 60_000  # characters of a contract that is compared with an unlike one, at most
_FRONT = frozenset({"Document Name", "Parties", "Agreement Date", "Effective Date"})
read_version = partial(text_document, "version.txt")
_SHOWN = 70  # characters of each of the words that are listed


@dataclass(frozen=True, slots=True)
class ComparisonRun:
    """The score of all pairs, and how many they are."""

    score: Score
    pairs: int


def make_pairs(
    contracts: Sequence[AnnotatedContract], half: Half, count: int, seed: int, *, skip: int = 0
) -> list[VersionPair]:
    """Make second versions of contracts of one half, at most one of each group of contracts.

    The first `skip` contracts are left out: those that have been seen before.

    The halves are split by groups, so that nothing of one resembles what is in the other.
    """
    own = eligible_contracts(contracts, half)
    donors = [each.text for each in own]
    return [
        make_version(each.name, each.text, [text for text in donors if text != each.text], seed)
        for each in own[skip : skip + count]
    ]


def eligible_contracts(
    contracts: Sequence[AnnotatedContract],
    half: Half,
    is_fit: Callable[[str], bool] = eligible,
) -> list[AnnotatedContract]:
    """Return one contract of each group of a half, in an order that their names give."""
    chosen: dict[str, AnnotatedContract] = {}
    for each in sorted(contracts, key=lambda contract: _digest(contract.name)):
        if (_digest(each.group) % 2 == 0) == (half == "development") and is_fit(each.text):
            chosen.setdefault(each.group, each)
    return list(chosen.values())


def run_comparisons(
    pairs: Sequence[VersionPair],
    *,
    encoder: Encoder | None = None,
    on_progress: OnProgress | None = None,
) -> ComparisonRun:
    score = Score()
    for pair in with_progress(pairs, "Comparing", on_progress):
        before, after = read_version(pair.before), read_version(pair.after)
        score.add(pair, compare_documents(before, after, encoder=encoder))
    return ComparisonRun(score, len(pairs))


@dataclass(frozen=True, slots=True)
class Pairing:
    """How many clauses of unlike contracts were paired, and how many of one kind rightly.

    Of a pair of which lawyers marked both clauses, `alike` counts those with a category in common.
    """

    paired: int
    judged: int
    alike: int


def measure_pairing(
    contracts: Sequence[AnnotatedContract], half: Half, count: int, encoder: Encoder | None
) -> Pairing:
    """Compare contracts of different groups, as with a template, and judge what is paired."""
    own = eligible_contracts(contracts, half, lambda text: len(text) < _SHORT)[: 2 * count]
    paired = judged = alike = 0
    for one, other in zip(own[::2], own[1::2], strict=False):
        found = compare_documents(read_version(one.text), read_version(other.text), encoder=encoder)
        for change in found.clauses:
            if change.relation is Relation.REPLACED:
                kinds = _categories(one, change.before), _categories(other, change.after)
                paired += 1
                judged += all(map(bool, kinds))
                alike += bool(kinds[0] & kinds[1])
    return Pairing(paired, judged, alike)


def _categories(contract: AnnotatedContract, clauses: Sequence[Clause]) -> set[str]:
    return {
        category
        for category, spans in contract.annotations.items()
        if category not in _FRONT
        for span in spans
        if any(span.overlaps(clause.span) for clause in clauses)
    }


@dataclass(frozen=True, slots=True)
class Speed:
    """What it took to compare two versions of one long contract."""

    pages: int
    seconds: float
    cpu_seconds: float


def measure_speed(
    pairs: Sequence[VersionPair], pages: int, *, encoder: Encoder | None = None
) -> Speed:
    """Compare two versions of so many pages, made of contracts put together, reading included."""
    before = after = ""
    for pair in cycle(pairs):
        before += f"{pair.before}\n\n"
        after += f"{pair.after}\n\n"
        if len(before) >= pages * PAGE:
            break
    start, cpu = time.perf_counter(), time.process_time()
    compare_documents(read_version(before), read_version(after), encoder=encoder)
    return Speed(len(before) // PAGE, time.perf_counter() - start, time.process_time() - cpu)


def comparison_measures(run: ComparisonRun, speed: Speed, pairing: Pairing) -> dict[str, Json]:
    score = run.score
    return {
        "pairs": run.pairs,
        "known": sum(each.known for each in score.kinds.values()),
        "recall": json_figures(score.recall),
        "items": sum(score.items.values()),
        "false_rate": json_figures(score.false_rate),
        "kinds": json_figures(score.kinds),
        "items_by_kind": json_figures(score.items),
        "false_by_kind": json_figures(score.false),
        "speed": json_figures(speed),
        "pairing": json_figures(pairing),
    }


def summary_lines(run: ComparisonRun, speed: Speed, pairing: Pairing) -> Iterator[str]:
    """Yield the figures that the table lacks, in words."""
    score = run.score
    false, items = sum(score.false.values()), sum(score.items.values())
    share = f"{score.false_rate:.1%}"
    yield f"False: {false} of {items:,} reported changes ({share}), {run.pairs} pairs."
    yield (
        f"{speed.pages} pages: {speed.seconds:.1f} seconds, {speed.cpu_seconds:.1f} of them "
        "of the processor."
    )
    yield (
        f"Unlike contracts: {pairing.paired} clauses paired; of {pairing.judged} that lawyers "
        f"marked in both, {pairing.alike} have a category in common."
    )


def failure_lines(run: ComparisonRun, pairs: Sequence[VersionPair]) -> Iterator[str]:
    """Yield each edit that was missed and each change that is none, with its words."""
    texts = {pair.name: pair for pair in pairs}
    for what, kind, name, before, after in (
        *(("missed", e.kind.value, name, e.before, e.after) for name, e in run.score.missed),
        *(("false", i.kind, name, i.before, i.after) for name, i in run.score.unknown),
    ):
        pair = texts[name]
        old = " … ".join(shorten(span.text_in(pair.before), _SHOWN) for span in before)
        new = " … ".join(shorten(span.text_in(pair.after), _SHOWN) for span in after)
        yield f"{what} {kind}: {shorten(name, _SHOWN)}: “{old}” → “{new}”"


def comparison_table(run: ComparisonRun) -> Table:
    """Return a table of what was known and reported, a row a kind."""
    from rich.table import Table

    table = Table("Edit", "Known", "Reported", "Described as such")
    total = KindScore()

    def row(kind: str, score: KindScore) -> None:
        shares = (f"{n} ({n / score.known:.1%})" for n in (score.reported, score.described))
        table.add_row(kind, str(score.known), *shares)

    for kind, each in sorted(run.score.kinds.items()):
        row(kind, each)
        total.known += each.known
        total.reported += each.reported
        total.described += each.described
    table.add_section()
    row("all", total)
    return table


def _digest(name: str) -> int:
    return int(hashlib.sha256(name.encode()).hexdigest()[:8], 16)
