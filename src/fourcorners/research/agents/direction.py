"""Whether a statement repeats the words of a contract, or turns them round.

The entailment model tells whether words speak of a statement, and not whether they say its opposite
(`training.statements`), and rules that compare words miss a denial, a party or a condition that is
moved. So `SAME` is only a statement that repeats a quote, or a whole sentence of it, character for
character but for spaces, capitals, its number and heading, "this" for "the" and how a currency is
written. `OPPOSITE` is where a plain denial is all that differs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from fourcorners.research.agents.figures import find_figures
from fourcorners.research.currencies import remove_currencies
from fourcorners.text.patterns import load_patterns
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span
from fourcorners.text.stems import stem_tokens, stems

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
_ITEM = _PATTERNS["item"]
_CLAUSE = re.compile(r"[,;.]\s")
# The number of a clause, after the number and the heading that it is the first under.
_CLAUSE_NUMBER = re.compile(
    r"^(?:\d+\.?\s+(?P<heading>(?:[^\W\d][\w,&'/-]*\s+){1,8}))?\d+(?:\.\d+)*\.?\s+"
)
_DENIALS = re.compile(
    r"\b(?:not|no|nor|neither|never|none|nothing|cannot|without)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d[\d.,'’ ]*")
_THIS = re.compile(r"\bthis\b")
_STRAIGHT = str.maketrans("“”‘’", "\"\"''")
_NUMBER = re.compile(r"\d")


class StatementDirection(StrEnum):
    SAME = "same"
    OPPOSITE = "opposite"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class _Frame:
    """Who may, must or must not do what."""

    party: str
    kind: str
    verbs: tuple[str, ...]


def compare_direction(statement: str, words: str) -> StatementDirection:
    """Compare a statement with words that speak of it."""
    if _repeats(statement, words):
        return StatementDirection.SAME
    statement = _YES_OR_NO.sub("", statement)
    asked = _content(statement)
    if not asked:
        return StatementDirection.UNKNOWN
    part = _nearest_part(asked, words)
    near = part.text
    if _share(asked, near) < _COVERED:
        return StatementDirection.UNKNOWN
    denied, denying = len(_DENIES.findall(statement)), len(_DENIES.findall(near))
    # Where words deny something in another way, what "not" turns round is not known.
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
            return StatementDirection.UNKNOWN
        if frame.kind != other.kind:
            clashes = is_clear and {frame.kind, other.kind} in _CLASHES
            return StatementDirection.OPPOSITE if clashes else StatementDirection.UNKNOWN
    is_turned = not frames and bool(denied) != bool(denying)
    return (
        StatementDirection.OPPOSITE
        if is_turned and is_clear and not part.lead
        else StatementDirection.UNKNOWN
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """The part of a quote that is nearest to a statement.

    Attributes:
        lead: Words before it that may govern it and turn it round: those that lead to an item.
    """

    text: str
    lead: str = ""


def _nearest_part(asked: set[str], words: str) -> _Part:
    """Return the piece that has most of what is asked, or all words where no piece has enough."""
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
    return _Part(texts[best], lead if governs and _turned_by(lead) else "")


def _repeats(statement: str, words: str) -> bool:
    """Tell whether a statement has the characters of a quote, or of a whole sentence of it.

    What follows a colon, or a sentence that denies something, is no sentence: it may be denied.
    """
    lead = _YES_OR_NO.match(statement)
    if lead and (lead["word"].casefold() == "no") is bool(_DENIALS.search(statement, lead.end())):
        statement = statement[lead.end() :]
    stated = _plain(statement)
    if not stated or stated.startswith("("):
        return False
    if stated == _plain(words):
        return True
    for each in split_sentences(words):
        if ":" in words[: each.end] or _turned_by(words[: each.start]):
            return False
        if stated == _plain(each.text_in(words)):
            return True
    return False


def _plain(text: str) -> str:
    """Return a sentence without its clause number, spaces and capitals, with currencies by code."""
    text = " ".join(text.translate(_STRAIGHT).split())
    number = _CLAUSE_NUMBER.match(text)
    if number and not _turned_by(number["heading"] or ""):
        text = text[number.end() :]
    pieces, end = [], 0
    for figure in find_figures(text):
        digits = _DIGITS.fullmatch(remove_currencies(figure.span.text_in(text)).strip())
        if figure.dimension == "sum" and digits and " " not in figure.unit:
            pieces += [text[end : figure.span.start], f"{figure.unit} {digits[0]}"]
            end = figure.span.end
    plain = "".join([*pieces, text[end:]]).casefold().rstrip(" .;")
    return _THIS.sub("the", plain)


def _turned_by(text: str) -> list[tuple[Span, str]]:
    """Return the words that turn a text round, all denials as one, with their places."""
    found = {match.span(): "not" for match in _DENIES.finditer(text)}
    for pattern in (_TURNS, _INVERTS):
        for match in pattern.finditer(text):
            found.setdefault(match.span(), match.group().casefold())
    return [(Span(*place), name) for place, name in found.items()]


def has_all_words(statement: str, words: str) -> bool:
    """Tell whether the words have all words of a statement that tell anything."""
    asked = _content(statement)
    return bool(asked) and asked <= _content(words)


def denies_alike(sentence: str, question: str) -> bool:
    """Tell whether a sentence and a question deny equally often, or both an odd number of times."""
    counts = (len(_DENIALS.findall(each)) for each in (sentence, question))
    return sum(counts) % 2 == 0


def is_topic(words: str, question: str) -> bool:
    """Tell whether words name what a question asks and answer nothing of it."""
    return has_all_words(words, question) and not _frames(words) and not _turned_by(words)


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


def _name(words: str) -> str:
    plain = " ".join(words.casefold().split())
    if plain.endswith((" party", " parties")):
        return _BOTH
    return plain.removesuffix("'s")
