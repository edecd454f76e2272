"""Whether a sentence of a report answers yes or no, and so carries or denies its ruling."""

from __future__ import annotations

import re
from dataclasses import replace

from fourcorners.models.reader.reader import Answer
from fourcorners.models.registry import default_reader
from fourcorners.research.agents.figures import find_figures, unknown_figures
from fourcorners.research.agents.statement_check import (
    DENIALS,
    NOT_CHECKED,
    YES_OR_NO,
    is_repeated_in,
    may_turn,
    quoted_words,
)
from fourcorners.research.answer import Statement, Verdict, Verification
from fourcorners.text.patterns import load_patterns
from fourcorners.text.stems import stem_tokens, stems

_PATTERNS = load_patterns("fourcorners.research.agents", "ruling_check")
_MODAL = _PATTERNS["modal"]
_MEASURES = ("least", "minimum", "most", "maximum", "million", "thousand", "billion")
_ASIDE = frozenset(
    stem_tokens(
        ["not", "no", "never", "need", "must", "require", "agreement", "contract", *_MEASURES]
    )
)
_ALIKE = dict(zip(stem_tokens(["written"]), stem_tokens(["writing"]), strict=True))
_NUMBER = re.compile(r"\d")
_NAMES = re.compile(r"(?<!\A)(?<![.?!]\s)\b[A-Z]\w+")
_NAME = 3  # letters of one that its other forms have
_MAY = _PATTERNS["may"]
_NO_DUTY = _PATTERNS["no_duty"]
CHECKED = (Verification.VERIFIED, Verification.SEARCHED)
_READ = {Answer.YES: Verdict.YES, Answer.NO: Verdict.NO}
_YES_AND_NO = tuple(_READ.values())
_SURE = 0.6  # of the reader's answer to the question, by a sentence of the answer


def has_ruling(sentence: Statement, ruling: Verdict, question: str) -> bool:
    """Tell whether a sentence is checked, and answers yes or no as a ruling does.

    In a model's own words nobody knows what it affirms: yes and no need the contract's.
    """
    if sentence.standing not in CHECKED or ruling not in _YES_AND_NO:
        return sentence.standing in CHECKED
    if sentence.standing is Verification.SEARCHED:  # of what is missing, the reader sees nothing
        return (_lead(sentence.text) or _read(sentence.text, question)) is ruling
    lead, given = _lead(sentence.text), _read_rest(sentence.text, question)
    return _is_plain(sentence) and given is ruling and lead in (None, ruling)


def check_lead(sentence: Statement, question: str) -> Statement:
    """Leave a sentence open that begins with a "yes" or "no" that the rest of it does not give."""
    lead = _lead(sentence.text)
    is_verified = lead is not None and sentence.standing is Verification.VERIFIED
    if not is_verified or _read_rest(sentence.text, question) is lead:
        return sentence
    return replace(sentence, standing=Verification.UNCHECKED, problem=NOT_CHECKED)


def denies_ruling(sentence: Statement, ruling: Verdict, question: str) -> bool:
    """Tell whether a sentence answers with yes or no where the ruling is the other one.

    The contract's words do if they deny what is asked, unless the reader finds that they affirm it.
    """
    if ruling not in _YES_AND_NO:
        return False
    lead, is_repeated = _lead(sentence.text), _is_repeated(sentence)
    given = _read_rest(sentence.text, question) if is_repeated or not lead else None
    is_open = lead or given or may_turn(question) or _leaves_open(sentence.text, question)
    is_denial = not (is_open or denies_alike(sentence.text, question))
    if is_denial and _is_plain(sentence):
        given = Verdict.NO
    return not {lead, given} <= {None, ruling}


def _lead(sentence: str) -> Verdict | None:
    lead = YES_OR_NO.match(sentence)
    return Verdict(lead["word"].casefold()) if lead else None


def _read_rest(sentence: str, question: str) -> Verdict | None:
    """Return the answer that the reader finds in what follows a "yes" or "no"."""
    return _read(YES_OR_NO.sub("", sentence), question)


def _read(sentence: str, question: str) -> Verdict | None:
    """Return the answer that the reader finds in a sentence, if it is sure enough."""
    (reading,) = default_reader().read(sentence, [question])
    given = _READ.get(reading.answer) if reading.chance(reading.answer) >= _SURE else None
    is_other = given is Verdict.YES and not _has_names(sentence, question)
    return None if is_other or _leaves_open(sentence, question) else given


def _has_names(sentence: str, question: str) -> bool:
    """Tell whether a sentence has the names of a question: "English" is in "England"."""
    words = sentence.casefold()
    named = {each[:_NAME].casefold() for each in _NAMES.findall(question)}
    return all(re.search(rf"\b{re.escape(each)}", words) for each in named)


def _leaves_open(sentence: str, question: str) -> bool:
    """Tell whether a sentence has other figures, or no duty where it is asked what is allowed."""
    known = find_figures(sentence, with_counts=True)
    is_permission = _MAY.match(question) and _NO_DUTY.search(sentence)
    return is_permission is not None or bool(unknown_figures(question, known))


def _is_plain(sentence: Statement) -> bool:
    """Tell whether a sentence is checked and has the contract's words, or says what it lacks."""
    is_verified = sentence.standing is Verification.VERIFIED
    return sentence.standing is Verification.SEARCHED or (is_verified and _is_repeated(sentence))


def _is_repeated(sentence: Statement) -> bool:
    return is_repeated_in(sentence.text, [*map(quoted_words, sentence.quotes)])


def denies_alike(sentence: str, question: str) -> bool:
    """Tell whether a sentence and a question deny equally often, or both an odd number of times."""
    counts = (len(DENIALS.findall(each)) for each in (sentence, question))
    return sum(counts) % 2 == 0


def is_topic(words: str, question: str) -> bool:
    """Tell whether words name what a question asks and answer nothing of it."""
    named = _content(words)
    is_named = bool(named) and named <= _content(question)
    return is_named and not _MODAL.search(words) and not may_turn(words)


def _content(text: str) -> set[str]:
    return {_ALIKE.get(each, each) for each in filter(_tells, stems(text))}


def _tells(stem: str) -> bool:
    return stem not in _ASIDE and not _NUMBER.search(stem)
