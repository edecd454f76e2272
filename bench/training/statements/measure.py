"""What the checks of a report's statements are worth: `python -m training.statements.measure`.

Three kinds of pairs of words of a contract and a statement are judged: the project's own
(`pairs.yaml`); those that lawyers labelled in ContractNLI (`train_spans.csv`); and statements of
CUAD's sentences, true and edited.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import yaml

from fourcorners.models.entailment.model import load_entailment
from fourcorners.models.entailment.spans import split_items
from fourcorners.research.agents.figures import find_figures, unknown_figures
from fourcorners.research.agents.statement_check import check_quotes, compare_direction
from fourcorners.text.span import Span
from training.lessons.statements import statements

PAIRS = Path(__file__).with_name("pairs.yaml")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    data = parser.parse_args().data
    model = load_entailment()
    labels: Counter[tuple[str, str]] = Counter()
    checks: Counter[tuple[str, str]] = Counter()
    for kind, words, statement in own_pairs():
        spans = split_items(words, [Span(0, len(words))])
        labels[kind, model.judge(words, spans, [statement])[0].label.value] += 1
        checks[kind, _standing(statement, words)] += 1
    _print("own pairs, the entailment model", labels)
    _print("own pairs, the whole check", checks)
    with (data / "contractnli" / "train_spans.csv").open(encoding="utf-8") as file:
        names = {"0": "entailment", "1": "contradiction", "2": "not mentioned"}
        found = Counter(
            (
                names[row["label"]],
                compare_direction(row["hypothesis"], row["concatenated_spans"]).value,
            )
            for row in csv.DictReader(file)
        )
    _print("ContractNLI, the direction alone", found)
    _print(
        "CUAD, statements of sentences by edit, figures and direction",
        Counter(
            (each.kind, _direction(each.words, each.quote)) for each in statements(data / "cuad")
        ),
    )


def own_pairs() -> Iterator[tuple[str, str, str]]:
    for pairs in yaml.safe_load(PAIRS.read_text("utf-8")).values():
        for pair in pairs:
            for kind in ("supported", "opposite", "unrelated"):
                yield kind, pair["quote"], pair[kind]


def _direction(statement: str, words: str) -> str:
    if unknown_figures(statement, find_figures(words)):
        return "unknown figure"
    return compare_direction(statement, words).value


def _standing(statement: str, words: str) -> str:
    return check_quotes(statement, [words])[0].value


def _print(title: str, found: Counter[tuple[str, str]]) -> None:
    print(title)
    for (kind, outcome), count in sorted(found.items()):
        print(f"  {kind:14} {outcome:14} {count:6}")


if __name__ == "__main__":
    main()
