"""Yes, no, or it depends: what the best words found come to for a question that asks whether.

Of what may or must be done the sentences speak for themselves, where one says in plain words who
may or shall not do what is asked (`polarity`). Else the entailment model is heard, and believed
where the words that it goes by speak of what is asked; its "yes" only where the sentence that has
most of the question denies nothing, for it hardly knows a "no". Where it is not sure, that sentence
is read by rules: one that sets a condition of its own, or that the next one takes back, makes the
answer depend on it. Where all this tells nothing, it counts how words like the best mostly answer
questions like this one (`models/polarity`), if they do so nearly always.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fourcorners.models.entailment.spans import split_items
from fourcorners.models.entailment.unseen import HypothesisGuide
from fourcorners.models.entailment.verdict import LABELS, Label
from fourcorners.models.polarity.model import default_polarity
from fourcorners.research.answer import Verdict
from fourcorners.research.answerability.search import AnswerSearch
from fourcorners.research.answerability.similarity import stem_rarity
from fourcorners.research.companions.find import is_contrary
from fourcorners.research.companions.qualifiers import Qualifier, find_qualifiers
from fourcorners.research.context import ResearchContext
from fourcorners.research.question import Aspect, Part
from fourcorners.research.rewriting import add_legal_terms
from fourcorners.research.verdict.polarity import (
    answer_to,
    find_polarities,
    is_hedged,
    parse_modal_statement,
)
from fourcorners.review.risk.rules import query_boosts
from fourcorners.search.concepts import Concept
from fourcorners.search.sentences.retrieve import Snippet
from fourcorners.search.sentences.units import PreparedDocument
from fourcorners.search.stems import stems
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

_SUPPOSED = (
    0.5  # of a condition's words that stand in the question, for it to suppose the condition
)
_MIN_COVERED = 0.3  # of the question's words, by rarity, that words speaking of it have
_CLEAR = 0.45  # that a sentence has which is read by rules
_PLAIN = 0.3  # that a sentence has which says who may or shall do it
_PATTERNS = load_patterns("fourcorners.research.verdict", "decide")
_DENIAL = _PATTERNS["denial"]
MAX_SPANS_LENGTH = 600
"""Pieces of a contract that are read whole; of a longer one those around what was found."""
_AROUND = 3_000  # characters on either side of what was found
_EVIDENCE = 0.15  # from which a span is the evidence
_EVEN = 0.5  # chance of a yes
_READ = 3  # snippets in which that sentence is looked for


@dataclass(frozen=True, slots=True)
class EntailmentJudgement:
    """Whether a statement is borne out: `label` None where the model is not sure enough.

    Attributes:
        scores: The probabilities that the contract entails, contradicts or does not mention it.
        evidence: The spans that show it, best first.
    """

    document: str
    label: Label | None
    scores: tuple[float, float, float]
    evidence: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """The ruling, how sure it is and why, and what the entailment model said.

    Attributes:
        by_rules: Whether it was read off the words, and not by the model.
    """

    verdict: Verdict
    confidence: float
    because: str
    entailment: EntailmentJudgement | None = None
    by_rules: bool = False


def decide_verdict(
    context: ResearchContext,
    part: Part,
    searched: AnswerSearch,
    qualified: Sequence[tuple[Snippet, Qualifier]],
) -> Decision:
    """Return what a part of a question comes to; `qualified` is what qualifies the words shown."""
    decision = _decide_plain(context, part, searched, qualified)
    if decision.verdict is not Verdict.UNSURE:
        return decision
    return _polarity(context, part, searched, decision.entailment) or decision


def _decide_plain(
    context: ResearchContext,
    part: Part,
    searched: AnswerSearch,
    qualified: Sequence[tuple[Snippet, Qualifier]],
) -> Decision:
    chance = searched.best.chance
    if not part.is_whether:
        return Decision(Verdict.SAYS, chance, "how likely the words quoted answer")
    if Aspect.EXISTS in part.aspects and searched.concepts:
        return Decision(Verdict.YES, chance, "how likely the words quoted are such a clause")
    statement = context.rewrite_with_roles(part.statement)
    plain = _plainly(context, part, searched)
    if plain is not None:
        return plain
    judged = judge_statement(context, statement, searched.snippets, searched.concepts)
    if judged is None or judged.label is None or judged.label is Label.NOT_MENTIONED:
        return _by_rules(context, part, searched, judged)
    if not _speaks(context, statement, judged):
        return _by_rules(context, part, searched, None)
    yes = judged.label is Label.ENTAILMENT
    if yes and _denies(context, part, searched):
        return _by_rules(context, part, searched, None)
    sure = min(chance, judged.scores[0 if yes else 1])
    best = searched.snippets[0]
    if any(
        each is best and not is_presupposed(context, part, best, one) for each, one in qualified
    ):
        because = f"the words say {'yes' if yes else 'no'}, on conditions"
        return Decision(Verdict.DEPENDS, sure, because, judged)
    return Decision(Verdict.YES if yes else Verdict.NO, sure, "by the entailment model", judged)


def is_presupposed(context: ResearchContext, part: Part, snippet: Snippet, one: Qualifier) -> bool:
    return _supposes(part.text, one.span.text_in(context.read_contract(snippet.document).text))


def _supposes(question: str, condition: str) -> bool:
    supposed = set(stems(condition))
    return len(supposed & set(stems(question))) >= _SUPPOSED * len(supposed)


def _speaks(context: ResearchContext, statement: str, judged: EntailmentJudgement) -> bool:
    units = context.units(judged.document)
    return any(covered_share(units, statement, span) >= _MIN_COVERED for span in judged.evidence)


def covered_share(units: PreparedDocument, asked: str, *spans: Span) -> float:
    """Return how much of a question's telling words stand in spans of a contract, by rarity."""
    wanted = dict.fromkeys(stems(asked))
    weight = {stem: stem_rarity(units, stem) for stem in wanted}
    held = {stem for span in spans for stem in stems(span.text_in(units.text))}
    return sum(weight[stem] for stem in wanted if stem in held) / (sum(weight.values()) or 1.0)


def _plainly(context: ResearchContext, part: Part, searched: AnswerSearch) -> Decision | None:
    """Return what the sentence comes to that says who may, shall or shall not do what is asked."""
    own = context.rewrite_with_roles(part.statement)
    terms = add_legal_terms(own)[len(own) :]
    asked = parse_modal_statement(part.statement, own, terms)
    if asked is None:
        return None
    whole = add_legal_terms(context.rewrite_with_roles(part.text))
    best: tuple[float, PreparedDocument, int, bool, str] | None = None
    for units, at in _sentences(context, searched.snippets):
        span = units.units[at].span
        covered = covered_share(units, whole, span)
        if covered < _PLAIN or (best is not None and covered <= best[0]):
            continue
        statements = [
            (so, piece)
            for stance, piece in find_polarities(span.text_in(units.text), asked)
            if (so := answer_to(stance, asked.asks)) is not None
        ]
        if statements and len({so for so, _ in statements}) == 1:
            best = (covered, units, at, *statements[-1])
    if best is None:
        return None
    _, units, at, yes, piece = best
    chance = searched.best.chance
    if is_hedged(piece, part.text) or _is_qualified(part, units, at, piece):
        because = f"the words quoted say {'yes' if yes else 'no'}, on conditions"
        return Decision(Verdict.DEPENDS, chance, because, by_rules=True)
    because = f"the words quoted {'allow or require' if yes else 'forbid or spare'} it"
    return Decision(Verdict.YES if yes else Verdict.NO, chance, because, by_rules=True)


def _denies(context: ResearchContext, part: Part, searched: AnswerSearch) -> bool:
    """Tell whether the sentence that has most of a question denies something, and it does not."""
    asked = add_legal_terms(context.rewrite_with_roles(part.text))
    found = _clearest(context, asked, searched.snippets[:_READ], least=0.0)
    if found is None or _DENIAL.search(part.text):
        return False
    units, at = found
    return bool(_DENIAL.search(units.units[at].span.text_in(units.text)))


def _is_qualified(part: Part, units: PreparedDocument, at: int, piece: str) -> bool:
    conditions = [each.span.text_in(piece) for each in find_qualifiers(piece, Span(0, len(piece)))]
    if any(not _supposes(part.text, each) for each in conditions):
        return True
    return any(is_contrary(each) for each in _following_words(units, at))


def _following_words(units: PreparedDocument, at: int) -> list[str]:
    clause = units.clause_of[units.units[at].passage]
    return [
        each.span.text_in(units.text)
        for each in units.units[at + 1 : at + 2]
        if units.clause_of[each.passage] == clause
    ]


def _by_rules(
    context: ResearchContext, part: Part, searched: AnswerSearch, judged: EntailmentJudgement | None
) -> Decision:
    """Return "it depends" where the sentence that has most of the question sets a condition."""
    asked = context.rewrite_with_roles(part.text)
    unsure = Decision(
        Verdict.UNSURE,
        searched.best.chance,
        "the entailment model is not sure enough to tell",
        judged,
    )
    found = _clearest(context, asked, searched.snippets[:_READ])
    if found is None:
        return unsure
    units, at = found
    span = units.units[at].span
    conditions = [each.span.text_in(units.text) for each in find_qualifiers(units.text, span)]
    set_here = any(not _supposes(part.text, each) for each in conditions)
    if set_here or any(is_contrary(each) for each in _following_words(units, at)):
        because = "the words that have most of the question set a condition, or take it back"
        return Decision(Verdict.DEPENDS, searched.best.chance, because, judged, by_rules=True)
    return unsure


def _polarity(
    context: ResearchContext, part: Part, searched: AnswerSearch, judged: EntailmentJudgement | None
) -> Decision | None:
    """Return how words like the best mostly answer a question like this; None if not surely."""
    if not searched.snippets:
        return None
    best = searched.snippets[0]
    model = default_polarity()
    yes = model.probability(part.text, best.span.text_in(context.read_contract(best.document).text))
    sure = max(yes, 1 - yes)
    if sure < model.threshold:
        return None
    side = "yes" if yes > _EVEN else "no"
    because = f"such words mostly mean {side} where this is asked: read them before relying on it"
    ruling = Verdict.YES if yes > _EVEN else Verdict.NO
    return Decision(ruling, min(searched.best.chance, sure), because, judged)


def _clearest(
    context: ResearchContext, asked: str, snippets: Iterable[Snippet], least: float = _CLEAR
) -> tuple[PreparedDocument, int] | None:
    """Return the sentence that has most of a question, if it has enough, by its place."""
    best: tuple[float, PreparedDocument, int] | None = None
    for units, at in _sentences(context, snippets):
        covered = covered_share(units, asked, units.units[at].span)
        if covered >= least and (best is None or covered > best[0]):
            best = (covered, units, at)
    return best[1:] if best else None


def _sentences(
    context: ResearchContext, snippets: Iterable[Snippet]
) -> Iterator[tuple[PreparedDocument, int]]:
    """Yield the sentences of snippets by their places, each once."""
    seen: set[tuple[str, int]] = set()
    for snippet in snippets:
        units = context.units(snippet.document)
        for at, unit in enumerate(units.units):
            if unit.span.overlaps(snippet.span) and (snippet.document, at) not in seen:
                seen.add((snippet.document, at))
                yield units, at


def judge_statement(
    context: ResearchContext,
    statement: str,
    snippets: Sequence[Snippet],
    concepts: Sequence[Concept],
) -> EntailmentJudgement | None:
    """Judge a statement by the contract of the best snippet; None if there is nothing to read."""
    from fourcorners.models.entailment.model import load_entailment

    if not statement or not snippets or context.encoder is None:
        return None
    document = snippets[0].document
    units = context.units(document)
    spans = split_items(units.text, [unit.span for unit in units.units])
    if len(spans) > MAX_SPANS_LENGTH:
        near = [each.span for each in snippets if each.document == document]
        spans = [
            span for span in spans if any(abs(span.start - each.start) < _AROUND for each in near)
        ]
    if not spans:
        return None
    model = load_entailment()
    guide = None
    if concepts and model.known_hypothesis(statement) is None:
        texts = [span.text_in(units.text) for span in spans]
        guide = HypothesisGuide(query_boosts(concepts[0].query, texts), concepts[0].clauses)
    verdict = model.judge(units.text, spans, [statement], [guide])[0]
    at = LABELS.index(verdict.label)
    others = verdict.scores[:at] + verdict.scores[at + 1 :]
    sure = verdict.scores[at] - max(others) >= verdict.margin
    return EntailmentJudgement(
        document,
        verdict.label if sure else None,
        verdict.scores,
        tuple(spans[place] for place, chance in verdict.evidence[:3] if chance >= _EVIDENCE),
    )
