"""Contract words as markup: every character of theirs is escaped, every tag is one of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fourcorners.reports.excerpt import Run
from fourcorners.reports.lines import BREAK
from fourcorners.text.invisible_characters import split_invisible

if TYPE_CHECKING:
    from markupsafe import Markup


def words(text: str) -> Markup:
    """Return the text with hidden characters named and with its paragraphs apart.

    Apart from hidden characters, the text content of the markup is the text itself.
    """
    from markupsafe import Markup, escape

    parts: list[Markup] = []
    for hidden, shown in split_invisible(text):
        if hidden:
            parts.append(Markup('<span class="ctl">{}</span>').format(shown))
            continue
        at = 0
        for gap in BREAK.finditer(shown):
            parts.append(escape(shown[at : gap.end()]))
            parts.append(Markup('<span class="gap"></span>') if gap.group(1) else Markup("<br>"))
            at = gap.end()
        parts.append(escape(shown[at:]))
    return Markup("").join(parts)


def clause(runs: tuple[Run, ...], column: int) -> Markup:
    """Return a clause with its quotes marked; those of other columns than `column` fainter."""
    from markupsafe import Markup

    parts: list[Markup] = []
    for run in runs:
        if run.left_out:
            parts.append(
                Markup('<span class="cut">… {} characters not shown …</span>').format(
                    f"{run.left_out:,}"
                )
            )
        elif run.quoted:
            parts.append(
                Markup('<mark{} data-p="{}">{}</mark>').format(
                    Markup("") if column in run.quoted else Markup(' class="other"'),
                    " ".join(map(str, run.quoted)),
                    words(run.words),
                )
            )
        else:
            parts.append(words(run.words))
    return Markup("").join(parts)
