"""Hold the cells of blind contracts against what two readers said of each.

    python -m training.verdicts.trial --data DIR/cuad --trial B [--library FILE] [--show]

Each contract of `trials/cells.jsonl` is reviewed for its side with `due-diligence`. Counted are, of
the cells on which both readers agree, those that the program has right; of what both answer alike
in cells that it found, what it answers and whether that is the readers' answer; the quoted
characters in no sentence that a reader marked; and the high flags. `--show` lists what differs. A
library that was named is kept, and what is done in it is not done again.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.models.registry import default_encoder
from fourcorners.playbooks.load import load_playbook
from fourcorners.review.finding import CellState, Finding, Severity
from fourcorners.review.run import ReviewScope, review_library
from fourcorners.settings import Settings
from fourcorners.text.span import Span
from fourcorners.text.values.dates import find_dates
from fourcorners.text.values.periods import find_periods
from fourcorners.work_folder import make_temporary_folder
from training.common.blind import load_blind

READINGS = Path(__file__).parents[2] / "trials/cells.jsonl"
Answer = str | list[list[int]]
Cell = dict[str, Any]


def review_for(library: Library, path: Path, side: str) -> list[Finding]:
    """Add a contract in a collection of the same name and review it for a side."""
    encoder = default_encoder()
    add_files(library, [path], collection=path.name, encoder=encoder, settings=Settings())
    scope = ReviewScope(collection=path.name, read_for=(side,))
    return list(
        review_library(library, load_playbook("due-diligence"), scope, encoder=encoder).findings
    )


def agree(first: Answer | None, second: Answer | None) -> bool:
    """Tell whether two readers gave one answer: an option, or places that overlap."""
    if isinstance(first, list) and isinstance(second, list):
        return any(a < d and c < b for a, b in first for c, d in second)
    return first is not None and first == second


def states(answer: Answer, value: str, shown: str, text: str) -> bool:
    """Tell whether the program's answer is the readers': an option, or the value of the words."""
    if isinstance(answer, str):
        return value == answer or answer.casefold() in (shown.casefold(), value.casefold())
    stated = " ".join(shown.casefold().split())
    for start, end in answer:
        place = Span(start, end)
        values = [each.text for each in find_dates(text, place)]
        values += [each.value.iso for each in find_periods(text, place)]
        words = " ".join(text[start:end].casefold().split())
        if value in values or (stated and (stated in words or words in stated)):
            return True
    return False


def judge(finding: Finding, cells: tuple[Cell, Cell], text: str) -> Iterator[tuple[str, str]]:
    """Yield what counts of a cell, each with the words that show it."""
    first, second = cells
    found = finding.state is CellState.FOUND
    if first["found"] == second["found"]:
        right = found == first["found"]
        yield f"cells {'right' if right else 'wrong'}", f"{finding.state}, {finding.reason}"
    if not found:
        return
    marked = [*first["spans"], *second["spans"]]
    for each in finding.evidence:
        span = each.quote.span
        if span is None or not marked:
            continue
        inside = set[int]()
        for start, end in marked:
            inside.update(range(max(start, span.start), min(end, span.end)))
        yield from [("quoted on the point", "")] * len(inside)
        yield from [("quoted off the point", "")] * (len(span) - len(inside))
    given = {each.id: each for each in finding.answers}
    for name, answer in first["answers"].items():
        if not (first["found"] and agree(answer, second["answers"].get(name))):
            continue
        answered = given.get(name)
        if answered is None or answered.is_open:
            yield "answers left open", name
        else:
            right = any(
                states(cell["answers"][name], answered.value, answered.answer, text)
                for cell in cells
            )
            yield (
                f"answers {'right' if right else 'to be read'}",
                f"{name}: {answered.value or answered.answer!r}, readers {answer}",
            )


def count(trial: str, data: Path, library: Library, folder: Path, *, show: bool) -> Counter[str]:
    """Review the contracts of a trial and count what the readers say of their cells."""
    readings: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in READINGS.read_text("utf-8").splitlines():
        reading = json.loads(line)
        if reading["trial"] == trial:
            readings[reading["name"]].append(reading)
    counts: Counter[str] = Counter()
    for contract in load_blind(data):
        if contract["name"] not in readings:
            continue
        first, second = readings[contract["name"]]
        text = contract["text"]
        path = folder / f"{contract['name'][:40]}.txt"
        path.write_bytes(text.encode("utf-8"))
        findings = review_for(library, path, text[slice(*first["side"])])
        for finding in findings:
            name = finding.provision
            cells = (first["cells"][name], second["cells"][name])
            counted = list(judge(finding, cells, text))
            is_high, highs = finding.severity is Severity.HIGH, [name in first["high"]]
            highs.append(name in second["high"])
            counted.extend(_flag(is_high, highs, finding.reason))
            counts.update(kind for kind, _ in counted)
            if show:
                _show(contract["name"], name, counted)
    return counts


def _flag(is_high: bool, highs: list[bool], reason: str) -> Iterable[tuple[str, str]]:
    if is_high:
        yield f"high flags shown, high to {sum(highs)} readers", reason
    if all(highs):
        yield f"high to both readers, {'shown' if is_high else 'not shown'}", ""


def _show(contract: str, provision: str, counted: Iterable[tuple[str, str]]) -> None:
    for kind, words in counted:
        if "right" not in kind and "quoted" not in kind and "open" not in kind:
            print(f"{contract[:40]:40} {provision:28} {kind}: {words}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--trial", choices=("A", "B"), required=True)
    parser.add_argument("--library", type=Path)
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    with make_temporary_folder() as folder:
        path = arguments.library or folder / "trial.db"
        with Library(path) as library:
            counts = count(arguments.trial, arguments.data, library, folder, show=arguments.show)
    for name, number in sorted(counts.items()):
        print(f"{number:8,} {name}")


if __name__ == "__main__":
    main()
