"""Count how often yes and no are right to "Is the agreement governed by the law of …?".

    python -m benchmarks.law_questions --data DIR/cuad --library L.db

Each contract of CUAD in the library is asked for the law that its annotation names, and for six
that are chosen often. Where lawyers found no choice of law, any answer is wrong. Contracts from
which nothing learned are counted by themselves.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from fourcorners.library.store import Library
from fourcorners.research.answer import RowState
from fourcorners.research.context import build_context
from fourcorners.research.offline.cards import rule_on_law
from training.common.blind import load_blind

LAWS = ("New York", "Delaware", "California", "Texas", "England", "Israel")
CATEGORY = "Governing Law"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--library", type=Path, required=True)
    given = parser.parse_args()
    lines = (given.data / "annotations.jsonl").read_text("utf-8").splitlines()
    laws = {each["name"]: each["answers"].get(CATEGORY, "") for each in map(json.loads, lines)}
    blind = {each["name"] for each in load_blind(given.data)}
    counts: Counter[tuple[str, str]] = Counter()
    with Library.open(given.library, create=False) as library:
        for entry in library.documents():
            if entry.name not in laws:
                continue
            kind = "blind contracts" if entry.name in blind else "other contracts"
            context = build_context(library, [entry.id])
            law = laws[entry.name].partition(",")[0].partition(";")[0].strip()
            for asked in dict.fromkeys(filter(None, (law, *LAWS))):
                ruled = rule_on_law(context, f"Is the agreement governed by the law of {asked}?")
                right = RowState.YES if asked == law else RowState.NO if law else None
                outcome = "left open" if ruled is None else "wrong"
                if ruled is not None and ruled.state is right:
                    outcome = f"{right} right"
                counts[kind, outcome] += 1
    for (kind, outcome), count in sorted(counts.items()):
        print(f"{kind}: {outcome:10} {count:6,}")


if __name__ == "__main__":
    main()
