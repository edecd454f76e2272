"""Export people's judgements as labelled clauses, to train verdict readers on.

A label has the form of a reader's label in `training.verdicts`: the place of the words in their
contract, whether they are such a provision (`is`), and the person's answer to each question,
`unclear` if they gave none: to confirm a finding does not confirm each of its answers. Contracts
are identified by id and words by hash, unless words are requested.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import TypeAlias

from fourcorners.library.entries import Entry
from fourcorners.library.store import Library
from fourcorners.models.verdict_reader.features import EACH_PARTY
from fourcorners.outline.card.card import Card
from fourcorners.playbooks.playbook import Playbook, Provision, RiskQuestion
from fourcorners.review import store
from fourcorners.review.finding import Author, CellState, Finding, ReviewState
from fourcorners.review.mentions import fold_party
from fourcorners.review.risk.assessment import clause_around
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
