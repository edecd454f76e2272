"""Check whether the words quoted for a statement support it, as far as a program can tell.

A statement is verified if it repeats a sentence of its quotes, or if the reader of clauses is sure
that they say it; it is refused if the reader is sure that they do not. Its limits are those at
which one false statement in a hundred is verified and one true one in twenty refused, on statements
that it has not learned from (`python -m training.reader.limits`). All else is unchecked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from fourcorners.models.reader.reader import Answer
from fourcorners.models.registry import default_reader
from fourcorners.research.agents.figures import (
    Figure,
    contradicting_figures,
    find_figures,
    has_unknown_labels,
    unknown_figures,
)
from fourcorners.research.answer import Verification
from fourcorners.text.patterns import load_patterns
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span
from fourcorners.text.stems import stem_tokens, stems
from fourcorners.text.values.quantities import remove_currencies

_PATTERNS = load_patterns("fourcorners.research.agents", "statement_check")
_MODAL = _PATTERNS["modal"]
_DENIES = _PATTERNS["denies"]
_TURNS = _PATTERNS["turns"]
_PARTY = _PATTERNS["party"]
_PIECES = _PATTERNS["pieces"]
_COVERED = 0.8  # share of a statement's words found in the quote: below, it may say something else
_ANSWERED = 0.4  # share of the quote's words found in a statement: below, the quote says much more
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


NOT_MENTIONED = "the words given for it do not speak of it"
TURNED = "the words given for it seem to say the opposite"
NOT_CHECKED = "not checked against its quotes"


def check_quotes(
    statement: str,
    quotes: Sequence[str],
    known: Sequence[Figure] = (),
    *,
    concludes: bool = False,
) -> tuple[Verification, str]:
    """Return how far quotes support a statement, by its figures and its content.

    `known` are figures that a person gave or the program computed: a statement with one of these is
    neither refused nor verified.
    """
    statement, quotes = " ".join(statement.split()), [" ".join(each.split()) for each in quotes]
    own = [each for quote in quotes for each in find_figures(quote, with_labels=True)]
    if unknown := unknown_figures(statement, [*own, *known]):
        return Verification.UNVERIFIED, f"{_join_figures(unknown)} not in the words quoted"
    if contrary := contradicting_figures(statement, quotes):
        return (
            Verification.UNVERIFIED,
            f"{_join_figures(contrary)} not what the words quoted have there",
        )
    standing, problem = check_statement(statement, quotes, concludes=concludes)
    is_exact = not unknown_figures(statement, own, exactly=True)
    if standing is Verification.VERIFIED and not (
        is_exact and not has_unknown_labels(statement, quotes)
    ):
        return Verification.UNCHECKED, NOT_CHECKED
    return standing, problem


def _join_figures(figures: Sequence[str]) -> str:
    return f"{', '.join(figures)} {'is' if len(figures) == 1 else 'are'}"


def check_statement(
    statement: str, quotes: Sequence[str], *, concludes: bool = False
) -> tuple[Verification, str]:
    """Return how far the quoted words support a statement, and why if it is not verified.

    A conclusion from findings and from the question may say what no contract says: for it, the
    reader cannot decide whether the words are about it.
    """
    directions = {compare_direction(statement, each) for each in (*quotes, " ".join(quotes))}
    if {
        StatementDirection.OPPOSITE,
        StatementDirection.SAME,
    } <= directions:  # a rule and its exception
        return Verification.UNCHECKED, NOT_CHECKED
    if StatementDirection.SAME in directions:
        return Verification.VERIFIED, ""
    if StatementDirection.OPPOSITE in directions:
        return Verification.UNVERIFIED, TURNED
    reader = default_reader()
    (reading,) = reader.read("\n".join(quotes), [statement])
    if reader.verifies(reading):
        return Verification.VERIFIED, ""
    if reader.refuses(reading) and not concludes:
        is_turned = reading.chance(Answer.NO) > reading.chance(Answer.NONE)
        return Verification.UNVERIFIED, TURNED if is_turned else NOT_MENTIONED
    return Verification.UNCHECKED, NOT_CHECKED
