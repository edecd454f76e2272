"""`Tool`: what the researcher may look with, inside the contracts or outside of them.

A tool is asked with a `ToolQuery` and returns `Material`: words, each with where they are from.
What is of a contract names its document and the place there, and counts as evidence once the
program has verified it. What is from outside (`fourcorners.research.sources`) names its source and
the day it was fetched; it is kept apart from the contracts' words everywhere, and never supports
them.

A tool that fails raises a `FourcornersError`; the report says what was not looked up, and goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from fourcorners.text.span import Span

COMPUTED_SOURCE = "reckoned by code"
"""Where results of code are from: they support numbers, and no statement by themselves."""
MAX_OUTSIDE = 1_600
"""Characters of an outside source that a model is shown; the tools for contracts have their own."""


@dataclass(frozen=True, slots=True)
class ToolQuery:
    """What a tool is asked.

    Attributes:
        words: What to look for: a question, a query, a term, a label, an expression.
        question: The question that the report is to answer, as the person asked it.
        documents: The ids of the contracts that the question is about; empty for all.
        contract: The one contract to look into, by its number in the list that the model was shown,
            by name or by a unique part of it; empty for all of them.
        limit: How many pieces of material at most.
    """

    words: str
    question: str = ""
    documents: tuple[str, ...] = ()
    contract: str = ""
    limit: int = 8


@dataclass(frozen=True, slots=True)
class Material:
    """What a tool brings.

    Attributes:
        words: The source's own words, never a summary.
        source: Where they are from, for people: a contract's name, a statute, a page's title.
        where: The place in the source: "clause 7.2(a), page 3", an address.
        because: Why it is here, in words: "defines “Fees”, used in 4.1".
        score: How much it matters, at most 1; for comparison among what one tool brings.
        document: The contract's id; empty for what is from outside.
        span: Where the words stand in the contract; None for what is from outside.
        fetched: The day when it was fetched, in ISO 8601; empty for contracts.
        licence: Under which terms an outside source may be used, if that is known.
        tool: The name of the tool that brought it.
        more: What is left out behind the words, and how to ask for it; empty if nothing is.
        by_program: Whether the words are the program's: a reckoning, or that a look found nothing.
    """

    words: str = field(repr=False)
    source: str
    where: str = ""
    because: str = ""
    score: float = 0.0
    document: str = ""
    span: Span | None = None
    fetched: str = ""
    licence: str = ""
    tool: str = ""
    more: str = ""
    by_program: bool = False

    @property
    def is_outside(self) -> bool:
        """Whether a source other than the contracts says it."""
        return not self.document and not self.by_program

    @property
    def shown(self) -> str:
        """The words as a model is shown them; what is left out is told."""
        if self.document or len(self.words) <= MAX_OUTSIDE:
            return f"{self.words} {self.more}".strip()
        return f"{self.words[:MAX_OUTSIDE]} {cut_mark(len(self.words) - MAX_OUTSIDE)}"


def is_computed(material: Material) -> bool:
    """Tell whether words are a result of code, and not that nothing could be reckoned."""
    return material.by_program and material.source == COMPUTED_SOURCE


def cut_mark(characters: int, ask_for: str = "") -> str:
    """Return what stands behind words that go on: how far, and what to ask for."""
    return f"[… {characters:,} more characters{f': ask for {ask_for}' if ask_for else ''}]"


class Tool(Protocol):
    """What the researcher may look with.

    Attributes:
        name: One word, by which a model chooses it: `search`, `statutes`.
        description: What it is for and what its words must be, in a sentence or two, for the model.
    """

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...

    def run(self, inquiry: ToolQuery) -> Sequence[Material]:
        """Return what it has, what matters most first; nothing is a good answer.

        Raises:
            FourcornersError: If it could not look.
        """
