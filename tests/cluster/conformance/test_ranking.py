"""Both stores find the same passages, the right ones, and rank them alike."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from fourcorners.cluster.postgres import all_words
from fourcorners.library.store import Library
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.search.filters import Filters
from fourcorners.search.find import find_passages
from fourcorners.search.index import index_of
from fourcorners.search.lexical import best_rows, matching_rows
from fourcorners.search.query import (
    And,
    Mode,
    Node,
    Or,
    Phrase,
    Prefix,
    Proximity,
    Query,
    Word,
    parse_query,
)
from fourcorners.search.query.fts import alternatives, compile_query
from fourcorners.search.query.tree import render_tree
from fourcorners.search.run import explain_plan
from fourcorners.text.span import Span
from fourcorners.text.tokenization import tokenize
from tests.cluster.conformance.conftest import SPREAD, Twins
from tests.library.conftest import contract
from tests.search.conftest import random_tree
from tests.search.query.test_oracle import naive

FILTERS = [
    Filters(),
    Filters(collection="Odd"),
    Filters(types=("Kind 1",)),
    Filters(labels=("1.1",)),
    Filters(collection="Deal", labels=("1", "2")),
]


Told = tuple[str, Span, tuple[Span, ...], dict[str, float]]


def told(
    library: Library, query: str | Query, filters: Filters, encoder: Encoder | None = None
) -> list[Told]:
    """Return the first ten hits, as they can be compared."""
    return [
        (hit.document.rpartition(":")[2], hit.span, hit.matched, dict(hit.scores))
        for hit in find_passages(library, query, encoder=encoder, filters=filters, limit=10)
    ]


def alike(found: list[Told]) -> list[tuple[object, ...]]:
    """Return hits that equal others whose scores differ in no more than their last digits."""
    return [
        (document, span, matched, pytest.approx(scores, rel=1e-4, abs=1e-6))
        for document, span, matched, scores in found
    ]


def texts(library: Library) -> dict[int, list[str]]:
    return {
        entry.rows.start + passage.ordinal: list(
            tokenize(passage.span.text_in(library.text(entry.id))).tokens
        )
        for entry in library.documents()
        for passage in library.passages(entry.id)
    }


def test_sets_are_those_of_the_token_oracle(twins: Twins) -> None:
    tokens = texts(twins.shared)
    for seed in range(150):
        tree = random_tree(random.Random(seed))
        found = matching_rows(twins.shared, tree, [])
        assert set(found.scores) == {row for row, own in tokens.items() if naive(tree, own)}, (
            render_tree(tree)
        )


PAIRS = [
    ("change", "control"),
    ("assign", "consent"),
    ("exclusive", "licence"),
    ("governing", "law"),
    ("written", "notice"),
    ("terminate", "agreement"),
    ("third", "party"),
    ("liability", "exceed"),
    ("confidential", "information"),
    ("the", "the"),
]


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("distance", [0, 1, 5])
def test_proximities_of_contracts_are_those_of_the_token_oracle(
    twins: Twins, mode: Mode, distance: int
) -> None:
    tokens = texts(twins.shared)
    some = 0
    for left, right in PAIRS:
        tree = parse_query(f'"{left} {right}"~{distance}^5', mode=mode).tree
        found = set(matching_rows(twins.shared, tree, []).scores)
        assert found == {row for row, own in tokens.items() if naive(tree, own)}
        some += bool(found)
    assert some >= 5


@pytest.mark.parametrize("seed", range(200))
def test_the_first_ten_are_the_same(twins: Twins, seed: int) -> None:
    rng = random.Random(seed)
    filters = FILTERS[seed % len(FILTERS)] if seed % 2 else FILTERS[0]
    encoder = SPREAD if seed % 3 == 0 else None
    query: Query = Query("", boosted(random_tree(rng), rng))
    if seed % 4 == 0:
        vocabulary = index_of(twins.sqlite).vocabulary("t") + index_of(twins.sqlite).vocabulary("a")
        asked = " ".join(rng.sample(vocabulary, 4))
        query = parse_query(asked if seed % 8 else f'"{asked}"~40^3 OR {asked.split()[0]}*')
    if (filters != FILTERS[0] or twins.is_federation) and counts_what_is_left(query.tree):
        tokens = filters.tokens(twins.sqlite)
        mine = set(matching_rows(twins.sqlite, query.tree, tokens).scores)
        theirs = matching_rows(twins.shared, query.tree, tokens).scores
        assert {*twins.own_rows(theirs)} == mine
        return
    found = told(twins.sqlite, query, filters, encoder)
    assert told(twins.shared, query, filters, encoder) == alike(found)


def counts_what_is_left(node: Node) -> bool:
    """Tell whether FTS5's score of a row depends on the row at which it stopped before.

    That is so where a proximity offers a phrase beside something else, and a filter decides which
    rows it stops at, or each library its own; no other store can know that.
    """
    match node:
        case And() | Or():
            return any(map(counts_what_is_left, node.parts))
        case Proximity():
            some = [list(alternatives(part)) for part in node.parts]
            return any(len(one) > 1 for one in some) and any(
                isinstance(term, Phrase) for one in some for term in one
            )
        case _:
            return False


@pytest.mark.parametrize("twins", ["postgresql"], indirect=True)
@pytest.mark.parametrize("many", [0, 2, 1_000])
def test_the_best_with_all_words_are_the_same_however_many_are_read(
    twins: Twins, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(all_words, "MANY_DOCUMENTS", many)
    passages = [own for own in texts(twins.sqlite).values() if len(own) > 8]
    some = 0
    for seed in range(60):
        rng = random.Random(seed)
        own = rng.choice(passages)
        words: list[Node] = [Word(each) for each in sorted({*rng.sample(own, rng.randint(2, 5))})]
        if seed % 5 == 0:
            words += [Prefix(own[3][:3]), Phrase((own[0], own[1]))]
        leaves = compile_query(And(tuple(words))).leaves
        filters = FILTERS[seed % len(FILTERS)] if seed % 3 == 0 else FILTERS[0]
        tokens = filters.tokens(twins.sqlite)
        for limit in (1, 4, None):
            mine = index_of(twins.sqlite).best_rows(leaves, tokens, limit, every=True)
            theirs = index_of(twins.shared).best_rows(leaves, tokens, limit, every=True)
            assert list(theirs.values()) == pytest.approx(list(mine.values()), rel=1e-9)
            assert limit is not None or theirs.keys() == mine.keys()
            some += bool(mine)
    assert some > 100


def boosted(tree: Node, rng: random.Random) -> Node:
    return Or((tree, Word(rng.choice("abcd"), boost=rng.choice((0.5, 2.0, 5.0)))))


@pytest.mark.parametrize(
    "query",
    [
        "type:kind",
        "heading:termination AND notice",
        "collection:Odd a",
        "label:1.1 AND a",
        "ab* b*",
    ],
)
def test_fields_and_stems_narrow_alike(twins: Twins, query: str) -> None:
    mine = told(twins.sqlite, query, Filters())
    assert told(twins.shared, query, Filters()) == alike(mine)
    by_stems = parse_query(query, stem=True)
    assert told(twins.shared, by_stems, Filters()) == alike(told(twins.sqlite, by_stems, Filters()))


@pytest.mark.parametrize("example", ["the law of this agreement", "either party may terminate"])
def test_an_example_finds_the_same(twins: Twins, example: str) -> None:
    for filters in FILTERS:
        mine = [
            hit.span
            for hit in find_passages(
                twins.sqlite, None, like=example, encoder=SPREAD, filters=filters, limit=10
            )
        ]
        theirs = [
            hit.span
            for hit in find_passages(
                twins.shared, None, like=example, encoder=SPREAD, filters=filters, limit=10
            )
        ]
        assert theirs == mine


def test_the_best_are_the_same_with_their_terms(twins: Twins) -> None:
    tree = Or((Word("a"), Word("notice"), Word("party"), Word("ab")))
    mine, theirs = best_rows(twins.sqlite, tree, [], 50), best_rows(twins.shared, tree, [], 50)
    assert twins.own_rows(theirs.scores) == list(mine.scores)
    assert [*theirs.scores.values()] == pytest.approx([*mine.scores.values()])
    own = texts(twins.sqlite)
    for row, other in zip(list(mine.scores)[:10], theirs.scores, strict=False):
        said = " ".join(own[row])
        assert dict(theirs.terms(other, said)) == pytest.approx(dict(mine.terms(row, said)))


def test_a_plan_says_the_same(twins: Twins) -> None:
    query = '"written notice"~5 OR party* OR agreement pre/3 terminate'
    filters = Filters(collection="Deal")
    assert explain_plan(twins.shared, query, filters=filters) == explain_plan(
        twins.sqlite, query, filters=filters
    )


WRITTEN = [
    "The price is EUR 1,250,000.",
    "Le prix est de 1.250.000 euros.",
    "Le prix est de 1\u202f250\u202f000 euros.",
    "The price is 1250000 pounds.",
    "The price is INR 12,50,000.",
    "The price is 1,250 pounds.",
    "A claim under 42 U.S.C. \u00a7 1983 is excluded.",
    "A claim under 42 USC 1983 is excluded.",
    "A claim under 29 C.F.R. 1910 is excluded.",
]


@pytest.mark.parametrize(
    ("query", "which"),
    [
        *((query, range(5)) for query in ("1250000", "1,250,000", "1.250.000", "1 250 000")),
        ('"EUR 1250000"', [0]),
        ("price w/3 1250000", [0, 3, 4]),
        ("1250 pounds", [5]),
        ('"42 USC 1983"', [6, 7]),
        ('"42 U.S.C. \u00a7 1983"', [6, 7]),
        ("42 AND usc AND 1983", [6, 7]),
        ("CFR", [8]),
        ("price NOT 1 250 000", [5]),
    ],
)
def test_numbers_and_abbreviations_are_found_however_they_are_written(
    library: Library, query: str, which: Sequence[int]
) -> None:
    contract("prices.txt", WRITTEN).add(library)
    found = find_passages(library, query, limit=20)
    assert {hit.ordinal for hit in found} == set(which)
    assert all(hit.matched for hit in found)
