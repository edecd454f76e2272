"""The researcher's tools inside the contracts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from fourcorners.errors import InputError
from fourcorners.outline.tree import Node
from fourcorners.research.agents.report_check import COMPUTED_SOURCE
from fourcorners.research.amounts import compute
from fourcorners.research.answerability.search import search_answer
from fourcorners.research.context import ResearchContext
from fourcorners.research.tool import Material, Tool, ToolQuery
from fourcorners.search.filters import Filters
from fourcorners.search.graph import expand_hits
from fourcorners.search.graph.contract import Contract
from fourcorners.search.sentences.retrieve import retrieve_snippets
from fourcorners.search.stems import stems

_MOST_HEADINGS = 60  # of each contract that a model is told
_MOST_CONTRACTS = 8  # in which a term, a label or a heading is looked for


@dataclass(frozen=True, slots=True)
class ContractTool:
    """A tool that looks into the contracts in question."""

    name: str
    description: str
    fetch: Callable[[ToolQuery], Iterable[Material]]

    def run(self, inquiry: ToolQuery) -> Sequence[Material]:
        """Return what it has, what matters most first."""
        return [each for _, each in zip(range(inquiry.limit), self.fetch(inquiry), strict=False)]


def contract_tools(context: ResearchContext) -> list[Tool]:
    tools: list[Tool] = [
        ContractTool(
            "search",
            "finds the sentences that answer a question in plain language, or that are like a "
            "clause; words: the question, or what such a clause would say",
            partial(_search, context),
        ),
        ContractTool(
            "belongs",
            "brings what belongs to a clause by the contract's own links: exceptions elsewhere, "
            "clauses that it refers to, definitions, amendments; words: what the clause says",
            partial(_belongs, context),
        ),
        ContractTool(
            "definition",
            "brings the definition of a defined term; words: the term alone",
            partial(_definition, context),
        ),
        ContractTool(
            "clause",
            "brings a clause by its number or heading; words: such as 7.2(a), or Termination",
            partial(_clause, context),
        ),
        ContractTool(
            COMPUTED_SOURCE,
            "reckons with dates and amounts; words: 2024-03-01 + 90 days, or "
            "2024-01-01 to 2025-03-31, or 12 * 4500 * 110%",
            _reckoned,
        ),
    ]
    if context.entries:
        tools.insert(
            1,
            ContractTool(
                "others",
                "finds sentences in the other contracts of the library, for comparison or for "
                "amendments; words: the question",
                partial(_others, context),
            ),
        )
    return tools


def _search(context: ResearchContext, inquiry: ToolQuery) -> Iterator[Material]:
    found = search_answer(context, inquiry.words, limit=inquiry.limit)
    for each in found.snippets:
        because = "may answer" if found.answers else "the nearest, and may well not answer"
        yield context.material(
            each.document, each.span, tool="search", because=because, score=each.score
        )


def _others(context: ResearchContext, inquiry: ToolQuery) -> Iterator[Material]:
    known = set(context.documents)
    others = [e.id for e in context.library.documents(context.collection) if e.id not in known]
    if not others:
        return
    found = retrieve_snippets(
        context.library,
        inquiry.words,
        encoder=context.encoder,
        concepts=context.concepts,
        filters=Filters(collection=context.collection, documents=tuple(others)),
        limit=inquiry.limit,
        reader=context.reader,
    )
    for each in found.snippets:
        yield context.material(
            each.document, each.span, tool="others", because="another contract",
            score=each.score,
        )  # fmt: skip


def _belongs(context: ResearchContext, inquiry: ToolQuery) -> Iterator[Material]:
    found = search_answer(context, inquiry.words, limit=2).snippets
    for each in found:
        yield context.material(each.document, each.span, tool="belongs", score=each.score)
    linked = expand_hits(context.library, found, limit=inquiry.limit, collection=context.collection)
    for one in linked:
        yield context.material(
            one.document, one.span, tool="belongs", because=one.because, score=one.score
        )


def _definition(context: ResearchContext, inquiry: ToolQuery) -> Iterator[Material]:
    wanted = inquiry.words.strip(" \"'“”‘’.").casefold()
    for reading in _readings(context):
        for term in reading.outline.terms:
            if term.term.casefold() in (wanted, wanted.removesuffix("s")):
                yield context.material(
                    reading.document,
                    reading.definition(term),
                    tool="definition",
                    because=f"defines “{term.term}”",
                    score=1.0,
                )


def _clause(context: ResearchContext, inquiry: ToolQuery) -> Iterator[Material]:
    wanted = inquiry.words.strip().casefold()
    label = wanted.split()[-1].rstrip(".") if wanted else ""
    wanted_stems = set(stems(wanted))
    for reading in _readings(context):
        for node in reading.outline.nodes:
            if node.label.casefold() in (label, wanted) or _is_headed(reading, node, wanted_stems):
                span = reading.opening(node.span)
                if span:
                    yield context.material(
                        reading.document, span, tool="clause", because="by its label", score=1.0
                    )


def _is_headed(reading: Contract, node: Node, wanted_stems: set[str]) -> bool:
    if node.heading is None or not wanted_stems:
        return False
    return wanted_stems <= set(stems(node.heading.text_in(reading.text)))


def _reckoned(inquiry: ToolQuery) -> Iterator[Material]:
    try:
        words = compute(inquiry.words)
    except InputError as error:
        words = error.message
    yield Material(words=words, source="reckoned by code", tool=COMPUTED_SOURCE, score=1.0)


def _readings(context: ResearchContext) -> Iterator[Contract]:
    documents = context.documents or tuple(
        entry.id for entry in context.library.documents(context.collection)[:_MOST_CONTRACTS]
    )
    for document in documents[:_MOST_CONTRACTS]:
        yield context.read_contract(document)


def outline_map(context: ResearchContext) -> list[tuple[str, str]]:
    """Return the labels and headings of each named contract, as its name and lines of text."""
    maps = []
    for entry in context.entries[:_MOST_CONTRACTS]:
        reading = context.read_contract(entry.id)
        lines = [
            f"{node.label} {' '.join(node.heading.text_in(reading.text).split())}".strip()
            for node in reading.outline.nodes
            if node.heading is not None
        ]
        maps.append((entry.name, "\n".join(lines[:_MOST_HEADINGS])))
    return [each for each in maps if each[1]]


def merge_materials(known: Sequence[Material], new: Iterable[Material]) -> list[Material]:
    """Return materials with new ones added; what is shown already is left out."""
    known_materials = list(known)
    for each in new:
        if not any(_is_shown(each, other) for other in known_materials):
            known_materials.append(each)
    return known_materials


def _is_shown(one: Material, other: Material) -> bool:
    if one.span is None or other.span is None:
        return one.words == other.words and one.source == other.source
    return one.document == other.document and other.span.contains(one.span)
