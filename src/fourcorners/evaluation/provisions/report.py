"""The figures of the law firm's scenarios as tables, beside the paper's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from fourcorners.evaluation.provisions.score import FOURTEEN_PROVISIONS, published_figures
from fourcorners.evaluation.record import Json

if TYPE_CHECKING:
    from rich.table import Table


_FIGURE = 5  # characters of `100.0`


def scenario_table(title: str, scenario: int, shaped: Mapping[str, Json]) -> Table:
    """Return recall by provision for each shape of passages."""
    from rich.table import Table

    paper = published_figures()["scenarios"][str(scenario)]
    some = cast("Mapping[str, Json]", next(iter(shaped.values())))
    name = next(iter(shaped))
    low, high = cast("list[float]", _figures(shaped[name], "all")["interval"])
    table = Table(
        title=f"{title}: recall over {some['contracts']} contracts, %",
        title_justify="left",
        header_style="bold",
        box=None,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        caption=(
            f"{name}, all, 95%: {100 * low:.0f}–{100 * high:.0f}. "
            f"Paper: {published_figures()['source']}"
        ),
        caption_justify="left",
    )
    table.add_column("Provision", no_wrap=True)
    for shape in shaped:
        table.add_column(shape, justify="right", min_width=_FIGURE)
    table.add_column("paper plain", justify="right", min_width=_FIGURE)
    table.add_column("paper opt.", justify="right", min_width=_FIGURE)
    for provision in (*FOURTEEN_PROVISIONS, "all"):
        figures = [_figures(measured, provision) for measured in shaped.values()]
        table.add_row(
            provision,
            *(f"{100 * cast('float', each['recall']):.1f}" for each in figures),
            f"{paper[provision]['plain']:.1f}",
            f"{paper[provision]['optimised']:.1f}",
            style="bold" if provision == "all" else None,
        )
    return table


def gain_table(title: str, before: Json, after: Json, against: str, profile: str) -> Table:
    """Return what one profile gains over another, by provision, in points."""
    from rich.table import Table

    table = Table(title=f"{title}: the gain", title_justify="left", header_style="bold")
    table.add_column("Provision", no_wrap=True)
    for head in (against, profile, "points"):
        table.add_column(head, justify="right")
    for provision in (*FOURTEEN_PROVISIONS, "all"):
        low = cast("float", _figures(before, provision)["recall"])
        high = cast("float", _figures(after, provision)["recall"])
        table.add_row(
            provision,
            f"{low:.1%}",
            f"{high:.1%}",
            f"{100 * (high - low):+.1f}",
            style="bold" if provision == "all" else None,
        )
    return table


def _figures(measured: Json, provision: str) -> Mapping[str, Json]:
    whole = cast("Mapping[str, Mapping[str, Json]]", measured)
    if provision == "all":
        return whole["all"]
    return cast("Mapping[str, Mapping[str, Json]]", whole["provisions"])[provision]
