"""Plots are SVG that a parser reads, with every line, and every point where it belongs."""

from __future__ import annotations

from xml.etree import ElementTree

from fourcorners.evaluation.measures.plots import PlotLine, line_plot

SVG = "{http://www.w3.org/2000/svg}"


def test_a_plot_draws_every_line_with_its_band() -> None:
    rising = PlotLine("ours <&>", ((1.0, 0.1), (2.0, 0.2), (64.0, 0.4)), ((0.0, 0.2),) * 3)
    lines = [rising, *(PlotLine(f"other {at}", ((1.0, 0.3), (64.0, 0.3))) for at in range(9))]
    root = ElementTree.fromstring(line_plot("Recall", "k", "recall", lines, doubling=True))  # noqa: S314
    drawn = root.findall(f"{SVG}polyline")
    assert len(drawn) == len(lines)
    assert len(root.findall(f"{SVG}polygon")) == 1
    xs, ys = zip(
        *(map(float, each.split(",")) for each in drawn[0].attrib["points"].split()), strict=True
    )
    assert xs == tuple(sorted(xs))
    assert ys == tuple(sorted(ys, reverse=True))
    assert round((xs[1] - xs[0]) / (xs[2] - xs[0]), 3) == round(1 / 6, 3)
    told = [each.text for each in root.iter(f"{SVG}text")]
    assert {"Recall", "k", "recall", "ours <&>", "64", "50%"} <= set(told)
    looks = {(each.attrib["stroke"], each.attrib.get("stroke-dasharray")) for each in drawn}
    assert len(looks) == len(lines)


def test_a_curve_has_shares_on_both_axes() -> None:
    svg = line_plot("Curve", "recall", "precision", [PlotLine("ours", ((0.0, 1.0), (1.0, 0.0)))])
    root = ElementTree.fromstring(svg)  # noqa: S314
    (line,) = root.findall(f"{SVG}polyline")
    (left, top), (right, bottom) = (
        tuple(map(float, each.split(","))) for each in line.attrib["points"].split()
    )
    assert left < right
    assert top < bottom
    assert "100%" in [each.text for each in root.iter(f"{SVG}text")]
