"""The page of results as HTML: figures first, then plots, then each run with table and files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from fourcorners.version import __version__
from fourcorners.work_folder import replace_text
from fourcorners_bench.measures.named_record import NamedRecord
from fourcorners_bench.measures.tables import percent_range
from fourcorners_bench.record import package_text
from fourcorners_bench.results.plan import STEPS
from fourcorners_bench.results.runs import Result

_HEADLINES = {step.name: step.headlines for step in STEPS}


def write_page(
    folder: Path, results: Sequence[Result], plots: Mapping[str, Sequence[str]], left: Sequence[str]
) -> Path:
    """Write `index.html`; `left` says what was not run, and why."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    template = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    ).from_string(package_text("results/page.html.j2"))
    page = template.render(
        version=__version__,
        style=Markup(package_text("results/page.css")),  # noqa: S704 - our own file
        headlines=[row for each in results for row in _headline_rows(folder, each)],
        plots=plots,
        results=[
            {"result": each, "table": (folder / each.tables).read_text("utf-8").rstrip()}
            for each in results
        ],
        left=left,
    )
    path = folder / "index.html"
    replace_text(path, page)
    return path


def _headline_rows(folder: Path, result: Result) -> list[dict[str, str]]:
    """Return the figures that a step puts first, each with its interval if the record has one."""
    record = result.read_record(folder)
    named = NamedRecord(result.name, record["measures"])
    rows = []
    for each in _HEADLINES.get(result.name, ()):
        number = named.number(*each.path)
        if number is None:
            continue
        bounds = named.interval(*(each.bounds or each.path))
        rows.append(
            {
                "name": result.name,
                "title": result.title,
                "seen": _seen_note(record["settings"].get("seen")),
                "label": each.label,
                "figure": f"{100 * number:.1f}%",
                "interval": percent_range(*bounds, between="–") if bounds else "",
            }
        )
    return rows


def _seen_note(seen: object) -> str:
    """Return what must be said where the shipped models learned from what is measured."""
    if isinstance(seen, list) and seen:
        return f"Not out of fold: what ships has learned from {len(seen):,} of what is measured."
    return "Not out of fold: what ships has learned from this." if seen is True else ""
