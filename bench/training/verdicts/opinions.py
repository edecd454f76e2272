"""What the reader of clauses says of the labelled clauses that it has not learned from.

    python -m training.verdicts.opinions --data DIR/cuad --reader FOLDER --run RUN

The reader leaves out the clauses of one fold (`training/reader`). What it says of them, and of the
contrary ones, is kept in RUN for `training.verdicts.train`.
"""

from __future__ import annotations

import argparse
import pickle
from pathlib import Path

from fourcorners.models.reader.reader import open_reader
from fourcorners.models.verdict_reader.opinions import read_opinions
from training.reader.lessons import JUDGED_FOLD
from training.verdicts.data import OUT_OF_FOLD, load_contrary, load_examples, load_heads


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--reader", type=Path, required=True)
    parser.add_argument("--run", type=Path, required=True)
    given = parser.parse_args()
    reader = open_reader(given.reader)
    heads = load_heads()
    own = [each for each in load_examples(given.data) if each.fold == JUDGED_FOLD]
    found = {}
    for number, each in enumerate([*own, *load_contrary()]):
        asked = [head for head in heads if head.provision == each.provision]
        for question, choices in read_opinions(reader, asked, each.clause).items():
            found[each.id, JUDGED_FOLD, question] = choices
        if number % 100 == 0:
            print(f"{number} of {len(own)}", flush=True)
    given.run.mkdir(parents=True, exist_ok=True)
    (given.run / OUT_OF_FOLD).write_bytes(pickle.dumps(found))


if __name__ == "__main__":
    main()
