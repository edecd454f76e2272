"""What the checks of a report's statements are worth: `python -m training.statements.measure`.

Three kinds of pairs of words of a contract and a statement are checked: the project's own
(`pairs.yaml`), statements of CUAD's sentences, true and edited, that the reader did not learn, and
those written for passages of the blind contracts (`trials/statements.jsonl`).
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import yaml

from fourcorners.research.agents.statement_check import check_quotes
from training.common.blind import load_blind
from training.reader.lessons import split_statements, words_at

PAIRS = Path(__file__).with_name("pairs.yaml")
TRIAL = Path(__file__).parents[2] / "trials/statements.jsonl"
Pair = tuple[str, str, str]
"""What a statement is known to be, the words and the statement."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    data = parser.parse_args().data
    _print("own pairs", own_pairs())
    left_out, _ = split_statements(data / "cuad")
    edited = ((each.kind, each.quote, each.words) for _, own in left_out for each in own)
    _print("CUAD, statements of sentences by edit", edited)
    _print("blind contracts, written statements", written_pairs(data / "cuad"))


def own_pairs() -> Iterator[Pair]:
    for pairs in yaml.safe_load(PAIRS.read_text("utf-8")).values():
        for pair in pairs:
            for kind in ("supported", "opposite", "unrelated"):
                yield kind, pair["quote"], pair[kind]


def written_pairs(cuad: Path) -> Iterator[Pair]:
    """Yield the statements written for the blind contracts, each with its passage."""
    texts = {each["name"]: each["text"] for each in load_blind(cuad)}
    for row in map(json.loads, TRIAL.read_text("utf-8").splitlines()):
        words = words_at(texts[row["name"]], row)
        for kind, is_true, statement in row["statements"]:
            yield f"{'true' if is_true else 'false'} {kind}", words, statement


def _print(title: str, pairs: Iterable[Pair]) -> None:
    found = Counter(
        (kind, check_quotes(statement, [words])[0].value) for kind, words, statement in pairs
    )
    print(title)
    for (kind, outcome), count in sorted(found.items()):
        print(f"  {kind:18} {outcome:14} {count:6}")


if __name__ == "__main__":
    main()
