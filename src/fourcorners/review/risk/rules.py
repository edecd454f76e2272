"""Rules of a playbook: statements that a contract passes or fails, by the entailment model.

The statements that the model was trained on are answered by heads of their own. Any other is
answered by what was learned from those, guided by the provision's query, definition and examples;
where that is not sure enough, the answer is that it cannot tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fourcorners.library.contract import Contract
from fourcorners.models.entailment.spans import split_items
from fourcorners.models.entailment.unseen import HypothesisGuide
from fourcorners.models.entailment.verdict import LABELS, Label, Verdict
from fourcorners.playbooks.playbook import Expectation, Playbook, Provision, Rule
from fourcorners.review.finding import CANNOT_TELL, Author, Finding, RiskAnswer, Severity
from fourcorners.review.severity import leave_to_read, open_question_reason, raise_severity
from fourcorners.search.query import Query
from fourcorners.search.query.match import find_matches
from fourcorners.text.quote import Quote
from fourcorners.text.span import Span
from fourcorners.text.tokenization import WordIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PASS, FAIL = "Pass", "Fail"
MAX_QUOTES = 3  # of an assessment
MAX_SPANS = 5_000  # sentences; a longer text is not a contract to judge by rules
_EVIDENCE = 0.4  # the probability from which a span is quoted after the best
_LEAST = 0.15  # from which the best is quoted at all, or set against the answer
_TURNED = 0.5  # chance that a hypothesis is turned around; by hand
_TINY = 1e-6  # instead of a division by zero
THRESHOLDS = (0.5, 0.3)
"""The probabilities from which the best of `Rules.candidates` is quoted, and others with it."""
_SAYS = {
    Label.ENTAILMENT: "entailed",
    Label.CONTRADICTION: "contradicted",
    Label.NOT_MENTIONED: "not mentioned",
}
_PASSING: dict[Expectation, tuple[Label, ...]] = {
    "entailed": (Label.ENTAILMENT,),
    "contradicted": (Label.CONTRADICTION,),
    "not_contradicted": (Label.ENTAILMENT, Label.NOT_MENTIONED),
    "not_entailed": (Label.CONTRADICTION, Label.NOT_MENTIONED),
}


class RuleJudge:
    """The answers to the rules of some provisions for one document, found in one pass."""

    def __init__(
        self,
        reading: Contract,
        provisions: Iterable[Provision],
    ) -> None:
        from fourcorners.models.entailment.model import load_entailment

        asked = [(each, rule) for each in provisions for rule in each.rules]
        self._reading = reading
        self._text, self._outline = reading.text, reading.outline
        self._spans: list[Span] = []
        self._verdicts: dict[tuple[str, str], Verdict] = {}
        self._guided: frozenset[str] = frozenset()
        if not asked or len(reading.sentences) > MAX_SPANS:
            return
        self._spans = split_items(self._text, [unit.span for unit in reading.sentences])
        model = load_entailment()
        texts = [span.text_in(self._text) for span in self._spans]
        guides = {
            provision.id: rule_guide(provision, texts)
            for provision, rule in asked
            if model.known_hypothesis(rule.statement) is None
        }
        verdicts = model.judge(
            self._text,
            self._spans,
            [rule.statement for _, rule in asked],
            [guides.get(provision.id) for provision, _ in asked],
        )
        for (provision, rule), verdict in zip(asked, verdicts, strict=True):
            self._verdicts[provision.id, rule.id] = verdict
        self._guided = frozenset(guides)

    def candidates(self, provision: Provision) -> list[tuple[Span, float]]:
        """Return the spans that may answer a provision with their probability, best first.

        There are none where it has no rules, or a rule that the model was not trained on: of those
        its query tells more. The best span counts as likely as the contract speaks of the rule.
        """
        found: dict[Span, float] = {}
        if provision.id in self._guided:
            return []
        for rule in provision.rules:
            verdict = self._verdicts.get((provision.id, rule.id))
            if verdict is None or not verdict.evidence:
                continue
            certainty = (1 - verdict.scores[2]) / max(verdict.evidence[0][1], _TINY)
            for at, chance in verdict.evidence:
                span = self._spans[at]
                found[span] = max(found.get(span, 0.0), round(chance * certainty, 5))
        return sorted(found.items(), key=lambda each: (-each[1], each[0]))

    def assess(self, finding: Finding, provision: Provision) -> Finding:
        """Return a finding with the answers to its provision's rules, and with their severity."""
        answers = [
            self._answer(rule, self._verdicts.get((provision.id, rule.id)))
            for rule in provision.rules
        ]
        finding = replace(finding, answers=(*finding.answers, *answers))
        return raise_by_rules(finding, provision)

    def _answer(self, rule: Rule, verdict: Verdict | None) -> RiskAnswer:
        if verdict is None:
            reason = "the text is too long to be judged by rules"
            return RiskAnswer(rule.statement, CANNOT_TELL, reason, rule.id)
        passed = is_passed(rule, verdict)
        sure = verdict.scores[LABELS.index(verdict.label)]
        says = f"{_SAYS[verdict.label]} ({sure:.0%})"
        outcome = CANNOT_TELL if passed is None else f"{PASS if passed else FAIL}: {says}"
        quotes, against = self._grounds(verdict)
        reason = f"where {rule.expects.replace('_', ' ')} is expected"
        if passed is None:
            reason = f"– likeliest {says}, {reason}"
        return RiskAnswer(
            rule.statement,
            outcome,
            f"{reason}; by the entailment model, a person should check",
            rule.id,
            Author.RULE,
            quotes=tuple(quotes),
            against=f"{_WEIGHS[verdict.label]}: {self._place(against[0])}." if against else "",
            against_quotes=tuple(self._quote(span) for span in against),
        )

    def _grounds(self, verdict: Verdict) -> tuple[list[Quote], list[Span]]:
        """Return the words that show the answer, and the strongest words for another."""
        shown: list[tuple[Span, float]] = []
        other: list[tuple[Span, float]] = []
        contradicted = verdict.label is Label.CONTRADICTION
        for (at, chance), turned in zip(verdict.evidence, verdict.against, strict=True):
            if chance < _LEAST:
                break
            opposite = (turned > _TURNED) is not contradicted
            silent = verdict.label is Label.NOT_MENTIONED
            (other if silent or opposite else shown).append((self._spans[at], chance))
        if not shown and verdict.label is not Label.NOT_MENTIONED:
            shown, other = other, []
        quoted = [
            self._quote(span)
            for n, (span, chance) in enumerate(shown[:MAX_QUOTES])
            if not n or chance >= _EVIDENCE
        ]
        return quoted, [span for span, _ in other[:1]]

    def _place(self, span: Span) -> str:
        node = self._outline.node_at(span.start)
        while node is not None and not node.label:
            node = self._outline.nodes[node.parent] if node.parent is not None else None
        return f"clause {node.label}" if node is not None else "the same contract"

    def _quote(self, span: Span) -> Quote:
        return self._reading.quote(span)


_WEIGHS = {
    Label.ENTAILMENT: "May say the opposite",
    Label.CONTRADICTION: "May say so all the same",
    Label.NOT_MENTIONED: "Nearest to it",
}


def is_passed(rule: Rule, verdict: Verdict) -> bool | None:
    """Tell whether a contract passes a rule; None if the model is not sure enough to tell."""
    passing = sum(verdict.scores[LABELS.index(label)] for label in _PASSING[rule.expects])
    if abs(2 * passing - 1) < verdict.margin:
        return None
    return passing >= 0.5


def _failed_rule(finding: Finding, rule: Rule, says: str) -> Finding:
    level = Severity(rule.severity)
    if level.rank <= finding.severity.rank:
        return finding
    reason = f"{says.capitalize()}: {rule.because or rule.statement}"
    return raise_severity(finding, level, reason, rule.recommend or finding.recommendation)


def raise_by_rules(finding: Finding, provision: Provision) -> Finding:
    """Return a finding as grave as its provision's rules make it, by the answers to them.

    A failed rule of a greater severity than the finding's gives it its own, with its reason. One
    of which the model is not sure leaves the finding to be read.
    """
    given = {each.id: each for each in finding.answers}
    for rule in provision.rules:
        answer = given.get(rule.id)
        if answer is None:
            continue
        outcome, _, says = answer.answer.partition(": ")
        if outcome == FAIL:
            finding = _failed_rule(finding, rule, says.rpartition(" (")[0])
        elif answer.is_open:
            level = Severity(rule.severity)
            reason = open_question_reason(level, rule.statement)
            finding = leave_to_read(finding, level, reason, [rule.id])
    return finding


def model_of(playbook: Playbook) -> str:
    """Return the identity of the model that judges a playbook's rules, empty if it has none.

    Raises:
        ModelError: If its card is missing or damaged.
    """
    if not any(provision.rules for provision in playbook.provisions):
        return ""
    from fourcorners.models.card import load_card
    from fourcorners.models.entailment.model import NAME
    from fourcorners.models.registry import WEIGHTS

    return load_card(WEIGHTS / NAME).identity


def rule_guide(provision: Provision, texts: Sequence[str]) -> HypothesisGuide:
    """Return what a provision tells of where its rules are answered among some spans."""
    return HypothesisGuide(
        _query_boosts(provision.query, texts), (provision.definition, *provision.examples)
    )


def _query_boosts(query: Query, texts: Sequence[str]) -> NDArray[np.float32]:
    """Add up, for each text, the boosts of the parts of a query that match in it."""
    import numpy as np

    return np.array([sum(_parts(query, text)) for text in texts], np.float32)


def _parts(query: Query, text: str) -> Iterator[float]:
    yield from {match.label: match.boost for match in find_matches(query, WordIndex(text))}.values()
