"""Check whether the words quoted for a statement support it, as far as a program can tell.

A statement is verified if it repeats a sentence of its quotes, or if the reader of clauses is sure
that they say it; it is refused if the reader is sure that they do not. At its limits one false
statement in a hundred is verified and one true one in a hundred refused, of those that it has not
learned from (`python -m training.reader.limits`). All else is unchecked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from fourcorners.models.reader.reader import Answer
from fourcorners.models.registry import default_reader
from fourcorners.research.agents.contradictions import contradicting_figures
from fourcorners.research.agents.figures import (
    Figure,
    find_figures,
    has_unknown_labels,
    unknown_figures,
)
from fourcorners.research.agents.same_words import has_close_words, has_same_words
from fourcorners.research.answer import Citation, Statement, Verdict, Verification
from fourcorners.text.patterns import load_patterns
from fourcorners.text.sentences import split_sentences
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
_OWN_CLAUSE = _PATTERNS["own_clause"]
_INVERTS = _PATTERNS["inverts"]
_YES_OR_NO = _PATTERNS["yes_or_no"]
_QUALIFIES = _PATTERNS["qualifies"]
# The number of a clause, after the number and the heading that it is the first under.
_CLAUSE_NUMBER = re.compile(
    r"^(?:\d+\.?\s+(?P<heading>(?:[^\W\d][\w,&'/-]*\s+){1,8}))?\d+(?:\.\d+)*\.?\s+"
)
_DENIALS = re.compile(
    r"\b(?:not|no|nor|neither|never|none|nothing|cannot|without)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)
_PLACE = re.compile(r"clause (?P<number>(?P<article>\d+)(?:\.\d+)*)")
_DIGITS = re.compile(r"\d[\d.,'’ ]*")
_STRAIGHT = str.maketrans("“”‘’", "\"\"''")
_NUMBER = re.compile(r"\d")


def is_repeated(statement: str, words: str) -> bool:
    """Tell whether a statement has the words of a quote, or of a whole sentence of it.

    What follows a colon, or a sentence that denies something, is no sentence: it may be denied.
    """
    lead = _YES_OR_NO.match(statement)
    if lead and (lead["word"].casefold() == "no") is bool(_DENIALS.search(statement, lead.end())):
        statement = statement[lead.end() :]
    stated = _plain(statement)
    if not stated or stated.startswith("("):
        return False
    if has_same_words(stated, _plain(words)):
        return True
    for each in split_sentences(words):
        if ":" in words[: each.end] or _may_turn(words[: each.start]):
            return False
        if has_same_words(stated, _plain(each.text_in(words))):
            return True
    return False


def _plain(text: str) -> str:
    """Return a sentence without its clause number and spaces, with currencies by code."""
    text = " ".join(text.translate(_STRAIGHT).split())
    number = _CLAUSE_NUMBER.match(text)
    if number and not (_may_turn(number["heading"] or "") or text[number.end() :][:1].islower()):
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


def _may_turn(text: str) -> bool:
    """Tell whether a text has words that turn what is said round."""
    return any(each.search(text) for each in (_DENIES, _TURNS, _INVERTS))


def denies_alike(sentence: str, question: str) -> bool:
    """Tell whether a sentence and a question deny equally often, or both an odd number of times."""
    counts = (len(_DENIALS.findall(each)) for each in (sentence, question))
    return sum(counts) % 2 == 0


def is_topic(words: str, question: str) -> bool:
    """Tell whether words name what a question asks and answer nothing of it."""
    named = _content(words)
    is_named = bool(named) and named <= _content(question)
    return is_named and not _MODAL.search(words) and not _may_turn(words)


def _content(text: str) -> set[str]:
    return {_ALIKE.get(each, each) for each in filter(_tells, stems(text))}


def _tells(stem: str) -> bool:
    return stem not in _ASIDE and not _NUMBER.search(stem)


def quoted_words(cited: Citation) -> str:
    """Return the words of a quote on one line; "this Section" has the number of its clause."""
    words = " ".join(cited.quote.words.split())
    place = _PLACE.match(cited.where)
    if place is None:
        return words
    return _OWN_CLAUSE.sub(
        lambda own: f"{own[0]} {place['article' if own['article'] else 'number']}", words
    )


CHECKED = (Verification.VERIFIED, Verification.SEARCHED)
_READ = {Answer.YES: Verdict.YES, Answer.NO: Verdict.NO}
_YES_AND_NO = tuple(_READ.values())
_SURE = 0.6  # of the reader's answer to the question, by a sentence of the answer
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
    if unknown := unknown_figures(statement, [*own, *known]):
        return Verification.UNVERIFIED, f"{_join_figures(unknown)} not in the words quoted"
    if contrary := contradicting_figures(statement, quotes, known):
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
    is_verbatim = is_repeated_in(statement, quotes)
    is_qualified = is_verbatim and _QUALIFIES.search(" ".join(quotes)) is not None
    if is_verbatim and len(quotes) == 1 and not is_qualified:
        return Verification.VERIFIED, ""
    reader = default_reader()
    plain = _YES_OR_NO.sub("", statement)
    (reading,) = reader.read("\n".join(quotes), [plain])
    if is_verbatim:  # another sentence may be an exception to it
        may_differ = is_qualified or reading.answer in (Answer.NO, Answer.DEPENDS)
        return (Verification.UNCHECKED, NOT_CHECKED) if may_differ else (Verification.VERIFIED, "")
    if reader.is_verified(reading) and plain == statement:
        return Verification.VERIFIED, ""
    if reader.is_refused(reading) and not concludes:
        if reading.answer is Answer.NO:
            return Verification.UNVERIFIED, TURNED
        if reading.answer is Answer.NONE and not _is_close(plain, quotes):
            return Verification.UNVERIFIED, NOT_MENTIONED
    return Verification.UNCHECKED, NOT_CHECKED


def statement_chance(statement: str, quotes: Sequence[str]) -> float:
    """Return how likely a verified statement's quotes say it: their own words surely do."""
    if is_repeated_in(statement, quotes):
        return 1.0
    (reading,) = default_reader().read("\n".join(quotes), [statement])
    return reading.chance(Answer.YES)


def has_ruling(sentence: Statement, ruling: Verdict, question: str) -> bool:
    """Tell whether a sentence is checked, and answers yes or no as a ruling does.

    In a model's own words nobody knows what it affirms: yes and no need the contract's.
    """
    if sentence.standing not in CHECKED or ruling not in _YES_AND_NO:
        return sentence.standing in CHECKED
    given = _is_plain(sentence) and (_lead(sentence.text) or _read(sentence.text, question))
    return given is ruling


def denies_ruling(sentence: Statement, ruling: Verdict, question: str) -> bool:
    """Tell whether a sentence answers with yes or no where the ruling is the other one.

    The contract's words do if they deny what is asked, unless the reader finds that they affirm it.
    """
    if ruling not in _YES_AND_NO:
        return False
    given = _lead(sentence.text) or _read(sentence.text, question)
    if given is None and _is_plain(sentence):
        given = Verdict.YES if denies_alike(sentence.text, question) else Verdict.NO
    return given not in (None, ruling)


def _lead(sentence: str) -> Verdict | None:
    lead = _YES_OR_NO.match(sentence)
    return Verdict(lead["word"].casefold()) if lead else None


def _read(sentence: str, question: str) -> Verdict | None:
    """Return the answer that the reader finds in a sentence, if it is sure enough."""
    (reading,) = default_reader().read(sentence, [question])
    is_sure = reading.chance(reading.answer) >= _SURE
    return _READ.get(reading.answer) if is_sure else None


def _is_plain(sentence: Statement) -> bool:
    """Tell whether a sentence is checked and has the contract's words, or says what it lacks."""
    words = [*map(quoted_words, sentence.quotes)]
    return sentence.standing is Verification.SEARCHED or (
        sentence.standing is Verification.VERIFIED and is_repeated_in(sentence.text, words)
    )
