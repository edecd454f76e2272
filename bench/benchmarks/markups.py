"""Hold the mark-ups of blind contracts against what two readers would mark up.

    python -m benchmarks.markups --data DIR/cuad [--playbook NAME ...] [--library FILE] [--show]

Each contract of `trials/markups.jsonl` is marked up for its side with the playbooks, and what the
program says of it is held against the points that both readers list.

A point of one reader and a point of the other are the same if both say that a clause is missing
and share a topic, or if both are about words, and their spans overlap, or lie in one clause and
share a topic. Each point is paired once, those with most words in common first. A pair is a `must`
if it is to both readers. Topics are folded by `TOPICS`, of which a point may have several; the name
of a provision is folded likewise.

What the program says, a change or an open point, is on a pair if its span or one of its quotes is
in the clause of a reader's span and it has a topic of the pair; what it says of a provision that it
did not find is on a pair of missing clauses with its topic. If only the topic differs, the pair
counts as `other topic`. Changes and open points that are on no point of either reader are
candidates for wrong ones, to be read: `--show` prints them, and the pairs. A library that is named
stays, and what was read in it is not read again.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fourcorners.library.contract import Contract
from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.models.registry import default_encoder
from fourcorners.outline.clause import enclosing_clause
from fourcorners.playbooks.load import load_playbook
from fourcorners.redline.proposal import OpenPoint, ProposedChange
from fourcorners.redline.run import RedlineOptions, redline_contract
from fourcorners.review.finding import CellState
from fourcorners.review.store import load_findings
from fourcorners.settings import Settings
from fourcorners.text.span import Span
from fourcorners.work_folder import make_temporary_folder
from training.common.blind import load_blind

READINGS = Path(__file__).parents[1] / "trials/markups.jsonl"
TOPICS = {
    "liability cap": r"\bcap\b|limit\w* (?:of|on|to) liability|exceptions to (?:the )?limit",
    "consequential loss": r"consequential|indirect|lost profit|loss of data"
    r"|limitation of liability",
    "indemnity": r"indemni",
    "warranty": r"warrant|disclaimer|representations",
    "termination for convenience": r"convenience|notice period|early termination",
    "termination for breach": r"\bcure\b|breach|default|cause|insolvency|failure to|no sales"
    r"|anticipat|without notice|summary termination|termination standard|^termination(?: by \w+)?$"
    r"|termination: (?:exercise|automatic)",
    "end of the contract": r"sell-off|transition|effect of termination|post-termination|survival"
    r"|after termination|acceleration|stock on hand|refund",
    "term and renewal": r"renewal|^term\b|expiry",
    "assignment": r"assign|change (?:of|in) control",
    "intellectual property": r"\bip owner|intellectual property|licence-back",
    "infringement": r"\bip (?:indemn|warrant)|infring|third-party rights",
    "licence": r"licence",
    "escrow": r"escrow",
    "exclusivity": r"exclusiv|preferred supplier|exclusive",
    "competition": r"compet|outside activities",
    "solicitation": r"solicit",
    "first refusal": r"first refusal",
    "minimum": r"minimum|quota|shortfall",
    "price": r"pric|\brate\b|escalation|most favoured",
    "payment": r"pay|\bfees?\b|invoice|\binterest\b|set-off|net sales|revenue|royalt|\btax",
    "audit": r"audit|inspection of records",
    "confidentiality": r"confidential|disclosure",
    "data": r"\bdata\b|privacy|\bsecurity\b",
    "insurance": r"insurance",
    "service levels": r"service (?:level|credit)|outage|downtime|support|standard of care",
    "acceptance": r"acceptance",
    "delivery": r"deliver|title and risk|shipping|shipment",
    "law and forum": r"governing law|\b(?:forum|venue|disputes?|jurisdiction)\b|injunctive",
    "force majeure": r"force majeure",
    "publicity": r"publicity|use of name|trade ?mark",
}


@dataclass(frozen=True, slots=True)
class ProgramPoint:
    """What the program says of a contract, and whether it found no such clause in it."""

    outcome: ProposedChange | OpenPoint
    is_missing: bool

    @property
    def is_change(self) -> bool:
        return isinstance(self.outcome, ProposedChange)

    @property
    def form(self) -> str:
        """Return in what form it is said: a change, a point with wording on offer, or a point."""
        if isinstance(self.outcome, ProposedChange):
            return "with a change"
        return "with wording" if self.outcome.offered else "listed only"

    @property
    def kind(self) -> str:
        if isinstance(self.outcome, ProposedChange):
            return KINDS[0]
        return KINDS[1] if self.outcome.is_recognised else KINDS[2]

    @property
    def topics(self) -> frozenset[str]:
        return fold(self.outcome.name)

    @property
    def places(self) -> list[Span]:
        """Return the words that it is about."""
        found = [each.span for each in self.outcome.quotes if each.span]
        if isinstance(self.outcome, ProposedChange):
            found.append(self.outcome.span)
        return [] if self.is_missing else found


def fold(words: str) -> frozenset[str]:
    """Return the topics that a reader's words, or the name of a provision, are about."""
    return frozenset(name for name, like in TOPICS.items() if re.search(like, words, re.IGNORECASE))


@dataclass(frozen=True, slots=True)
class ReaderPoint:
    """What one reader would mark up; without spans a clause is missing."""

    topic: str
    kind: str
    weight: str
    spans: tuple[Span, ...]
    clauses: tuple[Span, ...]

    @property
    def is_missing(self) -> bool:
        return self.kind == "insert"


@dataclass(frozen=True, slots=True)
class PointPair:
    """A point that both readers list."""

    first: ReaderPoint
    second: ReaderPoint

    @property
    def topics(self) -> frozenset[str]:
        return fold(self.first.topic) | fold(self.second.topic)

    @property
    def weight(self) -> str:
        return "must" if self.first.weight == self.second.weight == "must" else "should"


def read_point(written: dict[str, Any], contract: Contract) -> ReaderPoint:
    """Return a reader's point with the clauses that its spans are in."""
    spans = tuple(Span(*each) for each in written["spans"])
    text, outline = contract.full_text, contract.outline
    clauses = tuple(enclosing_clause(outline, text, each) for each in spans)
    return ReaderPoint(written["topic"], written["kind"], written["weight"], spans, clauses)


def pair_points(first: Sequence[ReaderPoint], second: Sequence[ReaderPoint]) -> list[PointPair]:
    """PointPair the points that two readers share, those with most words in common first."""
    scored = []
    for i, one in enumerate(first):
        for j, other in enumerate(second):
            common = _common(one, other)
            if common:
                scored.append((*common, -i, -j))
    pairs: dict[int, PointPair] = {}
    taken = set[int]()
    for *_, i, j in sorted(scored, reverse=True):
        if -i not in pairs and -j not in taken:
            taken.add(-j)
            pairs[-i] = PointPair(first[-i], second[-j])
    return [pairs[i] for i in sorted(pairs)]


def _common(one: ReaderPoint, other: ReaderPoint) -> tuple[bool, int] | None:
    """Return whether two points share a topic, and how many characters; None if they differ."""
    topical = bool(fold(one.topic) & fold(other.topic)) or one.topic == other.topic
    if one.is_missing or other.is_missing:
        return (True, 0) if topical and one.is_missing and other.is_missing else None
    common = [a.intersection(b) for a in one.spans for b in other.spans]
    characters = sum(len(each) for each in common if each)
    if characters:
        return topical, characters
    same_clause = any(a.overlaps(b) for a in one.clauses for b in other.spans)
    return (True, 0) if topical and same_clause else None


def is_on(proposal: ProgramPoint, point: ReaderPoint) -> bool:
    """Tell whether the program speaks of a reader's clause, or both say that one is missing.

    The topic is not compared.
    """
    if point.is_missing:
        return proposal.is_missing
    return any(
        clause.overlaps(place) or clause.contains(place)
        for clause in point.clauses
        for place in proposal.places
    )


def judge(pair: PointPair, proposals: Sequence[ProgramPoint]) -> tuple[str, list[ProgramPoint]]:
    """Return how a pair is named, with what names it."""
    there = [each for each in proposals if is_on(each, pair.first) or is_on(each, pair.second)]
    named = [each for each in there if each.topics & pair.topics]
    if named:
        return min((each.form for each in named), key=NAMED.index), named
    elsewhere = [] if pair.first.is_missing else there
    return ("other topic" if elsewhere else "not named"), elsewhere


def place(proposal: ProgramPoint, points: Sequence[ReaderPoint]) -> str:
    """Return whether what the program says is on a point of either reader."""
    there = [each for each in points if is_on(proposal, each)]
    if any(proposal.topics & fold(each.topic) for each in there):
        return "on a listed point"
    if any(not each.is_missing for each in there):
        return "on a listed clause, other topic"
    return "on none"


def load_readings() -> dict[str, list[dict[str, Any]]]:
    """Return the two readings of each contract by its name."""
    readings: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in READINGS.read_text("utf-8").splitlines():
        reading = json.loads(line)
        readings[reading["name"]].append(reading)
    return readings


def mark_up(
    library: Library, document: str, side: str, playbooks: Sequence[str]
) -> Iterator[ProgramPoint]:
    """Yield what the program says of a contract for a side."""
    books, options = [*map(load_playbook, playbooks)], RedlineOptions((side,))
    _, redline = redline_contract(library, document, books, options, encoder=default_encoder())
    states: dict[str, CellState] = {}
    for book in reversed(books):  # of a provision of several, the first one's counts
        cells = load_findings(library, book, document)
        states |= {each: cell.state for each, cell in cells.items()}
    outcomes: list[ProposedChange | OpenPoint] = [*redline.changes, *redline.open_points]
    for outcome in outcomes:
        yield ProgramPoint(outcome, states[outcome.provision] is CellState.NOT_FOUND)


def add_contract(library: Library, path: Path, text: str) -> Contract:
    """Return a contract of a library, which is added where it is missing."""
    known = {each.name: each.id for each in library.documents()}
    if path.name not in known:
        path.write_bytes(text.encode("utf-8"))
        add_files(
            library, [path], collection="markups", encoder=default_encoder(), settings=Settings()
        )
        known = {each.name: each.id for each in library.documents()}
    return Contract(library, known[path.name])


def count(
    data: Path, library: Library, folder: Path, playbooks: Sequence[str], *, show: bool
) -> Counter[tuple[str, str]]:
    """Mark up the contracts of the trial and count what both readers list of it."""
    counts: Counter[tuple[str, str]] = Counter()
    readings = load_readings()
    for blind in load_blind(data):
        if blind["name"] not in readings:
            continue
        contract = add_contract(library, folder / blind["name"], blind["text"])
        side = readings[blind["name"]][0]["side"]
        ones, others = (
            [read_point(each, contract) for each in reading["points"]]
            for reading in readings[blind["name"]]
        )
        proposals = list(mark_up(library, contract.id, side, playbooks))
        if show:
            print(f"\n{blind['name']}, for {side}")
        for pair in pair_points(ones, others):
            how, naming = judge(pair, proposals)
            counts[pair.weight, how] += 1
            counts.update((topic, how) for topic in pair.topics or {"other topics"})
            if show:
                _show_pair(pair, how, naming)
        for proposal in proposals:
            where, kind = place(proposal, [*ones, *others]), proposal.kind
            counts[kind, where] += 1
            if show and (proposal.is_change or where == "on none"):
                print(f"  {kind} {where}: {_describe(proposal)}")
    return counts


def _show_pair(pair: PointPair, how: str, proposals: Sequence[ProgramPoint]) -> None:
    topics = " / ".join(dict.fromkeys((pair.first.topic, pair.second.topic)))
    kinds = " / ".join(dict.fromkeys((pair.first.kind, pair.second.kind)))
    print(f"  {pair.weight:6} {how:13} {topics} ({kinds})")
    for each in proposals:
        print(f"{'':22}{_describe(each)}")


def _describe(proposal: ProgramPoint) -> str:
    outcome, where = proposal.outcome, " › ".join(proposal.outcome.path)
    if isinstance(outcome, OpenPoint):
        return f"{outcome.name}: {outcome.reason} [{where}]"
    words = f"{{-{outcome.removed}-}} {{+{outcome.added}+}}"
    return f"{outcome.name}, {outcome.extent}: {outcome.found} {words} [{where}]"


KINDS = ("changes", "points in front", "points also found")
NAMED = ("with a change", "with wording", "listed only", "other topic", "not named")
PLACES = ("on a listed point", "on a listed clause, other topic", "on none")


def table(counts: Counter[tuple[str, str]]) -> Iterator[str]:
    """Yield the lines of what was counted."""
    topics = {row for row, column in counts if column in NAMED} - {"must", "should"}
    order = sorted(topics, key=lambda row: (-sum(counts[row, each] for each in NAMED), row))
    for rows, columns in (
        (["must", "should", *order], NAMED),
        (KINDS, PLACES),
    ):
        yield f"{'':28} {'all':>4}  " + "  ".join(columns)
        for row in rows:
            cells = [counts[row, each] for each in columns]
            figures = "  ".join(f"{n:>{len(each)}}" for n, each in zip(cells, columns, strict=True))
            yield f"{row:28} {sum(cells):>4}  {figures}"
        yield ""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--playbook", action="append", help="due-diligence if none is given")
    parser.add_argument("--library", type=Path)
    parser.add_argument("--show", action="store_true")
    asked = parser.parse_args()
    playbooks = asked.playbook or ["due-diligence"]
    with make_temporary_folder() as folder:
        path = asked.library or folder / "markups.db"
        with Library(path) as library:
            counts = count(asked.data, library, folder, playbooks, show=asked.show)
    print("\n".join(table(counts)))


if __name__ == "__main__":
    main()
