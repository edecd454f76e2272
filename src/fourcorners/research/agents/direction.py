"""Whether a statement says the same way round what the words of a contract say.

The entailment model tells whether words speak of a statement, and not whether they say its opposite
(`training.statements`). This looks at what turns a sentence round: denials, verbs of permission and
duty and who stands before them, exceptions. It says `SAME` only where nothing differs and nearly
all words of the statement are there, and `OPPOSITE` only where a plain denial is all that differs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from fourcorners.search.stems import stem_tokens, stems
from fourcorners.text.patterns import load_patterns

_PATTERNS = load_patterns("fourcorners.research.agents", "direction")
_MODAL = _PATTERNS["modal"]
_DENIES = _PATTERNS["denies"]
_TURNS = _PATTERNS["turns"]
_PARTY = _PATTERNS["party"]
_PIECES = _PATTERNS["pieces"]
_COVERED = 0.8  # of a statement's words that stand in the words: below, it may say something else
_ANSWERED = (
    0.4  # of the words' own that stand in a statement: below, they say much that it does not
)
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
_CLAUSE = re.compile(r"[,;.]\s")
_NUMBER = re.compile(r"\d")


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
    """Compare a statement with words that speak of it."""
    statement = _YES_OR_NO.sub("", statement)
    asked = _content(statement)
    if not asked:
        return Direction.UNKNOWN
    pieces = [_PROVISO.sub("", each) for each in _PIECES.split(words) if each and each.strip()]
    best = max(pieces, key=lambda each: len(asked & _content(each)), default=words)
    near = best if _share(asked, best) >= _COVERED else words
    if _share(asked, near) < _COVERED:
        return Direction.UNKNOWN
    denied, denying = len(_DENIES.findall(statement)), len(_DENIES.findall(near))
    turned = _turns(statement) == _turns(near)
    # Where words deny something in another way, what "not" turns round is not known.
    is_clear = (
        turned
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
    if not frames and bool(denied) != bool(denying):
        # The words that lead to an item of a list may deny it.
        is_led = not denying and _DENIES.search(words[: words.find(near)])
        return Direction.OPPOSITE if is_clear and not is_led else Direction.UNKNOWN
    same = (
        turned
        and denied == denying
        and asked <= _content(words)  # one word more may be the one that is not so
        and any(_in_order(_parties(statement), each) for each in (near, words))
    )
    return Direction.SAME if same else Direction.UNKNOWN


def has_all_words(statement: str, words: str) -> bool:
    """Tell whether the words have all words of a statement that tell anything."""
    asked = _content(statement)
    return bool(asked) and asked <= _content(words)


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
    """Tell whether words name these parties, in this order."""
    plain = " ".join(words.casefold().split())
    places = [plain.find(each) for each in parties]
    return -1 not in places and places == sorted(places)
