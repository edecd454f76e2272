"""Draw errors of an extraction run to read: instances that were missed, and false finds.

    python -m benchmarks.extraction_errors RUN.jsonl --data DATA/cuad [--unseen-by MODEL]

Of the nine provisions it draws misses (annotated instances of which less than 75% was returned) and
false finds (contracts without the provision in which something was quoted, and not forgiven), each
spread over the provisions in proportion, with a fixed seed. It prints each with the words around
it, what was quoted, and the best candidates with their scores. docs/extraction-errors.md says what
reading such a draw found.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from fourcorners.text.span import Span, covered_length, intersect_spans
from fourcorners_bench.extraction import loader as cuad
from fourcorners_bench.extraction.loader import (
    NINE_PROVISIONS,
    AnnotatedContract,
    Extraction,
    read_extractions,
)
from fourcorners_bench.extraction.score import count_provision, is_returned
from fourcorners_bench.retrieval.unseen import contracts_unseen

SEED = 20_261_122
AROUND = 300  # characters shown before and after an instance
SHOWN = 900  # characters shown of one quote
BEST = 5  # candidates shown


@dataclass(frozen=True, slots=True)
class Miss:
    """An annotated instance that was not returned, in the answer that should hold it."""

    contract: AnnotatedContract
    answer: Extraction
    instance: Span


@dataclass(frozen=True, slots=True)
class FalseFind:
    """An answer for a contract that has no such provision."""

    contract: AnnotatedContract
    answer: Extraction


Error = TypeVar("Error", Miss, FalseFind)


def misses(
    contracts: Sequence[AnnotatedContract], answers: Mapping[tuple[str, str], Extraction]
) -> list[Miss]:
    """Return all missed instances of the nine provisions."""
    return [
        Miss(contract, answers[contract.name, provision], instance)
        for provision in NINE_PROVISIONS
        for contract in contracts
        for instance in contract.annotations[provision]
        if not is_returned(contract.text, instance, answers[contract.name, provision].quotes)
    ]


def false_finds(
    contracts: Sequence[AnnotatedContract], answers: Mapping[tuple[str, str], Extraction]
) -> list[FalseFind]:
    """Return all false finds of the nine provisions."""
    return [
        FalseFind(contract, answers[contract.name, provision])
        for provision in NINE_PROVISIONS
        for contract in contracts
        if count_provision(
            contract, provision, answers[contract.name, provision].quotes
        ).false_positives
    ]


def drawn(errors: Sequence[Error], size: int) -> list[Error]:
    """Draw so many errors, spread over the provisions in proportion (largest remainder)."""
    if len(errors) <= size:
        return list(errors)
    kinds = {name: [e for e in errors if e.answer.provision == name] for name in NINE_PROVISIONS}
    exact = {name: len(each) * size / len(errors) for name, each in kinds.items()}
    shares = {name: int(share) for name, share in exact.items()}
    by_rest = sorted(NINE_PROVISIONS, key=lambda name: shares[name] - exact[name])
    for name in by_rest[: size - sum(shares.values())]:
        shares[name] += 1
    pick = random.Random(SEED)  # noqa: S311 - a sample, no secret
    return [each for name in NINE_PROVISIONS for each in pick.sample(kinds[name], shares[name])]


def flat(words: str) -> str:
    """Return words on one line."""
    return re.sub(r"\s+", " ", words)


def context(text: str, span: Span) -> str:
    """Return the words text_in a span between brackets, with those around it, on one line."""
    before, after = text[max(0, span.start - AROUND) : span.start], text[span.end :][:AROUND]
    return f"…{flat(before)} ⟦{flat(span.text_in(text))}⟧ {flat(after)}…"


def shown(contract: AnnotatedContract, answer: Extraction) -> Iterator[str]:
    """Say what was marked, what was quoted, and what else was considered."""
    marked = contract.annotations[answer.provision]
    for span in answer.quotes:
        words = flat(span.text_in(contract.text))[:SHOWN]
        held = covered_length(intersect_spans([span], marked))
        yield f"  quoted @{span.start} {held}/{len(span)}: {words}"
    for span, score in answer.candidates[:BEST]:
        at = "marked" if intersect_spans([span], marked) else "      "
        yield f"  {score:.3f} {at} @{span.start}: {flat(span.text_in(contract.text))[:200]}"


def print_miss(number: int, miss: Miss) -> None:
    """Print a missed instance."""
    text, answer = miss.contract.text, miss.answer
    held = covered_length(intersect_spans(answer.quotes, [miss.instance]))
    print(f"\nMISS {number}: {answer.provision} | {miss.contract.name}")
    print(f"  @{miss.instance.start}, {held}/{len(miss.instance)} characters returned")
    print(f"  {context(text, miss.instance)}")
    inside = [
        f"{score:.3f}" for s, score in answer.candidates if intersect_spans([s], [miss.instance])
    ]
    print(f"  scores of its sentences: {' '.join(inside) or 'none considered'}")
    print(*shown(miss.contract, answer), sep="\n")


def print_false_find(number: int, find: FalseFind) -> None:
    """Print a false find."""
    print(f"\nFALSE FIND {number}: {find.answer.provision} | {find.contract.name}")
    print(*shown(find.contract, find.answer), sep="\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--unseen-by", help="only contracts that this model did not learn from")
    parser.add_argument("--count", type=int, default=50, help="errors drawn of each kind")
    options = parser.parse_args()
    contracts = contracts_unseen(cuad.load_cuad(options.data), options.unseen_by)
    answers = {(each.name, each.provision): each for each in read_extractions(options.run)}
    missed, found = misses(contracts, answers), false_finds(contracts, answers)
    print(f"{len(contracts)} contracts: {len(missed)} misses, {len(found)} false finds")
    for number, miss in enumerate(drawn(missed, options.count), start=1):
        print_miss(number, miss)
    for number, find in enumerate(drawn(found, options.count), start=1):
        print_false_find(number, find)


if __name__ == "__main__":
    main()
