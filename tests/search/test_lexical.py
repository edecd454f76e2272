from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from fourcorners.library.store import Library
from fourcorners.library.tokens import collection_token
from fourcorners.search.fusion import sort_by_score
from fourcorners.search.lexical import BestRows, best_rows, matching_rows, top_rows
from fourcorners.search.query import And, Node, Not, Or, Phrase, Prefix, Proximity, Word

TERMS: tuple[Word | Prefix | Phrase, ...] = (
    Word("a"),
    Word("ab"),
    Word("ba"),
    Word("d"),
    Word("unheard"),
    Prefix("c"),
    Phrase(("a", "b")),
    Phrase(("b", "b")),
    Phrase(("ab", "c"), prefix=True),
)


@pytest.fixture
def filled(add: Callable[..., str], random_text: Callable[[random.Random], str]) -> None:
    chance = random.Random(5)
    clauses = [random_text(chance) or "a" for _ in range(120)]
    for at in range(0, 120, 10):
        add(*clauses[at : at + 10], name=f"{at}.txt", collection="Odd" if at % 20 else "Even")


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.usefixtures("filled")
def test_the_best_rows_are_those_of_the_whole_ranking(library: Library, seed: int) -> None:
    chance = random.Random(seed)
    terms = tuple(chance.sample(TERMS, chance.randint(2, 5)))
    tree: Node = Or(terms) if seed % 5 else terms[0]
    limit = chance.choice((1, 7, 500))
    tokens = [[collection_token("Odd")]] if seed % 3 == 0 else []
    whole, found = matching_rows(library, tree, tokens), best_rows(library, tree, tokens, limit)
    assert isinstance(found, BestRows)
    rows = sort_by_score(sorted(whole.scores), whole.scores)[:limit]
    assert list(found.scores.items()) == [(row, whole.scores[row]) for row in rows]
    texts = {
        row: passage.passage.span.text_in(library.text(passage.document))
        for row, passage in library.passage_rows(rows).items()
    }
    for row in rows:
        assert list(found.terms(row, texts[row])) == list(whole.terms(row, texts[row]))


@pytest.mark.parametrize(
    "tree",
    [
        Or((Word("a"), Word("b", boost=2.0))),
        Or((Word("a"), Proximity((Word("b"), Word("d")), 3))),
        Or((And((Word("a"), Word("b"))), Word("d"))),
        And((Word("a"), Word("b", boost=2.0))),
    ],
)
@pytest.mark.usefixtures("filled")
def test_what_is_more_than_any_word_is_ranked_as_a_whole(library: Library, tree: Node) -> None:
    whole, found = matching_rows(library, tree, []), best_rows(library, tree, [], 9)
    assert not isinstance(found, BestRows)
    rows = sort_by_score(sorted(whole.scores), whole.scores)[:9]
    assert list(found.scores.items()) == [(row, whole.scores[row]) for row in rows]
    assert [list(found.terms(row, "")) for row in rows] == [
        list(whole.terms(row, "")) for row in rows
    ]


@pytest.mark.usefixtures("filled")
def test_words_that_must_all_be_there_are_ranked_at_once(library: Library) -> None:
    words = (Word("a"), Word("b"), Phrase(("a", "d")))
    found = matching_rows(library, And(words), [])
    assert isinstance(found, BestRows)
    alone = [matching_rows(library, word, []).scores for word in words]
    rows = set(alone[0]).intersection(*alone[1:])
    assert rows
    assert found.scores.keys() == rows
    texts = {
        row: passage.passage.span.text_in(library.text(passage.document))
        for row, passage in library.passage_rows(rows).items()
    }
    for row in rows:
        parts = [each[row] for each in alone]
        assert found.scores[row] == pytest.approx(sum(parts))
        assert [value for _, value in found.terms(row, texts[row])] == pytest.approx(parts)
    few = best_rows(library, And(words), [], 2)
    assert list(few.scores) == sort_by_score(sorted(rows), found.scores)[:2]


@pytest.mark.usefixtures("filled")
def test_words_that_are_all_common_must_all_be_there(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = (Word("a"), Word("b"))
    monkeypatch.setattr("fourcorners.search.lexical.MAX_FREQUENCY", 3)
    found = best_rows(library, Or(words), [], 4)
    whole = matching_rows(library, And(words), []).scores
    assert list(found.scores) == sort_by_score(sorted(whole), whole)[:4]
    many = best_rows(library, Or(words), [], 500)  # too few bear both
    assert many.scores.keys() == matching_rows(library, Or(words), []).scores.keys()


@pytest.mark.parametrize(
    "tree",
    [
        Word("a", boost=2.0),
        Phrase(("a", "d")),
        Proximity((Word("b"), Word("d")), 3),
        Proximity((Word("b"), Word("d")), 3, ordered=True),
        Or((Word("a"), Phrase(("b", "d")))),
        And((Word("a"), Word("b"))),
        And((Word("a"), Not(Word("b")))),
        Or((Word("a"), Word("b", boost=2.0))),
    ],
)
@pytest.mark.usefixtures("filled")
def test_the_top_rows_are_those_of_the_whole_ranking(library: Library, tree: Node) -> None:
    whole, found = matching_rows(library, tree, []), top_rows(library, tree, [], 9)
    rows = sort_by_score(sorted(whole.scores), whole.scores)[:9]
    assert len(rows) == 9
    ranked = sort_by_score(sorted(found.scores), found.scores)[:9]
    assert {row: found.scores[row] for row in ranked} == pytest.approx(
        {row: whole.scores[row] for row in rows}
    )
    texts = {
        row: passage.passage.span.text_in(library.text(passage.document))
        for row, passage in library.passage_rows(rows).items()
    }
    for row in rows:
        assert dict(found.terms(row, texts[row])) == pytest.approx(
            dict(whole.terms(row, texts[row]))
        )


def test_an_empty_library_has_no_best_rows(library: Library) -> None:
    assert best_rows(library, Or((Word("a"), Word("b"))), [], 5).scores == {}


def test_the_commonest_words_do_not_count_where_ranking_by_them_would_take_long(
    library: Library, add: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    add("rent agreement", "deposit agreement", "key agreement", "lock agreement", "agreement roof")
    words = [Word(word) for word in ("agreement", "rent", "deposit", "roof")]
    assert len(best_rows(library, Or(tuple(words)), [], 9).scores) == 5
    monkeypatch.setattr("fourcorners.search.lexical.MAX_FREQUENCY", 7)
    few = best_rows(library, Or(tuple(words)), [], 9)
    rare = best_rows(library, Or(tuple(words[1:])), [], 9)
    assert few.scores == rare.scores
    assert len(few.scores) == 3
    assert list(few.terms(1, "rent agreement")) == list(rare.terms(1, "rent agreement"))
    assert len(best_rows(library, Or((words[0], words[1])), [], 9).scores) == 5
    monkeypatch.setattr("fourcorners.search.lexical.MAX_FREQUENCY", 8)
    assert len(best_rows(library, Or(tuple(words)), [], 9).scores) == 5


def test_words_are_counted_anew_when_the_library_has_grown(
    library: Library, add: Callable[..., str]
) -> None:
    tree = Or((Word("rent"), Word("roof")))
    for clauses in (("rent", "roof and", "key"), ("rent or", "lock the", "door is")):
        add(*clauses)
        whole, found = matching_rows(library, tree, []), best_rows(library, tree, [], 9)
        assert dict(found.terms(1, "rent")) == dict(whole.terms(1, "rent"))


def test_a_word_that_a_lines_end_divided_is_found(
    library: Library, add: Callable[..., str]
) -> None:
    add("The Supplier shall indem-\nnify the Buyer.", "A third-\nparty claim.", name="a.txt")
    add("It shall in\u00addem\u00adnify and in\u200bdemnify.", name="b.txt")
    found = matching_rows(library, Word("indemnify"), [])
    rows = library.passage_rows(list(found.scores))
    texts = {row.passage.span.text_in(library.text(row.document)) for row in rows.values()}
    assert len(texts) == 2
    assert any("indem-\nnify" in text for text in texts)
    assert matching_rows(library, Phrase(("third", "party")), []).scores
