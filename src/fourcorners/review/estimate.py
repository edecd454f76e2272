"""Estimate what a review with a language model would use, before anything is sent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fourcorners.library.contract import Contract, read_contract
from fourcorners.library.damage import without_damaged
from fourcorners.library.store import Library
from fourcorners.llm import Estimate, Role
from fourcorners.review import store
from fourcorners.review.extract.cells import extract_findings
from fourcorners.review.extract.reader import ProvisionReader
from fourcorners.review.extract.scoring import default_calibration
from fourcorners.review.finding import CellState, Finding
from fourcorners.review.parties import find_sides
from fourcorners.review.prompting.extraction import first_question, risk_question
from fourcorners.review.prompting.reviewer import ContractPrompts, ModelReviewer
from fourcorners.review.risk import rules
from fourcorners.review.run import (
    engine_name,
    prepare_provisions,
)

MAX_DOCUMENTS = 12
"""Contracts that are read for an estimate; the others are extrapolated."""
_FOLLOWED = 300  # tokens of a follow-up without the conversation


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """The expected use; nothing was sent.

    Attributes:
        cells: Still to be filled.
        read: How many contracts the estimate is based on.
        calls: Questions that a model must answer.
        cached: Questions whose answers are cached, and cost nothing.
        cost: In the currency of the prices; None if a price is unknown.
    """

    contracts: int
    cells: int
    read: int
    calls: int
    cached: int
    tokens_in: int
    tokens_out: int
    cost: float | None


@without_damaged
def estimate_cost(
    library: Library,
    asker: ModelReviewer,
    *,
    collection: str | None = None,
    again: bool = False,
) -> CostEstimate:
    """Estimate what filling the open cells would use, from a sample of contracts.

    Four bytes count as a token until the model has reported its own count; repeated questions,
    about words that are not in a contract, are not included.
    """
    playbook, encoder = asker.playbook, asker.encoder
    name = engine_name(encoder, rules.model_of(playbook), asker.name)
    entries = library.documents(collection)
    known = (
        {} if again else store.cells_filled(library, playbook, name, find_sides(library, entries))
    )
    provisions = frozenset(each.id for each in playbook.provisions)
    left = {each.id: provisions - known.get(each.id, frozenset()) for each in entries}
    waiting = [each for each in entries if left[each.id]]
    cells = sum(len(left[each.id]) for each in waiting)
    step = max(1.0, len(waiting) / MAX_DOCUMENTS)
    sample = [waiting[int(at * step)] for at in range(min(len(waiting), MAX_DOCUMENTS))]
    prepared = [
        replace(each, provision=replace(each.provision, rules=()))
        for each in prepare_provisions(playbook, encoder)
    ]
    judge = ProvisionReader.default(encoder)
    used: list[Estimate] = []
    for entry in sample:
        reading = read_contract(library, entry.id)
        wanted = [each for each in prepared if each.provision.id in left[entry.id]]
        drafts = extract_findings(reading, wanted, default_calibration(), judge)
        used += _questions(asker, reading, drafts)
    seen = sum(len(left[entry.id]) for entry in sample)
    share = cells / seen if seen else 0.0
    fresh = [each for each in used if not each.cached]
    costs = [each.cost for each in fresh if each.cost is not None]
    return CostEstimate(
        contracts=len(waiting),
        cells=cells,
        read=len(sample),
        calls=round(share * len(fresh)),
        cached=round(share * (len(used) - len(fresh))),
        tokens_in=round(share * sum(each.tokens_in for each in fresh)),
        tokens_out=round(share * sum(each.tokens_out for each in fresh)),
        cost=share * sum(costs) if len(costs) == len(fresh) else None,
    )


def _questions(
    asker: ModelReviewer, reading: Contract, drafts: Sequence[Finding]
) -> Iterator[Estimate]:
    ready, port, asking = ContractPrompts(asker, reading), asker.port, asker.asking
    for draft in drafts:
        if draft.state not in (CellState.FOUND, CellState.NOT_FOUND, CellState.TO_READ):
            continue
        cell = ready.cell_for(draft)
        if not cell.passages:
            continue
        first = first_question(cell, asking)
        call = port.estimate(first.prompt, first.values, first.answer)
        yield call
        if asking.follow_up:
            yield _follow_up_use(asker, call)
        if not asking.risks or draft.state is not CellState.FOUND:
            continue
        if asked := risk_question(draft, cell.provision, reading, asker.exemplars(draft), ""):
            question, _ = asked
            yield port.estimate(question.prompt, question.values, question.answer)


def _follow_up_use(asker: ModelReviewer, first: Estimate) -> Estimate:
    """Return what a follow-up uses: the whole conversation again, and a further answer."""
    asked_model = asker.port.role_model(Role.FOLLOW_UP)
    sent = first.tokens_in + first.tokens_out + _FOLLOWED
    got = asker.port.load_prompt("follow_up").expected_tokens
    most = asked_model.options.max_tokens
    return Estimate(
        model=asked_model.name,
        tokens_in=sent,
        tokens_out=got,
        cost=asked_model.price(sent, got) if asked_model.price else None,
        most_tokens=sent + most,
        most_cost=asked_model.price(sent, most) if asked_model.price else None,
        cached=False,
    )
