"""The quality sample: random cells, found and not, for a second reader, and what came of it.

The reader says of each cell of the sample whether it is right, in the review, as of any other cell.
"""

from __future__ import annotations

import hashlib
from typing import Final

from fourcorners.reports.chapters.material import (
    CHECKED_STATES,
    ReportMaterial,
    count_noun,
    key_block,
    review_run,
)
from fourcorners.reports.grid import STATE_WORDS, Cell
from fourcorners.reports.tree import Run, Section, Table, body, row
from fourcorners.review.finding import CellState, ReviewState

SIZE: Final = 40  # cells: with none wrong, fewer than one in ten are, 95 times in 100
_Z: Final = 1.96  # of a 95% interval


def sampled_cells(material: ReportMaterial) -> list[Cell]:
    """Return the cells of the sample, half of them found, as far as there are so many.

    They are drawn by a hash of contract and provision: the same review has the same sample, and a
    cell stays in it when contracts are added, or is pushed out by another.
    """
    drawn: list[Cell] = []
    for state in (CellState.FOUND, CellState.NOT_FOUND):
        cells = [c for c in material.grid.cells() if c.finding.proposal.state is state]
        drawn += sorted(cells, key=_lot)[: SIZE // 2]
    return sorted(drawn, key=lambda cell: (cell.row, cell.column))


def _lot(cell: Cell) -> bytes:
    return hashlib.sha256(f"{cell.document.id} {cell.head.id}".encode()).digest()


def sample_section(material: ReportMaterial) -> Section:
    cells = sampled_cells(material)
    rows = [
        row(
            material.name(cell.row),
            (body(Run(cell.head.name)),),
            f"{STATE_WORDS[cell.finding.state]}. {cell.headline}".strip(),
            key_block(cell.finding),
            review_run(cell.finding),
        )
        for cell in cells
    ]
    heads = ("Contract", "Provision", "What the review says", "The contract’s words", "Checked")
    table = Table("Quality sample", heads, tuple(rows), (0.2, 0.14, 0.2, 0.34, 0.12))
    intro = body(
        f"{count_noun(len(cells), 'cell')} drawn at random, half of them found if there are enough."
        " A second reader compares each with the contract and confirms, corrects or rejects it in "
        f"the review; the due-diligence report then gives the error rate. {quality(material)}"
    )
    return Section("sample", "Quality sample", (intro, table) if rows else (intro,), numbered=False)


def quality(material: ReportMaterial) -> str:
    """Say how many cells of the sample were wrong, with the interval; empty if none was checked."""
    states = [cell.finding.review for cell in sampled_cells(material)]
    checked = sum(each in CHECKED_STATES for each in states)
    if not checked:
        return ""
    wrong = sum(each in (ReviewState.CORRECTED, ReviewState.REJECTED) for each in states)
    low, high = wilson_interval(wrong, checked)
    return (
        f"Quality sample: {checked} of {count_noun(len(states), 'random cell')} were checked, and "
        f"{wrong} of them {'was' if wrong == 1 else 'were'} wrong: {100 * wrong / checked:.0f} in "
        f"100, or with 95 in 100 certainty {100 * low:.0f} to {100 * high:.0f}."
    )


def wilson_interval(wrong: int, checked: int) -> tuple[float, float]:
    """Return the 95% interval of a share (Wilson, 1927), which holds for few cases as well."""
    share, spread = wrong / checked, _Z**2 / checked
    middle = share + spread / 2
    half = (share * (1 - share) * spread + spread**2 / 4) ** 0.5
    return max(0.0, (middle - half) / (1 + spread)), min(1.0, (middle + half) / (1 + spread))
