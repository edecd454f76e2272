"""Count what the order reader finds of attempts, and what it takes of contracts for orders.

    python -m benchmarks.orders --data DIR/cuad

The attempts are those of `trials/orders.jsonl`; the contracts are the blind ones, from which
nothing learned, and those that were invented in other drafting (`trials/kinds`). A minute of two
cores.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from fourcorners.models.order_reader import default_order_reader
from fourcorners.text.sentences import split_sentences
from training.common.blind import load_blind

TRIALS = Path(__file__).parents[1] / "trials"


def read_invented() -> Iterator[str]:
    """Yield the texts of contracts that were invented to test a kind of error."""
    for path in sorted((TRIALS / "kinds").glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            contract = json.loads(line)
            yield from contract["texts"].values() if "texts" in contract else [contract["text"]]


def count_orders(texts: Iterable[str]) -> tuple[int, int]:
    """Return how many sentences of texts are taken for orders, and of how many."""
    reader, taken, read = default_order_reader(), 0, 0
    for text in texts:
        taken += len(reader.find(text))
        read += len(split_sentences(text))
    return taken, read


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    given = parser.parse_args()
    lines = (TRIALS / "orders.jsonl").read_text("utf-8").splitlines()
    found = sum(bool(default_order_reader().find(json.loads(each)["text"])) for each in lines)
    print(f"{found} of {len(lines)} attempts")
    blind = (each["text"] for each in load_blind(given.data))
    for name, texts in (("blind contracts", blind), ("invented contracts", read_invented())):
        taken, read = count_orders(texts)
        print(f"{taken} of {read:,} sentences of {name}")


if __name__ == "__main__":
    main()
