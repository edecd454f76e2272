"""What a person types: questions are answered with sentences, queries find passages."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from fourcorners.library.store import Library
from fourcorners.search.concepts import Concept
from fourcorners.search.filters import Filters
from fourcorners.search.hit import SIGNAL_PREFIX, explain_score
from fourcorners.search.query import Query, parse_query
from fourcorners.search.run import search_library
from tests.models.fake import HashEncoder, OverlapReranker

Add = Callable[..., str]

AUDIT = Concept(
    id="audit", name="Audit", aliases=("Audit rights",), query=parse_query('"inspect books"~5^5')
)


@pytest.fixture
def lease(add: Add) -> str:
    return add(
        "The tenant pays the rent on the first day of each month.",
        "The landlord may inspect the books of the tenant once a year. It shall give ten days "
        "notice of that.",
        "The tenant may assign this lease with consent.",
    )


def test_a_question_is_answered_with_sentences(
    library: Library, encoder: HashEncoder, lease: str
) -> None:
    searched = search_library(
        library, "what are the audit rights here", encoder=encoder, concepts=[AUDIT], limit=3
    )
    best = searched.hits[0]
    assert best.document == lease
    assert best.words.startswith("The landlord may inspect the books")
    assert library.text(lease)[best.span.start : best.span.end] == best.words
    assert best.path == ("2",)
    assert best.page in (1, 2)
    marked = [library.text(lease)[span.start : span.end] for span in best.matched]
    assert "inspect" in marked
    assert searched.concepts == ((AUDIT, 1.0),) or searched.concepts[0][0].id == "audit"
    assert searched.scope is not None
    assert searched.read == (lease,)
    told = explain_score(best)
    assert told[0].description == "how likely it answers"
    assert all(part.name.startswith(SIGNAL_PREFIX) for part in told[1:])


def test_hits_are_disjoint(library: Library, encoder: HashEncoder, lease: str) -> None:
    hits = search_library(library, "what may the tenant do", encoder=encoder, limit=10).hits
    spans = sorted(hit.span for hit in hits if hit.document == lease)
    assert len(spans) > 1
    assert all(left.end <= right.start for left, right in pairwise(spans))


@pytest.mark.parametrize(
    ("query", "options"),
    [
        ("assign AND consent", {}),
        ("assign consent", {}),
        ("tenant assign consent lease:1", {}),
        (parse_query("what may be assigned", stem=True), {}),
        ("may assign lease type:lease", {}),
        ("tenant may assign", {"filters": Filters(labels=("3",))}),
    ],
)
@pytest.mark.usefixtures("lease")
def test_queries_find_passages(
    library: Library, encoder: HashEncoder, query: str | Query, options: dict[str, object]
) -> None:
    searched = search_library(library, query, encoder=encoder, **options)  # type: ignore[arg-type]
    if "lease:1" not in str(query):
        assert searched.scope is None


@pytest.mark.usefixtures("lease")
def test_a_reranker_has_half_the_say(library: Library, encoder: HashEncoder) -> None:
    question = "what may the tenant do with this lease"
    plain = search_library(library, question, encoder=encoder).hits
    told = search_library(library, question, encoder=encoder, reranker=OverlapReranker()).hits
    assert {hit.span for hit in told} == {hit.span for hit in plain}
    assert all(f"{SIGNAL_PREFIX}reranker" in hit.scores for hit in told)
    assert [hit.score for hit in told] == sorted((hit.score for hit in told), reverse=True)


@pytest.mark.usefixtures("lease")
def test_without_vectors_a_question_is_a_query(library: Library) -> None:
    searched = search_library(library, "tenant may assign")
    assert searched.scope is None
    assert [hit.ordinal for hit in searched.hits] == [2]
