"""Search as a person does it: a query runs as it says, a question is led to what answers it.

A question in plain language that names a contract is asked of that contract, and answered with its
sentences. A query with operators, fields or labels finds passages.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from fourcorners.library.catalogue import Catalogue
from fourcorners.models.encoder import Encoder
from fourcorners.models.reranker import Reranker
from fourcorners.search.candidates import any_form
from fourcorners.search.concepts import Concept
from fourcorners.search.filters import EVERYTHING, Filters
from fourcorners.search.find import find
from fourcorners.search.hit import SIGNAL, Hit, snippet
from fourcorners.search.places import Place
from fourcorners.search.query import Mode, Or, Query, fields, parse
from fourcorners.search.query.match import places_matched
from fourcorners.search.retrieve import Retrieved, Snippet, retrieve
from fourcorners.search.scope import Scope, route
from fourcorners.search.units import Units, shelf_of
from fourcorners.text.span import Span
from fourcorners.text.tokenization import WordIndex


@dataclass(frozen=True, slots=True)
class Searched:
    """What a search found, and how it was read.

    Attributes:
        scope: Which contracts a question names; None for a query.
        concepts: The known kinds of clause that a question asks for, with weights.
        read: The ids of the documents whose sentences were read for a question.
    """

    hits: tuple[Hit, ...]
    scope: Scope | None = None
    concepts: tuple[tuple[Concept, float], ...] = ()
    read: tuple[str, ...] = ()


def run(
    library: Catalogue,
    query: str,
    *,
    encoder: Encoder | None = None,
    concepts: Sequence[Concept] = (),
    reranker: Reranker | None = None,
    filters: Filters = EVERYTHING,
    limit: int = 20,
    mode: Mode = Mode.SYMMETRIC,
    stem: bool = False,
) -> Searched:
    """Search a library for what a person typed.

    Args:
        library: Where to look.
        query: A query, or three or more words of a question.
        encoder: The encoder that made the library's vectors; without one, or without vectors,
            everything is a query.
        concepts: What is known of kinds of clauses, for questions.
        reranker: Orders the best of what answers a question.
        filters: What of the library to look at.
        limit: How many hits at most; they are disjoint.
        mode: How `"a b"~5` is read.
        stem: Whether `assign` finds assigns, assigned and assignment too.

    Raises:
        QueryError: If the query does not parse.
        ConfigError: If a filter or field names what is not there, or the encoder is not the
            library's.
    """
    parsed = parse(query, mode=mode)
    if encoder is None or library.encoder is None or not _is_question(parsed, filters, stem=stem):
        found = find(library, parsed, encoder=encoder, filters=filters, limit=limit, stem=stem)
        return Searched(tuple(found))
    scope = route(library, query, filters)
    retrieved = retrieve(
        library,
        query,
        scope=scope,
        encoder=encoder,
        concepts=concepts,
        reranker=reranker,
        filters=filters,
        limit=limit,
    )
    return Searched(_hits(library, retrieved), scope, retrieved.concepts, retrieved.searched)


def _is_question(query: Query, filters: Filters, *, stem: bool) -> bool:
    return query.plain and not stem and not fields(query.tree) and not filters.labels


def _hits(library: Catalogue, retrieved: Retrieved) -> tuple[Hit, ...]:
    told = any_form(retrieved.asked)
    trees = [concept.query.tree for concept, _ in retrieved.concepts]
    marks = Or((*([told] if told else ()), *trees)) if told or trees else None
    shelf = shelf_of(library)
    read: dict[str, tuple[Place, Units]] = {}
    hits = []
    for one in retrieved.snippets:
        if one.document not in read:
            place = Place.of(library, one.document)
            read[one.document] = place, shelf.take(library, one.document)
        matched = () if marks is None else _matched(marks, one)
        hits.append(_hit(one, *read[one.document], matched))
    return tuple(hits)


def _hit(
    one: Snippet,
    place: Place,
    units: Units,
    matched: tuple[Span, ...],
) -> Hit:
    at = bisect_right(units.passages, one.span.start, key=lambda passage: passage.span.start)
    passage = units.passages[max(0, at - 1)]
    text = units.text
    return Hit(
        document=one.document,
        name=one.name,
        ordinal=passage.ordinal,
        span=one.span,
        words=one.words,
        page=place.page_of(one.span.start),
        path=place.path_of(passage.node, text),
        scores={
            "score": one.score,
            **{f"{SIGNAL}{key}": value for key, value in one.parts.items()},
        },
        matched=matched,
        snippet=snippet(text, one.span, matched),
    )


def _matched(marks: Or, one: Snippet) -> tuple[Span, ...]:
    return tuple(spot.shift(one.span.start) for spot in places_matched(marks, WordIndex(one.words)))
