from __future__ import annotations

import pytest

from fourcorners.search.query import parse_query
from fourcorners.search.query.match import find_matches, is_match, score_text
from fourcorners.text.tokenization import WordIndex

CLAUSE = (
    "Upon any Change of Control, the Licensor may terminate. A transfer of control that does "
    "not change the Licensee's parent is no Change of Control."
)


def found(query: str, text: str = CLAUSE) -> list[str]:
    return [match.span.text_in(text) for match in find_matches(parse_query(query), WordIndex(text))]


def test_proximity_counts_the_words_between_in_either_order() -> None:
    assert found('"change control"~1') == ["Change of Control", "Change of Control"]
    assert found('"control change"~1') == ["Change of Control", "Change of Control"]
    assert found('"control change"~0') == []
    assert "control that does not change" in found('"change control"~3')
    assert "control that does not change" not in found('"change control"~2')
    assert found("control pre/3 change") == ["control that does not change"]


@pytest.mark.parametrize(
    ("text", "query", "holds_there"),
    [
        ("party", '"party party"~5', False),
        ("party to party", '"party party"~5', True),
        ("sale of sale", '"sale sale sale"~9', False),
        ("a b c", '"a b" w/5 "b c"', False),
        ("a b c b", '"a b" w/5 "c b"', True),
        ("assignment", '"assign* assignment"~5', False),
        ("assign assignment", '"assign* assignment"~0', True),
        ("a x x b x x c", '"a b c"~2', False),
        ("a x x b x x c", '"a b c"~5', True),
        ("a x x b x x c", "a pre/2 b pre/2 c", True),
        ("a x x b x x c", "b pre/2 a pre/2 c", False),
        ("a b", "a NOT b", False),
        ("a c", "a NOT b", True),
        ("b x a b", "a pre/0 b", True),
    ],
)
def test_holds(text: str, query: str, holds_there: bool) -> None:
    assert is_match(parse_query(query), WordIndex(text)) is holds_there


def test_a_match_names_its_parts_and_its_boost() -> None:
    index = WordIndex("No consent, no assignment or transfer.")
    query = parse_query("((assign* OR transfer) w/2 consent)^4 AND consent")
    (match,) = [one for one in find_matches(query, index) if one.boost != 1]
    assert match.label == "(assign* OR transfer) w/2 consent"
    assert match.boost == 4.0
    assert [place.text_in("No consent, no assignment or transfer.") for place in match.places] == [
        "consent",
        "assignment",
    ]


def test_nothing_is_highlighted_unless_the_whole_query_holds() -> None:
    assert found("control AND elephant") == []
    assert found("control NOT terminate") == []
    assert len(found("control OR elephant")) == 3
    assert found("licensee NOT elephant") == ["Licensee"]


def test_only_the_branches_that_hold_are_highlighted() -> None:
    assert found("(control AND elephant) OR terminate") == ["terminate"]


def test_highlights_keep_diacritics_and_case() -> None:
    assert found("ubertragung naïve", "Die ÜBERTRAGUNG war naive.") == ["ÜBERTRAGUNG", "naive"]


def test_score_multiplies_by_the_boost_and_saturates() -> None:
    one, many = WordIndex("control"), WordIndex("control control control")
    assert score_text(parse_query("control^5"), one) == pytest.approx(
        5 * score_text(parse_query("control"), one)
    )
    assert score_text(parse_query("control"), one) < score_text(parse_query("control"), many)
    assert score_text(parse_query("control"), many) < 3 * score_text(parse_query("control"), one)
    assert score_text(parse_query("elephant"), one) == 0.0


def test_many_like_parts_do_not_explode() -> None:
    text = "the " * 15 + "end " * 500
    assert not is_match(parse_query(f'"{"the " * 16}"~1000'), WordIndex(text))
    assert is_match(parse_query(f'"{"the " * 15}"~1000'), WordIndex(text))
    text = "the " * 14 + "end " * 500
    assert not is_match(parse_query(f'"{"the " * 15} end"~1000'), WordIndex(text))
    assert is_match(parse_query(f'"{"the " * 14} end"~1000'), WordIndex(text))
