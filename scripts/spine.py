"""Print the spine: the modules through which a file becomes a cell and an answer.

The script adds a text file to a new library, reviews one provision and asks one question offline,
all in one process and under `sys.setprofile`. A module is of the spine if one of its functions is
entered and calls a function of another room. Rooms that know no library are leaves: a call of them
counts for the caller, but they are not listed. Helpers and decorators count for nothing.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from types import FrameType, SimpleNamespace
from typing import Any

HELPERS = frozenset(["errors", "settings", "source_settings", "system", "text", "value", "version"])
LEAVES = frozenset(["documents", "models", "outline"])
WRAPPERS = ("library.damage", "library.database")  # they call what they are given
TEXT = (
    "SUPPLY AGREEMENT\n\nThis Agreement is made on 1 May 2024 between Alder Limited (the Supplier) "
    "and Birch Limited (the Customer).\n\n1. TERMINATION\n\n1.1 Either party may terminate this "
    "Agreement by 90 days' written notice.\n\n2. LAW\n\n2.1 This Agreement is governed by the laws "
    "of England and Wales.\n"
)
QUESTION = "Can the Customer terminate the agreement early?"


class Trace:
    """Which modules of the product were entered, in order, and which call others."""

    def __init__(self) -> None:
        self.entered: dict[str, None] = {}
        self.calling: set[str] = set()

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        module = _module(frame)
        if event != "call" or not module or frame.f_code.co_name.startswith(("<", "__")):
            return
        if _is_class_body(frame):
            return
        self.entered.setdefault(module)
        above = frame.f_back
        while above is not None and not (caller := _module(above)):
            above = above.f_back
        if above is not None and _room(caller) != _room(module):
            self.calling.add(caller)

    @property
    def spine(self) -> list[str]:
        return [each for each in self.entered if each in self.calling and _room(each) not in LEAVES]


def _module(frame: FrameType) -> str:
    name = frame.f_globals.get("__name__", "")
    _, _, inner = name.partition("fourcorners.")
    is_helper = _room(inner) in HELPERS or inner in WRAPPERS
    return inner if name.startswith("fourcorners.") and not is_helper else ""


def _room(module: str) -> str:
    return module.partition(".")[0]


def _is_class_body(frame: FrameType) -> bool:
    return "__qualname__" in frame.f_locals and "__module__" in frame.f_locals


class Here:
    """A pool of workers that works in this process."""

    is_remote = embeds_passages = False

    def find_files(self, paths: Iterable[Path]) -> Iterator[Path]:
        yield from paths

    def start(self, task: Callable[[Any], Any], **_: object) -> AbstractContextManager[Any]:
        return nullcontext(
            SimpleNamespace(run=lambda items: ((each, task(each)) for each in items))
        )


def work(folder: Path) -> None:
    """Add a file, review one provision, ask a question."""
    from fourcorners.library.ingest import add_files
    from fourcorners.library.store import Library
    from fourcorners.models import default_encoder
    from fourcorners.playbooks import load_playbook
    from fourcorners.playbooks.concepts import default_concepts
    from fourcorners.research.run import ResearchQuestion, ask, final_answer
    from fourcorners.review.run import ReviewScope, Workers, review_library

    path = folder / "supply.txt"
    path.write_text(TEXT)
    encoder, pool = default_encoder(threads=1), Here()
    playbook = load_playbook("due-diligence")
    one = replace(playbook, provisions=(playbook.provision("termination for convenience"),))
    concepts = default_concepts()
    with Library.open(folder / "library.db") as library:
        add_files(library, [path], collection="deal", encoder=encoder, worker_pool=pool)
        review_library(library, one, ReviewScope(), encoder=encoder, workers=Workers(pool=pool))
        events = ask(library, ResearchQuestion(QUESTION), encoder=encoder, concepts=concepts)
        final_answer(events)


def main() -> None:
    """Print each module of the spine with its lines, and the totals."""
    trace = Trace()
    with tempfile.TemporaryDirectory() as folder:
        sys.setprofile(trace)
        try:
            work(Path(folder))
        finally:
            sys.setprofile(None)
    total = 0
    for name in trace.spine:
        file = sys.modules[f"fourcorners.{name}"].__file__ or ""
        lines = Path(file).read_text("utf-8").count("\n")
        total += lines
        print(f"{lines:>6,}  {name}")
    print(f"{total:>6,}  lines in {len(trace.spine)} modules; {len(trace.entered)} entered")


if __name__ == "__main__":
    main()
