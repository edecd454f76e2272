"""Looking for the answer to one part of a question: the sentences, and whether they answer.

One way through: what a search finds, by the question's words and meaning and by the kinds of clause
that it asks for, is read with the question, and judged once. Weights and limits (`judgement.json`)
were fitted on questions that the reader had not learned (`training.questions.judge`). What a review
makes of a known kind of clause that is asked for is a sign among the others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from fourcorners.outline.tree import NodeKind
from fourcorners.research.answerability.clause_kinds import clause_opinions
from fourcorners.research.context import ResearchContext, asked_parties
from fourcorners.research.rewriting import add_legal_terms
from fourcorners.review.obligations.acting import acting_parties
from fourcorners.search.concepts import Concept, recognise_concepts
from fourcorners.search.filters import Filters
from fourcorners.search.scope import CardMatches, QuestionScope, match_cards
from fourcorners.search.sentences.retrieve import (
    PLAIN_RANKING,
    RERANKER,
    Retrieval,
    SentenceRanking,
    Snippet,
    retrieve_snippets,
)
from fourcorners.search.sentences.snippets import ExtensionLimits
from fourcorners.search.sentences.weights import LinearWeights, odds_chance
from fourcorners.text.span import Span
from fourcorners.text.stems import FRAME, IDLE, stem_tokens, stems

SHAPE = ExtensionLimits(characters=250, step=250, longest=700)
"""How far a sentence that answers is extended: a quote is short, and its clause a step away."""
_CIRCUMSTANCE = re.compile(
    r"\s+(?:when|if|once|after|before|until|while|as\s+soon\s+as|because|unless|although|in\s+case)\s+"
    r"(?=\S+\s+\S+)[^?;]*",
    re.IGNORECASE,
)
_FRAMING = frozenset({NodeKind.TITLE, NodeKind.RECITALS, NodeKind.SIGNATURE})
# The chance by the search alone that 95 of 100 of the 466 held-out questions with an answer reach,
# with an encoder and by words alone (half of them).
_SEARCHED, _WORDED = 0.05, 0.005
MAX_LISTED = 32
"""How many contracts are read whose cards have the laws and parties that a question names."""
_FRAMED = 8.0  # by which the odds of what frames a contract are divided
# … and of words that tell another party's act than is asked for: of 49 such sentences 2 answered,
# where the odds had promised 5 (43 held-out questions that name a party).
_ACT_OF_OTHER = 3.0
_IDLE_STEMS = frozenset(stem_tokens(sorted(FRAME | IDLE)))

LIKELY_TO_ANSWER = "how likely the words quoted answer"
UNLIKELY_TO_ANSWER = "how unlikely the nearest words are to answer"
"""What the confidence of an answer is, in words."""

FILE = Path(__file__).with_name("judgement.json")
_DECIDED = 6.0  # log-odds beyond which a review's opinion counts no more


class JudgementWeights(LinearWeights):
    """Weights of signs, and the chance from which they count as an answer."""

    limit: float


class JudgementFile(BaseModel):
    """Weights where a review judges a kind of clause that is asked for, and where none is."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    provenance: str
    reader: str
    known: JudgementWeights
    unknown: JudgementWeights


@cache
def default_weights() -> JudgementFile:
    return JudgementFile.model_validate_json(FILE.read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Judgement:
    """How likely a contract answers, and from where it counts as an answer."""

    chance: float
    threshold: float

    @property
    def answers(self) -> bool:
        return self.chance >= self.threshold


NOTHING = Judgement(0.0, 1.0)
"""Of a library in which nothing was found."""


def judge(odds: Sequence[float], margin: float | None) -> Judgement:
    """Judge a contract by the log-odds of its sentences that were read, the likeliest first.

    `margin` is how far a review is above its limit for the kind of clause that is asked for, in
    log-odds; None where no known kind is asked for.
    """
    if not odds:
        return NOTHING
    weights = default_weights().unknown if margin is None else default_weights().known
    chance = odds_chance(weights.log_odds(answer_signs(odds, margin)))
    return Judgement(chance, weights.limit)


def answer_signs(odds: Sequence[float], margin: float | None) -> dict[str, float]:
    """Return what speaks for a contract answering; at least one sentence was read."""
    signs = {"best": odds[0]}
    if margin is not None:
        signs["margin"] = max(-_DECIDED, min(_DECIDED, margin))
    return signs


@dataclass(frozen=True, slots=True)
class AnswerSearch:
    """What a search for an answer came to.

    Attributes:
        read_as: The question as it was read with sentences.
        snippets: The best first; of contracts that answer where any does.
        judgements: Of each contract among them.
        concepts: The known kinds of clause that were asked for.
        read: How many contracts were read.
        left_out: How many passages a reranker's threshold left out.
    """

    question: str
    read_as: str
    snippets: tuple[Snippet, ...]
    judgements: Mapping[str, Judgement]
    concepts: tuple[Concept, ...]
    read: int
    left_out: int = 0

    @property
    def best(self) -> Judgement:
        return max(self.judgements.values(), key=lambda each: each.chance, default=NOTHING)

    @property
    def answers(self) -> bool:
        return self.best.answers

    def of_clauses(self, clauses: Mapping[str, Sequence[Span]]) -> AnswerSearch:
        """Return what lies in clauses of contracts alone."""
        inside = (
            each
            for each in self.snippets
            if any(each.core.overlaps(one) for one in clauses.get(each.document, ()))
        )
        return replace(self, snippets=tuple(inside))

    @property
    def description(self) -> str:
        """Return what was searched, in words."""
        contracts = f"{self.read} contract" + ("" if self.read == 1 else "s")
        for_what = ", ".join(each.name for each in self.concepts)
        kind = f", as a clause of the kind “{for_what}”" if for_what else ""
        less = f"; the reranker left out {self.left_out} of what was found" if self.left_out else ""
        return f"{contracts} searched for “{self.question}”{kind}{less}"


def search_answer(context: ResearchContext, question: str, *, limit: int = 8) -> AnswerSearch:
    """Search the contracts for the answer to a question, and judge whether it is one.

    A question in everyday words is searched with the law's words for them, and read as it was put.
    Contracts under a law or with a party that it names are read first, in turn: each gives one hit
    before any gives a second.
    """
    scope = context.scope(question)
    named = _named_documents(context, question, scope)
    if named.documents:
        meant = tuple((document, 1.0) for document in named.documents)
        scope = replace(scope, documents=meant, is_certain=False, candidates=())
    worded = add_legal_terms(scope.question)
    found = retrieve_answers(
        context,
        replace(scope, question=worded),
        concepts=concepts_in_focus(worded, context.concepts),
        filters=context.filters,
        limit=max(limit, len(context.entries), len(named.documents)) * 2,
        ranking=SentenceRanking(read_as=scope.question, shape=SHAPE),
    )
    judged = _judge_documents(context, found)
    able = {document for document, judgement in judged.items() if judgement.answers}
    acting = {each: _asked_of(context, each, (question, scope.question)) for each in judged}
    weighed = [
        _weigh_snippet(context, each, acting[each.document])
        for each in found.snippets
        if not able or each.document in able or each.document in named.documents
    ]
    # What a reranker has not read stays behind what it has: the scores are not of one kind.
    weighed.sort(key=lambda each: (RERANKER not in each.parts, -each.score))
    weighed = _first_of_each(context, weighed, named)
    return AnswerSearch(
        question=question,
        read_as=scope.question,
        snippets=tuple(weighed[:limit]),
        judgements=judged,
        concepts=tuple(concept for concept, _ in found.concepts),
        read=len(found.searched),
        left_out=found.left_out,
    )


def retrieve_answers(
    context: ResearchContext,
    question: str | QuestionScope,
    *,
    concepts: Sequence[Concept],
    filters: Filters,
    limit: int,
    ranking: SentenceRanking = PLAIN_RANKING,
) -> Retrieval:
    """Retrieve with the context's models, and record there what its reranker did not read.

    A reranker that fails is not called again for this question.
    """
    found = retrieve_snippets(
        context.library,
        question,
        encoder=context.encoder,
        concepts=concepts,
        filters=filters,
        limit=limit,
        ranking=replace(
            ranking, reranker=context.rerank_record.usable(context.reranker), reader=context.reader
        ),
    )
    context.rerank_record.add(found)
    return found


def _named_documents(context: ResearchContext, question: str, scope: QuestionScope) -> CardMatches:
    """Return the contracts that a question names by law or party, unless it names one or a few."""
    if context.entries:
        return CardMatches()
    matches = match_cards(context.library, question, context.filters)
    few = {scope.documents[0][0]} if scope.is_certain else set(scope.candidates)
    is_one = len(matches.documents) < 2 and not matches.by_law
    if is_one or (few and few.issubset(matches.documents)):
        return CardMatches()
    return replace(matches, documents=matches.documents[:MAX_LISTED])


def _first_of_each(
    context: ResearchContext, snippets: Sequence[Snippet], named: CardMatches
) -> list[Snippet]:
    """Put the best of each contract that was named first, with what its card was named for."""
    first: dict[str, list[Snippet]] = {}
    others = []
    for each in snippets:
        if each.document in first or each.document not in named.documents:
            others.append(each)
        else:
            first[each.document] = [each]
    for document, own in first.items():
        contract = context.read_contract(document)
        known = [each.span for each in snippets if each.document == document]
        spans = []
        if named.by_law and contract.card.governing_law:
            spans.append(contract.sentence(contract.card.governing_law.span))
        if named.by_party:
            spans += [fact.span for fact in contract.card.parties if len(fact.span)]
        own += [
            replace(
                own[0],
                span=span,
                core=span,
                words=span.text_in(contract.text),
                parts={},
                because=(),
            )
            for span in spans
            if not any(span.overlaps(each) for each in known)
        ]
    return [each for own in first.values() for each in own] + others


def _judge_documents(context: ResearchContext, found: Retrieval) -> dict[str, Judgement]:
    """Judge each contract of which anything was found.

    Where no reader reads (a library without vectors, or with another encoder's), only the
    search counts, and silence is seldom said. A reranker's scores never do: nothing was fitted to
    them.
    """
    judged = {}
    for document in dict.fromkeys(each.document for each in found.snippets):
        if document not in found.odds:
            limit = _SEARCHED if context.encoder else _WORDED
            judged[document] = Judgement(found.chances[document], limit)
            continue
        opinions = clause_opinions(context.library, document, found.concepts)
        judged[document] = judge(found.odds[document], opinions.margin if opinions else None)
    return judged


def concepts_in_focus(question: str, concepts: Sequence[Concept]) -> tuple[Concept, ...]:
    """Return the concepts without those that a question names as a mere circumstance.

    "Is compensation owed when the contract ends?" asks for compensation. Where nothing else is
    asked ("What happens when the contract ends?") the circumstance is what is asked for.
    """
    main = _CIRCUMSTANCE.sub("", question)
    if main == question or not set(stems(main)) - _IDLE_STEMS:
        return tuple(concepts)
    meant = {concept.id for concept, _ in recognise_concepts(main, concepts)}
    named = {concept.id for concept, _ in recognise_concepts(question, concepts)}
    return tuple(each for each in concepts if each.id in meant or each.id not in named)


def _asked_of(context: ResearchContext, document: str, questions: Sequence[str]) -> frozenset[str]:
    """Return the parties of a contract whose act the first question that names any asks for."""
    contract = context.read_contract(document)
    named = (asked_parties(each, contract) for each in questions)
    return next(filter(None, named), frozenset())


def _weigh_snippet(context: ResearchContext, snippet: Snippet, asked: frozenset[str]) -> Snippet:
    """Count for less what frames a contract, which binds nobody, and another party's act."""
    contract = context.read_contract(snippet.document)
    is_framing = any(each.kind in _FRAMING for each in contract.path_at(snippet.span.start))
    share = _FRAMED if is_framing else 1.0
    if asked:
        acting = [parties for parties in acting_parties(contract, snippet.span) if parties]
        if acting and not any(parties & asked for parties in acting):
            share *= _ACT_OF_OTHER
    if share == 1.0:
        return snippet
    odds = snippet.score / max(1e-9, 1 - snippet.score) / share
    return replace(snippet, score=odds / (1 + odds))
