"""Benchmarks: what `fourcorners bench` wrote in a folder, as a page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from fourcorners.server.rendering import plots
from fourcorners.server.store import benchmarks
from fourcorners.server.store.benchmarks import parse_measure
from fourcorners_bench.record import Record
from fourcorners_bench.retrieval.score import KS
from tests.server.conftest import Room

EVIL = "<script>alert(1)</script>"


def write(folder: Path, name: str, benchmark: str, measures: dict[str, Any], **said: Any) -> None:
    """Write a record as the commands do."""
    folder.mkdir(exist_ok=True)
    record = Record(benchmark, {"data": "/home/ada/secret/legalbench-rag", **said}, dict(measures))
    record.write(folder / name)


def at_each(value: float) -> dict[str, list[float]]:
    """Return a measure at each k, with its intervals."""
    return {str(k): [value + n / 20, value - 0.05, value + 0.5] for n, k in enumerate(KS)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "bench"


@pytest.fixture
def seen(make_room: Callable[..., Room], folder: Path) -> Room:
    """A server that shows a folder of runs."""
    return make_room(benchmarks=folder)


def test_what_to_run_is_told_where_there_is_nothing(seen: Room, room: Room, folder: Path) -> None:
    unnamed = room.client.get("/activity/benchmarks").text
    assert "fourcorners serve --benchmarks bench" in unnamed
    missing = seen.client.get("/activity/benchmarks").text
    assert "There is no folder" in missing
    assert "fourcorners bench retrieval --data" in missing
    folder.mkdir()
    assert "No run is in the folder" in seen.client.get("/activity/benchmarks").text
    assert 'href="/activity/benchmarks"' in room.client.get("/activity").text


def test_figures_intervals_and_plots(seen: Room, folder: Path) -> None:
    sets = {"cuad": {"questions": 12, "union_recall": at_each(0.4), "characters":
                     {str(k): [900.0 * k, 800.0 * k, 1000.0 * k] for k in KS}}}  # fmt: skip
    write(folder, "bm25.json", "retrieval", {"sets": sets}, profile="bm25")
    sets = {"cuad": {"questions": 12, "union_recall": at_each(0.5)}}
    write(folder, "full.json", "retrieval", {"sets": sets}, profile="full")
    nine = {"f1": 0.91, "recall": 0.87}
    spread = {"f1": [0.88, 0.94], "recall": [0.83, 0.9]}
    measures = {"contracts": 9, "nine": nine, "nine_intervals": spread}
    write(folder, "extraction.json", "extraction", measures)
    page = seen.client.get("/activity/benchmarks").text
    assert "3 runs of 2 benchmarks" in page
    assert "91.0%" in page
    assert "88.0% to 94.0%" in page
    assert "60.0%" in page  # recall at 16 of the first: 0.4 and four steps of 0.05
    assert "secret" not in page
    hrefs = re.findall(r'href="(/activity/benchmarks/\w+)"', page)
    assert len(hrefs) == 3
    of_extraction = next(
        text for href in hrefs if "Extraction</h1>" in (text := seen.client.get(href).text)
    )
    assert "88.0% to 94.0%" in of_extraction
    of_bm25 = next(text for href in hrefs if "bm25.json" in (text := seen.client.get(href).text))
    assert "14,400" in of_bm25  # characters are no share
    assert "secret" not in of_bm25
    for text in (page, of_extraction, of_bm25):
        drawn = re.findall(r"<svg.*?</svg>", text, re.DOTALL)
        assert drawn
        for svg in drawn:
            tree = ElementTree.fromstring(svg)  # noqa: S314 - our own
            ids = tree.attrib["aria-labelledby"].split()
            assert [tree.find(f"*[@id='{each}']") is not None for each in ids] == [True, True]
            assert tree.attrib["role"] == "img"
            assert not re.search(r'style=|href=|on\w+="', svg)
        assert len(re.findall(r"<table", text)) >= 1


def test_what_is_no_record_is_passed_over_and_nothing_is_markup(seen: Room, folder: Path) -> None:
    measures = {EVIL: [0.5, 0.4, 0.6], "deep": {EVIL: at_each(0.1)}, "text": EVIL, "none": None}
    write(folder, "evil<b>.json", EVIL, measures, notes=[EVIL])
    (folder / "list.json").write_text("[1, 2]")
    (folder / "broken.json").write_text("{")
    (folder / "nested.json").write_text("[" * 100_000)
    (folder / "bytes.json").write_bytes(b"\xff\xfe{}")
    (folder / "nan.json").write_text('{"benchmark": "x", "measures": {"a": NaN, "b": 1e999}}')
    (folder / "run.jsonl").write_text("{}\n")
    (folder / "inside").mkdir()
    page = seen.client.get("/activity/benchmarks").text
    assert "4 files passed over" in page
    assert "1 file with raw answers" in page
    assert EVIL not in page
    for href in re.findall(r'href="(/activity/benchmarks/\w+)"', page):
        answer = seen.client.get(href)
        assert answer.status_code == 200
        assert EVIL not in answer.text
    for name in ("0" * 12, "..%2F..%2Fetc%2Fpasswd", "evil%3Cb%3E.json"):
        assert seen.client.get(f"/activity/benchmarks/{name}").status_code == 404


def test_a_record_too_large_is_passed_over(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, "large.json", "retrieval", {"recall": 0.5})
    monkeypatch.setattr(benchmarks, "MAX_BYTES", 10)
    held = benchmarks.read_folder(folder)
    assert held.runs == ()
    assert held.skipped == (("large.json", "larger than any record of a benchmark"),)


@pytest.mark.parametrize(
    ("value", "interval", "told", "ends"),
    [
        ([0.5, 0.4, 0.6], None, "50.0%", "40.0% to 60.0%"),
        (0.5, [0.4, 0.6], "50.0%", "40.0% to 60.0%"),
        (0.5, None, "50.0%", ""),
        (7, None, "7", ""),
        (12.5, None, "12.5", ""),
        ([0.5, 0.6, 0.4], None, None, ""),
        ([0.5, 0.4], None, None, ""),
        ("0.5", None, None, ""),
        (True, None, None, ""),
    ],
)
def test_a_measure_is_told_by_its_form(
    value: Any, interval: Any, told: str | None, ends: str
) -> None:
    made = parse_measure("recall", value, interval)
    assert (made.text if made else None) == told
    assert (made.interval if made else "") == ends


def test_seconds_of_each_set_are_no_share(folder: Path) -> None:
    write(folder, "r.json", "retrieval", {"recall": 0.5, "seconds_a_question": {"cuad": 0.0664}})
    (run,) = benchmarks.read_folder(folder).runs
    assert [one.text for group in run.groups for one in group.figures] == ["50.0%", "0.0664"]


def test_seconds_are_no_share() -> None:
    made = parse_measure("seconds_a_question", 0.5)
    assert made is not None
    assert made.text == "0.5"


def test_a_plot_keeps_its_shapes_within_its_frame() -> None:
    rows = [
        plots.IntervalRow("a & b" * 20, 1.0, 0.0, 1.0, "100.0%"),
        plots.IntervalRow("", 0, 0, 0, "0.0%"),
    ]
    lines = [plots.PlotLine(f"<{n}>", ((1, 0.1, 0.0, 1.0), (64, 1.0, 0.9, 1.0))) for n in range(9)]
    for svg in (plots.plot_intervals("x", "<t>", rows), plots.plot_lines("y", "t", "k", lines)):
        tree = ElementTree.fromstring(svg)  # noqa: S314 - our own
        _, _, width, height = (float(each) for each in tree.attrib["viewBox"].split())
        for each in tree.iter("circle"):
            assert 0 <= float(each.attrib["cx"]) <= width
            assert 0 <= float(each.attrib["cy"]) <= height
    assert json.dumps(str(plots.plot_lines("y", "t", "k", []))).count("desc") == 2
