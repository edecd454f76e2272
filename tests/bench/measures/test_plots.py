"""Plots are SVG and PNG in two themes, hold every word and number, and are the same each time."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from fourcorners_bench.measures.plots import (
    BarPlot,
    BoxPlot,
    Histogram,
    LinePlot,
    PlotLine,
    ScatterPlot,
    write_plots,
)

SVG = "{http://www.w3.org/2000/svg}"
LINES = LinePlot(
    "lines",
    "Recall at k",
    "k",
    "recall",
    (
        PlotLine("ours <&>", ((1.0, 0.1), (2.0, 0.2), (64.0, 0.4)), ((0.0, 0.2),) * 3),
        PlotLine("other", ((1.0, 0.3), (64.0, 0.3))),
    ),
    doubling=True,
)
BARS = BarPlot(
    "bars",
    "F1 by provision",
    "F1",
    ("Insurance", "Audit rights"),
    {"ours": [0.875, None], "paper": [0.5, 0.75]},
    {"ours": [(0.8, 0.9), None]},
)
OTHERS = (
    ScatterPlot(
        "scatter",
        "By model",
        "zero-shot",
        "agents",
        {"agents": [("M", 0.5, 0.8), ("N", 0.7, 0.82)]},
    ),
    Histogram("lengths", "Lengths", "words", "clauses", (10.0, 20.0, 60.0)),
    BoxPlot("boxes", "Scores", "score", ("Focus",), {"A": [[0.5, 0.6]], "B": [[0.7, 0.9]]}),
)


def words_of(path: Path) -> str:
    root = ElementTree.parse(path).getroot()  # noqa: S314
    return " ".join("".join(each.itertext()) for each in root.iter(f"{SVG}text"))


def test_a_plot_is_drawn_in_two_forms_and_themes_with_its_words(tmp_path: Path) -> None:
    written = write_plots(tmp_path / "a", [LINES, BARS])
    names = sorted(path.name for path in written)
    kinds = ("-dark.png", "-dark.svg", ".png", ".svg")
    assert names == sorted(f"{plot.name}{kind}" for plot in (LINES, BARS) for kind in kinds)
    assert all(path.is_file() for path in written)
    assert {path.stat().st_mode & 0o777 for path in written} == {0o600}
    lines = words_of(tmp_path / "a" / "lines.svg")
    for word in ("Recall at k", "recall", "ours <&>", "other", "64", "%"):
        assert word in lines
    bars = words_of(tmp_path / "a" / "bars.svg")
    for word in ("Insurance", "Audit rights", "87.5", "75.0", "paper"):
        assert word in bars
    assert (tmp_path / "a" / "bars.png").read_bytes().startswith(b"\x89PNG")
    light, dark = ((tmp_path / "a" / f"bars{end}.svg").read_text("utf-8") for end in ("", "-dark"))
    assert "#15181c" in dark
    assert "#15181c" not in light
    again = write_plots(tmp_path / "b", [BARS])
    for path in again:
        assert path.read_bytes() == (tmp_path / "a" / path.name).read_bytes()


def test_the_other_kinds_are_drawn(tmp_path: Path) -> None:
    write_plots(tmp_path, OTHERS)
    assert "slope 0.10" in words_of(tmp_path / "scatter.svg")
    assert "mean 30" in words_of(tmp_path / "lengths.svg")
    assert "median 20" in words_of(tmp_path / "lengths.svg")
    assert "Focus" in words_of(tmp_path / "boxes.svg")
