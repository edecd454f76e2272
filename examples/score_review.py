"""Measure a review of the example data room against ``expected.yaml``.

    fourcorners review --collection "Project Larch" --out review.json
    python examples/score_review.py review.json

A planted fact is covered when every string of its ``must_quote`` lies in the quotes of its cell; a
decoy is caught when a quote of its cell holds it. Runs of white space count as one space. What
stands in the scanned contract counts where the review has it, read by OCR, and is listed apart:
a quote of it is the same words if no more than one character in twenty differs.

Severity is compared for every cell that ``expected.yaml`` judges and the review has; a cell that
was missed, or found where nothing is, counts with the severity it was given. The table of expected
against given severity goes to standard error, the figures to standard output.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import yaml
from rapidfuzz import fuzz

HERE = Path(__file__).resolve().parent
LEVELS = ("none", "low", "medium", "high")


def squeeze(text: str) -> str:
    """Reduce each run of white space to one space."""
    return re.sub(r"\s+", " ", text).strip()


def quoted(review: dict[str, Any]) -> dict[tuple[str, str], tuple[str, str]]:
    """Return, for each document's name and provision, the cell's state and its quotes."""
    names = {document["id"]: document["name"] for document in review["documents"]}
    return {
        (names[finding["document"]], finding["provision"]): (
            finding["state"],
            " ¶ ".join(squeeze(each["quote"]["text"]) for each in finding["evidence"]),
        )
        for finding in review["findings"]
    }


def holds(quotes: str, words: str, *, recognised: bool) -> bool:
    """Tell whether the quotes hold the words; recognised ones may be misread a little."""
    if not recognised:
        return words in quotes
    return fuzz.partial_ratio(words, quotes) >= 95 and len(quotes) >= 0.95 * len(words)


def measure(review: dict[str, Any], expected: dict[str, Any]) -> dict[str, Any]:
    """Return the counts, and the ids of the facts missed and the decoys caught."""
    cells = quoted(review)
    read = {name for name, _ in cells}
    facts = [
        each
        for each in expected["findings"]
        if each["state"] == "found" and each["document"] in read
    ]
    missed = [
        each["id"]
        for each in facts
        if not all(
            holds(
                cells[each["document"], each["provision"]][1],
                squeeze(words),
                recognised=each.get("requires") == "ocr",
            )
            for words in each["must_quote"]
        )
    ]
    scanned = [each["id"] for each in facts if each.get("requires") == "ocr"]
    known = expected["cells"] | {
        name: row for name, row in expected["cells_with_ocr"].items() if name in read
    }
    decoys = [each for each in expected["decoys"] if (each["document"], each["provision"]) in cells]
    caught = [
        each["id"]
        for each in decoys
        if squeeze(each["text"]) in cells[each["document"], each["provision"]][1]
    ]
    states = [
        (cells[name, provision][0], state)
        for name, row in known.items()
        for provision, state in row.items()
    ]
    # What is not asked of a type of contract was not found in it either.
    states = [("not_found" if s == "not_applicable" else s, wanted) for s, wanted in states]
    return {
        "facts": len(facts),
        "facts_covered": len(facts) - len(missed),
        "facts_by_ocr": len(scanned),
        "facts_by_ocr_covered": len(set(scanned) - set(missed)),
        "decoys": len(decoys),
        "decoys_caught": len(caught),
        "cells": len(states),
        "cells_right": sum(given == wanted for given, wanted in states),
        "found_but_absent": sum(s == ("found", "not_found") for s in states),
        "absent_but_there": sum(s == ("not_found", "found") for s in states),
        "missed": missed,
        "caught": caught,
    }


def severities(review: dict[str, Any], expected: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return the id of each judged cell with its expected and its given severity."""
    names = {document["id"]: document["name"] for document in review["documents"]}
    given = {
        (names[finding["document"]], finding["provision"]): finding["severity"]
        for finding in review["findings"]
    }
    return [
        (each["id"], each["severity"], given[each["document"], each["provision"]])
        for each in expected["findings"]
        if (each["document"], each["provision"]) in given
    ]


def agreement(judged: list[tuple[str, str, str]]) -> dict[str, Any]:
    """Return how often severities agree, and how far apart they are."""
    steps = [LEVELS.index(given) - LEVELS.index(wanted) for _, wanted, given in judged]
    return {
        "severities": len(judged),
        "severities_right": steps.count(0),
        "severities_within_one_step": sum(abs(step) <= 1 for step in steps),
        "severities_too_high": sum(step > 0 for step in steps),
        "severities_too_low": sum(step < 0 for step in steps),
        "red_flags": sum(given == "high" for _, _, given in judged),
        "red_flags_right": sum(wanted == given == "high" for _, wanted, given in judged),
        "red_flags_expected": sum(wanted == "high" for _, wanted, _ in judged),
        "severities_wrong": {
            name: f"{wanted} expected, {given} given"
            for name, wanted, given in judged
            if wanted != given
        },
    }


def table(judged: list[tuple[str, str, str]]) -> str:
    """Return expected against given severities, as a table."""
    head = "expected ↓ given →" + "".join(f"{level:>8}" for level in LEVELS)
    rows = [
        f"{wanted:<18}"
        + "".join(f"{sum((w, g) == (wanted, given) for _, w, g in judged):>8}" for given in LEVELS)
        for wanted in LEVELS
    ]
    return "\n".join([head, *rows])


def main() -> None:
    """Print the figures as JSON, and the table of severities."""
    review = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    expected = yaml.safe_load((HERE / "expected.yaml").read_text(encoding="utf-8"))
    judged = severities(review, expected)
    print(table(judged), file=sys.stderr)
    print(json.dumps(measure(review, expected) | agreement(judged), indent=1))


if __name__ == "__main__":
    main()
