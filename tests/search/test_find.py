from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from fourcorners.errors import ConfigError, QueryError
from fourcorners.library.store import Library
from fourcorners.search.filters import Filters
from fourcorners.search.find import find_passages
from fourcorners.search.hit import Hit, explain_score
from fourcorners.search.query import parse_query
from fourcorners.search.query.match import is_match
from fourcorners.text.span import Span
from fourcorners.text.tokenization import WordIndex
from tests.models.fake import HashEncoder

Add = Callable[..., str]

LEASE = (
    "Either party may terminate on a change of control of the other.",
    "The tenant shall not assign this lease without consent of the landlord.",
    "The laws of Norway govern this lease.",
    "Control of the heating may change with the seasons.",
)


def words_of(hits: list[Hit]) -> list[str]:
    return [hit.words for hit in hits]


def test_a_hit_says_what_it_is_and_where(library: Library, add: Add) -> None:
    document = add(*LEASE)
    (hit,) = find_passages(library, '"assign* consent"~5^5')
    text = library.text(document)
    assert hit.document == document
    assert hit.name == "lease.txt"
    assert hit.ordinal == 1
    assert hit.words == LEASE[1] == hit.span.text_in(text)
    assert [span.text_in(text) for span in hit.matched] == ["assign", "consent"]
    assert hit.page == 1
    assert hit.path == ("2",)
    assert hit.snippet == hit.span
    assert hit.score == hit.scores["score"]


def test_boost_multiplies_its_part_of_the_score(library: Library, add: Add) -> None:
    add(*LEASE)
    (plain,) = find_passages(library, '"assign consent"~5')
    (boosted,) = find_passages(library, '"assign consent"~5^5')
    assert plain.scores["lexical"] > 0
    assert boosted.scores["lexical"] == pytest.approx(5 * plain.scores["lexical"])


def test_boosts_decide_the_order(library: Library, add: Add) -> None:
    add(*LEASE)
    law, assign = "law* w/4 govern", '"assign consent"~5'
    assert find_passages(library, f"({law})^9 OR {assign}")[0].words == LEASE[2]
    assert find_passages(library, f"{law} OR {assign}^9")[0].words == LEASE[1]


def test_terms_sum_to_the_lexical_score_and_are_explained(library: Library, add: Add) -> None:
    add(*LEASE)
    for hit in find_passages(library, '["change control"~1^5, control^2, lease, lease^3]'):
        terms = [value for name, value in hit.scores.items() if name.startswith("term ")]
        assert sum(terms) == pytest.approx(hit.scores["lexical"])
    (first, *_) = find_passages(library, '["change control"~1^5, control^2]')
    assert [part.name for part in explain_score(first)] == [
        "score",
        "lexical",
        "lexical_rank",
        'term "change control"~1',
        "term control",
    ]
    assert all(part.description for part in explain_score(first))


def test_unordered_and_ordered_proximity_in_the_index(library: Library, add: Add) -> None:
    add(*LEASE)
    assert set(words_of(find_passages(library, '"control change"~5'))) == {LEASE[0], LEASE[3]}
    assert words_of(find_passages(library, "change pre/5 control")) == [LEASE[0]]
    assert words_of(find_passages(library, "control pre/5 change")) == [LEASE[3]]
    assert words_of(find_passages(library, "lease NOT control pre/5 change")) == [
        LEASE[2],
        LEASE[1],
    ]


def test_a_boolean_query_never_returns_what_does_not_match(
    library: Library, add: Add, encoder: HashEncoder
) -> None:
    add(*LEASE)
    hits = find_passages(
        library, "change AND control NOT heating", like="seasons heating", encoder=encoder
    )
    assert words_of(hits) == [LEASE[0]]
    assert hits[0].scores["dense_rank"] == 1
    assert find_passages(library, "landlord AND heating", like="heating", encoder=encoder) == []


def test_an_example_reranks_an_exact_query(
    library: Library, add: Add, encoder: HashEncoder
) -> None:
    add(*LEASE)
    for like, first in (("heating seasons", LEASE[3]), ("terminate party", LEASE[0])):
        hits = find_passages(library, "change control", like=like, encoder=encoder)
        assert {hit.words: hit.scores["dense_rank"] for hit in hits}[first] == 1
        assert set(words_of(hits)) == {LEASE[0], LEASE[3]}


def test_plain_language_may_add_what_holds_not_all_words(
    library: Library, add: Add, encoder: HashEncoder
) -> None:
    add(*LEASE)
    question = "which laws of the country govern"
    assert find_passages(library, question) == []
    hits = find_passages(library, question, encoder=encoder)
    assert hits[0].words == LEASE[2]
    text = library.text(hits[0].document)
    assert [span.text_in(text) for span in hits[0].matched] == ["laws", "govern"]
    assert {"lexical", "cosine", "lexical_rank", "dense_rank"} <= set(hits[0].scores)
    assert len(hits) == len(LEASE)


def test_an_example_alone_searches_by_meaning(
    library: Library, add: Add, encoder: HashEncoder
) -> None:
    add(*LEASE)
    hits = find_passages(library, None, like=LEASE[2], encoder=encoder, limit=2)
    assert hits[0].words == LEASE[2]
    assert hits[0].matched == ()
    assert hits[0].scores["cosine"] == pytest.approx(1.0, abs=1e-3)
    assert len(hits) == 2


def test_collections_are_walled(library: Library, add: Add, encoder: HashEncoder) -> None:
    add(*LEASE, name="a.txt", collection="Larch")
    other = add(*LEASE, name="b.txt", collection="Spruce")
    for query in ('"change control"~5', "change control", "who may change the control"):
        for like in (None, "change"):
            hits = find_passages(
                library,
                query,
                like=like,
                encoder=encoder,
                filters=Filters(collection=" spruce "),
            )
            assert hits
            assert {hit.document for hit in hits} == {other}
    hits = find_passages(
        library, None, like="x", encoder=encoder, filters=Filters(collection="Spruce")
    )
    assert {hit.document for hit in hits} == {other}


def test_a_document_may_be_named_only_inside_the_wall(library: Library, add: Add) -> None:
    outside = add(*LEASE, name="a.txt", collection="Larch")
    add(*LEASE, name="b.txt", collection="Spruce")
    filters = Filters(collection="Spruce", documents=(outside,))
    assert find_passages(library, "control", filters=filters) == []


@pytest.mark.parametrize("query", ["control OR laws OR shall", "what laws shall control", None])
def test_filters_hold_for_words_and_meaning(
    library: Library, add: Add, encoder: HashEncoder, query: str | None
) -> None:
    lease = add(*LEASE, name="a.txt")
    loan = add(*reversed(LEASE), name="b.txt", kind="Loan Agreement")

    def found(filters: Filters) -> set[tuple[str, int]]:
        like = "laws" if query is None else None
        hits = find_passages(library, query, like=like, encoder=encoder, filters=filters)
        return {(hit.document, hit.ordinal) for hit in hits}

    every = {(document, at) for document in (lease, loan) for at in range(4)}
    assert found(Filters()) == every
    assert found(Filters(documents=(loan,))) == {(loan, at) for at in range(4)}
    assert found(Filters(documents=(loan, lease))) == every
    assert found(Filters(types=("loan agreement",))) == {(loan, at) for at in range(4)}
    assert found(Filters(labels=("2", "3"))) == {(d, at) for d in (lease, loan) for at in (1, 2)}
    assert found(Filters(types=("Lease",), labels=("4",))) == {(lease, 3)}
    assert found(Filters(labels=("9.9",))) == set()


def test_filters_that_name_nothing_are_errors(library: Library, add: Add) -> None:
    add(*LEASE)
    with pytest.raises(ConfigError, match=r"collection 'Oak' not found.*Larch"):
        find_passages(library, "control", filters=Filters(collection="Oak"))
    with pytest.raises(ConfigError, match="not found"):
        find_passages(library, "control", filters=Filters(documents=("0000",)))
    with pytest.raises(ConfigError, match=r"of the type 'Loan'.*There are: Lease\."):
        find_passages(library, "control", filters=Filters(types=("Loan",)))
    assert find_passages(library, "control")  # an error leaves the library usable


@pytest.mark.parametrize(
    "text",
    [
        "'; DROP TABLE words; --",
        '"; DELETE FROM documents; "',
        "x') OR 1=1 --",
        'meta : "c123"',
        "body : control",
        "{meta} : x",
        "control) NEAR (x",
        "%s ? :1 @x $y",
        "control\x00change",
        "NULL",
    ],
)
def test_foreign_syntax_is_text_or_a_clear_error(library: Library, add: Add, text: str) -> None:
    add(*LEASE)
    try:
        find_passages(library, text)
    except QueryError as error:
        assert "^" in error.message  # noqa: PT017 - either outcome is right
    assert len(find_passages(library, "control OR lease")) == 4
    assert library.stats().documents == 1


def test_sql_as_text_finds_the_contract_that_holds_it(library: Library, add: Add) -> None:
    add("The table words; DROP TABLE words; -- is no clause.", "meta c123")
    assert len(find_passages(library, "'; DROP TABLE words; --")) == 1
    assert words_of(find_passages(library, "meta:c123")) == ["meta c123"]


def test_bad_requests_are_errors(library: Library, add: Add, encoder: HashEncoder) -> None:
    add(*LEASE)
    with pytest.raises(QueryError, match="nothing to search"):
        find_passages(library, None)
    with pytest.raises(QueryError, match="nothing to search"):
        find_passages(library, None, like=" ", encoder=encoder)
    with pytest.raises(QueryError, match="empty"):
        find_passages(library, " ")
    with pytest.raises(ConfigError, match="needs an encoder"):
        find_passages(library, "control", like="x")
    with pytest.raises(ConfigError, match="limit"):
        find_passages(library, "control", limit=0)
    with pytest.raises(ConfigError, match="hash-256/1, not by hash-8/1"):
        find_passages(library, "control", encoder=HashEncoder(8))


def test_a_library_without_vectors_searches_by_words(tmp_path: Path, encoder: HashEncoder) -> None:
    with Library.open(tmp_path / "empty.db") as library:
        assert find_passages(library, "control", encoder=encoder) == []
        with pytest.raises(ConfigError, match="no vectors"):
            find_passages(library, None, like="control", encoder=encoder)


def test_passages_without_vectors_are_still_found_by_words(
    library: Library, add: Add, encoder: HashEncoder
) -> None:
    add(*LEASE, name="a.txt")
    bare = add(*LEASE, name="b.txt", vectors=False)
    hits = find_passages(library, '"change control"~5', encoder=encoder)
    assert len(hits) == 4
    assert all(("cosine" in hit.scores) == (hit.document != bare) for hit in hits)


def test_overlapping_passages_are_one_hit(library: Library, add: Add) -> None:
    document = add(*LEASE, overlap=True)
    hits = find_passages(library, "control OR lease")
    text = library.text(document)
    for at, hit in enumerate(hits):
        assert hit.words == hit.span.text_in(text)
        assert all(not hit.span.overlaps(other.span) for other in hits[at + 1 :])
        assert all(hit.span.contains(spot) for spot in hit.matched)


def test_limit_counts_hits(library: Library, add: Add) -> None:
    add(*(f"Clause {at} about control." for at in range(100)))
    assert len(find_passages(library, "control", limit=70)) == 70
    assert len(find_passages(library, "control", limit=1)) == 1
    assert len(find_passages(library, "control", limit=500)) == 100


def test_an_exact_search_returns_exactly_the_matching_passages(
    library: Library, add: Add, encoder: HashEncoder
) -> None:
    rng = random.Random(7)
    vocabulary = ["sale", "lease", "consent", "assign", "assignee", "control", "change"]
    clauses = [" ".join(rng.choices(vocabulary, k=rng.randint(1, 9))) + "." for _ in range(120)]
    document = add(*clauses)
    text = library.text(document)
    for query in (
        '"change control"~2^5 OR "assign consent"~1',
        "assign* pre/2 consent NOT sale",
        '"sale sale"~3',
        "(sale OR lease) w/2 (assign* OR change)",
        "(lease AND NOT (sale OR control)) OR (change pre/0 consent)",
    ):
        tree = parse_query(query).tree
        expected = {at for at, clause in enumerate(clauses) if is_match(tree, WordIndex(clause))}
        assert 0 < len(expected) < len(clauses)
        hits = find_passages(library, query, encoder=encoder, limit=500)
        assert {hit.ordinal for hit in hits} == expected
        assert all(hit.matched and hit.span.text_in(text) == hit.words for hit in hits)


def test_hits_are_the_same_each_time(library: Library, add: Add, encoder: HashEncoder) -> None:
    for at in range(6):
        add(*LEASE, name=f"{at}.txt")
    query = "change control OR lease"
    assert find_passages(library, query, encoder=encoder) == find_passages(
        library, query, encoder=encoder
    )


def test_highlights_are_in_the_texts_own_characters(library: Library, add: Add) -> None:
    document = add("Das “Übertragungsrecht” — naïve Änderung der Kontrolle.")
    (hit,) = find_passages(library, "anderung w/2 kontrolle")
    text = library.text(document)
    assert [span.text_in(text) for span in hit.matched] == ["Änderung", "Kontrolle"]
    assert hit.span == Span(0, len(text))
