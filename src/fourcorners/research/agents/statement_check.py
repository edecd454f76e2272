"""Check whether the words quoted for a statement support it, as far as a program can tell.

A statement is verified if it repeats a sentence of its quotes, or if the reader of clauses is sure
that they say it; it is refused if the reader is sure that they do not. Its limits are those at
which one false statement in a hundred is verified and one true one in twenty refused, on statements
that it has not learned from (`python -m training.reader.limits`). All else is unchecked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

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
_MEASURES = ("least", "minimum", "most", "maximum", "million", "thousand", "billion")
_ASIDE = frozenset(
    stem_tokens(
        ["not", "no", "never", "need", "must", "require", "agreement", "contract", *_MEASURES]
    )
)
_ALIKE = dict(zip(stem_tokens(["written"]), stem_tokens(["writing"]), strict=True))
_INVERTS = _PATTERNS["inverts"]
_YES_OR_NO = _PATTERNS["yes_or_no"]
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


def is_repeated(statement: str, words: str) -> bool:
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
    return has_all_words(words, question) and not _MODAL.search(words) and not _turned_by(words)


def _content(text: str) -> set[str]:
    return {_ALIKE.get(each, each) for each in filter(_tells, stems(text))}


def _tells(stem: str) -> bool:
    return stem not in _ASIDE and not _NUMBER.search(stem)


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
    if standing is Verification.UNVERIFIED and unknown_figures(statement, own):
        return Verification.UNCHECKED, NOT_CHECKED
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
    reader cannot decide whether the words are about it. A "yes" or "no" in front answers a question
    that the reader does not see.
    """
    if any(is_repeated(statement, each) for each in (*quotes, " ".join(quotes))):
        return Verification.VERIFIED, ""
    reader = default_reader()
    plain = _YES_OR_NO.sub("", statement)
    (reading,) = reader.read("\n".join(quotes), [plain])
    if reader.is_verified(reading) and plain == statement:
        return Verification.VERIFIED, ""
    if reader.is_refused(reading) and not concludes and reading.answer is not Answer.DEPENDS:
        is_turned = reading.answer is Answer.NO
        return Verification.UNVERIFIED, TURNED if is_turned else NOT_MENTIONED
    return Verification.UNCHECKED, NOT_CHECKED
