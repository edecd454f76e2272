"""How much of a page a row of a table takes, estimated before Word or a browser sets it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from fourcorners.reports.tree import Paragraph, Row

# Measured on A4 in the table text of our PDF and of our Word styles, which is the wider of the two.
_WIDTH: Final = 112  # characters of a line over the whole width
_INSET: Final = 2  # characters that the padding of a cell takes
_AROUND: Final = 0.7  # lines that the space above and below a row takes


def lines_of(row: Row, widths: Sequence[float]) -> float:
    """Return the lines of a row, those of its longest cell, with the space around it."""
    shares = (1.0,) if row.group else widths
    return _AROUND + max(
        sum(
            max(
                1,
                math.ceil(len("".join(run.text for run in block.runs)) / (_WIDTH * share - _INSET)),
            )
            for block in cell
            if isinstance(block, Paragraph)
        )
        for cell, share in zip(row.cells, shares, strict=True)
    )
