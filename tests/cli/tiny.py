"""A folder of annotated contracts in CUAD's layout, in words of our own."""

from __future__ import annotations

import json
from pathlib import Path

from fourcorners_bench.extraction.loader import CATEGORIES

TREES = ("Larch", "Birch", "Cedar", "Maple", "Alder", "Hazel", "Rowan", "Aspen", "Willow", "Yew")
GOODS = ("grain", "timber", "cloth", "paper", "stone")


def clauses(number: int) -> dict[str, str]:
    """Return the clauses of the contract of this number, by provision; "" for the other ones."""
    tree, good = TREES[number % 10], GOODS[(number + number // 10) % 5]
    return {
        "": f"1. Carriage. {tree} shall bring the {good} to the yard before noon each day.",
        "Insurance": f"{tree} shall keep the {good} insured against fire and theft at its cost.",
        "Audit Rights": f"The shipper may inspect the books of {tree} on the {good} once a year.",
        "Governing Law": f"The laws of Norway govern this deed of {tree} on {good}.",
    }


def write(folder: Path, many: int = 10) -> None:
    """Write `many` contracts, each of a group of its own, with three provisions marked."""
    (folder / "contracts").mkdir(parents=True)
    lines = []
    for number in range(many):
        marked: dict[str, list[list[int]]] = {category: [] for category in CATEGORIES}
        text = f"CARRIAGE DEED {number}\r\n\r\n"
        for provision, words in clauses(number).items():
            if provision:
                marked[provision].append([len(text), len(text) + len(words)])
            text += f"{words}\r\n\r\n"
        name = f"deed {number}.txt"
        (folder / "contracts" / name).write_bytes(text.encode("utf-8"))
        record = {"name": name, "group": f"g{number}", "title": name, "annotations": marked}
        lines.append(json.dumps(record))
    (folder / "annotations.jsonl").write_text("\n".join(lines), "utf-8")
