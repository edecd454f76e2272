"""Clauses of other contracts whose answers people confirmed: examples for a language model.

As PAKTON's cross-document retrieval (2025, section 3.3), for judging a risk question. An example
decides nothing: a source must be in the contract that is judged. A collection is a wall, so
examples come from other contracts of the same collection alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from fourcorners.library.store import Library
from fourcorners.llm import QuotedText, Value
from fourcorners.models.order_reader import default_order_reader
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review import store
from fourcorners.review.annotations import select_annotations
from fourcorners.review.finding import Author, Finding, ReviewState
from fourcorners.text.tokenization import tokenize

_SHOWN = 3  # clauses in a prompt (PAKTON, appendix G.6)
_LONGEST = 600  # characters of a clause


@dataclass(frozen=True, slots=True)
class AnsweredClause:
    """Words of a contract with the answers that people confirmed, by the id of the question."""

    document: str
    provision: str
    words: str = field(repr=False)
    answers: Mapping[str, str]


class AnsweredClauses:
    """The answers that people confirmed for a playbook; a collection is read once."""

    def __init__(self, library: Library, playbook: Playbook) -> None:
        self._library, self._playbook = library, playbook
        self._held: dict[str, list[AnsweredClause]] = {}

    def examples(self, finding: Finding) -> list[Value]:
        """Return a few clauses of other contracts that are most like what was found, as data.

        Words that may be orders to a reader are left out, as from all that a model reads.
        """
        own = _vocabulary(_words(finding))
        ranked = sorted(
            self._others(finding), key=lambda each: (-_likeness(own, each.words), each.document)
        )
        shown: dict[str, AnsweredClause] = {}
        for each in ranked:
            if len(shown) < _SHOWN and not default_order_reader().find(each.words):
                shown.setdefault(each.words, each)
        return [
            {
                "words": QuotedText(each.words, f"another contract, example {number}"),
                "answers": QuotedText(
                    "\n".join(f"{name}: {answer}" for name, answer in each.answers.items()),
                    f"answers that people confirmed for example {number}",
                ),
            }
            for number, each in enumerate(shown.values(), start=1)
        ]

    def _others(self, finding: Finding) -> Iterator[AnsweredClause]:
        collection = self._library.entry(finding.document).collection
        if collection not in self._held:
            self._held[collection] = [*self._read(collection)]
        for each in self._held[collection]:
            if each.provision == finding.provision and each.document != finding.document:
                yield each

    def _read(self, collection: str) -> Iterator[AnsweredClause]:
        commented = {
            document for document, _ in select_annotations(self._library, self._playbook.id)
        }
        for entry in self._library.documents(collection):
            if entry.id not in commented:
                continue
            apart = [each.span for each in self._library.exclusions(entry.id)]
            for finding in store.load_findings(self._library, self._playbook, entry.id).values():
                answers = _confirmed_answers(finding)
                spans = [each.quote.span for each in finding.evidence if each.quote.span]
                if answers and spans and not any(a.overlaps(b) for a in apart for b in spans):
                    yield AnsweredClause(entry.id, finding.provision, _words(finding), answers)


def _confirmed_answers(finding: Finding) -> dict[str, str]:
    """Return the answers that people gave, or confirmed with their cell, by their ids."""
    if finding.review not in (ReviewState.CONFIRMED, ReviewState.CORRECTED):
        return {}
    whole = finding.review is ReviewState.CONFIRMED
    return {
        each.id: each.answer
        for each in finding.answers
        if each.id and each.value and (whole or each.author is Author.PERSON)
    }


def _words(finding: Finding) -> str:
    return "\n".join(each.quote.words for each in finding.evidence)[:_LONGEST]


def _vocabulary(words: str) -> set[str]:
    return set(tokenize(words).tokens)


def _likeness(own: set[str], words: str) -> float:
    """Return the share of words that two texts have in common."""
    other = _vocabulary(words)
    return len(own & other) / max(1, len(own | other))
