"""A report as one self-contained HTML page that needs no script and asks nothing of the network."""

from __future__ import annotations

import re
from pathlib import Path

from fourcorners.errors import ConfigError
from fourcorners.reports.html import content_security_policy, load_asset, report_environment
from fourcorners.reports.tree import QuoteBlock, Report, Table
from fourcorners.reports.word.document import contents_entries
from fourcorners.version import __version__


def export_html(report: Report, path: Path, *, template: Path | None = None) -> None:
    """Write the page; a template is a style sheet that comes after ours.

    Raises:
        ConfigError: If the style sheet cannot be read, or would end the element that holds it.
    """
    style = (
        load_asset("palette.css") + load_asset("chapters.css") + _widths(report) + _house(template)
    )
    page = report_environment()
    page.globals["is_quoted"] = lambda block: isinstance(block, QuoteBlock)
    page.globals["numbers"] = {section.anchor: number for _, number, section in report.walk()}
    stream = page.get_template("chapters.html.j2").stream(
        report=report,
        entries=contents_entries(report),
        style=style,
        policy=content_security_policy(style),
        version=__version__,
    )
    stream.enable_buffering(200)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for chunk in stream:
            file.write(chunk)


def _widths(report: Report) -> str:
    """Return the widths of columns as classes: the policy allows no style in an element."""
    used = {
        round(width * 100)
        for _, _, section in report.walk()
        for block in section.blocks
        if isinstance(block, Table)
        for width in block.widths
    }
    return "".join(f".w{each} {{ width: {each}%; }}\n" for each in sorted(used))


def _house(template: Path | None) -> str:
    if template is None:
        return ""
    try:
        style = template.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{template}: the style sheet cannot be read ({error}).", remedy="Give a .css file."
        ) from error
    if re.search(r"</style|@import", style, re.IGNORECASE):
        raise ConfigError(
            f"{template}: the style sheet holds `</style` or `@import`.",
            remedy="Put all its rules into the one file.",
        )
    return style
