from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fourcorners.errors import QueryError
from fourcorners.search.query import (
    And,
    Node,
    Not,
    Or,
    Phrase,
    Prefix,
    Proximity,
    Word,
    parse_query,
    tree_leaves,
)
from fourcorners.search.query.parser import MAX_DEPTH, MAX_TERMS
from fourcorners.search.query.tree import leaf_label, render_tree


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("Control", Word("control")),
        ("assign*", Prefix("assign")),
        ("ASSIGN*^2.5", Prefix("assign", 2.5)),
        ("non-compete", Phrase(("non", "compete"))),
        ("non-comp*", Phrase(("non", "comp"), prefix=True)),
        ('"Change of Control"', Phrase(("change", "of", "control"))),
        ('"control"', Word("control")),
        ('"change of contr*"^3', Phrase(("change", "of", "contr"), prefix=True, boost=3.0)),
        ('"change control"~5^5', Proximity((Word("change"), Word("control")), 5, boost=5.0)),
        ("“change control”~5", Proximity((Word("change"), Word("control")), 5)),
        ('"assign* non-compete"~0', Proximity((Prefix("assign"), Phrase(("non", "compete"))), 0)),
        ('"a b c"~7', Proximity((Word("a"), Word("b"), Word("c")), 7)),
        ("change w/5 control", Proximity((Word("change"), Word("control")), 5)),
        ("change NEAR/5 control", Proximity((Word("change"), Word("control")), 5)),
        ("a pre/3 b PRE/3 c", Proximity((Word("a"), Word("b"), Word("c")), 3, ordered=True)),
        (
            '(sale OR transfer*) w/4 "all assets"',
            Proximity((Or((Word("sale"), Prefix("transfer"))), Phrase(("all", "assets"))), 4),
        ),
        ("(a w/5 b)^3", Proximity((Word("a"), Word("b")), 5, boost=3.0)),
        ("a b", And((Word("a"), Word("b")))),
        ("a AND b c", And((Word("a"), Word("b"), Word("c")))),
        ("a OR b c", Or((Word("a"), And((Word("b"), Word("c")))))),
        ("(a OR b) c", And((Or((Word("a"), Word("b"))), Word("c")))),
        ("a NOT b", And((Word("a"), Not(Word("b"))))),
        ("NOT b AND a", And((Not(Word("b")), Word("a")))),
        ("a NOT (b OR c)^2", And((Word("a"), Not(Or((Word("b"), Word("c")), 2.0))))),
        ("a NOT b w/2 c", And((Word("a"), Not(Proximity((Word("b"), Word("c")), 2))))),
        ("((a)^2)^3", Word("a", 6.0)),
        ("(a b)^2", And((Word("a"), Word("b")), 2.0)),
        (
            '["change control"~5^5, "assign consent"~10^2, "a b"~5,]',
            Or(
                (
                    Proximity((Word("change"), Word("control")), 5, boost=5.0),
                    Proximity((Word("assign"), Word("consent")), 10, boost=2.0),
                    Proximity((Word("a"), Word("b")), 5),
                )
            ),
        ),
        ("[a]^2", Word("a", 2.0)),
        ("$1,000 & more", And((Phrase(("1", "000")), Word("more")))),
        ("change or and not", And((Word("change"), Word("or"), Word("and"), Word("not")))),
        ("and/or", Phrase(("and", "or"))),
        ("Übertragung", Word("ubertragung")),
        ("계약 해지", And((Word("계약"), Word("해지")))),
    ],
)
def test_says(text: str, tree: Node) -> None:
    query = parse_query(text)
    assert query.tree == tree
    assert query.text == text
    assert parse_query(str(query)).tree == tree


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("'; DROP TABLE words; --", ["drop", "table", "words"]),
        ("1 UNION SELECT text FROM documents", ["1", "union", "select", "text", "from"]),
        ("meta:c0 body", ["meta c0", "body"]),
        ("{body} : control", ["body", "control"]),
        ("x' || char(34)", ["x", "char", "34"]),
    ],
)
def test_foreign_syntax_is_only_words(text: str, words: list[str]) -> None:
    found = [leaf_label(leaf).strip('"') for leaf, _, _ in tree_leaves(parse_query(text).tree)]
    assert found[: len(words)] == words


@pytest.mark.parametrize(
    ("text", "at", "says"),
    [
        ("change AND", 10, "missing before the end"),
        ("AND change", 0, "missing before AND"),
        ("change AND OR control", 11, "missing before OR"),
        ("(change", 0, "never closed"),
        ("change)", 6, "without the `(`"),
        ("[a, b", 0, "never closed"),
        ("[a, b)", 5, "where `]` is expected"),
        ("(a, [b)]", 6, "where `]` is expected"),
        ('"change', 0, "never closed"),
        ('a "" b', 2, "no letter or digit"),
        ("§ & !", 0, "no letter or digit"),
        ('"change control"~', 16, "whole number"),
        ('"change control"~x', 16, "whole number"),
        ('"change control"~2.5', 16, "whole number"),
        ('"change control"~1001', 16, "more than 1,000"),
        ("a w/99999999999999999999 b", 2, "more than 1,000"),
        ('"control"~5', 0, "two words or more"),
        ("control~5", 7, "follows a phrase"),
        ("control^", 7, "needs a number"),
        ("control^x", 7, "needs a number"),
        ("control^-1", 7, "needs a number"),
        ("control^0", 7, "above 0"),
        ("control^5000", 7, "above 0 and at most 1,000"),
        ("(control^900)^900", 13, "multiply"),
        ("NOT lease", 0, "NOT alone"),
        ("a OR NOT b", 5, "NOT alone"),
        ("NOT a NOT b", 0, "NOT alone"),
        ("a NOT NOT b", 2, "NOT of a NOT"),
        ("[a, NOT b]", 4, "NOT alone"),
        ("a w/3 b w/4 c", 8, "in one chain"),
        ("a w/3 b pre/3 c", 8, "in one chain"),
        ("(a AND b) w/3 c", 0, "a proximity joins"),
        ('c w/3 "a b"~2', 6, "a proximity joins"),
        ("a^2 w/3 b", 0, "no effect"),
        ("(a^2 OR b) w/3 c", 0, "no effect"),
        ("w/3 b", 0, "missing before a proximity"),
        ("a w/3", 5, "missing before the end"),
        ("a w/s b", 2, "not an operator"),
        ("a /5 b", 2, "not an operator"),
        ("a -b", 2, "not an operator"),
        ('a -"b c"', 2, "not an operator"),
        ('NEAR("a" "b", 5)', 0, "not written so"),
        ("*", 0, "follows the first letters"),
        ("a *sign", 2, "only as `*` at the end"),
        ("as*gn", 2, "only as `*` at the end"),
        ("te?t", 2, "only as `*` at the end"),
        ("assign**", 6, "follows the first letters"),
        ('"assign* the lease"', 9, "only the last word"),
        ("合同变更", 0, "without spaces"),
        ('lease "控制权 变更"~5', 7, "without spaces"),
        ("สัญญา", 0, "without spaces"),
    ],
)
def test_errors_point_at_the_character(text: str, at: int, says: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse_query(text)
    message = caught.value.message.split("\n")
    assert says in message[0]
    assert message[1] == f"  {text}"
    assert message[2] == f"  {' ' * at}^"
    assert caught.value.remedy


@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_empty_query_is_an_error(text: str) -> None:
    with pytest.raises(QueryError, match="empty"):
        parse_query(text)


def test_a_long_query_is_shown_around_the_fault() -> None:
    with pytest.raises(QueryError) as caught:
        parse_query("word " * 100 + ") " + "word " * 100)
    _, shown, caret = caught.value.message.split("\n")
    assert shown.startswith("  …")
    assert shown.endswith("…")
    assert shown[caret.index("^")] == ")"


def test_a_fault_after_a_line_break_keeps_its_column() -> None:
    with pytest.raises(QueryError) as caught:
        parse_query("a\n\tb )")
    _, shown, caret = caught.value.message.split("\n")
    assert shown[caret.index("^")] == ")"


def test_limits() -> None:
    assert len(list(tree_leaves(parse_query(" ".join(["a"] * MAX_TERMS)).tree))) == MAX_TERMS
    with pytest.raises(QueryError, match="1,000 terms"):
        parse_query(" ".join(["a"] * (MAX_TERMS + 1)))
    with pytest.raises(QueryError, match="longer than"):
        parse_query("a" * 200_000)
    assert parse_query("(" * MAX_DEPTH + "a" + ")" * MAX_DEPTH).tree == Word("a")
    with pytest.raises(QueryError, match="deep"):
        parse_query("(" * 100_000)
    with pytest.raises(QueryError, match="deep"):
        parse_query("(" * (MAX_DEPTH + 1) + "a" + ")" * (MAX_DEPTH + 1))
    with pytest.raises(QueryError, match="17 parts"):
        parse_query(f'"{"a " * 17}"~5')
    group = "(" + " OR ".join(f"a{n}" for n in range(17)) + ")"
    with pytest.raises(QueryError, match="256 pairs"):
        parse_query(f"{group} w/5 {group}")


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("who may end the lease early?", True),
        ("termination for convenience", True),
        ("governing law", False),
        ("may assign* the lease", False),
        ("lease AND sublease AND rent", False),
        ('may assign the "whole lease"', False),
        ("lease (rent or fee)", False),
        ("lease rent fee^2", False),
    ],
)
def test_plain_language_is_told_from_operators(text: str, plain: bool) -> None:
    assert parse_query(text).plain is plain


def test_boosts_of_groups_multiply_down_to_the_leaves() -> None:
    query = parse_query("(a^2 OR (b c^3)^4)^5 NOT d")
    found = [(leaf_label(leaf), boost, scored) for leaf, boost, scored in tree_leaves(query.tree)]
    assert found == [("a", 10, True), ("b", 20, True), ("c", 60, True), ("d", 1, False)]


tokens = st.text("abcxyz019é", min_size=1, max_size=4).map(
    lambda word: word.replace("é", "e"),
)
boosts = st.one_of(
    st.just(1.0), st.integers(1, 1000).map(float), st.integers(1, 999_999).map(lambda n: n / 1e6)
)
no_boost = st.just(1.0)


def terms(boost: st.SearchStrategy[float]) -> st.SearchStrategy[Node]:
    return st.one_of(
        st.builds(Word, tokens, boost),
        st.builds(Prefix, tokens, boost),
        st.builds(
            Phrase, st.lists(tokens, min_size=2, max_size=4).map(tuple), st.booleans(), boost
        ),
    )


parts = st.one_of(
    terms(no_boost),
    st.builds(Or, st.lists(terms(no_boost), min_size=2, max_size=3).map(tuple)),
)
nears = st.builds(
    Proximity,
    st.lists(parts, min_size=2, max_size=4).map(tuple),
    st.integers(0, 1000),
    st.booleans(),
    boosts,
)


def groups(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    some = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        st.builds(Or, st.lists(inner, min_size=2, max_size=3).map(tuple), boosts),
        st.builds(And, st.lists(inner, min_size=2, max_size=3).map(tuple), boosts),
        st.builds(
            lambda wanted, refused, boost: And(
                (*wanted, *(Not(part) for part in refused)),
                boost,
            ),
            some,
            some,
            boosts,
        ),
    )


trees = st.recursive(st.one_of(terms(boosts), nears), groups, max_leaves=8)


@given(trees)
def test_a_tree_survives_its_canonical_text(tree: Node) -> None:
    written = render_tree(tree)
    assert parse_query(written).tree == tree
    assert str(parse_query(written)) == written


@given(st.text(st.one_of(st.sampled_from('ab "()[]~^*5,/w-'), st.characters()), max_size=30))
def test_any_text_is_a_query_or_a_query_error(text: str) -> None:
    try:
        query = parse_query(text)
    except QueryError:
        return
    assert parse_query(str(query)).tree == query.tree
