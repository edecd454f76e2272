"""The measures of outlines, on a contract of the tests' own words with a known truth."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fourcorners.errors import ConfigError
from fourcorners_bench.outline.loader import (
    AuditedOutline,
    OutlineAnswer,
    OutlineNode,
    read_outlines,
    read_truth,
    truth_files,
)
from fourcorners_bench.outline.score import (
    deep_parent_share,
    judge_outline,
    node_f1,
    node_precision,
    node_recall,
    normal_label,
    outline_measures,
    outline_summary,
    score_outlines,
)
from fourcorners_bench.run_files import run_benchmark, run_line, write_lines

TEXT = """Mill Lease

RECITALS

A. The mill stands idle.

1. Rent

1.1 The tenant pays rent:

(a) each month; and

(b) in flour.

2. Term. One year.

IN WITNESS WHEREOF, the parties sign.

Schedule 1

1. The wheel.
"""


def at(words: str, nth: int = 0) -> int:
    return [found.start() for found in re.finditer(re.escape(words), TEXT)][nth]


def anchor(start: int, text: str = TEXT) -> str:
    letters = re.sub(r"\s+", "", text[start:]).casefold()[:24]
    return hashlib.sha1(letters.encode(), usedforsecurity=False).hexdigest()[:12]


def marked(label: str, start: int, **more: Any) -> dict[str, Any]:
    for what in ("alt", "parent"):
        if starts := more.get(f"{what}_starts"):
            more[f"{what}_anchors"] = [anchor(each) for each in starts]
    return {"label": label, "start": start, "anchor": anchor(start), **more}


RECORD: dict[str, Any] = {
    "name": "mill.txt",
    "source": "text",
    "reader": "text",
    "flat": False,
    "sha256": hashlib.sha256(TEXT.encode()).hexdigest(),
    "top": [
        marked("", at("RECITALS"), kind="recitals", optional=False, alt_starts=[at("A. The")]),
        marked("1", at("1. Rent"), kind="section", optional=False),
        marked("2", at("2. Term"), kind="section", optional=False),
        marked("", at("IN WITNESS"), kind="signature", optional=True),
        marked("Schedule 1", at("Schedule 1"), kind="schedule", optional=False),
    ],
    "deep": [
        marked("1.1(b)", at("(b) in"), parent="1.1"),
        marked("A", at("A. The"), parent="", parent_starts=[at("RECITALS")]),
        marked("1", at("1. The wheel"), parent="Schedule 1", parent_starts=[at("Schedule 1")]),
    ],
    "not": [{"start": at("pays rent"), "anchor": anchor(at("pays rent"))}],
}


def node(label: str, kind: str, words: str, parent: int | None = None) -> OutlineNode:
    return OutlineNode(label, kind, "", at(words), at(words) + 1, parent)


RIGHT = (
    OutlineNode("", "title", "Mill Lease", 0, 10, None),
    node("", "recitals", "RECITALS"),
    node("A", "item", "A. The", 1),
    node("1", "section", "1. Rent"),
    node("1.1", "section", "1.1 The", 3),
    node("1.1(a)", "item", "(a) each", 4),
    node("1.1(b)", "item", "(b) in", 4),
    node("2", "section", "2. Term"),
    node("", "signature", "IN WITNESS"),
    node("Schedule 1", "schedule", "Schedule 1"),
    node("1", "section", "1. The wheel", 9),
)


@pytest.fixture
def audited(tmp_path: Path) -> AuditedOutline:
    path = tmp_path / "truth.jsonl"
    path.write_text(json.dumps(RECORD) + "\n", encoding="utf-8")
    [one] = read_truth(path)
    return one


def outlined(*nodes: OutlineNode) -> OutlineAnswer:
    return OutlineAnswer("mill.txt", 0.9, nodes)


def without(*gone: int) -> tuple[OutlineNode, ...]:
    """The right nodes but those at the positions `gone`, with parents counted anew."""
    kept = [index for index in range(len(RIGHT)) if index not in gone]
    return tuple(
        replace(
            RIGHT[index],
            parent=kept.index(above) if (above := RIGHT[index].parent) in kept else None,
        )
        for index in kept
    )


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Section 7.2(a)", "7.2.a.", True),
        ("Article VII", "VII", True),
        ("Recital B", "B", True),
        ("7.0", "7", True),
        ("3.02", "3.2", True),
        ("SCHEDULE 2", "Schedule 2", True),
        ("7.10", "7.1", False),
        ("7(A)", "7(a)", False),
        ("Schedule 2", "Exhibit 2", False),
        ("2(a)", "2(b)", False),
    ],
)
def test_labels_are_compared_as_a_lawyer_would(one: str, other: str, *, same: bool) -> None:
    assert (normal_label(one) == normal_label(other)) is same


def test_the_right_outline_is_right(audited: AuditedOutline) -> None:
    verdict = judge_outline(audited, outlined(*RIGHT), TEXT)
    assert verdict.disagreements == ()
    assert verdict.is_top_right
    assert (verdict.top, verdict.top_found, verdict.spurious) == (4, 4, 0)
    assert (verdict.deep, verdict.deep_found, verdict.deep_right) == (3, 3, 3)


def test_an_optional_node_may_be_absent_and_another_not(audited: AuditedOutline) -> None:
    assert judge_outline(audited, outlined(*without(8)), TEXT).is_top_right
    verdict = judge_outline(audited, outlined(*without(7)), TEXT)
    assert not verdict.is_top_right
    assert [(each.aspect, each.label) for each in verdict.disagreements] == [("missing", "2")]


def test_another_reading_of_a_place_is_as_good(audited: AuditedOutline) -> None:
    nodes = list(RIGHT)
    nodes[1] = replace(nodes[1], start=at("A. The"))
    assert judge_outline(audited, outlined(*nodes), TEXT).disagreements == ()


def test_a_start_may_be_off_by_its_label_and_white_space_only(audited: AuditedOutline) -> None:
    nodes = list(RIGHT)
    nodes[3] = replace(nodes[3], start=at("Rent"))
    assert judge_outline(audited, outlined(*nodes), TEXT).is_top_right
    nodes[3] = replace(nodes[3], start=at("1. Rent") - 2)
    assert judge_outline(audited, outlined(*nodes), TEXT).is_top_right
    nodes[3] = replace(nodes[3], start=at("Rent") + 1)
    assert not judge_outline(audited, outlined(*nodes), TEXT).is_top_right


def test_what_is_not_there_counts_against(audited: AuditedOutline) -> None:
    extra = node("", "section", "Mill Lease")
    verdict = judge_outline(audited, outlined(*RIGHT, replace(extra, start=at("One year"))), TEXT)
    assert not verdict.is_top_right
    assert verdict.spurious == 1
    deeper = node("", "item", "pays rent", 4)
    verdict = judge_outline(audited, outlined(*RIGHT, deeper), TEXT)
    assert verdict.is_top_right
    assert verdict.spurious == 1


def test_mere_text_and_titles_are_neither_for_nor_against(audited: AuditedOutline) -> None:
    text = replace(node("", "paragraph", "One year"), heading="")
    assert judge_outline(audited, outlined(*RIGHT, text), TEXT).disagreements == ()


def test_a_wrapper_gives_way_to_what_it_holds(audited: AuditedOutline) -> None:
    wrapper = replace(audited.top[3], kind="section", places=(audited.top[1].places[0],))
    nodes = list(RIGHT)
    nodes[3:3] = [node("", "section", "1. Rent")]
    shifted = [
        replace(each, parent=above + (above >= 3))
        if (above := each.parent) is not None and index > 3
        else each
        for index, each in enumerate(nodes)
    ]
    under = [
        replace(each, parent=3) if each.label in ("1", "2") and each.parent is None else each
        for each in shifted
    ]
    wrapped = replace(audited, top=(*audited.top, wrapper))
    assert judge_outline(wrapped, outlined(*under), TEXT).is_top_right
    assert not judge_outline(audited, outlined(*under), TEXT).is_top_right


def test_a_parent_is_told_from_its_namesake(audited: AuditedOutline) -> None:
    nodes = list(RIGHT)
    nodes[10] = replace(nodes[10], parent=3)
    verdict = judge_outline(audited, outlined(*nodes), TEXT)
    assert (verdict.deep_found, verdict.deep_right) == (3, 2)
    assert [(each.aspect, each.predicted) for each in verdict.disagreements] == [
        ("parent", "1 instead of Schedule 1")
    ]


def test_an_attachment_s_label_may_stand_before(audited: AuditedOutline) -> None:
    nodes = list(RIGHT)
    nodes[10] = replace(nodes[10], label="Schedule 1 1")
    assert judge_outline(audited, outlined(*nodes), TEXT).deep_right == 3
    nodes[10] = replace(nodes[10], label="Schedule 2 1")
    assert judge_outline(audited, outlined(*nodes), TEXT).deep_found == 2


def test_places_are_found_again_in_another_reading(audited: AuditedOutline) -> None:
    moved = "PAGE 1\n" + TEXT.replace("\n\n", "\n")
    shift = {each.start: moved.index(TEXT[each.start :].split("\n")[0]) for each in RIGHT}
    shift[at("1. The wheel")] = moved.index("1. The wheel")
    nodes = [replace(each, start=shift[each.start]) for each in RIGHT]
    verdict = judge_outline(audited, outlined(*nodes), moved)
    assert verdict.disagreements == ()
    assert verdict.lost == 0
    gone = judge_outline(audited, outlined(*nodes), moved.replace("in flour", "in bread"))
    assert gone.lost == 1
    assert gone.deep == 2


def test_figures_add_up_over_contracts(audited: AuditedOutline) -> None:
    right = judge_outline(audited, outlined(*RIGHT), TEXT)
    empty = judge_outline(audited, outlined(), TEXT)
    assert (node_recall([right]), node_precision([right]), node_f1([right])) == (1.0, 1.0, 1.0)
    assert (node_recall([empty]), node_f1([empty]), deep_parent_share([empty])) == (0.0, 0.0, 0.0)
    assert node_recall([right, empty]) == 0.5
    assert node_precision([right, empty]) == 1.0
    measures: Any = outline_measures({"first": [right], "second": [empty], "none": []})
    assert measures["all"]["top_right"] == 0.5
    assert measures["all"]["node_f1"] == pytest.approx(2 / 3, abs=1e-4)
    assert "flat" not in measures
    assert {name: each["top_right"] for name, each in measures["sets"].items()} == {
        "first": 1.0,
        "second": 0.0,
    }
    assert len(measures["disagreements"]) == 4 + 3


def test_a_run_without_truth_is_summed_up() -> None:
    summary = outline_summary([outlined(*RIGHT), OutlineAnswer("b.txt", 0.1, ())])
    assert summary == {
        "contracts": 2,
        "above_floor": 0.5,
        "confidence": 0.5,
        "nodes": 11.0,
        "depth": 3.0,
    }


def test_a_line_too_few_or_too_many_is_an_error(audited: AuditedOutline) -> None:
    run = [outlined(*RIGHT)]
    assert len(score_outlines([audited], run, {"mill.txt": TEXT})) == 1
    assert score_outlines([audited], [], {}) == []
    with pytest.raises(ConfigError, match=r"no line for 'mill\.txt'"):
        score_outlines([audited], [], {"mill.txt": TEXT})
    with pytest.raises(ConfigError, match=r"two lines for 'mill\.txt'"):
        score_outlines([audited], run * 2, {"mill.txt": TEXT})


def test_a_run_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    write_lines(path, [outlined(*RIGHT)])
    assert read_outlines(path) == [outlined(*RIGHT)]
    assert run_benchmark(path) == "outline"
    assert json.loads(path.read_text())["nodes"][6]["parent"] == 4
    path.write_text('{"name": "a", "provision": "b", "quotes": []}\n')
    assert run_benchmark(path) != "outline"


@pytest.mark.parametrize(
    "line", ["[]", '{"name": "a", "confidence": 1}', json.dumps({"nodes": [{"parent": 0}]})]
)
def test_a_wrong_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(run_line(outlined(*RIGHT)) + "\n" + line + "\n")
    with pytest.raises(ConfigError, match="line 2: not a line of an outline run"):
        read_outlines(path)
    path.write_text(line + "\n")
    with pytest.raises(ConfigError, match="line 1: not a line of an audited truth"):
        read_truth(path)


def test_a_parent_stands_before_its_child(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(run_line(outlined(replace(RIGHT[0], parent=0))) + "\n")
    with pytest.raises(ConfigError, match="has the parent 0, which is not before it"):
        read_outlines(path)


def test_the_audited_sets_are_whole() -> None:
    sets = {path.stem: read_truth(path) for path in truth_files()}
    assert list(sets) == ["truth", "fresh-a", "fresh-b"]
    first, *fresh = sets.values()
    names = [each.name for part in sets.values() for each in part]
    assert (len(first), sum(map(len, fresh)), len(set(names))) == (40, 40, 80)
    for truth in (first, [each for part in fresh for each in part]):
        sources = [each.source for each in truth]
        assert [sources.count(source) for source in ("text", "pdf")] == [25, 15]
        assert sum(each.flat for each in truth) >= 5
        assert all(len(each.deep) <= 20 for each in truth)


@pytest.mark.corpus
def test_the_audited_texts_are_those_of_the_data(corpus: Path) -> None:
    for each in (each for path in truth_files() for each in read_truth(path)):
        if each.source == "text":
            data = (corpus / "cuad" / "contracts" / each.name).read_bytes()
            assert hashlib.sha256(data).hexdigest() == each.sha256, each.name
        else:
            assert (corpus / "cuad" / "pdf" / each.name).is_file()
