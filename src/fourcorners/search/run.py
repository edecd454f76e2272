"""Search for what a person typed: run a query exactly, or find what answers a question.

A question in plain language that names a contract is restricted to that contract, and answered with
its sentences. A query with operators, fields or labels finds passages.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from fourcorners.library.catalogue import Catalogue
from fourcorners.library.contract import read_contract
from fourcorners.library.damage import without_damaged
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.models.reranker.protocol import Reranker
from fourcorners.search.concepts import Concept
from fourcorners.search.filters import NO_FILTERS, Filters
from fourcorners.search.find import find_passages
from fourcorners.search.hit import SIGNAL_PREFIX, DocumentPlaces, FoundPassage, Hit
from fourcorners.search.query import Or, Query, parse_query, tree_fields
from fourcorners.search.query.match import matched_spans
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
