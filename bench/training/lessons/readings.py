"""The families with their settled answers: `python -m training.lessons.readings` prints agreement.

The author of a family is its first reader. A second one has read all questions without the answers
(`families/readings/NAME.txt`: a line a family, a group an ask, a letter a clause). A third decides
where they differ (`families/readings/disputes.jsonl`); what is too ambiguous is dropped.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from training.verdicts.labels import kappa

HERE = Path(__file__).parent
LETTERS = {"y": "yes", "n": "no", "d": "depends", "o": "none"}
DROPPED = "drop"
Pair = tuple[str, int, int, int]  # file, family, ask, clause


def load_families(folder: Path = HERE / "families") -> Iterator[dict[str, Any]]:
    """Yield the families with settled answers; a dropped pair has the answer None."""
    decided = third_reading()
    for path in sorted(folder.glob("*.jsonl")):
        for number, line in enumerate(path.read_text("utf-8").splitlines()):
            family = json.loads(line)
            for ask, asked in enumerate(family["asks"]):
                answers = [
                    decided.get((path.stem, number, ask, clause), answer)
                    for clause, answer in enumerate(asked["a"])
                ]
                asked["a"] = [None if each == DROPPED else each for each in answers]
            yield family


def third_reading() -> dict[Pair, str]:
    lines = (HERE / "families/readings/disputes.jsonl").read_text("utf-8").splitlines()
    rows = map(json.loads, lines)
    return {(row["file"], row["family"], row["ask"], row["clause"]): row["answer"] for row in rows}


def readings() -> Iterator[tuple[Pair, str, str]]:
    """Yield each pair with the first reader's answer and the second's."""
    for path in sorted((HERE / "families").glob("*.jsonl")):
        second = (HERE / f"families/readings/{path.stem}.txt").read_text("utf-8").splitlines()
        for number, line in enumerate(path.read_text("utf-8").splitlines()):
            groups = second[number].split()[1:]
            for ask, asked in enumerate(json.loads(line)["asks"]):
                for clause, answer in enumerate(asked["a"]):
                    yield (path.stem, number, ask, clause), answer, LETTERS[groups[ask][clause]]


def main() -> None:
    """Print how far the first two readers agree (Cohen's kappa), and how disputes were decided."""
    pairs = list(readings())
    value, same, count = kappa((first, second) for _, first, second in pairs)
    disputes = [pair for pair in pairs if pair[1] != pair[2]]
    decided = third_reading()
    missing = [pair[0] for pair in disputes if pair[0] not in decided]
    if missing:
        raise SystemExit(f"{len(missing)} disputes are not decided, {missing[0]} among them.")
    print(f"{count:,} pairs, {same:.3f} alike, kappa {value:.3f}")
    for answer, count in Counter(decided[pair[0]] for pair in disputes).most_common():
        print(f"{count:>6}  {answer}")


if __name__ == "__main__":
    main()
