"""Whether a statement that copies most of a quoted sentence changes what the sentence says.

The reader of clauses often takes a sentence with one word changed for the sentence itself. So the
words of both are aligned. Inflection, articles and the like make no difference; another word, a
word more, and a limit that is left out do.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import Enum, IntEnum

from fourcorners.research.agents.figures import find_figures
from fourcorners.text.patterns import load_patterns
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span
from fourcorners.text.stems import stem_tokens

_PATTERNS = load_patterns("fourcorners.research.agents", "near_copies")
_PHRASES = _PATTERNS["phrases"]  # with one meaning, by a word that has it
_LIMITS = _PATTERNS["limits"]
_WIDENS = _PATTERNS["widens"]  # of these, a sentence says more if the rest says less
_TOKEN = re.compile(r"'s\b|[^\W_]+|[,;:().]")
_DEFINED = re.compile(r"\([^()]{0,40}[\"“][^()]{1,80}[\"”]\s?\)")  # (the "Fee")
_MARKS = frozenset(",;:().")
_EMPTY = frozenset(("a", "an", "the", "this", "these", "that", "'s", "of", "to", "hereby"))
# Words that may matter: the reader decides.
_PRONOUNS = ("it", "its", "they", "their", "them", "he", "his", "she", "her", "who", "which")
_ADVERBS = ("also", "both", "herein", "hereto", "thereof", "thereto")
_QUANTIFIERS = ("and", "each", "any", "such", "all")
_LOOSE = frozenset(
    ("in", "on", "at", "for", "with", "be", "have", "shall", *_PRONOUNS, *_ADVERBS, *_QUANTIFIERS)
)
_SAME = {
    "upon": "on",
    "every": "each",
    "but": "and",
    "must": "shall",
    "will": "shall",
    "can": "may",
    "cannot": "not",
    **dict.fromkeys(("is", "are", "been", "was", "were"), "be"),
    **dict.fromkeys(("has", "had"), "have"),
}
_BEFORE_NOT = frozenset(
    ("shall", "may", "do", "does", "did")
)  # "may not" denies as "shall not" does
_FUNCTION = _EMPTY | _LOOSE | _BEFORE_NOT | {"not"}
_LEADS = frozenset(
    ("on", "in", "at", "for", "with", "by", "under", "from")
)  # of words that may be moved
_PREPOSITIONS = _LEADS | {"to", "as", "through", "into", "over", "per"}  # but for "of"
_VERBS = frozenset(("shall", "may", "be", "have", "not"))
_RELATIVE = frozenset(("who", "which"))
_LEAST = 0.7  # share of the words of a statement that a copy has from its quote, in order
_FEWEST = 3  # such words
_MOST = 2  # differences; with more it is no copy, but in other words
_SURELY = 0.9  # share of words from which it is a copy in spite of more
_PHRASE = 3  # words that may be moved together


class Copy(Enum):
    """What a statement is to its quote: the same, a copy with a change, or in its own words."""

    SAME = "same"
    CHANGED = "changed"
    APART = "apart"


class _Difference(IntEnum):
    NONE = 0
    LOOSE = 1
    DROPPED = 2  # a part that the sentence may do without
    LIMIT = 3  # dropped
    OTHER = 4  # words in the place of others, or more words


@dataclass(frozen=True, slots=True)
class _Word:
    """A word; `is_apart` if a mark precedes it."""

    stem: str
    span: Span
    is_apart: bool

    @property
    def is_empty(self) -> bool:
        return self.stem in _EMPTY


def compare_copy(statement: str, quotes: Sequence[str]) -> Copy:
    """Return whether a statement is a copy of a quoted sentence, or of the quotes together."""
    own = _read_words(statement)
    sentences = [each.text_in(words) for words in quotes for each in split_sentences(words)]
    found = [_Alignment(own, each) for each in sentences]
    best = max(found, key=lambda each: each.share, default=None)
    if best is None or not best.is_copy:
        best = _Alignment(own, " ".join(quotes))
    return best.compare() if best.is_copy else Copy.APART


def _read_words(text: str) -> list[_Word]:
    """Return the words of a text: figures by what they are, phrases and forms by one of a kind."""
    text = _DEFINED.sub(lambda match: " " * len(match.group()), text.replace("’", "'"))
    known = {Span(*match.span()): str(match.lastgroup) for match in _PHRASES.finditer(text)}
    for figure in find_figures(text, with_counts=True):
        known[figure.span] = f"{figure.value.normalize():f} {figure.unit}"
    starts = {span.start: span for span in known}
    found = [(match.group().casefold(), Span(*match.span())) for match in _TOKEN.finditer(text)]
    stemmed = stem_tokens([each if each[0].isalpha() else "x" for each, _ in found])
    words: list[_Word] = []
    done, is_apart = 0, False
    for (token, span), stem in zip(found, stemmed, strict=True):
        if span.start < done:
            continue
        if token in _MARKS:
            is_apart = True
            continue
        span = starts.get(span.start, span)
        token, done = _SAME.get(token, token), span.end
        is_plain = token[0].isalpha() and token not in _FUNCTION
        stem = known.get(span, stem if is_plain else token)
        if stem == "not" and words and words[-1].stem in _BEFORE_NOT:
            is_apart = words.pop().is_apart
        words.append(_Word(stem, span, is_apart))
        is_apart = False
    return words


class _Alignment:
    """The words of a statement and of a quote, and which of them are the same in their order."""

    def __init__(self, own: Sequence[_Word], quote: str) -> None:
        self._quote = quote
        self._own, self._quoted = own, _read_words(quote)
        stems, others = [each.stem for each in own], [each.stem for each in self._quoted]
        self._steps = SequenceMatcher(None, stems, others, autojunk=False).get_opcodes()
        same = [step for step in self._steps if step[0] == "equal"]
        self._first, self._last = (same[0][3], same[-1][4]) if same else (0, 0)
        self._matched = sum(len(_weighty(own, one, two)) for _, one, two, *_ in same)
        self.share = self._matched / (len(_weighty(own, 0, len(own))) or 1)

    @property
    def is_copy(self) -> bool:
        return self.share >= _LEAST and self._matched >= _FEWEST

    def compare(self) -> Copy:
        found = [*self._differences()]
        greatest = max(found, default=_Difference.NONE)
        if greatest is _Difference.NONE:
            return Copy.SAME
        count = sum(each >= _Difference.DROPPED for each in found)
        is_reworded = count > _MOST and not (
            greatest is _Difference.OTHER and self.share >= _SURELY
        )
        return Copy.CHANGED if greatest >= _Difference.LIMIT and not is_reworded else Copy.APART

    def _differences(self) -> Iterator[_Difference]:
        moved, moved_from = self._find_moves()
        if moved:
            yield _Difference.LOOSE
        for tag, one, two, start, end in self._steps:
            if tag == "equal":
                if self._is_set_off(one, start, two - one):
                    yield _Difference.LOOSE
                continue
            more = {self._own[at].stem for at in _weighty(self._own, one, two, moved)}
            less = {self._quoted[at].stem for at in _weighty(self._quoted, start, end, moved_from)}
            if more | less <= _LOOSE:
                is_turned = tag == "replace" and self._has_to(one, two, start, end)
                is_loose = more or less or is_turned
                yield _Difference.LOOSE if is_loose else _Difference.NONE
            elif more or not moved_from.isdisjoint(range(start, end)):
                yield _Difference.OTHER
            else:
                yield self._omission(start, end)

    def _has_to(self, one: int, two: int, start: int, end: int) -> bool:
        """Tell whether one text alone has "to": "payment to the Seller", and "of the Seller"."""
        return _has(self._own, one, two, "to") is not _has(self._quoted, start, end, "to")

    def _is_set_off(self, one: int, start: int, size: int) -> bool:
        """Tell whether "who" is behind a comma in one text alone: "guests, who are late, pay"."""
        pairs = zip(self._own[one : one + size], self._quoted[start : start + size], strict=True)
        return any(own.is_apart != word.is_apart for own, word in pairs if own.stem in _RELATIVE)

    def _find_moves(self) -> tuple[frozenset[int], frozenset[int]]:
        """Return the words of each text that are elsewhere in the other: "if X", "X's consent"."""
        moved: set[int] = set()
        moved_from: set[int] = set()
        changed = [step for step in self._steps if step[0] != "equal"]
        for _, one, two, place, until in changed:
            for _, from_, to, start, end in changed:
                own, quoted = _weighty(self._own, one, two), _weighty(self._quoted, start, end)
                block = SequenceMatcher(
                    None,
                    [self._own[at].stem for at in own],
                    [self._quoted[at].stem for at in quoted],
                    autojunk=False,
                ).find_longest_match()
                here = own[block.a : block.a + block.size]
                there = quoted[block.b : block.b + block.size]
                passed = _weighty(self._quoted, min(place, end), max(place, start))
                instead = _weighty(self._quoted, place, until), _weighty(self._own, from_, to)
                is_passed = there == quoted and not any(instead)
                if here and (
                    self._is_phrase(there)
                    or (is_passed and self._is_phrase(passed))
                    or self._is_genitive(here, there)
                ):
                    moved.update(here)
                    moved_from.update(there)
        return frozenset(moved), frozenset(moved_from)

    def _is_phrase(self, at: Sequence[int]) -> bool:
        return len(at) >= _PHRASE and bool(
            self._quoted[at[0]].stem in _LEADS or _LIMITS.match(self._piece(at[0], at[-1] + 1))
        )

    def _is_genitive(self, here: Sequence[int], there: Sequence[int]) -> bool:
        """Tell whether words are of "X's Y" in one of the texts, and of "Y of X" in the other."""
        sides = (self._own, here, self._quoted, there), (self._quoted, there, self._own, here)
        return any(
            (_has(one, at[-1] + 1, at[-1] + 2, "'s") and _has(other, to[0] - 2, to[0], "of"))
            or (_has(one, at[0] - 1, at[0], "'s") and _has(other, to[-1] + 1, to[-1] + 2, "of"))
            for one, at, other, to in sides
        )

    def _piece(self, start: int, end: int) -> str:
        words = self._quoted[start:end]
        return self._quote[words[0].span.start : words[-1].span.end] if words else ""

    def _omission(self, start: int, end: int) -> _Difference:
        """Return how much words of the quote matter that the statement leaves out.

        A limit of another sentence, "and the Mill pays the rent if …", does not.
        """
        piece, first = self._piece(start, end), self._quoted[start]
        is_last = start >= self._last
        limit = _LIMITS.search(piece)
        if limit:
            lead = piece[: limit.start()]
            is_other = is_last and first.stem == "and" and len(lead.split()) > _PHRASE
            is_other = is_other and _MARKS.isdisjoint(lead)
            return _Difference.DROPPED if is_other else _Difference.LIMIT
        if not {first.stem, self._quoted[end - 1].stem}.isdisjoint(("and", "or")):
            limit = _LIMITS.search(self._piece(0, start))
            is_condition = limit and not first.is_apart  # "if A and B"
            return _Difference.LIMIT if is_condition else _Difference.DROPPED
        if self._restricts(start, end):
            return _Difference.LIMIT
        is_apart = end <= self._first or (is_last and first.is_apart)
        is_wide = not is_apart and _WIDENS.search(self._piece(0, start))
        return _Difference.LIMIT if is_wide else _Difference.DROPPED

    def _restricts(self, start: int, end: int) -> bool:
        """Tell whether words say which things are meant: "valid invoices", "losses of profit".

        What is led by a preposition is of what is done, if there is a verb before it.
        """
        words = self._quoted
        first, is_led = words[start], start == 0 and end < len(words) and words[end].is_apart
        if first.is_apart or is_led:
            return False
        if first.stem in _PREPOSITIONS:
            before = {each.stem for each in words[:start]}
            return end <= self._last and before.isdisjoint(_VERBS)
        return not (end == start + 1 and _has(words, start - 1, start, "shall"))


def _weighty(
    words: Sequence[_Word], start: int, end: int, without: Container[int] = ()
) -> list[int]:
    return [at for at in range(start, end) if not words[at].is_empty and at not in without]


def _has(words: Sequence[_Word], start: int, end: int, stem: str) -> bool:
    return any(each.stem == stem for each in words[max(0, start) : end])
