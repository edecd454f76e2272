"""The benchmark of tracked changes: made Word files, compared, accepted and rejected."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fourcorners.documents.docx.versions.check import find_differences
from fourcorners.documents.docx.versions.merge import merge_versions
from fourcorners_bench.comparison.libreoffice import resolve_all
from fourcorners_bench.comparison.run import Half, eligible_contracts
from fourcorners_bench.comparison.word_edits import WordPair, make_word_pair
from fourcorners_bench.comparison.word_views import wrong_sides
from fourcorners_bench.extraction.loader import AnnotatedContract
from fourcorners_bench.record import OnProgress, json_figures, with_progress

if TYPE_CHECKING:
    from rich.table import Table

    from fourcorners_bench.record import Json

_LENGTHS: Final = range(40, 1_500)  # characters of a paragraph that a Word file is made of
_PATHS: Final = (Path("before.docx"), Path("after.docx"))
_BLOCKS: Final = 40  # of a Word file
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd]")


@dataclass(slots=True)
class WordScore:
    """Pairs, those of which a file becomes the second or the first version, and what is wrong.

    Attributes:
        untracked: Changes that the product says it did not track.
        unseen: Wrong files that the product's own check takes for right.
    """

    pairs: int = 0
    accepted: int = 0
    rejected: int = 0
    untracked: int = 0
    unseen: int = 0


def make_word_pairs(
    contracts: Sequence[AnnotatedContract], half: Half, count: int, seed: int
) -> list[WordPair]:
    """Make pairs of Word files, each from the paragraphs of one contract of a half."""
    own = eligible_contracts(contracts, half)
    pairs = []
    for at in range(count):
        contract = own[at % len(own)]
        parts = (" ".join(_NOT_XML.sub("", each).split()) for each in contract.text.split("\n\n"))
        sentences = [each for each in parts if len(each) in _LENGTHS]
        pairs.append(make_word_pair(seed * count + at, sentences, contract.name, _BLOCKS))
    return pairs


def run_word_pairs(
    pairs: Sequence[WordPair], on_progress: OnProgress | None = None
) -> dict[int, WordScore]:
    """Return the scores by the number of edits at once."""
    scores: dict[int, WordScore] = {}
    for pair in with_progress(pairs, "Comparing", on_progress):
        score = scores.setdefault(len(pair.edits), WordScore())
        versions = pair.before, pair.after
        found = merge_versions(*versions, _PATHS, author="A. Reviewer", at=datetime.now(UTC))
        wrong = wrong_sides(found.data, versions, found.author)
        score.pairs += 1
        score.accepted += "accepted" not in wrong
        score.rejected += "rejected" not in wrong
        score.untracked += len(found.untracked)
        score.unseen += bool(wrong) and not find_differences(
            found.data, *versions, author=found.author
        )
    return dict(sorted(scores.items()))


def judge_in_libreoffice(pairs: Sequence[WordPair]) -> list[str]:
    """Return the sides that LibreOffice makes another text of than of the version itself.

    Raises:
        ConfigError: If LibreOffice or its Python module is not installed.
    """
    files: dict[str, bytes] = {}
    for at, pair in enumerate(pairs):
        versions = pair.before, pair.after
        data = merge_versions(*versions, _PATHS, author="A. Reviewer", at=datetime.now(UTC)).data
        for side, version in zip(("reject", "accept"), versions, strict=True):
            files |= {f"{side} {at}": version, f"{side} {at} marked": data}
    found = resolve_all(files)
    return [name for name in files if f"{name} marked" in files and not _is_same(found, name)]


def _is_same(found: dict[str, list[str]], name: str) -> bool:
    return found[name] == found[f"{name} marked"]


def word_measures(scores: dict[int, WordScore]) -> dict[str, Json]:
    return {"word_pairs": {str(edits): json_figures(each) for edits, each in scores.items()}}


def word_table(scores: dict[int, WordScore]) -> Table:
    """Return a table with a row for each number of edits at once."""
    from rich.table import Table

    table = Table(
        "Edits", "Pairs", "Accepted: second", "Rejected: first", "Not tracked", "Wrong, unseen"
    )
    total = WordScore()
    for edits, each in scores.items():
        table.add_row(str(edits), *_cells(each))
        total.pairs += each.pairs
        total.accepted += each.accepted
        total.rejected += each.rejected
        total.untracked += each.untracked
        total.unseen += each.unseen
    table.add_section()
    table.add_row("all", *_cells(total))
    return table


def _cells(score: WordScore) -> list[str]:
    counts = (score.pairs, score.accepted, score.rejected, score.untracked, score.unseen)
    return [str(each) for each in counts]
