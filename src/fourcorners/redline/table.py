"""A redline as a table in Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from fourcorners.redline.proposal import Basis, Redline
from fourcorners.redline.word import source_words
from fourcorners.text.invisible_characters import single_line


def redline_table(found: Redline) -> Iterator[str]:
    """Yield the lines of a redline as Markdown; what the contract says is escaped."""
    yield f"# Proposed changes: {_cell(found.name)}"
    yield ""
    yield f"For {_cell(found.party)}, against {_cell(found.playbook)} {found.playbook_version}."
    yield ""
    yield "| # | Provision | Clause | Goes | Comes | Why | Reaches | Wording |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for number, change in enumerate(found.changes, 1):
        why = change.found or ("No such clause was found." if change.new_clause else "")
        cells = (
            change.name,
            " › ".join(change.path),
            change.removed,
            change.added,
            why,
            "" if change.basis is Basis.EDITED else f"{change.target} ({change.target_kind})",
            source_words(change.source),
        )
        yield f"| {number} | {' | '.join(_cell(each) for each in cells)} |"
    if not found.open_points:
        return
    yield ""
    yield "## To be decided by you"
    yield ""
    yield "| Provision | Clause | The contract says | Why it is open | Wording on offer |"
    yield "| --- | --- | --- | --- | --- |"
    for point in found.open_points:
        quoted = " … ".join(quote.words for quote in point.quotes)
        offered = point.offered.text if point.offered else ""
        row = (point.name, " › ".join(point.path), quoted, point.reason, offered)
        yield f"| {' | '.join(_cell(each) for each in row)} |"


def _cell(words: str) -> str:
    flat = single_line(words.replace("\n\n", " ¶ ").replace("\n", " "))
    return "".join(f"\\{each}" if each in "\\`*_{}[]<>#|!" else each for each in flat)
