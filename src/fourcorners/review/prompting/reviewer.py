"""`ModelReviewer`: fill cells with a language model, based on the local reader's drafts.

The model's words are claims: what it quotes counts only if it is in the contract. A failing model
gives a failed cell, with its reason; an exhausted budget leaves cells unfilled.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fourcorners.errors import (
    BudgetExceeded,
    FourcornersError,
    LlmError,
    LlmUnreachable,
)
from fourcorners.library.contract import Contract
from fourcorners.llm import Port, Role, Value
from fourcorners.outline.exclusions import ExclusionKind, blank_text
from fourcorners.playbooks.passages.ranking import RankedContract
from fourcorners.playbooks.playbook import Playbook, Provision
from fourcorners.review.evidence import evidence_within
from fourcorners.review.finding import Author, CellState, Finding, SearchRecord
from fourcorners.review.parties import UNKNOWN_SIDE, Side
from fourcorners.review.prompting.answered_clauses import AnsweredClauses
from fourcorners.review.prompting.dialogue import Dialogue, merge_quotes, run_dialogue, run_together
from fourcorners.review.prompting.extraction import (
    CellPrompt,
    ExtractionResult,
    assess_risks,
    extract_passages,
)
from fourcorners.review.prompting.passages import (
    PromptPassage,
    order_passages,
    rank_passages,
    ranking_target,
    score_of,
    split_proposals,
)
from fourcorners.review.prompting.settings import PROFILES, PromptProfile, PromptSettings
from fourcorners.review.risk.assessment import RiskAssessor, RiskConclusion
from fourcorners.review.risk.rules import RuleJudge
from fourcorners.review.set_apart import SetApartWords, unread_by_models
from fourcorners.text.span import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fourcorners.models.encoder.protocol import Encoder

__all__ = ["PROFILES", "FilledCells", "ModelReviewer", "PromptProfile", "PromptSettings"]

_PROMPTS = {PromptProfile.PAPER: "extract", PromptProfile.CLAUSES: "weigh"}


@dataclass(frozen=True, slots=True)
class FilledCells:
    """The cells that were filled; `stopped` says why others were not."""

    cells: tuple[Finding, ...]
    stopped: BudgetExceeded | None = None


class ModelReviewer:
    """Fills cells with a model, according to settings.

    An experiment overrides a step: `example_texts`, `order_passages` or `extract`.

    Raises:
        LlmNotConfigured: If a role that is needed has no model.
    """

    def __init__(
        self,
        port: Port,
        playbook: Playbook,
        asking: PromptSettings,
        *,
        encoder: Encoder | None = None,
        answered: AnsweredClauses | None = None,
    ) -> None:
        self.port = port
        self.playbook = playbook
        self.asking = asking
        self.encoder = encoder
        self._answered = answered
        self._examples: dict[str, NDArray[np.float32]] = {}
        self._models = {role: port.role_model(role).name for role in self._roles()}

    def _roles(self) -> list[Role]:
        return [Role.EXTRACT, *(role for role, _ in self._further_roles)]

    @property
    def _further_roles(self) -> list[tuple[Role, str]]:
        """Return the role and prompt of each question other than the passages."""
        asked = {
            (Role.FOLLOW_UP, "follow_up"): self.asking.follow_up,
            (Role.JUDGE, "risks"): self.asking.risks,
        }
        return [each for each, is_asked in asked.items() if is_asked]

    @property
    def prompts(self) -> list[str]:
        names = [_PROMPTS[self.asking.profile], "requote", "repair", "fence"]
        return [*names, *(prompt for _, prompt in self._further_roles)]

    @property
    def name(self) -> str:
        """Return the engine name of stored cells: models, settings, and a hash of the prompts."""
        models = "+".join(f"{role.value}={name}" for role, name in sorted(self._models.items()))
        hashes = "+".join(f"{name}:{self.port.load_prompt(name).id.hash}" for name in self.prompts)
        digest = hashlib.sha256(f"{self.asking.key}\n{hashes}".encode()).hexdigest()[:16]
        return f"{models} {self.asking.profile} {digest}"

    @property
    def model_names(self) -> str:
        return ", ".join(dict.fromkeys(self._models.values()))

    @property
    def description(self) -> str:
        return f"{self.model_names} ({self.asking.description})"

    def fill(
        self, reading: Contract, drafts: Sequence[Finding], side: Side = UNKNOWN_SIDE
    ) -> FilledCells:
        """Fill the cells that the local reader drafted; failed and unasked ones stay as they are.

        Raises:
            ConfigError: If prompts or settings are wrong.
        """
        ready = ContractPrompts(self, reading, side)
        asked = [each for each in drafts if _is_open(each)]
        cells = {each.provision: each for each in drafts if not _is_open(each)}
        dialogues = [self._cell(ready, draft) for draft in asked]
        stopped: BudgetExceeded | None = None
        for draft, ended in zip(
            asked, run_dialogue(self.port, run_together(dialogues)), strict=True
        ):
            if isinstance(ended, BudgetExceeded):
                stopped = ended
            elif isinstance(ended, LlmError):
                cells[draft.provision] = _failed_finding(draft, ended)
            elif isinstance(ended, FourcornersError):
                raise ended
            else:
                cells[draft.provision] = ended
        order = [each.provision for each in drafts if each.provision in cells]
        return FilledCells(tuple(cells[each] for each in order), stopped)

    def examples(self, provision: Provision) -> NDArray[np.float32] | None:
        if self.encoder is None:
            return None
        if provision.id not in self._examples:
            self._examples[provision.id] = self.encoder.encode(self.example_texts(provision))
        return self._examples[provision.id]

    def example_texts(self, provision: Provision) -> list[str]:
        """Return the words by whose meaning passages are searched for."""
        return list(provision.examples) or [provision.definition]

    def exemplars(self, finding: Finding) -> list[Value]:
        """Return what people confirmed of other contracts, for the risk questions of a finding."""
        return self._answered.examples(finding) if self._answered is not None else []

    def order_passages(self, ready: ContractPrompts, ranked: Sequence[Span]) -> list[PromptPassage]:
        """Return what the model is given of passages that are ranked, the best first."""
        return order_passages(ready.reading, ranked, self.asking)

    def extract(self, cell: CellPrompt) -> Dialogue[ExtractionResult]:
        """Ask for the passages of a cell."""
        return extract_passages(cell, self.asking)

    def _cell(self, ready: ContractPrompts, draft: Finding) -> Dialogue[Finding]:
        found = yield from self._judged(ready, draft)
        return ready.set_apart.leave_to_read(found, self.playbook.provision(draft.provision))

    def _judged(self, ready: ContractPrompts, draft: Finding) -> Dialogue[Finding]:
        provision = self.playbook.provision(draft.provision)
        cell = ready.cell_for(draft)
        if not cell.passages:
            return draft
        drawn = yield from self.extract(cell)
        found = ready.assess(ready.build_finding(draft, cell, drawn, self._models[Role.EXTRACT]))
        if not self.asking.risks or found.state is not CellState.FOUND:
            return found
        exemplars = self.exemplars(found)
        assessed = yield from assess_risks(found, provision, ready.reading, exemplars, cell.tag)
        if assessed is None:
            return found
        known = {answer.id for answer in assessed.answers}
        rest = [answer for answer in found.answers if answer.id not in known]
        claims = tuple(dict.fromkeys((*found.claims, *assessed.claims)))
        found = replace(found, answers=(*assessed.answers, *rest), claims=claims)
        found = ready.conclude(found)
        if assessed.severity is None:
            return found
        return replace(found, severity=assessed.severity, reason=assessed.because)


class ContractPrompts:
    """One document, prepared for all its cells."""

    def __init__(self, asker: ModelReviewer, reading: Contract, side: Side = UNKNOWN_SIDE) -> None:
        self.reading = reading
        self._asker, self._side = asker, side
        self._contract = RankedContract.build(reading)
        self._risks = RiskAssessor(reading, side)
        unread = unread_by_models(reading)
        self._text = blank_text(reading.full_text, unread)
        self.set_apart = SetApartWords(reading, unread)
        self._has_orders = any(each.kind is ExclusionKind.ORDERS for each in unread)

    def cell_for(self, draft: Finding) -> CellPrompt:
        asking = self._asker.asking
        provision = self._asker.playbook.provision(draft.provision)
        wanted = ranking_target(provision, self._asker.examples(provision))
        ranked = rank_passages(self.reading, self._contract, wanted, draft, asking)
        passages = self._asker.order_passages(self, ranked)
        cell = CellPrompt(
            self._text,
            provision,
            tuple(passages),
            tag=f"{draft.document} {draft.provision}",
        )
        if asking.profile is PromptProfile.PAPER:
            return cell
        finds, considered = split_proposals(draft, passages)
        return replace(cell, finds=tuple(finds), considered=tuple(considered))

    def build_finding(
        self, draft: Finding, cell: CellPrompt, drawn: ExtractionResult, model: str
    ) -> Finding:
        """Return the resulting cell of a dialogue, without answers and severity.

        A model does not read words addressed to it; but a contract with such words may have others
        that were not recognised: then a model removes nothing that the local reader found.
        """
        quotes = drawn.quotes
        if self._has_orders:
            found = [each.quote for each in draft.evidence if each.quote.span]
            quotes = merge_quotes((*found, *quotes), cell.text)
        searched = draft.searched or SearchRecord(str(cell.provision.query), 0, 0.0)
        return replace(
            draft,
            state=CellState.FOUND if quotes else CellState.NOT_FOUND,
            evidence=tuple(
                each
                for quote in quotes
                if quote.span is not None
                for each in evidence_within(
                    self.reading, quote.span, score_of(quote.span, draft.candidates), quote
                )
            ),
            searched=replace(searched, given=tuple(cell.spans), model=model),
            author=Author.MODEL,
            claims=drawn.claims,
            answers=(),
        )

    def conclude(self, finding: Finding) -> Finding:
        """Return a finding with the consequences of its answers; keep what rules decided."""
        provision = self._asker.playbook.provision(finding.provision)
        if provision.rules or not provision.severity:
            return finding
        return RiskConclusion(self.reading.card, self._side).conclude(finding, provision)

    def assess(self, finding: Finding) -> Finding:
        provision = self._asker.playbook.provision(finding.provision)
        finding = self._risks.assess(finding, provision)
        if not provision.rules:
            return finding
        return RuleJudge(self.reading, [provision]).assess(finding, provision)


def _is_open(draft: Finding) -> bool:
    return draft.state in (CellState.FOUND, CellState.NOT_FOUND, CellState.TO_READ)


def _failed_finding(draft: Finding, error: LlmError) -> Finding:
    remedy = error.remedy or "Try again with --only failed."
    if isinstance(error, LlmUnreachable):
        remedy = "Check that the server runs, and url under [llm]; then review with --only failed."
    return Finding(
        document=draft.document,
        provision=draft.provision,
        state=CellState.FAILED,
        error=f"The language model failed ({error.kind}): {error.message}",
        remedy=remedy,
        author=Author.MODEL,
    )
