"""Precedents: clauses to draft from, ranked, out of contracts and clause banks."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response

from fourcorners.errors import ConfigError
from fourcorners.playbooks import bank as banks
from fourcorners.server import precedents
from fourcorners.server.access import Access
from fourcorners.server.desk import Desk
from fourcorners.server.principal import Role

router = APIRouter()
_LONGEST = 20_000
_Words = Annotated[str, Form(max_length=_LONGEST)]


@router.get("/precedents")
def ask(desk: Desk, c: Annotated[str, Query(max_length=500)] = "") -> Response:
    """Ask what the clause should provide."""
    return _page(desk, {"from_": f"c:{c}" if c else ""})


@router.post("/precedents")
def find(
    desk: Desk,
    q: _Words = "",
    draft: _Words = "",
    from_: Annotated[str, Form(alias="from", max_length=500)] = "",
) -> Response:
    """Show the best clauses; a form, so that no draft stands in an address or a log."""
    asked = {"q": q, "draft": draft, "from_": from_}
    if not q.strip() and not draft.strip():
        return _page(desk, asked, ConfigError("describe the clause, or paste your draft of it."))
    kind, _, name = from_.partition(":")
    with desk.access() as access:
        library = access.common()
        if kind == "b":
            library = access.whole_library(Role.READER)
            entries = []
        else:
            entries = access.documents(name or None)
        problem: ConfigError | None = None
        found: list[precedents.Precedent] = []
        told = ""
        try:
            found, told = precedents.find(
                library,
                desk.office.engines,
                q.strip() or draft,
                entries=entries,
                bank=name if kind == "b" else "",
                draft=draft,
            )
        except ConfigError as error:
            problem = error
        access.record("precedents", {"from": from_, "found": len(found)})
    return _page(desk, asked, problem, found, told)


@router.post("/precedents/keep")
def keep(
    desk: Desk,
    text: _Words,
    bank: Annotated[str, Form(max_length=120)],
    provision: Annotated[str, Form(max_length=200)],
    source: Annotated[str, Form(max_length=1_000)] = "",
    stars: Annotated[int, Form(ge=0, le=5)] = 0,
) -> Response:
    """Keep a clause in a bank, with stars if any were given."""
    if not provision.strip():
        raise ConfigError("what kind of clause is it?", remedy="Name the provision.")
    with desk.access() as access:
        library = access.whole_library(Role.REVIEWER)
        new = precedents.add(library, bank, " ".join(provision.split()), text, source, stars)
    return _said(desk, "Kept in the bank." if new else "The bank has it already.", bank)


@router.post("/precedents/rate")
def rate(
    desk: Desk,
    bank: Annotated[str, Form(max_length=120)],
    clause: Annotated[str, Form(min_length=6, max_length=12)],
    stars: Annotated[int, Form(ge=0, le=5)],
) -> Response:
    """Say how good an example a clause of a bank is."""
    with desk.access() as access:
        banks.rate(access.whole_library(Role.REVIEWER), bank, clause, stars or None)
    return _said(desk, f"Rated {'★' * stars}." if stars else "The stars are taken away.", bank)


def _said(desk: Desk, told: str, bank: str) -> Response:
    template = "_said.html.j2" if desk.is_partial else "said.html.j2"
    return desk.page(template, told=told, bank=bank, back="/precedents")


def _page(
    desk: Desk,
    asked: dict[str, str],
    problem: ConfigError | None = None,
    found: list[precedents.Precedent] | None = None,
    told: str = "",
) -> Response:
    with desk.access() as access:
        collections = [each.name for each in access.collections()]
        held = _banks(access)
    names = list(dict.fromkeys(each.bank for each in held))
    return desk.page(
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
        may_keep=(desk.principal.overall or 0) >= Role.REVIEWER,
    )


def _banks(access: Access) -> list[banks.BankSummary]:
    """Return the banks; they hold words of any collection, and are for who may read all."""
    if access.readable() is not None:
        return []
    return banks.summary(access.whole_library(Role.READER))
