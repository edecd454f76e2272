"""`Tool`: the protocol of the researcher's tools, inside the contracts or outside them.

A tool takes a `ToolQuery` and returns `Material`: words, each with their source. Material from a
contract names its document and the place there, and counts as evidence once the program has
verified it. Material from outside (`fourcorners.research.sources`) names its source and the day it
was fetched; it is kept separate from the contracts' words everywhere, and never supports them. A
tool that fails raises a `FourcornersError`; the report says what was not looked up, and continues.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from fourcorners.text.span import Span

COMPUTED_SOURCE = "computed by code"
"""The source of computed results: they support numbers, and no statement by themselves."""
MAX_OUTSIDE = 1_600
"""Characters of an outside source that a model is shown; contract tools have separate limits."""
EXACT_TOOLS = frozenset({"clause", "definition"})
"""Tools that return what was named and nothing else: it is shown first, and whole."""
MAX_PART = 2_400
"""Characters of a clause or definition that are shown at once, unless a query says otherwise."""


@dataclass(frozen=True, slots=True)
class ToolQuery:
    """A query to a tool.

    Attributes:
        words: What to look for: a question, a query, a term, a label, an expression.
        question: The question that the report is to answer, as the person asked it.
        documents: The ids of the contracts that the question is about; empty for all.
        contract: The one contract to look into, by its number in the list that the model was shown,
            by name or by a unique part of it; empty for all of them.
        limit: Maximum pieces of material.
        longest: Characters of a clause or definition that are returned at once.
    """

    words: str
    question: str = ""
    documents: tuple[str, ...] = ()
    contract: str = ""
    limit: int = 8
    longest: int = MAX_PART


@dataclass(frozen=True, slots=True)
class Material:
    """What a tool returns.

    Attributes:
        words: The source's own words, never a summary.
        source: Their source, for people: a contract's name, a statute, a page's title.
        where: The place in the source: "clause 7.2(a), page 3", an address.
        because: Why it is here, in words: "defines “Fees”, used in 4.1".
        score: Relevance, at most 1; comparable only among the results of one tool.
        document: The contract's id; empty for what is from outside.
        span: Where the words are in the contract; None for outside sources.
        fetched: The day when it was fetched, in ISO 8601; empty for contracts.
        licence: Under which terms an outside source may be used, if that is known.
        tool: The name of the tool that brought it.
        more: What is left out after the words, and how to ask for it; empty if nothing is.
        by_program: Whether the words are the program's: a calculation, or that a lookup found
            nothing.
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
        """Whether its source is not a contract that a statement may rest on."""
        return not self.document and not self.by_program

    @property
    def shown(self) -> str:
        """The words as a model is shown them, with a mark for what is left out."""
        if self.document or len(self.words) <= MAX_OUTSIDE:
            return f"{self.words} {self.more}".strip()
        return f"{self.words[:MAX_OUTSIDE]} {cut_mark(len(self.words) - MAX_OUTSIDE)}"


def is_computed(material: Material) -> bool:
    """Return whether the words are a computed result, and not an explanation why there is none."""
    return material.by_program and material.source == COMPUTED_SOURCE


def cut_mark(characters: int, ask_for: str = "") -> str:
    """Return the mark after cut words: how many characters follow, and what to ask for."""
    return f"[… {characters:,} more characters{f': ask for {ask_for}' if ask_for else ''}]"


def merge_materials(known: Sequence[Material], new: Iterable[Material]) -> list[Material]:
    """Add new materials to others; merge those that overlap, without duplicates."""
    merged = list(known)
    for each in new:
        whole, at = each, len(merged)
        for index in range(len(merged) - 1, -1, -1):
            if _overlap(merged[index], whole):
                whole, at = _join_materials(merged.pop(index), whole), index
        merged.insert(at, whole)
    return merged


def _overlap(one: Material, other: Material) -> bool:
    if one.span is None or other.span is None:
        return one.words == other.words and one.source == other.source
    return one.document == other.document and one.span.overlaps(other.span)


def _join_materials(one: Material, other: Material) -> Material:
    """Return two materials with words in common as one that states both reasons."""
    if one.span is None or other.span is None:
        return one
    first, second = sorted((one, other), key=lambda each: _span(each).start)
    overlap = _span(first).end - _span(second).start
    words = first.words + second.words[overlap:]
    last = max((first, second), key=lambda each: _span(each).end)
    return replace(
        first,
        words=words,
        span=Span(_span(first).start, _span(last).end),
        because="; ".join(
            dict.fromkeys(filter(None, f"{one.because}; {other.because}".split("; ")))
        ),
        score=max(one.score, other.score),
        tool=one.tool,
        more=last.more,
    )


def _span(material: Material) -> Span:
    if material.span is None:
        raise ValueError("only words of a contract have a place in it")
    return material.span


class Tool(Protocol):
    """A tool of the researcher.

    Attributes:
        name: One word, by which a model chooses it: `search`, `statutes`.
        description: What it is for and what its words must be, in a sentence or two, for the model.
    """

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...

    def run(self, inquiry: ToolQuery) -> Sequence[Material]:
        """Return what it found, most relevant first; an empty result is valid.

        Raises:
            FourcornersError: If the lookup failed.
        """
