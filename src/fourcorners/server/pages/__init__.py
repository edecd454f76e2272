"""The pages: one module a subject, each with a `router`, and a `NAV` if it is in the navigation."""

from __future__ import annotations

from types import ModuleType

from fourcorners.server.pages import (
    activity,
    ask,
    benchmarks,
    collection,
    columns,
    contract,
    exports,
    finding,
    health,
    library,
    playbooks,
    precedents,
    review,
    search,
    tasks,
    upload,
)

PAGES: tuple[ModuleType, ...] = (
    library,
    collection,
    health,
    contract,
    search,
    ask,
    upload,
    tasks,
    review,
    columns,
    finding,
    exports,
    precedents,
    playbooks,
    activity,
    benchmarks,
)
