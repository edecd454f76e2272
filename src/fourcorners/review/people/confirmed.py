"""Turn what people confirmed, corrected or rejected into clauses for a bank, and ratings."""

from __future__ import annotations

from collections.abc import Iterator

from fourcorners.library.contract import read_contract
from fourcorners.library.database import in_transaction
from fourcorners.library.store import Library
from fourcorners.playbooks.bank.store import BankClause, ImportCounts, store_clauses
from fourcorners.playbooks.playbook import Extent, Playbook
from fourcorners.precedents.clause import OMITTED
from fourcorners.precedents.learning.learn import UNRATED, RatedClause
from fourcorners.precedents.references import joined_sections
from fourcorners.review import store
from fourcorners.review.finding import Author, CellState, Finding, ReviewState
from fourcorners.text.span import Span

_TAKEN = frozenset({ReviewState.CONFIRMED, ReviewState.CORRECTED})


def _confirmed_clauses(
    library: Library, playbook: Playbook, collection: str | None = None, *, joined: bool = False
) -> Iterator[BankClause]:
    """Yield the words of confirmed findings, and of corrections that are the contract's own words.

    A person's own words are not a clause, and neither are facts such as dates. If `joined`, the
    sections that a clause refers to follow or precede it; what has such has no one place.

    Raises:
        ConfigError: If there is no such collection.
    """
    entries = library.documents(collection)
    clauses = {each.id: each for each in playbook.provisions if each.extent is not Extent.FACT}
    cells = store.load_cells(library, playbook, list(clauses))
    for entry in entries:
        found = cells.get(entry.id, {})
        text = ""
        for provision in clauses.values():
            finding = found.get(provision.id)
            if finding is None or finding.review not in _TAKEN:
                continue
            text = text or library.text(entry.id)
            who = next(
                each.by
                for each in reversed(finding.remarks)
                if each.author is Author.PERSON and each.state is not None
            )
            tags = (f"{finding.review.value} by {who}", f"document {entry.id}")
            for place in _places(finding):
                own = place.text_in(text)
                words = joined_sections(read_contract(library, entry.id), place) if joined else own
                one_place = OMITTED not in words
                yield BankClause(
                    provision=provision.name,
                    text=own if one_place else words,
                    source=entry.name,
                    start=place.start if one_place else None,
                    end=place.end if one_place else None,
                    tags=tags,
                )


@in_transaction
def add_to_bank(
    library: Library,
    playbook: Playbook,
    bank: str,
    collection: str | None = None,
    *,
    joined: bool = False,
) -> ImportCounts:
    """Add confirmed clauses to a bank, without duplicates; joined with the sections they refer to.

    Raises:
        ConfigError: If there is no such collection, or the bank has no name.
    """
    clauses = _confirmed_clauses(library, playbook, collection, joined=joined)
    return store_clauses(library, bank, list(clauses))


def _places(finding: Finding) -> list[Span]:
    if finding.value:
        return [finding.place] if finding.place else []
    if finding.state is not CellState.FOUND:
        return []
    return [each.quote.span for each in finding.evidence if each.quote.span is not None]


WRONG_STARS = 1
"""The stars of rejected clauses."""


def rated_clauses(library: Library, playbook: Playbook) -> list[RatedClause]:
    """Return the clauses that people confirmed, corrected or rejected, under their provisions.

    The words that a correction points at belong to the provision; clauses without them do not.
    """
    names = {each.id: each.name for each in playbook.provisions}
    rated = []
    for document, found in store.load_cells(library, playbook, list(names)).items():
        judged = [each for each in found.values() if each.review in _STARS]
        if not judged:
            continue
        text = library.text(document)
        for finding in judged:
            rated += [
                RatedClause(names[finding.provision], span.text_in(text), stars, document)
                for span, stars in _rated_places(finding)
            ]
    return rated


_STARS = {
    ReviewState.CONFIRMED: UNRATED,
    ReviewState.CORRECTED: WRONG_STARS,
    ReviewState.REJECTED: WRONG_STARS,
}


def _rated_places(finding: Finding) -> list[tuple[Span, int]]:
    clauses = [each.clause for each in finding.proposal.evidence]
    if finding.review is not ReviewState.CORRECTED:
        return [(clause, _STARS[finding.review]) for clause in clauses]
    if finding.place is None:  # a person's own words do not say that the clause is the wrong one
        return []
    place = finding.place
    others = [(clause, WRONG_STARS) for clause in clauses if clause.intersection(place) is None]
    return [(place, UNRATED), *others]
