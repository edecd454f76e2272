"""What is new since an earlier review: contracts that came or went, and findings that changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, TypeAlias

from fourcorners.errors import ConfigError
from fourcorners.reports import tree
from fourcorners.reports.chapters.material import (
    ReportMaterial,
    count_noun,
    format_date,
    key_block,
    review_run,
)
from fourcorners.reports.grid import REVIEW_WORDS, SEVERITY_WORDS, STATE_WORDS, Cell, Grid
from fourcorners.review.finding import CellState, ReviewState, Severity
from fourcorners.text.invisible_characters import single_line

_HEADS = ("Contract", "Provision", "Before, by that file", "Now", "The contract’s words", "Checked")
_WIDTHS = (0.18, 0.13, 0.19, 0.19, 0.2, 0.11)


_Status: TypeAlias = tuple[str, frozenset[str]]
"""What a cell says in a sentence, and the words that it quotes."""


@dataclass(frozen=True, slots=True)
class EarlierReview:
    """An earlier review of the same contracts, as `fourcorners review --out FILE.json` wrote it.

    Attributes:
        contracts: The names of its contracts, by their ids.
        findings: What it said of a contract (its id) and a provision.
    """

    title: str
    created: datetime
    playbook: str
    playbook_hash: str
    contracts: dict[str, str]
    findings: dict[tuple[str, str], _Status]


def read_earlier(path: Path) -> EarlierReview:
    """Read an earlier review.

    Raises:
        ConfigError: If the file cannot be read or holds no review.
    """
    try:
        stored = json.loads(path.read_text("utf-8"))
        return EarlierReview(
            str(stored["title"]),
            datetime.fromisoformat(stored["created"]),
            stored["playbook"]["id"],
            stored["playbook"]["hash"],
            {each["id"]: single_line(each["name"]) for each in stored["documents"]},
            {
                (each["document"], each["provision"]): _earlier_status(each)
                for each in stored["findings"]
            },
        )
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}.", remedy="Check the path.") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ConfigError(
            f"{path}: this is no review as JSON.",
            remedy="Give a file that `fourcorners review --out FILE.json` wrote.",
        ) from error


def with_changes(report: tree.Report, grid: Grid, earlier: EarlierReview) -> tree.Report:
    """Return a report that begins with what is new since an earlier review.

    Raises:
        ConfigError: If that review was of other contracts or another playbook.
    """
    material = ReportMaterial(grid)
    review = material.review
    if (earlier.title, earlier.playbook) != (review.title, review.playbook_id):
        raise ConfigError(
            f"The earlier review was of {earlier.title!r} with the playbook {earlier.playbook!r}, "
            f"this one is of {review.title!r} with {review.playbook_id!r}.",
            remedy="Give an earlier review of the same contracts with the same playbook.",
        )
    known = {each.id for each in review.documents}
    added = [
        (tree.Run(material.name(index)),)
        for index, each in enumerate(review.documents)
        if each.id not in earlier.contracts
    ]
    gone = [(tree.Run(name),) for each, name in earlier.contracts.items() if each not in known]
    rows = tuple(_rows(material, earlier))
    since = format_date(earlier.created)
    counted = f"Compared with the review of {since}, {count_noun(len(rows), 'finding')} changed."
    if earlier.playbook_hash != review.playbook_hash:
        counted += " The playbook has another version now, from which changes may come, too."
    blocks: list[tree.Block] = [tree.body(counted)]
    for head, own in (("Added, or with other words than then", added), ("No longer there", gone)):
        if own:
            blocks += [tree.label(tree.Run(head, tree.Tone.STRONG)), tree.BulletList(tuple(own))]
    if rows:
        blocks.append(tree.Table("Findings that changed", _HEADS, rows, _WIDTHS))
    section = tree.Section("changes", f"New since {since}", tuple(blocks), numbered=False)
    return replace(report, sections=(section, *report.sections))


def _rows(material: ReportMaterial, earlier: EarlierReview) -> Iterator[tree.Row]:
    for cell in material.grid.cells():
        before = earlier.findings.get((cell.document.id, cell.head.id))
        now = _status(cell)
        if before is not None and before != now:
            same = before[0] == now[0]
            yield tree.row(
                material.name(cell.row),
                cell.head.name,
                before[0],
                f"{now[0]} Other words are quoted." if same else now[0],
                key_block(cell.finding),
                review_run(cell.finding),
            )


def _status(cell: Cell) -> _Status:
    finding = cell.finding
    status = _sentence(finding.state, finding.severity, finding.review, cell.headline)
    return status, frozenset(each.quote.words for each in finding.evidence)


def _earlier_status(finding: dict[str, Any]) -> _Status:
    status = _sentence(
        CellState(finding["state"]),
        Severity(finding["severity"]),
        ReviewState(finding["review"]),
        single_line(finding["value"] or finding["headline"]),
    )
    return status, frozenset(each["quote"]["text"] for each in finding["evidence"])


def _sentence(state: CellState, severity: Severity, review: ReviewState, headline: str) -> str:
    words = [STATE_WORDS[state], SEVERITY_WORDS[severity], REVIEW_WORDS[review], headline]
    if state is CellState.TO_READ or severity is Severity.NONE:
        del words[1]
    return ". ".join(each.rstrip(".") for each in words if each) + "."
