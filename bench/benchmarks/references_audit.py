"""Audit of cross-references and defined terms: draw a sample to read, and score the code by it.

`python -m benchmarks.references_audit draw references --data DIR` prints candidates drawn at random
(seeded) from contracts that no rule was made on, each with the words around it and with what the
code makes of it. Candidates come from patterns wider than the code's, so that what it overlooks is
drawn too. A person's verdicts are in tests/bench/outline/audit/
{references,terms}.jsonl, as offsets
and labels without any text of the contracts. `score --data DIR` compares the code with them.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from fourcorners.outline.build import build_outline
from fourcorners.outline.tree import Outline
from fourcorners.text.span import Span
from fourcorners_bench.cards.score import group_part
from fourcorners_bench.extraction import loader as cuad
from fourcorners_bench.outline.references import (
    ReferenceVerdict,
    TermVerdict,
    read_verdicts,
    score_references,
    score_terms,
    text_document,
)

AUDIT = Path(__file__).parents[2] / "tests" / "bench" / "outline" / "audit"
SEED = 20_261_120
CITED = re.compile(
    r"\b(?i:sections?|articles?|clauses?|paragraphs?|sub-?(?:section|paragraph|clause)s?|exhibits?|"
    r"schedules?|annex(?:es)?|appendix|appendices|attachments?)\s{1,3}[\"“]?(?:\d[\w.]*|[IVXL]+\b|"
    r"[A-Z]\b|\([a-zA-Z0-9]{1,4}\))|\b(?i:this|the\s+(?:preceding|foregoing|following))\s+"
    r"(?i:sections?|articles?|clauses?|paragraphs?|exhibit|schedule)\b"
)
TERM = re.compile(
    r"[\"“][A-Za-z0-9][^\"“”\n]{0,70}[\"”]|"
    r"(?:\b[A-Z][\w’'-]*[^\S\n]){1,5}(?=means?\b|shall\s+mean\b|has\s+the\s+meaning)|"
    r"\((?:the[^\S\n])?[A-Z][\w’'-]+(?:[^\S\n][A-Z][\w’'-]+){0,3}\)"
)


@cache
def contracts(data: Path) -> tuple[cuad.AnnotatedContract, ...]:
    """Return the contracts that no rule was made on."""
    return tuple(each for each in cuad.load_cuad(data) if group_part(each.group) == "held-out")


def draw(data: Path, what: str, count: int) -> list[tuple[cuad.AnnotatedContract, Span]]:
    """Draw candidates at random from all of the held-out contracts."""
    pattern = CITED if what == "references" else TERM
    places = [
        (contract, Span(*match.span()))
        for contract in contracts(data)
        for match in pattern.finditer(contract.text)
    ]
    chosen = random.Random(SEED).sample(places, count)  # noqa: S311 - a sample, no secret
    return sorted(chosen, key=lambda place: (place[0].name, place[1]))


def flat(text: str, start: int, end: int) -> str:
    """Return words on one line."""
    return re.sub(r"\s+", " ", text[max(0, start) : end])


@cache
def outlined(name: str, text: str) -> Outline:
    """Return the outline of a contract."""
    return build_outline(text_document(name, text))


def proposals(contract: cuad.AnnotatedContract, span: Span) -> Iterator[str]:
    """Say what the code makes of the reference at a place."""
    outline = outlined(contract.name, contract.text)
    for reference in outline.references:
        if not span.start <= reference.span.start <= span.end + 60:
            continue
        if reference.target is None:
            yield f"{reference.span.text_in(contract.text)!r}: nothing"
            continue
        node = outline.nodes[reference.target]
        words = flat(contract.text, node.span.start, node.span.start + 50)
        own = reference.span.text_in(contract.text)
        yield f"{own!r}: {node.label} @{node.span.start} {words!r}"


def show(data: Path, what: str, count: int) -> None:
    """Print the sample."""
    for number, (contract, span) in enumerate(draw(data, what, count)):
        text = contract.text
        before = flat(text, span.start - 110, span.start)
        after = flat(text, span.end, span.end + 90)
        here = flat(text, span.start, span.end)
        print(f"{number} {contract.name[:24]} {span.start}: {before}>>>{here}<<<{after}")
        if what == "references":
            for line in proposals(contract, span):
                print("     ", line)
        else:
            outline = outlined(contract.name, contract.text)
            found = [term.term for term in outline.terms if term.span.overlaps(span)]
            print("     ", "TERM" if found else "-", found)


def score(data: Path) -> None:
    """Score the code against the verdicts."""
    texts = {contract.name: contract.text for contract in cuad.load_cuad(data)}
    references = read_verdicts(AUDIT / "references.jsonl", ReferenceVerdict)
    terms = read_verdicts(AUDIT / "terms.jsonl", TermVerdict)
    print(json.dumps({"references": score_references(references, texts)}, indent=2))
    print(json.dumps({"terms": score_terms(terms, texts)}, indent=2))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=["draw", "score"])
    parser.add_argument("what", nargs="?", choices=["references", "terms"], default="references")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--count", type=int, default=420)
    arguments = parser.parse_args()
    if arguments.command == "draw":
        show(arguments.data, arguments.what, arguments.count)
    else:
        score(arguments.data)


if __name__ == "__main__":
    main()
