"""Precedents: clauses to draft from, ranked, out of contracts and clause banks."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, File, Form, Query, UploadFile
from fastapi.responses import Response
from pydantic import BaseModel, Field

from fourcorners.errors import ConfigError, FourcornersError, InputError
from fourcorners.operations.access import Access
from fourcorners.operations.contracts.precedents import (
    Precedents,
    PrecedentsRequest,
    find_precedents,
)
from fourcorners.operations.knowledge import banks as operation
from fourcorners.operations.knowledge.banks import BankRequest, ClauseFactsValue, FactsRequest
from fourcorners.operations.markup.proposals import find_markup
from fourcorners.operations.principal import Role
from fourcorners.playbooks.bank import store as banks
from fourcorners.playbooks.bank.facts import ClauseStanding, clause_facts
from fourcorners.playbooks.bank.ratings import rate_clause
from fourcorners.playbooks.bank.store import BankClause
from fourcorners.redline.decisions import find_change
from fourcorners.server.context import Context
from fourcorners.server.pages.knowledge.playbook_import import receive_file

router = APIRouter()
_LONGEST = 20_000  # characters of a draft
_PAGE = 40  # clauses of a bank on one page
_Word = Annotated[str, Query(max_length=200)]
_Words = Annotated[str, Form(max_length=_LONGEST)]
STANDING_WORDS = {
    ClauseStanding.APPROVED: "Approved",
    ClauseStanding.UNAPPROVED: "Not approved",
    ClauseStanding.EXPIRED: "Expired",
    ClauseStanding.UNKNOWN: "Nothing noted",
}


@router.get("/precedents")
def ask(context: Context, c: Annotated[str, Query(max_length=500)] = "") -> Response:
    return _page(context, (f"c:{c}" if c else "", "", ""))


@router.post("/precedents")
def find(
    context: Context,
    q: _Words = "",
    draft: _Words = "",
    from_: Annotated[str, Form(alias="from", max_length=500)] = "",
) -> Response:
    """Show the best clauses; a form keeps drafts out of addresses and logs."""
    kind, _, name = from_.partition(":")

    def find(access: Access) -> Precedents:
        request = PrecedentsRequest.from_fields(
            query=q,
            draft=draft,
            collection=name or None if kind != "b" else None,
            bank=name if kind == "b" else "",
        )
        return find_precedents(access, request, context.state.engines)

    found, problem = context.attempt(find)
    return _page(context, (from_, q, draft), problem, found)


@router.post("/precedents/keep")
def keep(
    context: Context,
    text: _Words,
    bank: Annotated[str, Form(max_length=120)],
    provision: Annotated[str, Form(max_length=200)],
    source: Annotated[str, Form(max_length=1_000)] = "",
    stars: Annotated[int, Form(ge=0, le=5)] = 0,
) -> Response:
    if not provision.strip():
        raise ConfigError("what kind of clause is it?", remedy="Name the provision.")
    with context.access() as access:
        library = access.full_library(Role.REVIEWER)
        clause = BankClause(" ".join(provision.split()), text, stars or None, source)
        new = banks.store_clauses(library, bank, [clause]).added
    return _message_page(
        context, "Saved to the clause bank." if new else "The clause bank already has it."
    )


@router.post("/precedents/rate")
def rate(
    context: Context,
    bank: Annotated[str, Form(max_length=120)],
    clause: Annotated[str, Form(min_length=6, max_length=12)],
    stars: Annotated[int, Form(ge=0, le=5)],
) -> Response:
    with context.access() as access:
        rate_clause(access.full_library(Role.REVIEWER), bank, clause, stars or None)
    return _message_page(context, f"Rated {'★' * stars}." if stars else "Rating removed.")


class _FactsForm(BaseModel):
    """What a form notes of a clause; empty where nothing is."""

    bank: str
    clause: str
    owner: str = ""
    approved_by: str = ""
    approved: str = ""
    law: str = ""
    expires: str = ""


@router.post("/precedents/facts")
def note_facts(context: Context, form: Annotated[_FactsForm, Form()]) -> Response:
    """Note who is responsible for a clause, who approved it, its law, and until when it is used."""
    noted = form.model_dump(exclude={"bank", "clause"})
    given = {key: each.strip() for key, each in noted.items() if each.strip()}
    facts = ClauseFactsValue.from_fields(**given)
    asked = FactsRequest.from_fields(bank=form.bank, clause=form.clause, facts=facts)
    with context.access() as access:
        operation.set_facts(access, asked)
    return _message_page(context, "Saved.")


@router.post("/precedents/import")
def import_bank(
    context: Context,
    file: Annotated[UploadFile, File()],
    bank: Annotated[str, Form(max_length=120)],
) -> Response:
    """Add the clauses of a table to a bank; nothing of the file is kept but them."""
    try:
        with receive_file(context, file) as (access, path):
            done = operation.import_clauses(access, bank, path)
    except (ConfigError, InputError) as problem:
        return _bank_page(context, _BankQuery(b=bank), problem)
    query = {"b": bank.strip(), "added": done.added, "known": done.known}
    return context.redirect(f"/precedents/bank?{urlencode(query)}")


class _BankQuery(BaseModel):
    """A bank, what of it is shown, and the change of a mark-up that a clause is sought for."""

    b: Annotated[str, Field(max_length=200)] = ""
    kind: Annotated[str, Field(max_length=200)] | None = None
    stars: Annotated[int, Field(ge=0, le=5)] = 0
    standing: Literal["", "expired", "unapproved", "approved", "unknown"] = ""
    owner: Annotated[str, Field(max_length=200)] = ""
    law: Annotated[str, Field(max_length=200)] = ""
    page: Annotated[int, Field(ge=1, le=100_000)] = 1
    d: Annotated[str, Field(max_length=40)] = ""
    p: Annotated[str, Field(max_length=200)] = ""
    change: Annotated[str, Field(max_length=20)] = ""
    added: Annotated[int, Field(ge=0)] | None = None
    known: Annotated[int, Field(ge=0)] = 0


@router.get("/precedents/bank")
def show_bank(context: Context, asked: Annotated[_BankQuery, Query()]) -> Response:
    """Show the clauses of a bank by kind and stars; each can be put into a change of a mark-up."""
    return _bank_page(context, asked)


def _bank_page(
    context: Context, asked: _BankQuery, problem: FourcornersError | None = None
) -> Response:
    kind, stars, page = asked.kind, asked.stars, asked.page
    d, p, change = asked.d, asked.p, asked.change
    with context.access() as access:
        library = access.full_library(Role.READER)
        held = operation.list_banks(access)
        names = list(dict.fromkeys(each.bank for each in held))
        bank = asked.b or next(iter(names), "")
        target = find_change(find_markup(access, d, p).redline, change) if d else None
        kinds = [each for each in held if each.bank == bank]
        if kind is None:
            wanted = target.name.casefold() if target else ""
            kind = next((k.provision for k in kinds if k.provision.casefold() == wanted), "")
        wanted_clauses = BankRequest(
            bank=bank or "-",
            provision=kind,
            stars=stars,
            standing=ClauseStanding(asked.standing) if asked.standing else None,
            owner=asked.owner,
            law=asked.law,
        )
        found = operation.list_clauses(access, wanted_clauses) if bank else []
        laws = sorted({each.law for each in clause_facts(library, bank).values() if each.law})
    return context.page(
        "bank.html.j2",
        problem=problem,
        bank=bank,
        banks=names,
        kinds=kinds,
        kind=kind,
        stars=stars,
        asked=asked,
        laws=laws,
        standings=STANDING_WORDS,
        today=operation.current_day(),
        clauses=found[(page - 1) * _PAGE : page * _PAGE],
        total=len(found),
        number=page,
        pages=-(-len(found) // _PAGE),
        target=target,
        place={"d": d, "p": p, "change": change} if target else {},
        may_keep=context.principal.may_everywhere(Role.REVIEWER),
    )


def _message_page(context: Context, message: str) -> Response:
    template = "_message.html.j2" if context.is_partial else "message.html.j2"
    return context.page(template, message=message, back="/precedents")


def _page(
    context: Context,
    asked: tuple[str, str, str],
    problem: FourcornersError | None = None,
    found: Precedents | None = None,
) -> Response:
    chosen, q, draft = asked
    with context.access() as access:
        collections = [each.name for each in access.collections()]
        reads_all = operation.may_use_banks(access)
        held = operation.list_banks(access) if reads_all else []
        bank = chosen[2:] if chosen.startswith("b:") and reads_all else ""
        facts = clause_facts(access.common(), bank) if bank else {}
    return context.page(
        "precedents.html.j2",
        q=q,
        draft=draft,
        chosen=chosen,
        collections=collections,
        banks=list(dict.fromkeys(each.bank for each in held)),
        provisions=sorted({each.provision for each in held}),
        found=None if found is None else found.found,
        message=found.note if found else "",
        problem=problem,
        facts=facts,
        today=operation.current_day(),
        bank=bank,
        may_browse=reads_all,
        may_keep=context.principal.may_everywhere(Role.REVIEWER),
    )
