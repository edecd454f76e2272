"""Clause banks: their clauses, and what is noted of them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from fourcorners.operations.knowledge import banks
from fourcorners.operations.knowledge.banks import (
    BankClauseValue,
    BankRequest,
    ClauseFactsValue,
    FactsRequest,
)
from fourcorners.playbooks.bank.facts import ClauseStanding
from fourcorners.server.api.requests import ApiRoute
from fourcorners.server.context import Context

router = APIRouter(tags=["Precedents"], route_class=ApiRoute)
_Bank = Annotated[str, Path(min_length=1, max_length=120, description="Its name.")]


@router.get("/banks/{bank}/clauses")
def list_bank_clauses(
    context: Context,
    bank: _Bank,
    provision: Annotated[str, Query(max_length=200)] = "",
    standing: ClauseStanding | None = None,
) -> list[BankClauseValue]:
    """List the clauses of a bank, the best rated first.

    It needs the role of a reader of the whole library: a bank has words of any collection.
    """
    asked = BankRequest(bank=bank, provision=provision, standing=standing)
    with context.access() as access:
        return [BankClauseValue.from_clause(each) for each in banks.list_clauses(access, asked)]


@router.put("/banks/{bank}/clauses/{clause}/facts")
def set_clause_facts(
    context: Context,
    bank: _Bank,
    clause: Annotated[str, Path(min_length=6, max_length=12, description="Its id.")],
    facts: ClauseFactsValue,
) -> BankClauseValue:
    """Note owner, approval, law and expiry of a clause, in place of what is noted.

    It needs the role of a reviewer of the whole library.
    """
    asked = FactsRequest(bank=bank, clause=clause, facts=facts)
    with context.access() as access:
        return BankClauseValue.from_clause(banks.set_facts(access, asked))
