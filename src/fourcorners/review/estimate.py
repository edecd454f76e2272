"""What a review with a language model would use, before anything is sent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fourcorners.library.entries import Entry
from fourcorners.library.store import Library
from fourcorners.llm import Estimate, Role
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.models.registry import default_clause_reader
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review.extract.cells import extract_findings
from fourcorners.review.extract.reader import ProvisionReader
from fourcorners.review.extract.scoring import default_calibration
from fourcorners.review.finding import CellState, Finding
from fourcorners.review.parties import find_sides
from fourcorners.review.prompting.extraction import first_question, risk_question
from fourcorners.review.prompting.passages import FollowUp
from fourcorners.review.prompting.reviewer import ModelReviewer
from fourcorners.review.risk import rules
from fourcorners.review.run import (
    cells_filled,
    engine_name,
    prepare_from_library,
    prepare_provisions,
)

MAX_DOCUMENTS = 12
"""Contracts that are read for an estimate; the others count as these do."""
_FOLLOWED = 300  # tokens of a follow-up's own words


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """What is to come; nothing was sent.

    Attributes:
        cells: Still to be filled.
        read: Of the contracts, how many the estimate was made from.
        calls: Questions that a model must answer.
        cached: Questions whose answers are kept already, and cost nothing.
        cost: In the currency of the prices; None where a price is not known.
    """

    contracts: int
    cells: int
    read: int
    calls: int
    cached: int
    tokens_in: int
    tokens_out: int
    cost: float | None


def estimate_cost(
    library: Library,
    asker: ModelReviewer,
    *,
    collection: str | None = None,
    again: bool = False,
) -> CostEstimate:
    """Estimate what filling the open cells would use, from a few contracts that are read for it.

    Four bytes count as a token until the model has told its own count; questions again, about words
    that do not stand in a contract, are not foreseen.
    """
    playbook = asker.playbook
    encoder = asker.encoder
    calm = ModelReviewer(  # an estimate asks for no clause
        asker.port, playbook, replace(asker.asking, hypothetical=False), encoder=encoder
    )
    reader = default_clause_reader()
    judged_by = rules.model_of(playbook)
    name = engine_name(encoder, default_calibration(), reader, judged_by, asker.name)
    entries = library.documents(collection)
    whose = find_sides(library, entries)
    known = {} if again else cells_filled(library, playbook, name, whose)
    provisions = frozenset(each.id for each in playbook.provisions)
    left = {each.id: provisions - known.get(each.id, frozenset()) for each in entries}
    waiting = [each for each in entries if left[each.id]]
    cells = sum(len(left[each.id]) for each in waiting)
    sample = _spread(waiting)
    drafts = _Drafts(library, playbook, encoder)
    used: list[Estimate] = []
    seen = 0
    for entry in sample:
        seen += len(left[entry.id])
        used += _questions(library, calm, entry.id, drafts.principal_of(entry.id, left[entry.id]))
    share = cells / seen if seen else 0.0
    fresh = [each for each in used if not each.cached]
    costs = [each.cost for each in fresh if each.cost is not None]
    return CostEstimate(
        contracts=len(waiting),
        cells=cells,
        read=len(sample),
        calls=round(share * len(fresh)) + asker.asking.hypothetical * len(provisions),
        cached=round(share * (len(used) - len(fresh))),
        tokens_in=round(share * sum(each.tokens_in for each in fresh)),
        tokens_out=round(share * sum(each.tokens_out for each in fresh)),
        cost=share * sum(costs) if len(costs) == len(fresh) else None,
    )


def _spread(entries: Sequence[Entry]) -> list[Entry]:
    if len(entries) <= MAX_DOCUMENTS:
        return list(entries)
    step = len(entries) / MAX_DOCUMENTS
    return [entries[int(at * step)] for at in range(MAX_DOCUMENTS)]


class _Drafts:
    """What the local reader finds, for an estimate."""

    def __init__(self, library: Library, playbook: Playbook, encoder: Encoder | None) -> None:
        reader = default_clause_reader()
        self._library = library
        self._prepared = [replace(each, provision=replace(each.provision, rules=()))
                          for each in prepare_provisions(playbook, encoder)]  # fmt: skip
        vectors = encoder is not None and encoder.name == reader.encoder
        self._judge = ProvisionReader(reader, vectors=vectors)

    def principal_of(self, document: str, provisions: frozenset[str]) -> list[Finding]:
        wanted = [each for each in self._prepared if each.provision.id in provisions]
        return extract_findings(
            prepare_from_library(self._library, document),
            wanted,
            default_calibration(),
            self._judge,
        )


def _questions(
    library: Library, asker: ModelReviewer, document: str, drafts: Sequence[Finding]
) -> Iterator[Estimate]:
    ready, port, asking = (
        asker.prepare(prepare_from_library(library, document)),
        asker.port,
        asker.asking,
    )
    for draft in drafts:
        if draft.state not in (CellState.FOUND, CellState.NOT_FOUND):
            continue
        cell = ready.cell_for(draft)
        if not cell.passages:
            continue
        for sample in range(asking.best_of):
            first = first_question(cell, asking, sample)
            told = port.estimate(first.prompt, first.values, first.answer, sample=sample)
            yield told
            if asking.follow_up is not FollowUp.NONE:
                yield _followed(asker, told)
        if not asking.risks or draft.state is not CellState.FOUND:
            continue
        if asked := risk_question(draft, cell.provision, ready.linked):
            question, _ = asked
            yield port.estimate(question.prompt, question.values, question.answer)


def _followed(asker: ModelReviewer, first: Estimate) -> Estimate:
    """Return what a follow-up uses: the whole conversation again, and a further answer."""
    voice = asker.port.role_model(Role.FOLLOW_UP)
    sent = first.tokens_in + first.tokens_out + _FOLLOWED
    got = asker.port.load_prompt("follow_up").expected_tokens
    most = voice.options.max_tokens
    return Estimate(
        model=voice.name,
        tokens_in=sent,
        tokens_out=got,
        cost=voice.price(sent, got) if voice.price else None,
        most_tokens=sent + most,
        most_cost=voice.price(sent, most) if voice.price else None,
        cached=False,
    )
