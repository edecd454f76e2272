"""Write clauses for people to label, and read the labels to learn from them.

A label is one of the answers that the verdict reader can give: an option, a mention of the clause,
each party, or nothing. The clause is read in its contract if the library has it, else from the
words in the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

from fourcorners.errors import ConfigError
from fourcorners.library.entries import Entry
from fourcorners.library.store import Library
from fourcorners.models.verdict_reader.clause import MarkedClause, MentionKind
from fourcorners.models.verdict_reader.features import EACH_PARTY, NO_MENTION
from fourcorners.models.verdict_reader.reader import IS, NO_SUCH, Head
from fourcorners.outline.card.card import Card
from fourcorners.playbooks.playbook import Playbook, Provision, RiskQuestion
from fourcorners.review import store
from fourcorners.review.finding import Author, CellState, Finding, ReviewState
from fourcorners.review.mentions import MentionFinder, fold_party
from fourcorners.review.risk.clauses import clause_around
from fourcorners.text.span import Span

READER = "reader-1"
UNCLEAR, SILENT, NOTHING = "unclear", "silent", ""
_JUDGED = frozenset((ReviewState.CONFIRMED, ReviewState.CORRECTED, ReviewState.REJECTED))
Label: TypeAlias = dict[str, object]


def clause_labels(
    library: Library, playbook: Playbook, collection: str | None = None, *, words: bool = False
) -> Iterator[Label]:
    """Yield a label for each clause that a person confirmed, corrected or rejected.

    With `words`, each has its contract's name and the clause, with the words in ⟦ ⟧. A value in a
    person's own words has no place, and so no label.

    Raises:
        ConfigError: If there is no such collection.
    """
    for entry in library.documents(collection):
        cells = store.load_findings(library, playbook, entry.id)
        judged = [each for each in cells.values() if each.review in _JUDGED]
        if not judged:
            continue
        text, card = library.text(entry.id), library.card(entry.id)
        for finding in judged:
            provision = playbook.provision(finding.provision)
            for span, labels in _labels(finding, provision, text, card):
                yield _line(entry, provision, text, span, labels, words=words)


def format_labels(labels: Iterable[Label]) -> str:
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in labels)


def _labels(
    finding: Finding, provision: Provision, text: str, card: Card
) -> Iterator[tuple[Span, Label]]:
    spans = [each.quote.span for each in finding.evidence if each.quote.span is not None]
    if finding.review is ReviewState.REJECTED:
        for each in finding.proposal.evidence:
            if each.quote.span is not None:
                yield each.quote.span, {"is": "no"}
    elif finding.state is CellState.FOUND and not (finding.value and finding.place is None):
        for span in spans:
            clause = clause_around(text, span)
            yield span, {"is": "yes", **dict(_answers(finding, provision, text, clause, card))}


def _answers(
    finding: Finding, provision: Provision, text: str, clause: Span, card: Card
) -> Iterator[tuple[str, object]]:
    given = {each.id: each.value for each in finding.answers if each.author is Author.PERSON}
    for question in provision.questions:
        if question.answer == "text" and not question.says:
            continue
        label: object = UNCLEAR
        if question.id in given:
            label = _label(question, given[question.id], text, clause, card)
        yield question.id.replace("-", "_"), label


def _label(question: RiskQuestion, value: str, text: str, clause: Span, card: Card) -> object:
    if not value:
        return SILENT if question.options or question.answer == "yes_no" else NOTHING
    if question.answer != "party":
        return value
    if value == EACH_PARTY:
        return "both"
    places = _party_places(value, text, clause, card)
    return [[each.start, each.end] for each in places[:1]] or UNCLEAR


def _party_places(value: str, text: str, clause: Span, card: Card) -> list[Span]:
    """Return where a clause names a party, under any of its names."""
    named = [
        {name for name in (party.name, party.short, party.role) if name}
        for party in (fact.value for fact in card.parties)
    ]
    meant = [names for names in named if fold_party(value) in map(fold_party, names)]
    words = clause.text_in(text).casefold()
    found = []
    for name in meant[0] if len(meant) == 1 else {value}:
        at = words.find(name.casefold())
        if at >= 0:
            found.append(Span(clause.start + at, clause.start + at + len(name)))
    return sorted(found)


def _line(
    entry: Entry, provision: Provision, text: str, span: Span, labels: Label, *, words: bool
) -> Label:
    clause, quoted = clause_around(text, span), span.text_in(text)
    place = f"{provision.id} {entry.id} {span.start} {span.end}"
    line: Label = {
        "id": f"{provision.id}-{sha256(place.encode()).hexdigest()[:6]}",
        "provision": provision.id,
        "name": entry.name if words else entry.id,
        "group": entry.id,
        "span": [span.start, span.end],
        "clause": [clause.start, clause.end],
        "hash": sha256(quoted.encode("utf-8", "surrogatepass")).hexdigest()[:16],
        "marked": labels["is"] == "yes",
        READER: labels,
    }
    if words:
        before, after = text[clause.start : span.start], text[span.end : clause.end]
        line["text"] = f"{before}⟦{quoted}⟧{after}"
    return line


UNLISTED = "unlisted"  # a value without a mention: ignored in training
MAX_BYTES = 200_000_000  # of a file of labels
_MARKED = re.compile("⟦(.*)⟧", re.DOTALL)
_PERIOD = re.compile(r"P(\d+)([MW])")
Heads: TypeAlias = Mapping[str, Sequence[Head]]
Row: TypeAlias = Mapping[str, Any]
AnswerLabel: TypeAlias = str | list[list[int]]
"""A label: an option, a value, or places of words."""


@dataclass(frozen=True, slots=True)
class LabelledClause:
    """A clause with what a person said of it, by question.

    Attributes:
        contract: The contract that it is from; all clauses of a contract are in the same fold.
        hash: Hash of the labelled words.
    """

    id: str
    provision: str
    contract: str
    hash: str
    clause: MarkedClause
    answers: Mapping[str, str]


@dataclass(slots=True)
class LabelledClauses:
    """The clauses of label files, and why other lines were left out.

    Attributes:
        faults: Invalid lines, as `FILE, line 3: why`.
        unknown: How many clauses are of a provision that the shipped reader does not know.
    """

    clauses: list[LabelledClause] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    unknown: int = 0


class _Unreadable(Exception):
    """A line cannot be learned from; says why."""


def read_labelled(
    paths: Sequence[Path], heads: Heads, library: Library | None = None
) -> LabelledClauses:
    """Return the clauses that files label; a later label of the same words wins.

    Raises:
        ConfigError: If a file cannot be read.
    """
    found = LabelledClauses()
    contracts = _Contracts(library)
    clauses: dict[tuple[str, str, int, int], LabelledClause] = {}
    for path in paths:
        for number, line in enumerate(_lines(path), start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
                if not isinstance(row, dict):
                    raise TypeError("it is not an object")
                if row["provision"] not in heads:
                    found.unknown += 1
                    continue
                faults: list[str] = []
                own = _clause(row, heads[row["provision"]], contracts, faults)
                found.faults += [f"{path}, line {number}: {each}." for each in faults]
                start, end = row["span"]
                clauses[own.provision, own.contract, int(start), int(end)] = own
            except _Unreadable as error:
                found.faults.append(f"{path}, line {number}: {error}.")
            except json.JSONDecodeError:
                found.faults.append(f"{path}, line {number}: it is not JSON.")
            except (KeyError, TypeError, ValueError) as error:
                found.faults.append(f"{path}, line {number}: no clause with a label ({error!r}).")
    found.clauses = list(clauses.values())
    return found


def _lines(path: Path) -> list[str]:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ConfigError(f"{path}: labels may hold {MAX_BYTES:,} bytes; this file has more.")
        return path.read_text("utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"cannot read the clauses with labels {path}: {error}.",
            remedy="Give a file that `fourcorners playbook labels` wrote.",
        ) from error


class _Contracts:
    """The contracts of the library, each read once."""

    def __init__(self, library: Library | None) -> None:
        self._library = library
        self._ids = {each.id for each in library.documents()} if library else set()
        self._held: dict[str, tuple[str, MentionFinder]] = {}

    def read(self, contract: str) -> tuple[str, MentionFinder] | None:
        """Return the text and mentions of a contract; None if the library lacks it."""
        if self._library is None or contract not in self._ids:
            return None
        if contract not in self._held:
            text = self._library.text(contract)
            self._held[contract] = text, MentionFinder(text, self._library.card(contract))
        return self._held[contract]


def _clause(
    row: Row, heads: Sequence[Head], contracts: _Contracts, faults: list[str]
) -> LabelledClause:
    contract = row["group"]
    place, whole = (Span(*map(int, row[key])) for key in ("span", "clause"))
    read = contracts.read(contract) if isinstance(contract, str) else None
    offset = 0
    if read is not None:
        text, finder = read
    else:
        written, offset = row.get("text"), whole.start
        if not isinstance(written, str):
            raise _Unreadable(
                f"the library has no contract {contract}, and the line has no words; "
                "name the library, or write labels with --words"
            )
        text = written.replace("⟦", "", 1).replace("⟧", "", 1)
        finder = MentionFinder(text, Card())
        place, whole = place.shift(-offset), Span(0, len(text))
        marked = _MARKED.search(written)
        if marked is None or marked.start() != place.start or len(marked[1]) != len(place):
            raise _Unreadable("its words in ⟦ ⟧ are not where it says")
    if place.end > len(text) or text_hash(place.text_in(text)) != row["hash"]:
        raise _Unreadable("its words are not those that have the label: their hash differs")
    clause = MarkedClause(text, whole, place, finder.find(whole))
    given = row[READER]
    if not isinstance(given, dict) or given["is"] not in ("yes", "no"):
        raise _Unreadable("it does not say whether the words are such a provision")
    answers = {IS: given["is"]}
    for head in heads:
        value = given.get(head.question.replace("-", "_"), UNCLEAR)
        if head.question != IS and value != UNCLEAR and given["is"] == "yes":
            answer = _head_answer(head, value, clause, offset)
            if answer is None:
                faults.append(f"{head.question} cannot be answered {value!r}")
            else:
                answers[head.question] = answer
    return LabelledClause(
        str(row["id"]), heads[0].provision, str(contract), str(row["hash"]), clause,
        {question: value for question, value in answers.items() if value != UNLISTED},
    )  # fmt: skip


def text_hash(words: str) -> str:
    """Return the hash by which labels identify words."""
    return sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _head_answer(head: Head, value: AnswerLabel, clause: MarkedClause, offset: int) -> str | None:
    """Return a label as an answer of a question; None if it cannot be answered so."""
    if head.kind is not None:
        if isinstance(value, list):
            value = [[start - offset, end - offset] for start, end in value]
        return mention_answer(head.kind, value, clause)
    if value == SILENT and SILENT not in head.options:
        value = NO_SUCH  # as words that are not about it were labelled
    return value if isinstance(value, str) and value in head.options else None


def mention_answer(kind: MentionKind, value: AnswerLabel, clause: MarkedClause) -> str:
    """Return a label as an answer by a mention: its key, each party, none, or `UNLISTED`."""
    if value == NO_MENTION:
        return NO_MENTION
    mentioned = clause.mentioned(kind)
    if isinstance(value, str):
        if value in ("both", "neither"):
            return EACH_PARTY
        plain = _normal_period(value)
        return plain if plain in mentioned else UNLISTED
    keys = dict.fromkeys(filter(None, (_key(Span(*place), mentioned, clause) for place in value)))
    if kind is MentionKind.PARTY and len(keys) == 2:
        return EACH_PARTY
    return next(iter(keys)) if keys else UNLISTED


def _key(place: Span, mentioned: Mapping[str, Sequence[Span]], clause: MarkedClause) -> str:
    folded = fold_party(place.text_in(clause.text))
    if folded in mentioned:
        return folded
    return next(
        (key for key, spans in mentioned.items() if any(place.overlaps(each) for each in spans)), ""
    )


def _normal_period(value: str) -> str:
    """Return a period in the form of mentions: `P12M` is `P1Y`, `P2W` `P14D`."""
    match = _PERIOD.fullmatch(value)
    if match is None:
        return value
    count = int(match[1])
    if match[2] == "W":
        return f"P{7 * count}D"
    return f"P{count // 12}Y" if count % 12 == 0 else value
