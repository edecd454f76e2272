"""`Asker`: fills the cells of a document with a language model, from what the local reader drafts.

The model's words are claims: what it quotes counts where it stands in the contract, and nowhere
else. A model that fails makes a failed cell, with its reason; a budget that ends leaves cells
unfilled.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fourcorners.errors import (
    BudgetExceeded,
    ConfigError,
    FourcornersError,
    LlmError,
    LlmUnreachable,
)
from fourcorners.llm import Port, Role
from fourcorners.outline.clause import clause_of
from fourcorners.playbooks.playbook import Playbook, Provision
from fourcorners.review.asking_align import merged
from fourcorners.review.asking_dialogue import Dialogue, hold, together
from fourcorners.review.asking_extraction import Cell, Drawn, extraction
from fourcorners.review.asking_passages import (
    contract_of,
    given,
    proposals,
    score_of,
    wanted_of,
)
from fourcorners.review.asking_risks import assessment
from fourcorners.review.asking_settings import PROFILES, Asking, FollowUp, Profile
from fourcorners.review.finding import Author, CellState, Evidence, Finding, Searched
from fourcorners.review.orders import orders
from fourcorners.review.reading import Reading
from fourcorners.review.risk import Risks
from fourcorners.review.rules import Rules
from fourcorners.search.graph.contract import Contract as Linked
from fourcorners.text import evidence
from fourcorners.text.quote import Quote

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fourcorners.models.encoder import Encoder

__all__ = ["PROFILES", "Asker", "Asking", "Filled", "Profile"]

_PROMPTS = {Profile.PAPER: "extract", Profile.CLAUSES: "weigh"}


@dataclass(frozen=True, slots=True)
class Filled:
    """The cells that were filled; `stopped` says why others were not."""

    cells: tuple[Finding, ...]
    stopped: BudgetExceeded | None = None


class Asker:
    """Fills cells with a model, as some settings say.

    Raises:
        LlmNotConfigured: If a role that is needed has no model.
        ConfigError: If a hypothetical clause is wanted, and there is no encoder for it.
    """

    def __init__(
        self, port: Port, playbook: Playbook, asking: Asking, *, encoder: Encoder | None = None
    ) -> None:
        self.port = port
        self.playbook = playbook
        self.asking = asking
        self.encoder = encoder
        self._examples: dict[str, NDArray[np.float32]] = {}
        self._models = {role: port.voice(role).name for role in self._roles()}
        if asking.hypothetical and encoder is None:
            raise ConfigError(
                "a hypothetical clause is compared by meaning, and there is no encoder.",
                remedy="Leave out --words-only, or --hypothetical.",
            )

    def _roles(self) -> list[Role]:
        roles = [Role.EXTRACT]
        roles += [Role.FOLLOW_UP] if self.asking.follow_up is not FollowUp.NONE else []
        roles += [Role.JUDGE] if self.asking.risks else []
        roles += [Role.WRITE] if self.asking.hypothetical else []
        return roles

    @property
    def prompts(self) -> list[str]:
        """Return the prompts that these settings use."""
        names = [_PROMPTS[self.asking.profile], "requote", "repair", "fence"]
        names += ["follow_up"] if self.asking.follow_up is not FollowUp.NONE else []
        names += ["risks"] if self.asking.risks else []
        names += ["hypothetical"] if self.asking.hypothetical else []
        return names

    @property
    def name(self) -> str:
        """Return what stored cells are told apart by: models, settings, and the prompts' words."""
        models = "+".join(f"{role.value}={name}" for role, name in sorted(self._models.items()))
        hashes = "+".join(f"{name}:{self.port.load_prompt(name).id.hash}" for name in self.prompts)
        digest = hashlib.sha256(f"{self.asking.key}\n{hashes}".encode()).hexdigest()[:16]
        return f"{models} {self.asking.profile} {digest}"

    @property
    def told(self) -> str:
        """Return models and settings as a person reads them."""
        models = ", ".join(dict.fromkeys(self._models.values()))
        return f"{models} ({self.asking.told})"

    def fill(self, reading: Reading, drafts: Sequence[Finding]) -> Filled:
        """Fill the cells that the local reader drafted; failed and unasked ones stay as they are.

        Raises:
            ConfigError: If prompts or settings are wrong.
        """
        ready = self.ready(reading)
        asked = [each for each in drafts if _is_open(each)]
        cells = {each.provision: each for each in drafts if not _is_open(each)}
        dialogues = [self._cell(ready, draft) for draft in asked]
        stopped: BudgetExceeded | None = None
        for draft, ended in zip(asked, hold(self.port, together(dialogues)), strict=True):
            if isinstance(ended, BudgetExceeded):
                stopped = ended
            elif isinstance(ended, LlmError):
                cells[draft.provision] = _failed(draft, ended)
            elif isinstance(ended, FourcornersError):
                raise ended
            else:
                cells[draft.provision] = ended
        order = [each.provision for each in drafts if each.provision in cells]
        return Filled(tuple(cells[each] for each in order), stopped)

    def ready(self, reading: Reading) -> Ready:
        """Prepare a document for its cells."""
        return Ready(self, reading)

    def examples(self, provision: Provision) -> NDArray[np.float32] | None:
        """Return the vectors that a search by meaning starts from."""
        if self.encoder is None:
            return None
        if provision.id not in self._examples:
            texts = list(provision.examples) or [provision.definition]
            if self.asking.hypothetical:
                values = {"provision": provision.name, "definition": provision.definition}
                texts.append(self.port.ask("hypothetical", values, tag=provision.id).value)
            self._examples[provision.id] = self.encoder.encode(texts)
        return self._examples[provision.id]

    def _cell(self, ready: Ready, draft: Finding) -> Dialogue[Finding]:
        provision = self.playbook.provision(draft.provision)
        cell = ready.cell(draft)
        if not cell.given:
            return draft
        drawn = ready.unmoved(draft, cell, (yield from extraction(cell, self.asking)))
        found = ready.judged(ready.finding(draft, cell, drawn, self._models[Role.EXTRACT]))
        if not self.asking.risks or found.state is not CellState.FOUND:
            return found
        told = yield from assessment(found, provision, ready.linked, cell.tag)
        if told is None:
            return found
        known = {answer.id for answer in told.answers}
        rest = [answer for answer in found.answers if answer.id not in known]
        found = replace(found, answers=(*told.answers, *rest))
        if told.severity is None:
            return found
        return replace(found, severity=told.severity, reason=told.because)


class Ready:
    """One document, prepared for all its cells."""

    def __init__(self, asker: Asker, reading: Reading) -> None:
        document = reading.document
        self.reading = reading
        self.linked = Linked(document.id, "", document.text, reading.outline, reading.card)
        self._asker = asker
        self._contract = contract_of(reading)
        self._risks = Risks(reading)
        self._orders = orders(document.text)

    def cell(self, draft: Finding) -> Cell:
        """Return what is asked for a cell."""
        asking = self._asker.asking
        provision = self._asker.playbook.provision(draft.provision)
        wanted = wanted_of(provision, self._asker.examples(provision))
        passages = given(self.reading, self.linked, self._contract, wanted, draft, asking)
        cell = Cell(
            self.reading.document.text,
            provision,
            tuple(passages),
            tag=f"{draft.document} {draft.provision}",
        )
        if asking.profile is Profile.PAPER:
            return cell
        finds, considered = proposals(draft, passages)
        return replace(cell, finds=tuple(finds), considered=tuple(considered))

    def unmoved(self, draft: Finding, cell: Cell, drawn: Drawn) -> Drawn:
        """Return what was drawn with all that the local reader found, if orders were given along.

        A model that reads words addressed to it may obey them: then it takes nothing away.
        """
        text = self.reading.document.text
        if not any(each.overlaps(span) for each in self._orders for span in cell.spans):
            return drawn
        found = [each.quote for each in draft.evidence if each.quote.span]
        return replace(drawn, quotes=merged((*found, *drawn.quotes), text))

    def finding(self, draft: Finding, cell: Cell, drawn: Drawn, model: str) -> Finding:
        """Return the cell that a dialogue came to, without answers and severity."""
        searched = draft.searched or Searched(str(cell.provision.query), 0, 0.0)
        return replace(
            draft,
            state=CellState.FOUND if drawn.quotes else CellState.NOT_FOUND,
            evidence=tuple(self._evidence(quote, draft) for quote in drawn.quotes),
            searched=replace(searched, given=tuple(cell.spans), model=model),
            author=Author.MODEL,
            claims=drawn.claims,
            answers=(),
        )

    def judged(self, finding: Finding) -> Finding:
        """Return a finding with severity, position and answers by the playbook's rules."""
        provision = self._asker.playbook.provision(finding.provision)
        finding = self._risks.assessed(finding, provision)
        if not provision.rules:
            return finding
        return Rules(self.reading, [provision]).judged(finding, provision)

    def _evidence(self, quote: Quote, draft: Finding) -> Evidence:
        document, outline = self.reading.document, self.reading.outline
        evidence.verify_quote(quote, document.text)
        span = quote.span
        if span is None:
            raise ValueError("a quote without a place is no evidence")
        node = outline.at(span.start)
        first, last = document.page_of(span.start), document.page_of(span.end - 1)
        sure = document.confidence(span)
        return Evidence(
            quote=quote,
            clause=clause_of(outline, document.text, span),
            path=outline.path(node, document.text) if node else (),
            pages=None if first is None or last is None else (first, last),
            score=round(score_of(span, draft.candidates), 4),
            ocr=None if sure is None else round(sure, 4),
        )


def _is_open(draft: Finding) -> bool:
    return draft.state in (CellState.FOUND, CellState.NOT_FOUND)


def _failed(draft: Finding, error: LlmError) -> Finding:
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
