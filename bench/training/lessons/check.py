"""Hold families of contrasted clauses to their form: `python -m training.lessons.check FILES`.

Every fault is a line with its file and number; the exit code is 1 where there is one. What the
fields mean is in the folder's README.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz

ANSWERS = frozenset({"yes", "no", "depends", "none"})
STYLES = frozenset(
    {
        *("plain", "traditional", "us-corporate", "uk-commercial", "civil-law", "public-sector"),
        *("consumer", "finance", "tech"),
    }
)
CLAUSES = (5, 6)  # of a family
WORDS = (12, 150)  # of a clause
SAME = 97.0  # per cent at which two questions, or two families' first clauses, are one


def faults(family: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with one family."""
    clauses, asks = family.get("clauses", []), family.get("asks", [])
    if not family.get("topic") or family.get("style") not in STYLES:
        yield "topic or style is missing"
    if not CLAUSES[0] <= len(clauses) <= CLAUSES[1] or len(set(clauses)) != len(clauses):
        yield f"{CLAUSES[0]} or {CLAUSES[1]} different clauses are wanted"
    for each in clauses:
        if not WORDS[0] <= len(each.split()) <= WORDS[1]:
            yield f"{len(each.split())} words: {each[:60]}"
    yield from _faults_of_asks(asks, len(clauses))
    if not family.get("wh") or not family.get("whose"):
        yield "one wh and one whose at least are wanted"
    for kind, field in (("wh", "spans"), ("whose", "parties")):
        for ask in family.get(kind, []):
            if len(ask.get(field, [])) != len(clauses):
                yield f"{field} do not fit: {ask.get('q')}"
                continue
            for clause, words in zip(clauses, ask[field], strict=True):
                if words is not None and not _is_said(words, clause, kind):
                    yield f"not in its clause: {words}"


def _is_said(words: str, clause: str, kind: str) -> bool:
    if kind == "whose":
        return words == "both" or words.lower() in clause.lower()
    return bool(words.strip()) and words in clause


def _faults_of_asks(asks: Sequence[Mapping[str, Any]], clauses: int) -> Iterator[str]:
    if not 3 <= len(asks) <= 5:
        yield f"{len(asks)} asks, 3 to 5 are wanted"
    for ask in asks:
        given = ask.get("a", [])
        if len(given) != clauses or not set(given) <= ANSWERS:
            yield f"answers do not fit: {ask.get('q')}"
        elif len(set(given)) == 1:
            yield f"one answer for all clauses: {ask['q']}"
    missing = ANSWERS - {answer for ask in asks for answer in ask.get("a", [])}
    if missing:
        yield f"no answer is {', '.join(sorted(missing))}"
    for one, other in combinations([ask.get("q", "") for ask in asks], 2):
        if fuzz.ratio(one, other) >= SAME:
            yield f"asked twice: {one}"


def main() -> None:
    """Check files, and print what their families hold together."""
    found, counts, firsts = 0, Counter[str](), list[tuple[str, str]]()
    for name in sys.argv[1:]:
        for number, line in enumerate(Path(name).read_text("utf-8").splitlines(), start=1):
            place = f"{name}:{number}"
            try:
                family = json.loads(line)
            except ValueError as error:
                print(f"{place}: no JSON ({error})")
                found += 1
                continue
            for fault in faults(family):
                print(f"{place}: {fault}")
                found += 1
            first = (family.get("clauses") or [""])[0]
            for other, where in firsts:
                if fuzz.ratio(first, other) >= SAME - 12:
                    print(f"{place}: its first clause is nearly that of {where}")
                    found += 1
            firsts.append((first, place))
            counts["families"] += 1
            counts["pairs"] += sum(len(ask.get("a", [])) for ask in family.get("asks", []))
            counts.update(answer for ask in family.get("asks", []) for answer in ask.get("a", []))
            counts["spans"] += sum(s is not None for a in family.get("wh", []) for s in a["spans"])
    print(", ".join(f"{count:,} {what}" for what, count in counts.items()))
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
