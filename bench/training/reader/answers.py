"""What the teacher answers to its lessons, for the reader that ships to learn from.

    python -m training.reader.answers --base DIR/all-mpnet-base-v2 --run RUN --data DATA --out FILE

FILE holds the log-odds of the four answers in int8, by the key of a question with its clause, and
no words.
"""

from __future__ import annotations

import argparse
import os
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from training.reader.data import TOKENS, Kind, batches, packs
from training.reader.lessons import all_lessons
from training.reader.model import collate, load_teacher, read_tokenizer

STEP = 0.1  # of the log-odds that are kept
LEAST = -12.7


def read_answers(path: Path) -> dict[int, Sequence[float]]:
    """Return the log-odds of the answers by key."""
    with np.load(path) as arrays:
        odds = arrays["odds"].astype(np.float32) * STEP
        return dict(zip(arrays["keys"].tolist(), odds.tolist(), strict=True))


@torch.no_grad()
def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "64")
    model = load_teacher(given.base, given.run).eval()
    lessons, _ = all_lessons(given.data, read_tokenizer(given.base))
    planned = batches(list(packs(lessons, random.Random(0))), TOKENS, random.Random(0))
    found: dict[int, torch.Tensor] = {}
    for number, items in enumerate(planned):
        batch = collate(items)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            answers, _ = model(batch)
        asked = zip(batch.keys, batch.kinds.tolist(), answers.log_softmax(-1), strict=True)
        found |= {key: odds for key, kind, odds in asked if kind == Kind.ASK}
        if number % 100 == 0:
            print(f"{number} of {len(planned)}", flush=True)
    odds = torch.stack(list(found.values())).clamp(min=LEAST) / STEP
    keys = np.array(list(found), np.uint64)
    np.savez_compressed(given.out, keys=keys, odds=odds.round().to(torch.int8).numpy())


if __name__ == "__main__":
    main()
