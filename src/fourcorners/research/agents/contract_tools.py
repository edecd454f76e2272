"""The researcher's tools inside the contracts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

from fourcorners.errors import InputError
from fourcorners.library.contract import Contract
from fourcorners.playbooks.bank.store import bank_summary
from fourcorners.precedents.clause import Clause, bank_clauses
from fourcorners.precedents.profile import Profile
from fourcorners.precedents.rank import ClauseStock, rank_clauses
from fourcorners.precedents.scoring.score import Scoring
from fourcorners.research.agents import clause_lookup, definition_lookup
from fourcorners.research.agents.calculations import compute
from fourcorners.research.agents.contract_maps import limit_to_contract
from fourcorners.research.answerability.search import retrieve_answers, search_answer
from fourcorners.research.context import ResearchContext
from fourcorners.research.tool import COMPUTED_SOURCE, Material, Tool, ToolQuery, merge_materials
from fourcorners.search.filters import Filters
from fourcorners.search.find import find_passages
from fourcorners.search.graph import expand_hits
from fourcorners.search.graph.links import links_of
from fourcorners.search.hit import Hit
from fourcorners.search.mentions import find_mentions

_UNENDING = frozenset({"search", "others", "mentions"})  # they always have more
_WHOLE = 2  # sentences that a search finds first: the lists that these begin are shown whole
_NEAREST = 3  # sentences that a search brings where none may answer
_MOST_NAMED = 3  # contracts whose nearest words are reported when nothing was found
_COMPARED = 3  # like clauses of other contracts, and of banks (PAKTON, appendix G)
_NEAR = 24  # passages among which they are: many are of the contract in question
_MOST_CONTRACTS = 40  # in which a term, a number or a heading is looked for, unless one is named

Fetch = Callable[[ResearchContext, ToolQuery], Iterable[Material]]


@dataclass(frozen=True, slots=True)
class ContractTool:
    """A tool that looks into the contracts in question."""

    name: str
    description: str
    context: ResearchContext
    fetch: Fetch

    def run(self, inquiry: ToolQuery) -> Sequence[Material]:
        """Return what it has, what matters most first, and what it did not find, in words."""
        context = self.context
        try:
            if inquiry.contract.strip():
                context = limit_to_contract(context, inquiry.contract)
        except InputError as error:
            return [_note(self.name, inquiry, error.message)]
        found = [
            part
            for rank, each in enumerate(self.fetch(context, inquiry))
            for part in _complete(context, each, lead_only=rank >= _WHOLE)
        ]
        notes = [each for each in found if each.by_program]
        materials = merge_materials((), (each for each in found if not each.by_program))
        shown, rest = materials[: inquiry.limit], materials[inquiry.limit :]
        if rest and self.name not in _UNENDING:
            places = "; ".join(f"{each.where} of {each.source}" for each in rest[: inquiry.limit])
            more = f"{len(rest)} more were found and are not shown: {places}"
            notes.append(_note(self.name, inquiry, more))
        if not shown and not notes:
            notes.append(_note(self.name, inquiry, "nothing was found"))
        return [*shown, *notes]


@dataclass(frozen=True, slots=True)
class Reckoner:
    """A tool that computes."""

    name: str = "reckon"
    description: str = (
        "words: a date and days, business days, weeks, months or years (1 March 2024 + 90 days; "
        "the first day is not counted), two dates (2024-01-01 to 2025-03-31), or amounts of one "
        "currency (12 * $4,500 * 110%)"
    )

    def run(self, inquiry: ToolQuery) -> Sequence[Material]:
        """Return the result, or why there is none."""
        try:
            words = compute(inquiry.words)
        except InputError as error:
            return [_note(self.name, inquiry, error.message)]
        return [Material(words, COMPUTED_SOURCE, tool=self.name, score=1.0, by_program=True)]


def contract_tools(context: ResearchContext) -> list[Tool]:
    tools: list[Tool] = [
        ContractTool(
            "search",
            "sentences that answer a question, or are like a clause; words: either",
            context,
            _search,
        ),
        ContractTool(
            "mentions",
            "sentences of all contracts, of the others too, that name a company, a person or "
            "another paper; words: the names, or a question with them",
            context,
            _mentions,
        ),
        ContractTool(
            "belongs",
            "what a clause is linked with: exceptions elsewhere, clauses that it refers to, "
            "definitions, amendments; words: what the clause says",
            context,
            _belongs,
        ),
        ContractTool(
            "definition",
            "what a term means; words: the term alone",
            context,
            _definition,
        ),
        ContractTool(
            "clause",
            "words: a line of the headings, or a number (7.2(a); Schedule 1; 7.2, part 2)",
            context,
            _clause,
        ),
        Reckoner(),
    ]
    if context.entries:
        others = ContractTool(
            "others",
            "sentences of other contracts that amend these, are amended by them or are of the "
            "same parties; words: the question",
            context,
            partial(_others, context),
        )
        alike = ContractTool(
            "alike",
            "clauses of other contracts and of clause banks that are like one of these, to compare "
            "and never as evidence; words: its number, or what it says",
            context,
            partial(_alike, context),
        )
        tools[1:1] = [others, alike]
    return tools


def _complete(
    context: ResearchContext, material: Material, *, lead_only: bool
) -> Iterator[Material]:
    """Yield a material with what precedes or follows it in a list: neither makes sense alone."""
    yield material
    if material.document and material.span is not None and not material.more:
        reading = context.read_contract(material.document)
        for part in clause_lookup.list_parts(reading, material.span, lead_only=lead_only):
            whole = _part_material(context, reading, part, material.tool, "")
            yield replace(whole, score=material.score)


def _note(tool: str, inquiry: ToolQuery, message: str) -> Material:
    """Return what the program says of a lookup; it is not evidence."""
    return Material(
        words=message[:1].upper() + message[1:].rstrip(".") + ".",
        source=f"{tool}: {inquiry.words}",
        tool=tool,
        by_program=True,
    )


def _search(context: ResearchContext, inquiry: ToolQuery) -> Iterator[Material]:
    found = search_answer(context, inquiry.words, limit=inquiry.limit)
    for each in found.snippets if found.answers else found.snippets[:_NEAREST]:
        because = "" if found.answers else "the nearest, and may well not answer"
        yield context.material(
            each.document, each.span, tool="search", because=because, score=each.score
        )


def _mentions(context: ResearchContext, inquiry: ToolQuery) -> Iterator[Material]:
    """Yield the sentences with a name, of the one contract that is named, else of all."""
    homes = tuple(dict.fromkeys(entry.collection for entry in context.entries))
    filters = Filters(
        collection=context.collection,
        documents=context.documents if inquiry.contract.strip() else (),
        within=homes or None,
    )
    for each in find_mentions(context.library, inquiry.words, filters)[: inquiry.limit]:
        because = f"names {', '.join(each.names)}{' as a party' if each.is_party else ''}"
        yield context.material(
            each.document, each.span, tool="mentions", because=because, score=each.score
        )


def _others(
    asked: ResearchContext, context: ResearchContext, inquiry: ToolQuery
) -> Iterator[Material]:
    others = _related(context, set(asked.documents))
    if not others:
        words = "no other contract was found that amends it, is amended by it or has its parties"
        yield _note("others", inquiry, words)
        return
    found = retrieve_answers(
        context,
        inquiry.words,
        concepts=context.concepts,
        filters=Filters(collection=context.collection, documents=tuple(others)),
        limit=inquiry.limit,
    )
    for each in found.snippets:
        yield context.material(
            each.document, each.span, tool="others", because=others[each.document],
            score=each.score,
        )  # fmt: skip


def _related(context: ResearchContext, known: Collection[str]) -> dict[str, str]:
    """Return other contracts than are known that amend those here or share parties with them."""
    links = links_of(context.library)
    in_scope = {entry.id for entry in context.library.documents(context.collection)} - {*known}
    found: dict[str, str] = {}
    for document in context.documents:
        for amendment in links.amended_by(document):
            found.setdefault(amendment.document, "another contract, which amends it")
        for amendment in links.amendments(document):
            found.setdefault(amendment.target or "", "another contract, which it amends")
        for party in links.parties(document):
            for other in party.others:
                found.setdefault(other, f"another contract of {party.name}")
    return {document: because for document, because in found.items() if document in in_scope}


def _alike(
    asked: ResearchContext, context: ResearchContext, inquiry: ToolQuery
) -> Iterator[Material]:
    """Yield clauses elsewhere that are like one here; without a document, they are no evidence."""
    words, today = _clause_words(context, inquiry), datetime.now(UTC).date().isoformat()
    found = [
        (each.words, f"{each.name}, another contract, for comparison", "; ".join(each.path[-1:]))
        for each in _alike_hits(asked, words)
    ]
    for clause in _alike_bank_clauses(context, words):
        where = f"{clause.provision}, {clause.stars} stars" if clause.stars else clause.provision
        source = f"clause bank, for comparison: {clause.places[0].source}".rstrip(": ")
        found.append((clause.text, source, where))
    for text, source, where in found:
        yield Material(text, source, where, fetched=today, tool="alike")
    if not found:
        yield _note("alike", inquiry, "nothing like it was found where this question may read")


def _clause_words(context: ResearchContext, inquiry: ToolQuery) -> str:
    """Return the words of the first clause that is named; what was asked for if none is."""
    for reading in _readings(context):
        for part in clause_lookup.find_clauses(reading, inquiry.words, inquiry.longest):
            return part.span.text_in(reading.text)
    return inquiry.words


def _alike_hits(context: ResearchContext, words: str) -> list[Hit]:
    """Return the likest passage of each of a few other contracts of the same collections."""
    if context.encoder is None:
        return []
    homes = tuple(dict.fromkeys(entry.collection for entry in context.entries))
    hits = find_passages(
        context.library,
        None,
        like=words,
        encoder=context.encoder,
        filters=Filters(within=homes),
        limit=_NEAR,
    )
    best: dict[str, Hit] = {}
    for hit in hits:
        if hit.document not in context.documents:
            best.setdefault(hit.document, hit)
    for document in [*best][:_COMPARED]:
        context.read_contract(document)  # so that the answer names it among its sources
    return [*best.values()][:_COMPARED]


def _alike_bank_clauses(context: ResearchContext, words: str) -> list[Clause]:
    """Return the likest clauses of the banks; who reads one collection may not read them."""
    if context.collection is not None or context.encoder is None:
        return []
    banks = dict.fromkeys(each.bank for each in bank_summary(context.library))
    clauses = [clause for bank in banks for clause in bank_clauses(context.library, bank)]
    if not clauses:
        return []
    stock = ClauseStock(clauses, context.encoder)
    ranked = rank_clauses(words, stock, Scoring(Profile.BM25), limit=_COMPARED)
    return [each.clause for each in ranked if each.score > 0]


def _belongs(context: ResearchContext, inquiry: ToolQuery) -> Iterator[Material]:
    found = search_answer(context, inquiry.words, limit=2).snippets
    for each in found:
        yield context.material(each.document, each.span, tool="belongs", score=each.score)
    linked = expand_hits(context.library, found, limit=inquiry.limit, collection=context.collection)
    for one in linked:
        material = context.material(
            one.document, one.span, tool="belongs", because=one.because, score=one.score
        )
        more = clause_lookup.part_mark(context.read_contract(one.document), one.span)
        yield replace(material, more=more)


def _definition(context: ResearchContext, inquiry: ToolQuery) -> Iterator[Material]:
    missing = []
    for reading in _readings(context):
        found = definition_lookup.find_definitions(reading, inquiry.words, inquiry.longest)
        for term, part in found:
            because = f"defines “{term.term}”"
            yield _part_material(context, reading, part, "definition", because)
        if not found:
            missing.append((reading, definition_lookup.nearest_terms(reading, inquiry.words)))
    yield from _describe_missing(context, inquiry, "definition", "no definition of", missing)


def _clause(context: ResearchContext, inquiry: ToolQuery) -> Iterator[Material]:
    missing = []
    for reading in _readings(context):
        found = clause_lookup.find_clauses(reading, inquiry.words, inquiry.longest)
        for part in found:
            because = ""
            if part.is_holder:
                because = f"the clause that {inquiry.words} would be in; no such item is marked"
            yield _part_material(context, reading, part, "clause", because)
        if not found:
            missing.append((reading, clause_lookup.nearest_clauses(reading, inquiry.words)))
    yield from _describe_missing(context, inquiry, "clause", "no clause", missing)


def _part_material(
    context: ResearchContext,
    reading: Contract,
    part: clause_lookup.FoundPart,
    tool: str,
    because: str,
) -> Material:
    material = context.material(reading.id, part.span, tool=tool, because=because, score=1.0)
    return replace(material, more=part.more)


def _describe_missing(
    context: ResearchContext,
    inquiry: ToolQuery,
    tool: str,
    what: str,
    missing: Sequence[tuple[Contract, str]],
) -> Iterator[Material]:
    """Say in which contracts nothing was found, what is nearest, and which were not searched."""
    asked = context.contracts
    passed = len(asked) - min(len(asked), _MOST_CONTRACTS)
    searched = len(asked) - passed
    sentences = []
    if missing and len(missing) == searched:
        near = [f"in {each.name}, {words}" for each, words in missing if words][:_MOST_NAMED]
        place = missing[0][0].name if searched == 1 else f"any of {searched} contracts"
        sentences.append(f"{what} “{inquiry.words}” was found in {place}")
        sentences += [missing[0][1]] if searched == 1 and missing[0][1] else near
    elif missing:
        names = ", ".join(each.name for each, _ in missing[:_MOST_NAMED])
        more = f" and {len(missing) - _MOST_NAMED} more" if len(missing) > _MOST_NAMED else ""
        sentences.append(f"{what} “{inquiry.words}” was found in {names}{more}")
    if passed:
        sentences.append(
            f"{passed} of {len(asked)} contracts were not looked at: name the contract"
        )
    if sentences:
        yield _note(tool, inquiry, "; ".join(sentences))


def _readings(context: ResearchContext) -> Iterator[Contract]:
    for entry in context.contracts[:_MOST_CONTRACTS]:
        yield context.read_contract(entry.id)
