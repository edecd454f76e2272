"""What tools answer, short: a program pays for each character that it reads.

Values come first, then the words that they go by, cut where they are long. A field that says
nothing is left out. What does not fit is counted, and comes when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import Field

from fourcorners.server.api.answers import CitationValue, StatementValue
from fourcorners.server.api.findings import VerifiedWordsValue, cut_words
from fourcorners.server.context import RequestContext
from fourcorners.server.cursors import Key, page_of
from fourcorners.server.links import quote_href
from fourcorners.text.injections import find_injections
from fourcorners.text.span import Span
from fourcorners.value import Value

DEFAULT_CHARACTERS = 5_000
"""Characters of an answer, if nobody asks for more: some 1,200 tokens."""
MAX_EXCERPT = 300
"""Characters of a quote where many are shown."""
FRAME = 500
"""Characters of an answer besides its items: its names, and the cursor."""
_MAX_ITEMS = 100_000  # of a list that is paged by its characters
_LINK = 40  # characters that an address gets before it when it is sent

MaxCharacters = Annotated[
    int,
    Field(
        ge=2_000,
        le=100_000,
        description="About how long the answer may be. What is left comes by `cursor`, or by "
        "asking for more characters.",
    ),
]
PageCursor = Annotated[str, Field(max_length=2_000, description="`next` of the part before.")]
TValue = TypeVar("TValue", bound=Value)
TItem = TypeVar("TItem", bound=Value | str)
TResult = TypeVar("TResult", bound="CutResult")


class Excerpt(VerifiedWordsValue):
    """The exact words of a contract."""

    document: str = Field(
        default="", description="The contract's id; left out where it is given with the words."
    )
    where: str = ""


class Statement(Value):
    """A sentence of a report with the words behind it."""

    text: str
    problem: str = ""
    quotes: list[Excerpt] = Field(default_factory=list)
    claims: list[str] = Field(
        default_factory=list, description="Said to be the contract's words, and not found there."
    )


def without_orders(context: RequestContext, document: str, words: str, start: int) -> str:
    """Return words of a contract with white space for those that give orders.

    A model is about to read them; `start` is their place.
    """
    with context.access() as access:
        orders = access.orders(document)
    whole = Span(start, start + len(words))
    inside = filter(None, (each.intersection(whole) for each in orders))
    return _blank(words, (each.shift(-start) for each in inside))


def without_own_orders(words: str) -> str:
    """Return words that no document has to show, with white space for those that give orders."""
    return _blank(words, find_injections(words))


def _blank(words: str, orders: Iterable[Span]) -> str:
    for order in orders:
        words = words[: order.start] + " " * len(order) + words[order.end :]
    return words


def excerpt(
    document: str,
    words: str,
    start: int,
    where: str = "",
    most: int = MAX_EXCERPT,
    *,
    named: bool = True,
) -> Excerpt:
    """Return the beginning of the words from a character on, cut between words.

    Unless it is `named`, the document's id is left out: it is given with the words.
    """
    shown = cut_words(words, most)
    span = Span(start, start + len(shown))
    return Excerpt(
        words=shown,
        document=document if named else "",
        where=where,
        span=span,
        href=quote_href(document, span, shown),
        cut=len(shown) < len(words),
    )


def statement(given: StatementValue) -> Statement:
    quotes = [cited_excerpt(each) for each in given.quotes]
    problem = "" if given.verified else given.problem or "not verified"
    return Statement(text=given.text, problem=problem, quotes=quotes, claims=given.claims)


def cited_excerpt(cited: CitationValue) -> Excerpt:
    where = ", ".join(filter(None, (cited.name, cited.where)))
    return excerpt(cited.document, cited.words, cited.span.start, where)


def size_of(value: Value | str) -> int:
    """Return about how many characters a value has when it is sent."""
    if isinstance(value, str):
        return len(value)
    text = value.model_dump_json(exclude_defaults=True)
    return len(text) + _LINK * text.count('"href"')


class CharacterBudget:
    """Counts characters down."""

    def __init__(self, most: int) -> None:
        self._left = most
        self.left_out = 0

    def take(self, items: Iterable[TItem]) -> list[TItem]:
        """Return those that still fit; once one does not, none after it does."""
        taken = []
        for each in items:
            self._left -= size_of(each)
            if self._left < 0:
                self.left_out += 1
            else:
                taken.append(each)
        return taken


class CutResult(Value):
    """A result whose lists hold what fits."""

    left_out: int = Field(default=0, description="What did not fit.")


def fit(
    kind: type[TResult], most: int, lists: Mapping[str, Iterable[Any]], **rest: object
) -> TResult:
    """Return a result of some size; its lists are filled in their order."""
    budget = CharacterBudget(most - FRAME)
    filled = {name: budget.take(items) for name, items in lists.items()}
    return kind.model_validate({**filled, **rest, "left_out": budget.left_out})


def fill_page(
    context: RequestContext,
    name: str,
    items: Sequence[TValue],
    key: Callable[[TValue], Key],
    cursor: str,
    most: int,
) -> tuple[list[TValue], str | None]:
    """Return as many items after a cursor as fit, one at least, and the cursor of what follows.

    Raises:
        Refusal: If the cursor is invalid.
    """
    rest, _ = page_of(context, name, items, key, cursor, _MAX_ITEMS)
    count = max(1, len(CharacterBudget(most - FRAME).take(rest)))
    return page_of(context, name, items, key, cursor, count)
