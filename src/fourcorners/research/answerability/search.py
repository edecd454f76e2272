"""Looking for the answer to one part of a question: the sentences, and whether they answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fourcorners.outline.tree import NodeKind
from fourcorners.research.answerability import clause_kinds as kinds
from fourcorners.research.answerability import reader_rule as answered
from fourcorners.research.answerability import similarity, sufficiency
from fourcorners.research.answerability.sufficiency import Judgement
from fourcorners.research.context import ResearchContext
from fourcorners.research.rewriting import add_legal_terms
from fourcorners.search.concepts import Concept, recognise_concepts
from fourcorners.search.scope import Scope
from fourcorners.search.sentences.retrieve import Retrieval, Snippet, retrieve_snippets
from fourcorners.search.stems import FRAME, IDLE, stem_tokens, stems

_CIRCUMSTANCE = re.compile(
    r"\s+(?:when|if|once|after|before|until|while|as\s+soon\s+as|because|unless|although|in\s+case)\s+"
    r"(?=\S+\s+\S+)[^?;]*",
    re.IGNORECASE,
)
_FRAMING = frozenset({NodeKind.TITLE, NodeKind.RECITALS, NodeKind.SIGNATURE})
_FRAMED = 8.0  # by which the odds of what frames a contract are divided
_NEAR = 0.05  # of the best's score, from which another snippet is shown with it
_MORE = 3  # telling words beside a known kind of clause that make a question one of its own
_CLOSE = 0.75  # of the chance that would count, which the known kind must come to
_HELD = 0.5  # of them, by rarity, that stand in and around the words found
_IDLE_STEMS = frozenset(stem_tokens(sorted(FRAME | IDLE)))


@dataclass(frozen=True, slots=True)
class AnswerSearch:
    """What a search for an answer came to.

    Attributes:
        snippets: The best first; of contracts that answer where any does.
        judgements: For each contract among them, how likely its best answers.
        concepts: The known kinds of clause that were asked for.
        read: How many contracts were read.
        similarity: How likely the best answers in words of its own, where no known kind was asked
            for or a question says much beside it.
    """

    question: str
    snippets: tuple[Snippet, ...]
    judgements: tuple[tuple[str, Judgement], ...]
    concepts: tuple[Concept, ...]
    read: int
    similarity: float = 0.0

    @property
    def best(self) -> Judgement:
        return max(
            (judgement for _, judgement in self.judgements),
            key=lambda each: each.chance,
            default=Judgement(0.0, 1.0),
        )

    @property
    def answers(self) -> bool:
        return self.best.answers

    @property
    def may_answer(self) -> bool:
        """Tell whether the best is near enough to be shown, though it is not judged to answer."""
        return self.best.may_answer or self.similarity >= similarity.default_weights().least

    @property
    def description(self) -> str:
        """Return what was searched and how strong the best was, in words."""
        contracts = f"{self.read} contract" + ("" if self.read == 1 else "s")
        for_what = ", ".join(each.name for each in self.concepts)
        kind = f", as a clause of the kind “{for_what}”" if for_what else ""
        if not self.snippets:
            return f"{contracts} searched for “{self.question}”{kind}; nothing scored"
        return (
            f"{contracts} searched for “{self.question}”{kind}; the best candidate scored "
            f"{self.best.chance:.2f}, {self.best.threshold:.2f} would count"
        )


def search_answer(context: ResearchContext, asked: str, *, limit: int = 8) -> AnswerSearch:
    """Search the contracts for the answer to a question, and judge whether it is one.

    A question in everyday words is put once more with the law's words for them, which lead to
    more; whether the contract answers at all is judged by either.
    """
    scope = context.scope(asked)
    found = _look(context, asked, scope, limit)
    legal_words = add_legal_terms(scope.question)
    if legal_words == scope.question:
        return found
    again = _look(context, asked, replace(scope, question=legal_words), limit, scope.question)
    if context.reader is not None:
        return max(
            (again, found), key=lambda each: (each.answers, each.may_answer, each.best.chance)
        )
    if again.answers:
        return again
    if found.answers:
        return found
    is_close = again.best.chance >= _CLOSE * again.best.threshold
    if again.concepts and not found.concepts and not (found.may_answer and is_close):
        return again  # the law's words ask for a known kind, of which its own rule tells more
    return again if again.may_answer or not found.may_answer else found


def _look(
    context: ResearchContext, asked: str, scope: Scope, limit: int, read_as: str = ""
) -> AnswerSearch:
    found = _retrieved(context, asked, scope, limit, read_as)
    searched = _judged(context, found)
    judged = _read(found, searched)
    able = {document for document, judgement in judged if judgement.answers}
    weighed = [
        _weigh_snippet(context, each)
        for each in found.snippets
        if not able or each.document in able
    ]
    weighed.sort(key=lambda each: -each.score)
    seen = _signs(context, found, searched)
    return AnswerSearch(
        question=asked,
        snippets=tuple(_strong(weighed)[:limit]),
        judgements=judged,
        concepts=tuple(concept for concept, _ in found.concepts),
        read=len(found.searched),
        similarity=seen.likelihood if seen else _add_readings(context, found, searched),
    )


def _read(
    found: Retrieval, judged: Sequence[tuple[str, Judgement]]
) -> tuple[tuple[str, Judgement], ...]:
    """Judge documents once more by what was read of them, where no known kind is asked for."""
    if not found.reader_scores or found.concepts:
        return tuple(judged)
    return tuple(
        (
            document,
            answered.combine_judgement(
                judgement, found.reader_scores[document], _best(found, document)
            ),
        )
        for document, judgement in judged
    )


def _best(found: Retrieval, document: str) -> float:
    return max(each.score for each in found.snippets if each.document == document)


def answer_features(context: ResearchContext, asked: str) -> Mapping[str, float] | None:
    """Return what speaks for the likeliest contract answering, by what was read of it.

    None where nothing is read or found, or a known kind of clause is asked for. It is what
    `training/answerability/reader_rule.py` learns from.
    """
    found = _retrieved(context, asked, context.scope(asked), limit=8)
    judged = _judged(context, found)
    if not found.reader_scores or not judged or found.concepts:
        return None
    document, judgement = max(judged, key=lambda each: each[1].chance)
    return answered.reader_features(
        judgement, found.reader_scores[document], _best(found, document)
    )


def similarity_features(
    context: ResearchContext, asked: str, scope: Scope
) -> similarity.SimilarityFeatures | None:
    """Return what speaks for the best of a search; None where a known kind of clause is asked for.

    It is what `training/answerability/similarity.py` learns from.
    """
    found = _retrieved(context, asked, scope, limit=1)
    return _signs(context, found, _judged(context, found))


def _retrieved(
    context: ResearchContext, asked: str, scope: Scope, limit: int, read_as: str = ""
) -> Retrieval:
    return retrieve_snippets(
        context.library,
        asked,
        scope=scope,
        encoder=context.encoder,
        concepts=concepts_in_focus(scope.question, context.concepts),
        filters=context.filters,
        limit=max(limit, len(context.entries)) * 2,
        reader=context.reader,
        read_as=read_as,
    )


def _signs(
    context: ResearchContext, found: Retrieval, judged: Sequence[tuple[str, Judgement]]
) -> similarity.SimilarityFeatures | None:
    encoder = context.encoder
    if found.concepts or not found.snippets or encoder is None:
        return None
    best = found.snippets[0]
    units = context.units(best.document)
    chance = dict(judged)[best.document].chance
    return similarity.similarity_features(
        units, best.span, found.asked, encoder.encode([found.asked])[0], chance
    )


def _add_readings(
    context: ResearchContext, found: Retrieval, judged: Sequence[tuple[str, Judgement]]
) -> float:
    """Return how near words come that have what a question says beside a known kind of clause.

    "Is the liability limited if a filter makes somebody ill?" asks for a cap, and for illness from
    a filter; a contract that speaks of the latter may well say what holds for it.
    """
    encoder = context.encoder
    if not found.concepts or not found.snippets or encoder is None:
        return 0.0
    called = {
        stem
        for concept, _ in found.concepts
        for phrase in concept.phrases
        for stem in stems(phrase)
    }
    more = [stem for stem in dict.fromkeys(stems(found.asked)) if stem not in called | _IDLE_STEMS]
    if len(more) < _MORE:
        return 0.0
    best = found.snippets[0]
    units = context.units(best.document)
    judgement = dict(judged)[best.document]
    if judgement.chance < _CLOSE * judgement.threshold:
        return 0.0
    chance, vector = judgement.chance, encoder.encode([found.asked])[0]
    seen = similarity.similarity_features(units, best.span, " ".join(more), vector, chance)
    return seen.likelihood if seen and seen.covered >= _HELD else 0.0


def concepts_in_focus(asked: str, concepts: Sequence[Concept]) -> tuple[Concept, ...]:
    """Return the concepts without those that a question names as a mere circumstance.

    "Is compensation owed when the contract ends?" asks for compensation. Where nothing else is
    asked ("What happens when the contract ends?") the circumstance is what is asked for.
    """
    main = _CIRCUMSTANCE.sub("", asked)
    if main == asked or not set(stems(main)) - _IDLE_STEMS:
        return tuple(concepts)
    meant = {concept.id for concept, _ in recognise_concepts(main, concepts)}
    named = {concept.id for concept, _ in recognise_concepts(asked, concepts)}
    return tuple(each for each in concepts if each.id in meant or each.id not in named)


def _judged(context: ResearchContext, found: Retrieval) -> tuple[tuple[str, Judgement], ...]:
    encoder = context.encoder
    vector = encoder.encode([found.asked])[0] if encoder is not None else None
    rules = sufficiency.load_rules(with_vectors=encoder is not None)
    judged: list[tuple[str, Judgement]] = []
    for document in dict.fromkeys(each.document for each in found.snippets):
        opinions = kinds.clause_opinions(context.library, document, found.concepts)
        units = context.units(document)
        signs = sufficiency.sufficiency_features(
            units, found.asked, vector, found.concepts, encoder, opinions
        )
        judged.append(
            (document, sufficiency.judge(rules, signs, opinions.kind if opinions else ""))
        )
    return tuple(judged)


def _weigh_snippet(context: ResearchContext, snippet: Snippet) -> Snippet:
    """Count a recital, a cover or a signature for less: it has all words, and binds nobody."""
    path = context.read_contract(snippet.document).path_at(snippet.span.start)
    if not any(each.kind in _FRAMING for each in path):
        return snippet
    odds = snippet.score / max(1e-9, 1 - snippet.score) / _FRAMED
    return replace(snippet, score=odds / (1 + odds))


def _strong(snippets: Sequence[Snippet]) -> list[Snippet]:
    """Leave out what is far behind the best of its contract."""
    best: dict[str, float] = {}
    for each in snippets:
        best.setdefault(each.document, each.score)
    return [each for each in snippets if each.score >= _NEAR * best[each.document]]
