"""Tables of figures for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from fourcorners_bench.record import Json

if TYPE_CHECKING:
    from rich.table import Table


def figure_table(
    title: str,
    *heads: str,
    left: int = 1,
    wrap_words: bool = False,
    wrap_figures: bool = False,
    boxed: bool = False,
    caption: str | None = None,
) -> Table:
    """Return a table without rows.

    The first `left` columns hold words, the others figures; either go on in another line where the
    terminal is narrow, if they are to wrap. `boxed` draws lines around the cells.
    """
    from rich import box
    from rich.table import Table

    table = Table(
        title=title,
        title_justify="left",
        header_style="bold",
        caption=caption,
        caption_justify="left" if caption else "center",
        box=box.HEAVY_HEAD if boxed else None,
        pad_edge=boxed,
    )
    for at, head in enumerate(heads):
        words = at < left
        table.add_column(
            head,
            justify="left" if words else "right",
            no_wrap=not (wrap_words if words else wrap_figures),
        )
    return table


def percents(values: Iterable[float]) -> Iterator[str]:
    """Yield shares as tables show them."""
    return (f"{100 * value:.1f}" for value in values)


def percent_range(low: float, high: float, *, between: str = "-") -> str:
    """Return the bounds of an interval of shares, as tables show them."""
    return f"{100 * low:.0f}{between}{100 * high:.0f}"


def summary_table(title: str, figures: Mapping[str, Json]) -> Table:
    """Return figures as a table of two columns."""
    from rich.table import Table

    table = Table(title=title, title_justify="left", show_header=False)
    table.add_column()
    table.add_column(justify="right")
    for name, value in figures.items():
        table.add_row(name.replace("_", " "), f"{value}")
    return table
