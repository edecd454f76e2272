"""The sums of money of a contract, for its row in the summary."""

from __future__ import annotations

import re
from typing import Final

from fourcorners.reports.grid import Cell
from fourcorners.reports.tree import Run, Tone
from fourcorners.review.finding import CellState, ReviewedDocument
from fourcorners.text.invisible_characters import single_line
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span
from fourcorners.text.values.quantities import find_quantities

_MOST: Final = 3  # sums that a row of the summary names
_NEAR: Final = 80  # characters before a sum that say what it is paid for
_PAID: Final = re.compile(
    r"(?:\b(?:[A-Z][\w’'-]*|annual|exercise|initial|monthly|purchase|unit|weekly|yearly)\s+){0,2}"
    r"\b(?i:charge|commission|deposit|fee|instal?lment|payment|price|rent"
    r"|retainer|royalty|royalties)s?\b(?!.*\b(?i:fees?|charges?|price|payments?)\b)"
)
# These say that a sum is another's: a limit, a condition, a unit; so does a pause before it.
_OF_OTHER: Final = re.compile(
    r"\b(?:above|and|cover|damages?|exceed\w*|insur\w*|less|liab\w+|more|or|over|per|than|up\s+to)\b|[,;:]",
    re.IGNORECASE,
)
_ARTICLE: Final = re.compile(r"(?:an?|of|the|that|this|such)\s+", re.IGNORECASE)


def sum_runs(cells: tuple[Cell, ...], document: ReviewedDocument) -> tuple[Run, ...]:
    """Return the sums that answers state, each with its provision, and what else is to be paid.

    The latter are the words of the contract, to be read there: a price may have conditions.
    """
    stated = [
        f"{cell.head.name}: {answer.answer}"
        for cell in cells
        for answer in cell.finding.answers
        if answer.id == "amount" and answer.answer and cell.finding.state is CellState.FOUND
    ]
    paid = _paid_sums(document.text)
    more = f"; and {len(paid) - _MOST} more" if len(paid) > _MOST else ""
    runs = [Run("; ".join(stated))] if stated else []
    if paid:
        runs += [Run("; ")] if stated else []
        runs += [Run("; ".join(paid[:_MOST]) + more), Run(" (to be read)", Tone.TO_READ)]
    return tuple(runs)


def _paid_sums(text: str) -> list[str]:
    """Return the sums that a contract's words call a fee, a price and the like, in their order."""
    found: dict[str, None] = {}
    for sentence in split_sentences(text):
        for quantity in find_quantities(text, sentence):
            if not quantity.mark:
                continue
            start = max(sentence.start, quantity.span.start - _NEAR)
            before = single_line(Span(start, quantity.span.start).text_in(text))
            paid = _PAID.search(before)
            if paid is None or _OF_OTHER.search(before, paid.end()):
                continue
            name = _ARTICLE.sub("", single_line(paid[0]))
            words = single_line(quantity.span.text_in(text))
            found[f"{name[:1].upper()}{name[1:]}: {words}"] = None
    return [*found]
