"""What the cells of a review say to a question to a collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from fourcorners.library.contract import Contract
from fourcorners.models.entailment.features import DENIALS
from fourcorners.models.verdict_reader.features import EACH_PARTY
from fourcorners.playbooks.load import load_playbook
from fourcorners.research.answer import Citation, RowState
from fourcorners.research.context import ResearchContext
from fourcorners.research.offline.reviewed import PLAYBOOK
from fourcorners.research.offline.sizes import size_of
from fourcorners.review.amendments import apply_amendments
from fourcorners.review.extract.second_look import denied_chance
from fourcorners.review.finding import CellState, Finding, Severity
from fourcorners.review.parties import party_value
from fourcorners.review.selection.conditions import Condition, evaluate_condition
from fourcorners.review.severity import comes_close
from fourcorners.text.patterns import load_patterns
from fourcorners.text.stems import stems
from fourcorners.text.tokenization import tokenize

OURS, THEIRS = ("we", "us", "our", "i"), ("they", "their", "other", "counterparty")
_NONE = "none was identified"
_DENYING = DENIALS | {"cannot", "lack", "lacks", "lacking"}
_DENIED_FROM = 0.5  # probability that words deny what they were found for: then a person reads them
_PATTERNS = load_patterns("fourcorners.research.offline", "cells")


@dataclass(frozen=True, slots=True)
class RowPart:
    """What a contract says to one thing that is asked for, as in `ContractRow`."""

    state: RowState
    value: str = ""
    quote: Citation | None = None
    size: str = ""


@dataclass(frozen=True, slots=True)
class CellReader:
    """Reads cells for a question; they are by document and provision.

    That nothing was recognised is no answer: a contract may say it in other words.
    """

    context: ResearchContext
    question: str
    cells: Mapping[str, Mapping[str, Finding]]

    def check_condition(
        self, contract: Contract, condition: Condition, *, is_compared: bool
    ) -> RowPart | None:
        """Return whether a contract meets a condition; None where its cells do not decide."""
        cells = self._cells(contract)
        states = {CellState.FOUND: True, CellState.NOT_FOUND: False}
        met = evaluate_condition(condition, {c.provision: states.get(c.state) for c in cells})
        if met is None:
            return None
        found = [each for each in cells if each.state is CellState.FOUND]
        if not found:
            return self._absence(contract, cells, met=met)
        doubtful = [each for each in found if self._is_doubtful(each)]
        sure = {each.provision: True for each in found if each not in doubtful}
        known = evaluate_condition(condition, sure)
        if known is None and doubtful:
            return RowPart(RowState.TO_READ, quote=self._cite(contract, doubtful[0]))
        cell = found[0]
        value = "; ".join(each.statement for each in cell.answers if each.statement)
        sizes = (size_of(each.value) for each in cell.answers if not each.is_open)
        size = next(filter(None, sizes), "")
        if known is None:
            value, size = self._missing(cells), ""
            state = RowState.TO_READ if met else RowState.SILENT
        elif is_compared and not size:
            state = RowState.TO_READ
        else:
            state = self._whose(contract, cell) if known else RowState.NO
        return RowPart(state, value, self._cite(contract, cell), size)

    def read_answer(self, contract: Contract, provision: str, question: str) -> RowPart | None:
        """Return the review's answer to a question of the playbook, if it has one."""
        cell = next((c for c in self._cells(contract) if c.provision == provision), None)
        answers = cell.answers if cell is not None and cell.state is CellState.FOUND else ()
        answer = next((each for each in answers if each.id == question), None)
        if cell is None or answer is None or answer.is_open or _may_be_changed(cell):
            return None
        span = next((each.span for each in answer.quotes if each.span is not None), None)
        state = RowState.YES if answer.value == "yes" else RowState.NO
        quote = self.context.cite(contract.id, span) if span else self._cite(contract, cell)
        return RowPart(state, answer.statement, quote)

    def add_found(self, contract: Contract, read: RowPart) -> RowPart:
        """Return what was read of a contract, or what the review found, where that is elsewhere.

        What answers the whole question is for a person to judge.
        """
        found = [
            each
            for each in self._cells(contract)
            if each.state is CellState.FOUND and self._cite(contract, each) is not None
        ]
        if not found:
            return read
        span = read.quote.quote.span if read.quote and read.quote.document == contract.id else None
        for each in found:
            if span and any(one.clause.overlaps(span) for one in each.evidence):
                return replace(read, value=read.value or self._says(each))
        return RowPart(RowState.TO_READ, self._says(found[0]), self._cite(contract, found[0]))

    def _says(self, cell: Finding) -> str:
        name = load_playbook(PLAYBOOK).provision(cell.provision).name
        return cell.value or cell.headline or name

    def _cells(self, contract: Contract) -> Sequence[Finding]:
        cells = self.cells.get(contract.id, {}).values()
        return apply_amendments(self.context.library, cells)

    def _is_doubtful(self, cell: Finding) -> bool:
        """Return whether a person must read a cell that was found before it answers.

        That is so if its words may be changed, or if they or its answers deny what is asked for.
        """
        asked = set(stems(self.question))
        for each in cell.answers:
            lack = _PATTERNS["lacks"].match(each.statement or each.value)
            if lack and (each.value == "none" or asked & {*stems(each.statement[lack.end() :])}):
                return True
        best = cell.best
        if best is None or best.quote.span is None or _may_be_changed(cell):
            return True
        leads = self.context.cite_lead_ins(cell.document, best.quote.span)
        words = " ".join((*(each.quote.words for each in leads), best.quote.words))
        return denied_chance(cell.provision, words) >= _DENIED_FROM

    def _absence(self, contract: Contract, cells: Iterable[Finding], *, met: bool) -> RowPart:
        """Return that nothing was recognised; where words came close, they are to be read."""
        for each in cells:
            span = each.nearest.quote.span if each.nearest and comes_close(each) else None
            if span is not None:
                words = f"{_NONE}; closest words (not a match)"
                return RowPart(RowState.TO_READ, words, self.context.cite(contract.id, span))
        return RowPart(RowState.TO_READ if met else RowState.SILENT, _NONE)

    def _missing(self, cells: Iterable[Finding]) -> str:
        missing = [each.provision for each in cells if each.state is CellState.NOT_FOUND]
        names = [load_playbook(PLAYBOOK).provision(each).name for each in missing]
        return "; ".join(f"{each}: {_NONE}" for each in names)

    def _cite(self, contract: Contract, cell: Finding) -> Citation | None:
        """Cite the words found, or those of an amendment that take their place."""
        for each in reversed(cell.amendments):
            if each.replaces and each.quote.span is not None:
                return self.context.cite(each.document, each.quote.span)
        span = cell.best.quote.span if cell.best else None
        return None if span is None else self.context.cite(contract.id, span)

    def _whose(self, contract: Contract, found: Finding) -> RowState:
        """Return whether what is found is of the side that the question asks about."""
        sides = [
            side
            for side, words in (("ours", OURS), ("theirs", THEIRS))
            if any(each in tokenize(self.question).tokens for each in words)
        ]
        if not sides:
            return RowState.YES
        side = self.context.side(contract.id)
        holders = {each.value for each in found.answers if each.id == "who" and not each.is_open}
        if EACH_PARTY in holders:
            return RowState.YES
        owned = {
            side.whose(fact.value)
            for fact in contract.card.parties
            if party_value(fact.value) in holders
        }
        if not owned or "" in owned:
            return RowState.TO_READ
        return RowState.YES if owned & {*sides} else RowState.NO


def denies(question: str) -> bool:
    """Return whether a question asks for what is not so: "Which contracts do not renew?"."""
    tokens = tokenize(question).tokens
    return not _DENYING.isdisjoint(tokens) or "n't" in question.replace("’", "'").casefold()


def _may_be_changed(cell: Finding) -> bool:
    """Return whether the words of a cell may not be in force, or no words are left of them."""
    if cell.best is None or cell.best.quote.span is None:
        return True
    if any(each.document == cell.document and each.replaces for each in cell.amendments):
        return True
    return bool(cell.amendments) and cell.severity is Severity.TO_READ
