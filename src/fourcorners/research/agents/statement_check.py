"""Check whether the words quoted for a statement support it, as far as a program can tell.

A statement is verified if it repeats a sentence of its quotes, or if the reader of clauses is sure
that they say it and it is no copy with a change; it is refused if the reader is sure that they do
not. At its limits one false
statement in a hundred is verified and one true one in a hundred refused, of those that it has not
learned from (`python -m training.reader.limits`). All else is unchecked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from fourcorners.models.reader.reader import Answer, QuestionReader, Reading
from fourcorners.models.registry import default_reader
from fourcorners.research.agents.contradictions import contradicting_figures
from fourcorners.research.agents.figures import (
    Figure,
    find_figures,
    find_plain_times,
    has_other_unit,
    has_unknown_labels,
    unknown_figures,
)
from fourcorners.research.agents.near_copies import Copy, compare_copy
from fourcorners.research.agents.same_words import has_close_words, has_same_words
from fourcorners.research.answer import Citation, Verification
from fourcorners.text.patterns import load_patterns
from fourcorners.text.sentences import split_sentences
from fourcorners.text.stems import stems
from fourcorners.text.values.quantities import remove_currencies

_PATTERNS = load_patterns("fourcorners.research.agents", "statement_check")
_DENIES = _PATTERNS["denies"]
_TURNS = _PATTERNS["turns"]
_OWN_CLAUSE = _PATTERNS["own_clause"]
_INVERTS = _PATTERNS["inverts"]
YES_OR_NO = _PATTERNS["yes_or_no"]
_QUALIFIES = _PATTERNS["qualifies"]
# The number of a clause, after the number and the heading that it is the first under.
_CLAUSE_NUMBER = re.compile(
    r"^(?:\d+\.?\s+(?P<heading>(?:[^\W\d][\w,&'/-]*\s+){1,8}))?\d+(?:\.\d+)*\.?\s+"
)
DENIALS = re.compile(
    r"\b(?:not|no|nor|neither|never|none|nothing|cannot|without)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)
_PLACE = re.compile(r"clause (?P<number>(?P<article>\d+)(?:\.\d+)*)")
_DIGITS = re.compile(r"\d[\d.,'’ ]*")
_STRAIGHT = str.maketrans("“”‘’", "\"\"''")


def is_repeated(statement: str, words: str) -> bool:
    """Tell whether a statement has the words of a quote, or of a whole sentence of it.

    What follows a colon, or a sentence that denies something, is no sentence: it may be denied.
    """
    lead = YES_OR_NO.match(statement)
    if lead and (lead["word"].casefold() == "no") is bool(DENIALS.search(statement, lead.end())):
        statement = statement[lead.end() :]
    stated = _plain(statement)
    if not stated or stated.startswith("("):
        return False
    if has_same_words(stated, _plain(words)):
        return True
    for each in split_sentences(words):
        if ":" in words[: each.end] or may_turn(words[: each.start]):
            return False
        if has_same_words(stated, _plain(each.text_in(words))):
            return True
    return False


def _plain(text: str) -> str:
    """Return a sentence without its clause number and spaces, with currencies by code."""
    text = " ".join(text.translate(_STRAIGHT).split())
    number = _CLAUSE_NUMBER.match(text)
    if number and not (may_turn(number["heading"] or "") or text[number.end() :][:1].islower()):
        text = text[number.end() :]
    pieces, end = [], 0
    for figure in find_figures(text):
        digits = _DIGITS.fullmatch(remove_currencies(figure.span.text_in(text)).strip())
        if figure.dimension == "sum" and digits and " " not in figure.unit:
            pieces += [text[end : figure.span.start], f"{figure.unit} {digits[0]}"]
            end = figure.span.end
    return "".join([*pieces, text[end:]]).rstrip(" .;")


def is_repeated_in(statement: str, quotes: Sequence[str]) -> bool:
    """Tell whether a statement repeats a sentence of a quote, or all quotes together."""
    return any(is_repeated(statement, each) for each in (*quotes, " ".join(quotes)))


def _is_close(statement: str, quotes: Sequence[str]) -> bool:
    """Tell whether a statement copies the beginning of a quoted sentence, but for pronouns."""
    stated = _plain(statement)
    sentences = (each.text_in(words) for words in quotes for each in split_sentences(words))
    return any(has_close_words(stated, _plain(each)) for each in sentences)


def may_turn(text: str) -> bool:
    """Tell whether a text has words that turn what is said round."""
    return any(each.search(text) for each in (_DENIES, _TURNS, _INVERTS))


def quoted_words(cited: Citation) -> str:
    """Return the words of a quote on one line; "this Section" has the number of its clause."""
    words = " ".join(cited.quote.words.split())
    place = _PLACE.match(cited.where)
    if place is None:
        return words
    return _OWN_CLAUSE.sub(
        lambda own: f"{own[0]} {place['article' if own['article'] else 'number']}", words
    )


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
    not verified, and refused only if the quotes have another figure for the same.
    """
    statement, quotes = " ".join(statement.split()), [" ".join(each.split()) for each in quotes]
    own = [each for quote in quotes for each in find_figures(quote, with_labels=True)]
    implied = [each for quote in quotes for each in find_plain_times(quote)]
    if unknown := unknown_figures(statement, [*own, *implied, *known]):
        return Verification.UNVERIFIED, f"{_join_figures(unknown)} not in the words quoted"
    if contrary := contradicting_figures(statement, quotes, known):
        return (
            Verification.UNVERIFIED,
            f"{_join_figures(contrary)} not what the words quoted have there",
        )
    standing, problem = check_statement(statement, quotes, concludes=concludes)
    if standing is Verification.UNVERIFIED and (
        unknown_figures(statement, own) or has_other_unit(statement, quotes)
    ):
        return Verification.UNCHECKED, NOT_CHECKED
    is_exact = not unknown_figures(statement, own, exactly=True) and all(
        each.is_known([*own, *implied]) for each in find_plain_times(statement)
    )
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
    is_verbatim = is_repeated_in(statement, quotes)
    is_qualified = is_verbatim and _QUALIFIES.search(" ".join(quotes)) is not None
    if is_verbatim and len(quotes) == 1 and not is_qualified:
        return Verification.VERIFIED, ""
    reader = default_reader()
    plain = YES_OR_NO.sub("", statement)
    (reading,) = reader.read("\n".join(quotes), [plain])
    if is_verbatim:  # another sentence may be an exception to it
        may_differ = is_qualified or reading.answer in (Answer.NO, Answer.DEPENDS)
        return (Verification.UNCHECKED, NOT_CHECKED) if may_differ else (Verification.VERIFIED, "")
    if plain == statement and _supports(reader, reading, plain, quotes):
        return Verification.VERIFIED, ""
    if reader.is_refused(reading) and not concludes:
        if reading.answer is Answer.NO:
            return Verification.UNVERIFIED, TURNED
        if reading.answer is Answer.NONE and not _is_close(plain, quotes):
            return Verification.UNVERIFIED, NOT_MENTIONED
    return Verification.UNCHECKED, NOT_CHECKED


def _supports(
    reader: QuestionReader, reading: Reading, statement: str, quotes: Sequence[str]
) -> bool:
    """Tell whether the reader is sure that quotes say a statement, or the sentence nearest to it.

    Of an exact copy it need not be sure, and of one with a change it is not believed.
    """
    if reading.answer is not Answer.YES:
        return False
    copy = compare_copy(statement, quotes)
    if copy is not Copy.APART:
        return copy is Copy.SAME and not _QUALIFIES.search(" ".join(quotes))
    if reader.is_verified(reading):
        return True
    sentences = [each.text_in(words) for words in quotes for each in split_sentences(words)]
    if len(sentences) < 2:
        return False
    asked = {*stems(statement)}
    nearest = max(sentences, key=lambda each: len(asked.intersection(stems(each))))
    (alone,) = reader.read(nearest, [statement])
    return reader.is_verified(replace(alone, own=reading.own))


def statement_chance(statement: str, quotes: Sequence[str]) -> float:
    """Return how likely a verified statement's quotes say it: their own words surely do."""
    if is_repeated_in(statement, quotes):
        return 1.0
    (reading,) = default_reader().read("\n".join(quotes), [statement])
    return reading.chance(Answer.YES)
