"""Replace a clause with other wording: the sentences about its matter, and the list they lead to.

A clause's other paragraphs stay, because each is a clause of the contract to which others refer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fourcorners.documents.document import MarkKind
from fourcorners.library.contract import Contract
from fourcorners.text.patterns import load_patterns
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span
from fourcorners.text.stems import stems
from fourcorners.text.values.amounts import Amount, find_amounts
from fourcorners.text.values.periods import WrittenPeriod, find_durations
from fourcorners.text.word_differences import Edit, EditKind, diff_words, texts_of

SHORTEST = 6  # words of a sentence that says something; a heading has fewer
_SHARED = 1 / 3  # of a sentence's words that are in a wording about the same matter; by hand
_PATTERNS = load_patterns("fourcorners.redline", "replacement")
MATTERS = {
    "names a forum": _PATTERNS["forum"],
    "names a law": _PATTERNS["law"],
    "says which document prevails": _PATTERNS["precedence"],
}
"""What a contract settles once, by what is said of a sentence about it."""
UNLIMITED, LIMIT = _PATTERNS["unlimited"], _PATTERNS["limit"]
_ALIKE = 0.4  # share of the words of both that stay, below which words are replaced as a whole
_CAPITALS = 0.9  # share of the letters of a sentence in capitals
_UNBRACKETED = re.compile(r"[^\[\]]+(?![^\[]*\])")
_NUMBER = load_patterns("fourcorners.redline", "insertion")["number"]
_SENTENCE_END = re.compile(r"[^\d\s][.;:](?=\W|$)")
_EXCEPTION, _EXCEPTED = _PATTERNS["exception"], _PATTERNS["excepted"]
_GOES_ON = re.compile(r"[\w,]\s*\n(?:[^\n]{0,60}\n){0,6}\s*[a-z]{2,}[ ,]")  # past a page's edge
_PARAGRAPH_END = re.compile(r"\s*\n\s*\n\s*|(?<=[.;:,])[^\S\n]*\n\s*")


def without_number(text: str, span: Span) -> Span:
    """Return a span without the number that it begins with, which may be one that Word computes."""
    number = _NUMBER.match(text, span.start, span.end)
    if number is None or number[0].strip().isalpha():
        return span
    return Span(number.end(), span.end)


def find_part(contract: Contract, quote: Span, wording: str) -> Span | None:
    """Return the part to replace with a wording: sentences of one paragraph, one of the quote.

    None if the quote is only a heading, or part of a sentence that continues in another paragraph.
    """
    text, wanted = contract.full_text, frozenset(stems(wording))
    matters = [each for each in MATTERS.values() if each.search(wording)]
    quoted = [each for each in _sentences(text, quote) if len(each.text_in(text).split()) >= 2]
    long = [each for each in quoted if len(each.text_in(text).split()) >= SHORTEST]
    long = [each for each in long if not _is_exception(text, each)] or long
    if not long:
        is_heading = _SENTENCE_END.search(text, quote.start, quote.end) is None
        return None if is_heading else without_number(text, quote)
    best = max(long, key=lambda each: _common(text, each, wanted))
    around = _sentences(text, _paragraph(text, contract.sentence(best))) if matters else ()
    outside = [each for each in around if not any(each.overlaps(other) for other in quoted)]
    sentences = sorted([*quoted, *outside])
    first = last = sentences.index(best)

    def is_one(other: Span, sentence: Span) -> bool:
        """Tell whether the sentence next to one is in its paragraph and about the same matter."""
        one, two = sorted((other, sentence))
        words = other.text_in(text)
        is_same = any(each.search(words) for each in matters)
        return (
            "\n" not in text[one.end : two.start]
            and len(words.split()) >= SHORTEST
            and not _is_exception(text, other)
            and (is_same or (other in quoted and is_about(words, wanted)))
        )

    while first and is_one(sentences[first - 1], sentences[first]):
        first -= 1
    while last + 1 < len(sentences) and is_one(sentences[last + 1], sentences[last]):
        last += 1
    part = Span(sentences[first].start, sentences[last].end)
    node = contract.outline.node_at(part.start)
    if text[part.end - 1] == ":" and node is not None and node.span.end > part.end:
        part = Span(part.start, node.span.end).strip(text)
    before = text[_paragraph(text, part).start : part.start]
    is_rest = text[part.start].islower() and not before.strip()
    return None if is_rest or _GOES_ON.match(text, part.end - 1) else part


def _paragraph(text: str, span: Span) -> Span:
    end = text.find("\n", span.end)
    return Span(text.rfind("\n", 0, span.start) + 1, len(text) if end < 0 else end)


def _sentences(text: str, quote: Span) -> Iterator[Span]:
    """Yield the sentences of a quote without numbers, and without the cells before theirs."""
    for each in split_sentences(text, quote):
        cell = text.rfind(" | ", each.start, each.end)
        start = cell + 3 if cell >= 0 else each.start
        yield without_number(text, Span(start, each.end).strip(text)).strip(text)


def _common(text: str, sentence: Span, wanted: frozenset[str]) -> int:
    return len(frozenset(stems(sentence.text_in(text))) & wanted)


def is_about(sentence: str, wanted: frozenset[str]) -> bool:
    """Tell whether a sentence says much of what some words say, by their stems."""
    words = frozenset(stems(sentence))
    return len(words & wanted) >= _SHARED * len(words)


def _is_exception(text: str, sentence: Span) -> bool:
    return _EXCEPTION.match(text, sentence.start, sentence.end) is not None


def replace_part(contract: Contract, part: Span, wording: str) -> Iterator[Edit]:
    """Yield the edits of a part into a wording, which goes into the first of its paragraphs."""
    text = contract.full_text
    ends = [*_PARAGRAPH_END.finditer(text, part.start, part.end)]
    starts = [part.start, *(each.end() for each in ends)]
    stops = [*(each.start() for each in ends), part.end]
    yield from replace_words(text[part.start : stops[0]], in_capitals(wording, part.text_in(text)))
    numbered = {
        mark.span.start
        for mark in contract.document.marks
        if mark.kind is MarkKind.NUMBER and part.contains(mark.span)
    }
    for before, start, stop in zip(stops, starts[1:], stops[1:], strict=False):
        number = _NUMBER.match(text, start, stop) if start in numbered else None
        own = number.end() if number else start
        yield Edit(EditKind.EQUAL, text[before:own])
        yield Edit(EditKind.DELETE, text[own:stop])


def replace_words(before: str, after: str) -> Iterator[Edit]:
    """Yield the edits of a text into another; unlike ones are replaced as a whole."""
    edits = diff_words(before, after)
    same_words = sum(len(each.text.split()) for each in edits if each.kind is EditKind.EQUAL)
    if 2 * same_words < _ALIKE * (len(before.split()) + len(after.split())):
        yield Edit(EditKind.DELETE, before)
        yield Edit(EditKind.INSERT, after)
    else:
        yield from edits


def in_capitals(words: str, like: str) -> str:
    """Return words in capitals, but for blanks in brackets, if those that they join are so."""
    letters = [each for each in like if each.isalpha()]
    if len(like.split()) < SHORTEST or sum(map(str.isupper, letters)) < _CAPITALS * len(letters):
        return words
    return _UNBRACKETED.sub(lambda each: each[0].upper(), words)


def has_lost_exclusion(edits: Sequence[Edit]) -> bool:
    """Tell whether what edits take out has an exception, and the new words have none."""
    before, after = texts_of(edits)
    return bool(_EXCEPTED.search(before)) and not _EXCEPTED.search(after)


def find_lost(edits: Sequence[Edit]) -> list[str]:
    """Return what edits take out and the new words don't have: values, and whole sentences."""
    before, after = texts_of(edits)
    left = {key for _, key in _values(after)}
    gone = [each.span for each, key in _values(before) if key not in left]
    inner = [each for each in gone if any(o.contains(each) and o != each for o in gone)]
    lost = [each.text_in(before) for each in gone if each not in inner]
    stay = frozenset(stems(after))
    sentences = (each.text_in(before).strip() for each in split_sentences(before))
    lost += [
        f"“{each}”"
        for each in sentences
        if each
        and (not is_about(each, stay) or (UNLIMITED.search(each) and not UNLIMITED.search(after)))
    ]
    return list(dict.fromkeys(" ".join(each.split()) for each in lost))


def _values(text: str) -> Iterator[tuple[WrittenPeriod | Amount, str]]:
    """Yield the periods and amounts of a text, each with what tells it from others."""
    whole = Span(0, len(text))
    for period in find_durations(text, whole):
        yield period, period.value.iso
    for amount in find_amounts(text, whole):
        yield amount, amount.text
