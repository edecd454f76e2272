"""Fourcorners reads a folder of contracts and answers from it, and from nothing else.

What a newcomer needs is here; each name is loaded when it is first used. Functions are named
for what they take, because `review` and `search` are rooms of the package.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING

from fourcorners.version import __version__

if TYPE_CHECKING:
    from fourcorners.library.ingest import add_files as add_contracts
    from fourcorners.library.store import Library
    from fourcorners.models import default_encoder
    from fourcorners.playbooks.concepts import default_concepts
    from fourcorners.playbooks.load import load_playbook
    from fourcorners.playbooks.playbook import Playbook
    from fourcorners.reports import write as write_report
    from fourcorners.reports.answer import write_answer
    from fourcorners.research.answer import Answer
    from fourcorners.research.run import ResearchQuestion
    from fourcorners.research.run import ask as ask_contracts
    from fourcorners.research.run import final_answer as finished_answer
    from fourcorners.review.run import ReviewScope, Workers
    from fourcorners.review.run import review_library as review_contracts
    from fourcorners.search.find import find_passages
    from fourcorners.search.run import search_library as search_contracts

# The inference runtime reports to its vendor unless this is set before it is imported; its own
# `disable_telemetry_events` does not stop that. Processes started from here inherit it.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

_HOME = {
    "Answer": ("fourcorners.research.answer", "Answer"),
    "Library": ("fourcorners.library.store", "Library"),
    "Playbook": ("fourcorners.playbooks.playbook", "Playbook"),
    "ResearchQuestion": ("fourcorners.research.run", "ResearchQuestion"),
    "ReviewScope": ("fourcorners.review.run", "ReviewScope"),
    "Workers": ("fourcorners.review.run", "Workers"),
    "add_contracts": ("fourcorners.library.ingest", "add_files"),
    "ask_contracts": ("fourcorners.research.run", "ask"),
    "default_concepts": ("fourcorners.playbooks.concepts", "default_concepts"),
    "default_encoder": ("fourcorners.models", "default_encoder"),
    "finished_answer": ("fourcorners.research.run", "final_answer"),
    "load_playbook": ("fourcorners.playbooks.load", "load_playbook"),
    "review_contracts": ("fourcorners.review.run", "review_library"),
    "find_passages": ("fourcorners.search.find", "find_passages"),
    "search_contracts": ("fourcorners.search.run", "search_library"),
    "write_answer": ("fourcorners.reports.answer", "write_answer"),
    "write_report": ("fourcorners.reports", "write"),
}

__all__ = [
    "Answer",
    "Library",
    "Playbook",
    "ResearchQuestion",
    "ReviewScope",
    "Workers",
    "__version__",
    "add_contracts",
    "ask_contracts",
    "default_concepts",
    "default_encoder",
    "find_passages",
    "finished_answer",
    "load_playbook",
    "review_contracts",
    "search_contracts",
    "write_answer",
    "write_report",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    room, member = _HOME[name]
    return getattr(import_module(room), member)
