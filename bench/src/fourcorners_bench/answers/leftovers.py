"""Whether a contract out of which an answer was cut still holds another.

Experts do not mark every sentence that answers: of forty contracts without their marked answers
that were read, nine still answered. Such a copy tells nothing of a report that answers it. Two
signs put it aside, and both are independent of what reports are made with (vectors, the clause
reader, the playbooks' queries): `leftovers.yaml` holds the words by which a person would look for
an answer of each kind, and a sentence that repeats most of what was cut counts as well, with rare
words weighing more. A heading alone is no answer.

Words that do not find the marked answer would not find another like it: `shows` tells whether they
do. The words were widened once, by what was read in copies that reports had answered (the rest of
an audit clause of which experts had marked the first sentence).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import log

from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span
from fourcorners_bench.record import package_text

FEWEST_WORDS = 4  # of a sentence: what has fewer is a heading or a label
MAX_DISTANCE = 70  # characters around the first word of a sign, that contain the others
MIN_REPEATED_SHARE = 0.6  # of the weight of what was cut, in one sentence
MIN_REPEATED_WORDS = 5  # words
_WORD = re.compile(r"[a-z][a-z'-]{2,}")

AnswerSign = tuple[re.Pattern[str], ...]


@cache
def answer_signs() -> Mapping[str, tuple[AnswerSign, ...]]:
    from fourcorners.text.patterns import load_yaml

    content = load_yaml(package_text("leftovers.yaml"))
    return {
        category: tuple(tuple(re.compile(each, re.IGNORECASE) for each in sign) for sign in signs)
        for category, signs in content.items()
    }


@dataclass(frozen=True)
class ContractSentences:
    """A contract's text and its sentences, which all its cases share."""

    text: str

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        return tuple(split_sentences(self.text))

    @cached_property
    def words(self) -> tuple[str, ...]:
        return tuple(" ".join(each.text_in(self.text).split()) for each in self.spans)

    @cached_property
    def word_sets(self) -> tuple[frozenset[str], ...]:
        return tuple(frozenset(_WORD.findall(each.lower())) for each in self.words)

    @cached_property
    def rarity(self) -> Mapping[str, float]:
        often = Counter(word for bag in self.word_sets for word in bag)
        return {word: log(1 + len(self.word_sets) / number) for word, number in often.items()}

    def overlapping_sentences(self, marked: Sequence[Span]) -> list[Span]:
        return [each for each in self.spans if any(each.overlaps(span) for span in marked)]


def find_remaining_answers(
    contract: ContractSentences, cut: Sequence[Span], category: str
) -> list[Span]:
    """Return the sentences outside of what is cut that may answer, too.

    Of a category without words in `leftovers.yaml`, repetitions of what is cut count.
    """
    out = set(cut)
    gone = [at for at, each in enumerate(contract.spans) if each in out]
    signs = answer_signs().get(category, ())
    return [
        each
        for at, each in enumerate(contract.spans)
        if at not in gone
        and len(contract.words[at].split()) >= FEWEST_WORDS
        and (
            _says(contract.words[at], signs)
            or any(
                _repeats(contract.word_sets[at], contract.word_sets[other], contract.rarity)
                for other in gone
            )
        )
    ]


def is_visible(contract: ContractSentences, cut: Sequence[Span], category: str) -> bool:
    """Tell whether the words of a category find an answer in what is cut.

    Of a category without words in `leftovers.yaml` every answer counts as found.
    """
    out, signs = set(cut), answer_signs().get(category, ())
    return not signs or any(
        _says(words, signs)
        for each, words in zip(contract.spans, contract.words, strict=True)
        if each in out
    )


def _says(words: str, signs: Sequence[AnswerSign]) -> bool:
    for first, *others in signs:
        for found in first.finditer(words):
            around = words[max(0, found.start() - MAX_DISTANCE) : found.end() + MAX_DISTANCE]
            if all(other.search(around) for other in others):
                return True
    return False


def _repeats(bag: frozenset[str], cut: frozenset[str], rarity: Mapping[str, float]) -> bool:
    both = bag & cut
    if len(both) < MIN_REPEATED_WORDS:
        return False
    return sum(rarity[word] for word in both) >= MIN_REPEATED_SHARE * sum(
        rarity[word] for word in cut
    )
