"""Values against answers: how answers are read, what is right, and what is counted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fourcorners.errors import ConfigError
from fourcorners.outline.card.card import Card, Fact, Value
from fourcorners.text.span import Span
from fourcorners_bench.cards.values import (
    PROVISIONS,
    ValueAnswer,
    answer_values,
    answered_values,
    is_right,
    load_values,
    read_values,
    score_values,
    value_measures,
)
from fourcorners_bench.extraction.loader import AnnotatedContract
from fourcorners_bench.run_files import run_benchmark, write_lines

PLACE = Span(3, 9)
NOTHING: dict[str, frozenset[str]] = dict.fromkeys(PROVISIONS, frozenset())


@pytest.mark.parametrize(
    ("provision", "answer", "values"),
    [
        ("Agreement Date", "5/8/14", {"2014-05-08"}),
        ("Agreement Date", "12/31/99", {"1999-12-31"}),
        ("Agreement Date", "31/01/2025", {"2025-01-31"}),
        ("Agreement Date", "04/[]/2005", {"2005-04"}),
        ("Agreement Date", "[]/[]/2019", {"2019"}),
        ("Agreement Date", "04/30/[]", set()),
        ("Effective Date", "9/1/06; 8/31/07", {"2006-09-01", "2007-08-31"}),
        ("Expiration Date", "Perpetual", {"perpetual"}),
        ("Renewal Term", "four successive 10 years", {"120 months"}),
        ("Renewal Term", "0.5 year", {"6 months"}),
        ("Renewal Term", "perpetual", {"perpetual"}),
        ("Notice Period To Terminate Renewal", "60) days", {"60 days"}),
        ("Notice Period To Terminate Renewal", "[]", set()),
        ("Governing Law", "England; Wales", {"england"}),
    ],
)
def test_how_an_answer_is_read(provision: str, answer: str, values: set[str]) -> None:
    assert answered_values(provision, answer) == values


def line(provision: str, value: str | None) -> ValueAnswer:
    return ValueAnswer("a.txt", provision, value, (PLACE,) if value else (), 0.97)


def test_a_year_is_twelve_months_and_no_days() -> None:
    wanted = answered_values("Renewal Term", "12 months")
    assert is_right(line("Renewal Term", "P1Y"), wanted)
    assert not is_right(line("Renewal Term", "P365D"), wanted)
    assert not is_right(line("Renewal Term", None), wanted)


def test_all_laws_that_are_said_must_be_answered() -> None:
    wanted = answered_values("Governing Law", "Illinois; New York")
    assert is_right(line("Governing Law", "New York"), wanted)
    assert not is_right(line("Governing Law", "New York and Texas"), wanted)


def test_only_what_is_asserted_is_said() -> None:
    value = Value("end", "2027-05-31", PLACE, 0.97, asserted=True)
    doubtful = Value("notice", "P90D", PLACE, 0.6, asserted=False)
    card = Card(governing_law=Fact("Delaware", PLACE, 0.9), values=(value, doubtful))
    lines = {each.provision: each for each in answer_values("a.txt", card)}
    assert tuple(lines) == PROVISIONS
    assert lines["Expiration Date"].value == "2027-05-31"
    assert lines["Expiration Date"].quotes == (PLACE,)
    notice = lines["Notice Period To Terminate Renewal"]
    assert (notice.value, notice.quotes, notice.confidence) == (None, (), 0.6)
    assert lines["Agreement Date"].value is None
    assert lines["Governing Law"].value == "Delaware"


def test_precision_over_what_is_said_and_recall_over_what_is_there() -> None:
    run = [line(provision, None) for provision in PROVISIONS]
    run[0] = line("Agreement Date", "2014-05-08")
    run += [replace(each, name="b.txt") for each in run]
    right = frozenset({"2014-05-08"})
    truth = {"a.txt": {**NOTHING, "Agreement Date": right}, "b.txt": NOTHING}
    counts = score_values(["a.txt", "b.txt"], truth, run)["Agreement Date"]
    assert (counts.precision, counts.recall) == (0.5, 1.0)
    figures = value_measures({"Agreement Date": counts})["all six"]
    assert isinstance(figures, dict)
    assert figures["right"] == 1


def test_a_missing_line_is_an_error() -> None:
    run = [line(provision, None) for provision in PROVISIONS[1:]]
    with pytest.raises(ConfigError, match=r"no line for 'a\.txt' × 'Agreement Date'"):
        score_values(["a.txt"], {"a.txt": NOTHING}, run)
    with pytest.raises(ConfigError, match="two lines"):
        score_values(["a.txt"], {"a.txt": NOTHING}, [*run, *run])


def test_a_run_file_comes_back(tmp_path: Path) -> None:
    run = [line("Renewal Term", "P1Y"), line("Expiration Date", None)]
    write_lines(tmp_path / "run.jsonl", run)
    assert run_benchmark(tmp_path / "run.jsonl") == "values"
    assert read_values(tmp_path / "run.jsonl") == run


def test_no_answers() -> None:
    with pytest.raises(ConfigError, match="without answers"):
        load_values([AnnotatedContract("a.txt", "a", "", {})])
