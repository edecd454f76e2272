"""What people said of findings, as ratings that a ranking can be learned from."""

from __future__ import annotations

from fourcorners.library.store import Library
from fourcorners.playbooks.playbook import Playbook
from fourcorners.precedents.learning.ratings import UNRATED, RatedClause
from fourcorners.review import store
from fourcorners.review.finding import Finding, ReviewState
from fourcorners.text.span import Span

WRONG_STARS = 1
"""The stars of what was rejected."""


def rated_clauses(library: Library, playbook: Playbook) -> list[RatedClause]:
    """Return the clauses that people confirmed, corrected or rejected, under their provisions.

    The words that a correction points at belong there, and clauses without them do not.
    """
    names = {each.id: each.name for each in playbook.provisions}
    rated = []
    for document, found in store.load_cells(library, playbook, list(names)).items():
        said = [each for each in found.values() if each.review in _STARS]
        if not said:
            continue
        text = library.text(document)
        for finding in said:
            rated += [
                RatedClause(names[finding.provision], span.text_in(text), stars, document)
                for span, stars in _places(finding)
            ]
    return rated


_STARS = {
    ReviewState.CONFIRMED: UNRATED,
    ReviewState.CORRECTED: WRONG_STARS,
    ReviewState.REJECTED: WRONG_STARS,
}


def _places(finding: Finding) -> list[tuple[Span, int]]:
    clauses = [each.clause for each in finding.evidence]
    if finding.review is not ReviewState.CORRECTED:
        return [(clause, _STARS[finding.review]) for clause in clauses]
    if finding.place is None:  # a person's own words do not say that the clause is the wrong one
        return []
    place = finding.place
    others = [(clause, WRONG_STARS) for clause in clauses if clause.intersection(place) is None]
    return [(place, UNRATED), *others]
