"""The pages: one module a subject, each with a `router`; named here, imported when they are put in.

They bring most of the program with them: all but the first are put in once the server answers.
"""

from __future__ import annotations

from fourcorners.server.templating import NavEntry

FIRST = "library"
"""The page that people begin with."""

PAGES: dict[str, NavEntry | None] = {
    FIRST: NavEntry("Library", "/"),
    "collection": None,
    "documents": None,
    "storage": None,
    "failures": None,
    "contract": None,
    "lint": None,
    "markup": None,
    "reviewing.review": NavEntry("Review", "/reviews"),
    "reviewing.columns": None,
    "reviewing.clauses": None,
    "reviewing.views": None,
    "reviewing.families": None,
    "reviewing.to_do": NavEntry("To do", "/to-do"),
    "reviewing.finding": None,
    "reviewing.findings": None,
    "ask": NavEntry("Ask", "/ask"),
    "comparison": NavEntry("Compare", "/compare"),
    "terms": NavEntry("Dates", "/dates"),
    "knowledge.precedents": NavEntry("Precedents", "/precedents"),
    "knowledge.playbook_import": None,
    "knowledge.playbooks": NavEntry("Playbooks", "/playbooks"),
    "activity": NavEntry("Activity", "/activity"),
    "audit": None,
    "inbox": None,
}
"""The module of each page, with its entry in the navigation if it has one, from the left."""

FOR_TEAMS = ("signing_in", "account", "people")
"""The modules of the pages that are there where people sign in."""
