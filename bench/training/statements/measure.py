"""What the checks of a report's statements are worth: `python -m training.statements.measure`.

Two kinds of pairs of words of a contract and a statement are checked: the project's own
(`pairs.yaml`), and statements of CUAD's sentences, true and edited, that the reader did not learn.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import yaml

from fourcorners.research.agents.statement_check import check_quotes
from training.reader.lessons import split_statements

PAIRS = Path(__file__).with_name("pairs.yaml")
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


def own_pairs() -> Iterator[Pair]:
    for pairs in yaml.safe_load(PAIRS.read_text("utf-8")).values():
        for pair in pairs:
            for kind in ("supported", "opposite", "unrelated"):
                yield kind, pair["quote"], pair[kind]


def _print(title: str, pairs: Iterable[Pair]) -> None:
    found = Counter(
        (kind, check_quotes(statement, [words])[0].value) for kind, words, statement in pairs
    )
    print(title)
    for (kind, outcome), count in sorted(found.items()):
        print(f"  {kind:14} {outcome:14} {count:6}")


if __name__ == "__main__":
    main()
