"""Put the labels of readers together, by place, and say how far they agree.

`python -m training.verdicts.labels --data DIR/cuad --sample sample.jsonl --labels LABELS` reads
`LABELS/reader-1/*.jsonl`, `LABELS/reader-2/*.jsonl` and, of what those dispute,
`LABELS/reader-3/*.jsonl`, writes `--out labels.jsonl`, and prints Cohen's kappa of the first two
for each attribute. A line has the clause's `id` and what each reader said; words of the contract
are written as offsets of its text, nearest to the marked words. What a reader left out is `silent`,
or nothing where a span or a value is asked for.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from training.verdicts.sample import load_attributes, load_contracts

READERS = ("reader-1", "reader-2")
THIRD = "reader-3"  # reads what the two dispute
WHOLE = ("both", "neither", "unclear")  # what a reader may say in place of a party's words


def read_labels(folder: Path) -> dict[str, dict[str, Any]]:
    """Read what one reader said, by the id of the clause."""
    lines = (
        line for path in sorted(folder.glob("*.jsonl")) for line in path.open(encoding="utf-8")
    )
    return {by_reader["id"]: by_reader for by_reader in map(json.loads, lines)}


def locate(words: str, text: str, clause: list[int], near: int) -> list[list[int]] | None:
    """Return the places of words in a clause, nearest to a place; None for missing words."""
    places = []
    for part in words.split("; "):
        starts = []
        at = text.find(part, clause[0], clause[1])
        while at >= 0:
            starts.append(at)
            at = text.find(part, at + 1, clause[1])
        if not starts:
            return None
        start = min(starts, key=lambda each: abs(each - near))
        places.append([start, start + len(part)])
    return places


def placed(
    by_reader: Mapping[str, Any],
    clause: Mapping[str, Any],
    text: str,
    guide: Mapping[str, Any],
    lost: Counter[str],
) -> dict[str, Any]:
    """Return a reader's labels with places for words; what has no place is counted and left out."""
    labels: dict[str, Any] = {}
    for name, value in (by_reader.get("labels") or {}).items():
        attribute = guide["attributes"].get(name)
        if attribute is None:
            lost[f"{clause['provision']}: no attribute {name}"] += 1
        elif "options" in attribute:
            if value in attribute["options"] or value == "unclear":
                labels[name] = value
            else:
                lost[f"{clause['provision']}.{name}: {value!r} is no option"] += 1
        elif "value" in attribute or value in WHOLE:
            labels[name] = value
        elif (places := locate(str(value), text, clause["clause"], clause["span"][0])) is None:
            lost[f"{clause['provision']}.{name}: not in the clause"] += 1
        else:
            labels[name] = places
    return {"is": by_reader["is"], **labels}


def kappa(pairs: Iterable[tuple[str, str]]) -> tuple[float, float, int]:
    """Return Cohen's kappa of pairs of labels, the share that agrees, and how many there are."""
    pairs = list(pairs)
    agreed = sum(left == right for left, right in pairs) / len(pairs)
    left, right = Counter(each for each, _ in pairs), Counter(each for _, each in pairs)
    chance = sum(left[each] * right[each] for each in left) / len(pairs) ** 2
    return (1.0 if chance == 1 else (agreed - chance) / (1 - chance)), agreed, len(pairs)


def compared(
    rows: Iterable[Mapping[str, Any]], guides: Mapping[str, Any]
) -> Iterator[tuple[str, str, list[tuple[str, str]]]]:
    """Yield provision, attribute and the two readers' labels of the clauses that both call one."""
    by_provision = defaultdict(list)
    for row in rows:
        by_provision[row["id"].rpartition("-")[0]].append([row[each] for each in READERS])
    for provision, both in by_provision.items():
        yield provision, "is", [(left["is"], right["is"]) for left, right in both]
        found = [pair for pair in both if pair[0]["is"] == pair[1]["is"] == "yes"]
        for name, attribute in guides[provision]["attributes"].items():
            default = "silent" if "silent" in attribute.get("options", {}) else "no"
            lines_read = [
                (str(left.get(name, default)), str(right.get(name, default)))
                for left, right in found
            ]
            if lines_read:
                yield provision, name, lines_read


def main() -> None:
    """Write the labels, and print how far the readers agree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sample", type=Path, required=True)
    parser.add_argument("--labels", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    guides = load_attributes()
    texts = {each["name"]: each["text"] for each in load_contracts(options.data)}
    by_reader = {reader: read_labels(options.labels / reader) for reader in (*READERS, THIRD)}
    lost: Counter[str] = Counter()
    rows = []
    for clause in map(json.loads, options.sample.open(encoding="utf-8")):
        row: dict[str, Any] = {"id": clause["id"]}
        for reader in (*READERS, THIRD):
            if label := by_reader[reader].get(clause["id"]):
                text = texts[clause["name"]]
                row[reader] = placed(label, clause, text, guides[clause["provision"]], lost)
        if len(row) > 1:
            rows.append(row)
    with options.out.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    for provision, name, pairs in compared(
        [row for row in rows if set(READERS) <= set(row)], guides
    ):
        value, agreed, count = kappa(pairs)
        print(f"{provision:28}{name:20}{value:6.2f}{agreed:7.1%}{count:6}")
    print(f"{len(rows)} clauses; left out: {dict(lost.most_common(12))}")


if __name__ == "__main__":
    main()
