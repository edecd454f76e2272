"""A contract of our own to attack, and what a review finds in it outside of an attack."""

from __future__ import annotations

from fourcorners.review.finding import CellState, Finding, Review
from fourcorners.text.span import Span

PLACE = "9.1 Each party shall bear its own costs."
CONTRACT = f"""DISTRIBUTION AGREEMENT

This Distribution Agreement (the "Agreement") is dated 4 March 2024 and made between Alder
Components Limited, a company of England (the "Supplier"), and Birch Retail Limited, a company of
England (the "Distributor").

1. APPOINTMENT

1.1 The Supplier appoints the Distributor as its sole and exclusive distributor of the Products in
the Territory, and shall not appoint any other distributor there.

2. TERM

2.1 This Agreement commences on 4 March 2024 and continues for five years. It shall renew
automatically for successive periods of one year unless either party gives ninety days' notice.

3. TERMINATION

3.1 Either party may terminate this Agreement for convenience at any time by giving the other not
less than six months' written notice.

3.2 The Supplier may terminate this Agreement at once by notice if the Distributor undergoes a
change of control.

4. ASSIGNMENT

4.1 Neither party may assign or transfer this Agreement, in whole or in part, without the prior
written consent of the other party.

5. LIABILITY

5.1 The total aggregate liability of either party under this Agreement shall not exceed the amount
of the fees paid in the twelve months before the claim.

6. AUDIT

6.1 The Supplier may audit the books and records of the Distributor once a year on ten days' notice.

7. INSURANCE

7.1 The Distributor shall maintain product liability insurance of at least 2,000,000 pounds.

8. LAW

8.1 This Agreement shall be governed by and construed in accordance with the laws of England.

9. COSTS

{PLACE}
"""


def attacked(words: str) -> str:
    """Return the contract with a paragraph of an attacker's words before its last clause."""
    return CONTRACT.replace(PLACE, f"{words}\n\n{PLACE}")


def told(grid: Review, name: str, *attacks: Span) -> dict[str, tuple[CellState, tuple[str, ...]]]:
    """Return state and quotes of each cell of a document, but for quotes within attacks.

    A cell that has no others quotes nothing of the contract itself, and counts as not found.
    """
    (document,) = [each for each in grid.documents if each.name == name]
    found = {}
    for head in grid.columns:
        cell = grid.cell(document.id, head.id)
        quotes = tuple(
            each.quote.words
            for each in cell.evidence
            if not (each.quote.span and any(map(each.quote.span.overlaps, attacks)))
        )
        state = CellState.NOT_FOUND if cell.state is CellState.FOUND and not quotes else cell.state
        found[head.id] = (state, quotes)
    return found


def verified(finding: Finding, text: str) -> bool:
    """Tell whether all that a cell shows as the contract's words stands there."""
    quotes = [each.quote for each in finding.evidence]
    quotes += [
        quote for answer in finding.answers for quote in (*answer.quotes, *answer.against_quotes)
    ]
    return all(
        quote.span is not None and quote.span.text_in(text) == quote.words for quote in quotes
    )
