"""Precedents: clauses to draft from, ranked, out of contracts and clause banks."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response

from fourcorners.errors import ConfigError
from fourcorners.playbooks.bank import store as banks
from fourcorners.server.auth.access import Access
from fourcorners.server.auth.principal import Role
from fourcorners.server.context import Context
from fourcorners.server.store import precedents

router = APIRouter()
_LONGEST = 20_000  # characters of a draft
_Words = Annotated[str, Form(max_length=_LONGEST)]


@router.get("/precedents")
def ask(context: Context, c: Annotated[str, Query(max_length=500)] = "") -> Response:
    """Ask what the clause should provide."""
    return _page(context, {"from_": f"c:{c}" if c else ""})


@router.post("/precedents")
def find(
    context: Context,
    q: _Words = "",
    draft: _Words = "",
    from_: Annotated[str, Form(alias="from", max_length=500)] = "",
) -> Response:
    """Show the best clauses; a form, so that no draft stands in an address or a log."""
    asked = {"q": q, "draft": draft, "from_": from_}
    if not q.strip() and not draft.strip():
        return _page(context, asked, ConfigError("describe the clause, or paste your draft of it."))
    kind, _, name = from_.partition(":")
    with context.access() as access:
        library = access.common()
        if kind == "b":
            library = access.full_library(Role.READER)
            entries = []
        else:
            entries = access.documents(name or None)
        problem: ConfigError | None = None
        found: list[precedents.Precedent] = []
        told = ""
        try:
            found, told = precedents.find_precedents(
                library,
                context.state.engines,
                q.strip() or draft,
                entries=entries,
                bank=name if kind == "b" else "",
                draft=draft,
            )
        except ConfigError as error:
            problem = error
        access.record("precedents", {"from": from_, "found": len(found)})
    return _page(context, asked, problem, found, told)


@router.post("/precedents/keep")
def keep(
    context: Context,
    text: _Words,
    bank: Annotated[str, Form(max_length=120)],
    provision: Annotated[str, Form(max_length=200)],
    source: Annotated[str, Form(max_length=1_000)] = "",
    stars: Annotated[int, Form(ge=0, le=5)] = 0,
) -> Response:
    """Keep a clause in a bank, with stars if any were given."""
    if not provision.strip():
        raise ConfigError("what kind of clause is it?", remedy="Name the provision.")
    with context.access() as access:
        library = access.full_library(Role.REVIEWER)
        new = precedents.add_clause(library, bank, " ".join(provision.split()), text, source, stars)
    return _said(context, "Kept in the bank." if new else "The bank has it already.", bank)


@router.post("/precedents/rate")
def rate(
    context: Context,
    bank: Annotated[str, Form(max_length=120)],
    clause: Annotated[str, Form(min_length=6, max_length=12)],
    stars: Annotated[int, Form(ge=0, le=5)],
) -> Response:
    """Say how good an example a clause of a bank is."""
    with context.access() as access:
        banks.rate_clause(access.full_library(Role.REVIEWER), bank, clause, stars or None)
    return _said(context, f"Rated {'★' * stars}." if stars else "The stars are taken away.", bank)


def _said(context: Context, told: str, bank: str) -> Response:
    template = "_said.html.j2" if context.is_partial else "said.html.j2"
    return context.page(template, told=told, bank=bank, back="/precedents")


def _page(
    context: Context,
    asked: dict[str, str],
    problem: ConfigError | None = None,
    found: list[precedents.Precedent] | None = None,
    told: str = "",
) -> Response:
    with context.access() as access:
        collections = [each.name for each in access.collections()]
        held = _banks(access)
    names = list(dict.fromkeys(each.bank for each in held))
    return context.page(
        "precedents.html.j2",
        200 if problem is None else 422,
        q=asked.get("q", ""),
        draft=asked.get("draft", ""),
        chosen=asked.get("from_", ""),
        collections=collections,
        banks=names,
        provisions=sorted({each.provision for each in held}),
        found=found,
        told=told,
        problem=problem,
        bank=asked.get("from_", "").partition(":")[2] if asked.get("from_", "")[:2] == "b:" else "",
        may_keep=(context.principal.role_everywhere or 0) >= Role.REVIEWER,
    )


def _banks(access: Access) -> list[banks.BankSummary]:
    """Return the banks; they hold words of any collection, and are for who may read all."""
    if access.readable() is not None:
        return []
    return banks.bank_summary(access.full_library(Role.READER))
