"""Decide whether a statement says the same as the words of a contract, or the opposite.

The entailment model recognises whether words are about a statement, but not whether they say its
opposite (`training.statements`). This module compares what reverses a sentence: negations, verbs of
permission and duty with their subjects, and exceptions. It returns `SAME` only if the statement
repeats the words, or adds no word and has the same words between the same negations and exceptions
in the same order; and `OPPOSITE` only if a plain negation is the only difference.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from fourcorners.research.agents.figures import Figure, blank_spans, find_figures
from fourcorners.search.stems import stem_tokens, stems
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

_PATTERNS = load_patterns("fourcorners.research.agents", "direction")
_MODAL = _PATTERNS["modal"]
_DENIES = _PATTERNS["denies"]
_TURNS = _PATTERNS["turns"]
_PARTY = _PATTERNS["party"]
_PIECES = _PATTERNS["pieces"]
_COVERED = 0.8  # of a statement's words that occur in the quote: below, it may say something else
_ANSWERED = 0.4  # of the quote's words that occur in the statement: below, the quote says much more
_CARRIED = 12  # words after one such verb within which the next has the same subject
_GOVERNED = 20  # words after a verb of permission or duty that it may govern
_MEASURES = ("least", "minimum", "most", "maximum", "million", "thousand", "billion")
_ASIDE = frozenset(
    stem_tokens(
        ["not", "no", "never", "need", "must", "require", "agreement", "contract", *_MEASURES]
    )
)
_ALIKE = dict(zip(stem_tokens(["written"]), stem_tokens(["writing"]), strict=True))
_CLASHES = ({"permits", "forbids"}, {"obliges", "forbids"}, {"obliges", "spares"})
_BOTH = "both parties"
_INVERTS = _PATTERNS["inverts"]
_YES_OR_NO = _PATTERNS["yes_or_no"]
_PROVISO = _PATTERNS["proviso"]
_ITEM = _PATTERNS["item"]
_CLAUSE = re.compile(r"[,;.]\s")
_SENTENCE = re.compile(r"(?<=\.)\s+")
_NUMBER = re.compile(r"\d")
_WORD = re.compile(r"\w+")
_LETTERS = re.compile(r"[^\W\d_]{2,}")
# Words that differ between ways to say one thing: articles, and the verbs that frames compare.
_LIGHT = frozenset(("an", "the", "this", "that", "these", "those", "such")).union(
    ("may", "can", "shall", "must", "will", "should")
)


class Direction(StrEnum):
    SAME = "same"
    OPPOSITE = "opposite"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class _Frame:
    """Who may, must or must not do what."""

    party: str
    kind: str
    verbs: tuple[str, ...]


def compare_direction(statement: str, words: str) -> Direction:
    """Compare a statement with words that are about it."""
    if _repeats(statement, words):
        return Direction.SAME
    statement = _YES_OR_NO.sub("", statement)
    asked = _content(statement)
    if not asked:
        return Direction.UNKNOWN
    part = _nearest_part(asked, words)
    near = part.text
    if _share(asked, near) < _COVERED:
        return Direction.UNKNOWN
    denied, denying = len(_DENIES.findall(statement)), len(_DENIES.findall(near))
    # If the words negate something in another way, what "not" reverses is unknown.
    is_clear = (
        _turns(statement) == _turns(near)
        and denied + denying == 1
        and _inverts(statement) == _inverts(near)
        and _share(_content(near), statement) >= _ANSWERED
    )
    frames, others = _frames(statement), _frames(near)
    for frame in frames:
        other = next(iter(_matching(frame, others)), None)
        if other is None or frame.party != other.party:
            return Direction.UNKNOWN
        if frame.kind != other.kind:
            clashes = is_clear and {frame.kind, other.kind} in _CLASHES
            return Direction.OPPOSITE if clashes else Direction.UNKNOWN
    is_led = bool(_find_reversals(part.lead))
    if not frames and bool(denied) != bool(denying):
        return Direction.OPPOSITE if is_clear and not is_led else Direction.UNKNOWN
    same = (
        not is_led
        and (frames or all(each.kind != "permits" for each in others))
        and _has_same_reversals(statement, near + part.exception)
        and asked <= _content(words)  # one extra word may be the false one
        and any(_in_order(_parties(statement), each) for each in (near, words))
    )
    return Direction.SAME if same else Direction.UNKNOWN


@dataclass(frozen=True, slots=True)
class _Part:
    """The part of a quote that is nearest to a statement.

    Attributes:
        lead: The words before it that may govern it: the introduction of a list.
        exception: What follows and qualifies it: "unless …", "provided that …".
    """

    text: str
    lead: str = ""
    exception: str = ""


def _nearest_part(asked: set[str], words: str) -> _Part:
    """Return the piece that shares the most words, or the whole if no piece shares enough."""
    pieces, start = [], 0
    for end in (*(each.span() for each in _PIECES.finditer(words)), (len(words), len(words))):
        if words[start : end[0]].strip():
            pieces.append((start, words[start : end[0]]))
        start = end[1]
    texts = [_PROVISO.sub("", each) for _, each in pieces]
    best = max(range(len(pieces)), key=lambda at: len(asked & _content(texts[at])), default=None)
    if best is None or _share(asked, texts[best]) < _COVERED:
        return _Part(words)
    start, text = pieces[best]
    lead = words[:start]
    governs = ":" in lead or _ITEM.match(text) or not _frames(text)
    exceptions = ""
    for _, each in pieces[best + 1 :]:
        if not _TURNS.match(each.lstrip(" ,")):
            break
        exceptions += f" {each}"
    return _Part(texts[best], lead if governs else "", exceptions)


def _repeats(statement: str, words: str) -> bool:
    """Return whether a statement has the words of a quote, or of a sentence of it, in order.

    What follows a colon is not a sentence: its introduction may negate it.
    """
    stated = _WORD.findall(statement.casefold())
    sentences = _SENTENCE.split(words.partition(":")[0])
    return bool(stated) and any(
        stated == _WORD.findall(each.casefold()) for each in (words, *sentences)
    )


def _has_same_reversals(statement: str, words: str) -> bool:
    """Return whether the same negations, exceptions and figures divide the same words, in order.

    Figures divide words if there are several of a kind, which could be confused.
    """
    figures = find_figures(words)
    values = {(each.dimension, each.value) for each in figures}
    several = {kind for kind, count in Counter(kind for kind, _ in values).items() if count > 1}
    stated = _split_at_reversals(statement, find_figures(statement), several)
    written = _split_at_reversals(words, figures, several)
    marks = [mark for mark, _ in stated]
    return marks == [mark for mark, _ in written] and (
        len(marks) == 1
        or all(own <= other for (_, own), (_, other) in zip(stated, written, strict=True))
    )


def _split_at_reversals(
    text: str, figures: Sequence[Figure], several: Collection[str]
) -> list[tuple[str, Counter[str]]]:
    """Return what reverses or divides a text, each with the words after it up to the next.

    The first holds only the words before all of them; all negations count as the same.
    """
    marks = [
        (each.span, f"{each.value.normalize()} {each.unit}")
        for each in figures
        if each.dimension in several
    ]
    marks = sorted([*marks, *_find_reversals(text)])
    plain = blank_spans(text, [each.span for each in figures])
    starts = [0, *(span.end for span, _ in marks)]
    ends = [*(span.start for span, _ in marks), len(text)]
    words = [
        [each for each in _LETTERS.findall(plain[start:end].casefold()) if each not in _LIGHT]
        for start, end in zip(starts, ends, strict=True)
    ]
    names = ["", *(name for _, name in marks)]
    return list(zip(names, map(Counter, map(stem_tokens, words)), strict=True))


def _find_reversals(text: str) -> list[tuple[Span, str]]:
    """Return the words that reverse a text, with their places; all negations count as the same."""
    found = {match.span(): "not" for match in _DENIES.finditer(text)}
    for pattern in (_TURNS, _INVERTS):
        for match in pattern.finditer(text):
            found.setdefault(match.span(), match.group().casefold())
    return [(Span(*place), name) for place, name in found.items()]


def has_all_words(statement: str, words: str) -> bool:
    """Return whether the words contain all meaningful words of a statement."""
    asked = _content(statement)
    return bool(asked) and asked <= _content(words)


def is_topic(words: str, question: str) -> bool:
    """Return whether words only name the topic of a question without answering it."""
    return has_all_words(words, question) and not _frames(words) and not _find_reversals(words)


def _turns(text: str) -> set[str]:
    return {each.casefold() for each in _TURNS.findall(text)}


def _inverts(text: str) -> set[str]:
    return {each.casefold() for each in _INVERTS.findall(text)}


def _content(text: str) -> set[str]:
    return {_ALIKE.get(each, each) for each in filter(_tells, stems(text))}


def _tells(stem: str) -> bool:
    return stem not in _ASIDE and not _NUMBER.search(stem)


def _share(asked: set[str], text: str) -> float:
    return len(asked & _content(text)) / len(asked)


def _frames(text: str) -> list[_Frame]:
    frames: list[_Frame] = []
    modals = list(_MODAL.finditer(text))
    for at, modal in enumerate(modals):
        start = modals[at - 1].end() if at else 0
        end = modals[at + 1].start() if at + 1 < len(modals) else len(text)
        before = _PARTY.findall(text[start : modal.start()])
        party = _name(before[-1]) if before else ""
        if not before and frames and len(text[start : modal.start()].split()) <= _CARRIED:
            party = frames[-1].party
        kind = next(
            name for name in ("permits", "obliges", "forbids", "spares") if modal.group(name)
        )
        if (
            modal["not"]
            or modal["never"]
            or _DENIES.search(_CLAUSE.split(text[start : modal.start()])[-1])
        ):
            kind = "forbids"
        governed = " ".join(text[modal.end() : end].split()[:_GOVERNED])
        frames.append(_Frame(party, kind, tuple(each for each in stems(governed) if _tells(each))))
    return frames


def _matching(frame: _Frame, others: Sequence[_Frame]) -> list[_Frame]:
    verb = next(iter(frame.verbs), "")
    return [each for each in others if verb and verb in each.verbs]


def _parties(text: str) -> list[str]:
    names = dict.fromkeys(_name(each) for each in _PARTY.findall(text))
    return [each for each in names if each not in (_BOTH, "agreement", "contract")]


def _name(words: str) -> str:
    plain = " ".join(words.casefold().split())
    if plain.endswith((" party", " parties")):
        return _BOTH
    return plain.removesuffix("'s")


def _in_order(parties: Sequence[str], words: str) -> bool:
    """Return whether words name these parties, in this order."""
    plain = " ".join(words.casefold().split())
    places = [plain.find(each) for each in parties]
    return -1 not in places and places == sorted(places)
