"""A marked clause as tokens: what the transformer of the verdict reader is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from fourcorners.models.session import readable_text
from fourcorners.models.verdict_reader.clause import MarkedClause, MentionKind
from fourcorners.text.span import Span

if TYPE_CHECKING:
    from tokenizers import Tokenizer

LONGEST = 210  # tokens of a clause that are read, as trained
_AROUND = 4_000  # characters around the marked words that are cut into tokens at all
_START, _END = 101, 102  # of a text, and of each of its two parts
_OPEN, _CLOSE = 1, 2  # around the marked words
_PLACES = 6  # of one mention that are read
Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ClauseTokens:
    """A provision's name and a clause, of which the words farthest from the marked ones are cut.

    Attributes:
        ids: Token ids, specials included.
        first: How many of them are the provision's.
        marked: The first and one past the last token of the marked words.
        places: By kind what is mentioned, with its tokens; in the marked words, where it is there.
    """

    ids: tuple[int, ...]
    first: int
    marked: Place
    places: Mapping[MentionKind, Mapping[str, tuple[Place, ...]]]


def read_tokens(tokenizer: Tokenizer, provision: str, clause: MarkedClause) -> ClauseTokens:
    """Return a clause as tokens; the tokenizer adds no specials and cuts nothing."""
    start = max(clause.clause.start, clause.marked.start - _AROUND)
    end = min(clause.clause.end, clause.marked.start + 2 * _AROUND)
    encoding = tokenizer.encode(readable_text(clause.text[start:end]), add_special_tokens=False)
    spans = [Span(start + low, start + high) for low, high in encoding.offsets]
    inside = [at for at, span in enumerate(spans) if span.overlaps(clause.marked)] or [0]
    low, high = inside[0], min(inside[-1] + 1, inside[0] + LONGEST)
    spare = LONGEST - (high - low)
    after = min(len(spans) - high, spare - min(low, spare // 2))
    before = min(low, spare - after)

    ids = [_START, *_name_tokens(tokenizer, provision), _END]
    first = len(ids)
    where: dict[int, int] = {}
    for at in range(low - before, min(high + after, len(spans))):
        if at == low:
            ids.append(_OPEN)
        where[at] = len(ids)
        ids.append(encoding.ids[at])
        if at == high - 1:
            ids.append(_CLOSE)
    marked = (where.get(low, first + 1) - 1, where.get(high - 1, first) + 2)
    places = {
        kind: _place(clause.mentioned(kind), clause.marked, spans, where) for kind in MentionKind
    }
    return ClauseTokens((*ids, _END), first, marked, places)


def _place(
    mentioned: Mapping[str, Sequence[Span]],
    marked: Span,
    spans: Sequence[Span],
    where: Mapping[int, int],
) -> dict[str, tuple[Place, ...]]:
    """Return the tokens of what is mentioned; what was cut is left out."""
    found = {}
    for key, named in mentioned.items():
        own = [(each, _tokens_of(each, spans, where)) for each in named]
        held = [(each, place) for each, place in own if place is not None]
        chosen = [place for each, place in held if each.overlaps(marked)]
        if held:
            found[key] = tuple((chosen or [place for _, place in held])[:_PLACES])
    return found


def _tokens_of(named: Span, spans: Sequence[Span], where: Mapping[int, int]) -> Place | None:
    own = [place for at, place in where.items() if spans[at].overlaps(named)]
    return (own[0], own[-1] + 1) if own else None


@lru_cache(maxsize=256)
def _name_tokens(tokenizer: Tokenizer, provision: str) -> tuple[int, ...]:
    words = provision.replace("-", " ")
    return tuple(tokenizer.encode(words, add_special_tokens=False).ids)
