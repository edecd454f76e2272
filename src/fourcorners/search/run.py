"""Search for what a person typed: run a query exactly, or find what answers a question.

A question in plain language that names a contract is restricted to that contract, and answered with
its sentences. A query with operators, fields or labels finds passages. `explain_plan` says how a
query is run.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fourcorners.library.catalogue import Catalogue
from fourcorners.library.contract import read_contract
from fourcorners.library.damage import without_damaged
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.models.reranker.protocol import Reranker
from fourcorners.search.concepts import Concept
from fourcorners.search.expansion import expand_query
from fourcorners.search.fields import field_rows, require_fields
from fourcorners.search.filters import NO_FILTERS, Filters
from fourcorners.search.find import find_passages
from fourcorners.search.hit import SIGNAL_PREFIX, DocumentPlaces, FoundPassage, Hit
from fourcorners.search.index import index_of
from fourcorners.search.query import Field, Mode, Or, Query, parse_query, tree_fields
from fourcorners.search.query.fts import CompiledLeaf, compile_query
from fourcorners.search.query.match import matched_spans
from fourcorners.search.query.tree import leaf_label
from fourcorners.search.scope import QuestionScope, route_question
from fourcorners.search.sentences.candidates import any_word_form
from fourcorners.search.sentences.retrieve import (
    Retrieval,
    SentenceRanking,
    Snippet,
    retrieve_snippets,
)
from fourcorners.search.sentences.units import SentenceIndex, sentence_index
from fourcorners.text.span import Span
from fourcorners.text.tokenization import WordIndex


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search found, and how the query was interpreted.

    Attributes:
        scope: Which contracts a question names; None for a query.
        concepts: The known kinds of clause that a question asks for, with weights.
        read: The ids of the documents whose sentences were read for a question.
        failure: Why a reranker's order is not used, as a sentence; empty if nothing failed.
    """

    hits: tuple[Hit, ...]
    scope: QuestionScope | None = None
    concepts: tuple[tuple[Concept, float], ...] = ()
    read: tuple[str, ...] = ()
    failure: str = ""


@without_damaged
def search_library(
    library: Catalogue,
    query: str | Query,
    *,
    encoder: Encoder | None = None,
    concepts: Sequence[Concept] = (),
    reranker: Reranker | None = None,
    filters: Filters = NO_FILTERS,
    limit: int = 20,
) -> SearchResult:
    """Search a library for what a person typed.

    Args:
        library: Where to look.
        query: A query, or three or more words of a question; parsed to say how it is read, too.
        encoder: The encoder that made the library's vectors; without one, or without vectors,
            everything is a query.
        concepts: Known kinds of clauses, for questions.
        reranker: Reorders the best answers to a question; the result says so if it fails.
        filters: What of the library to look at.
        limit: How many hits at most; they are disjoint.

    Raises:
        QueryError: If the query does not parse.
        ConfigError: If a filter or field names something that does not exist, or the encoder is not
            the library's.
    """
    parsed = parse_query(query) if isinstance(query, str) else query
    is_question = parsed.plain and not (parsed.stem or tree_fields(parsed.tree) or filters.labels)
    if encoder is None or library.encoder is None or not is_question:
        found = find_passages(library, parsed, encoder=encoder, filters=filters, limit=limit)
        return SearchResult(tuple(found))
    scope = route_question(library, parsed.text, filters)
    retrieved = retrieve_snippets(
        library,
        scope,
        encoder=encoder,
        concepts=concepts,
        filters=filters,
        limit=limit,
        ranking=SentenceRanking(reranker=reranker),
    )
    return SearchResult(
        _hits(library, retrieved), scope, retrieved.concepts, retrieved.searched, retrieved.failure
    )


def _hits(library: Catalogue, retrieved: Retrieval) -> tuple[Hit, ...]:
    any_form = any_word_form(retrieved.asked)
    trees = [concept.query.tree for concept, _ in retrieved.concepts]
    marks = Or((*([any_form] if any_form else ()), *trees)) if any_form or trees else None
    read: dict[str, tuple[DocumentPlaces, SentenceIndex]] = {}
    hits = []
    for one in retrieved.snippets:
        if one.document not in read:
            place = DocumentPlaces.load(library, one.document)
            read[one.document] = place, sentence_index(read_contract(library, one.document))
        spots = [] if marks is None else matched_spans(marks, WordIndex(one.words))
        matched = tuple(spot.shift(one.span.start) for spot in spots)
        with library.decoding(one.document, "outline"):
            hits.append(_hit(one, *read[one.document], matched))
    return tuple(hits)


def _hit(
    one: Snippet, place: DocumentPlaces, units: SentenceIndex, matched: tuple[Span, ...]
) -> Hit:
    at = bisect_right(units.passages, one.span.start, key=lambda passage: passage.span.start)
    passage = units.passages[max(0, at - 1)]
    found = FoundPassage(one.document, passage.ordinal, passage.node, one.span, matched)
    signals = {f"{SIGNAL_PREFIX}{key}": value for key, value in one.parts.items()}
    return place.hit(found, units.text, {"score": one.score, **signals})


@dataclass(frozen=True, slots=True)
class PlanStep:
    name: str
    description: str


def explain_plan(
    library: Catalogue,
    query: str | Query,
    *,
    encoder: Encoder | None = None,
    filters: Filters = NO_FILTERS,
) -> list[PlanStep]:
    """Return how `find` runs a query with the same arguments.

    Raises:
        QueryError, ConfigError: As `find` does.
    """
    parsed = parse_query(query) if isinstance(query, str) else query
    tree = expand_query(parsed, library)
    tokens = filters.tokens(library)
    require_fields(library, tree, filters.within)
    mode = " (mode lucene)" if parsed.mode is Mode.LUCENE else ""
    steps = [PlanStep("Query", f"{parsed}{mode}")]
    if tree != parsed.tree:
        name = "With stemming" if parsed.stem else "With other spellings"
        steps.append(PlanStep(name, str(Query(parsed.text, tree))))
    by_meaning = encoder is not None and library.encoder is not None
    steps.append(PlanStep("Read as", _kind(parsed, by_meaning=by_meaning)))
    if tokens:
        steps.append(
            PlanStep("Filters", f"leave {len(index_of(library).filtered_rows(tokens)):,} passages")
        )
    steps += [
        PlanStep(
            "Field",
            f"{leaf_label(field)} leaves {len(field_rows(library, field, tokens)):,} passages",
        )
        for field in tree_fields(tree)
    ]
    steps += _terms(library, compile_query(tree).leaves, tokens)
    return steps


def _kind(query: Query, *, by_meaning: bool) -> str:
    if query.plain and by_meaning:
        return "a question: passages with any of its words, and those near its meaning, are fused"
    if by_meaning:
        return "an exact query: meaning may change the order of what satisfies it, never the set"
    return "an exact query, by words alone"


def _terms(
    library: Catalogue, leaves: tuple[CompiledLeaf, ...], tokens: list[list[str]]
) -> Iterator[PlanStep]:
    for leaf in leaves:
        if isinstance(leaf.leaf, Field):
            continue
        count = f"{index_of(library).count(leaf, tokens):,} passages"
        if not leaf.exact:
            count += ", each then read, because the index knows no order of words"
        role = f"counts {leaf.boost:g} times" if leaf.scored else "excludes"
        yield PlanStep("Term", f"{leaf.label} {role}; {leaf.expression} finds {count}")
