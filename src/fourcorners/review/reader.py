"""The clause reader in a review: which provisions it judges, and what it lets them quote.

The reader was taught beside the queries of the built-in playbooks: what a query says is one of its
signs. A provision whose id it knows is judged by it as long as query and look-alikes are those; a
playbook that words them anew, and a provision of any other id, is judged by the query's curve.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fourcorners.outline.dates import find_dates
from fourcorners.playbooks.playbook import Provision
from fourcorners.review.scoring import best_first
from fourcorners.text.span import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DATED = "effective-date"  # the provision that a contract's first sentence answers by its date alone
OPENING = 6_000  # characters within which a contract's first sentence stands
_LONG = 120  # characters from which a sentence says more than its date
_PARTIES = re.compile(r"\b(between|among|amongst|by and|made|entered|dated)\b", re.IGNORECASE)
_LEAD = re.compile(
    r"(?:\b(?:is|are|was|made|and|effective|entered|into|dated|as|of|on|from|with|effect|the|this)"
    r"\b[\s,]*)+$",
    re.IGNORECASE,
)


def taught_query(provision: Provision) -> str:
    """Return a short hash of what a provision's query says and avoids."""
    said = f"{provision.query}\n{provision.avoid or ''}"
    return hashlib.sha256(said.encode("utf-8")).hexdigest()[:12]


def considered(
    text: str,
    spans: Sequence[Span],
    probability: NDArray[np.float32],
    provision: str,
    most: int,
) -> list[tuple[Span, float]]:
    """Return the likeliest sentences, best first, with the words of each to quote."""
    found = [(spans[at], round(float(probability[at]), 5)) for at in best_first(probability, most)]
    if provision != DATED:
        return found
    return [(narrowed(text, span), score) for span, score in found]


def narrowed(text: str, span: Span) -> Span:
    """Return the date in a sentence that opens a contract, with the words that lead to it."""
    if span.start > OPENING or len(span) < _LONG or not _PARTIES.search(span.of(text)):
        return span
    first = next(iter(find_dates(text, span)), None)
    if first is None:
        return span
    lead = _LEAD.search(text, span.start, first.span.start)
    return Span(lead.start() if lead else first.span.start, first.span.end)
