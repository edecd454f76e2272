"""Write the questions that the reader has not learned from, for `bench answers`.

python -m training.questions.held_out --data DATA --out HELD
fourcorners bench answers --data HELD/questions.yaml --contracts HELD/contracts
"""

from __future__ import annotations

import argparse
from pathlib import Path

import yaml

from fourcorners.text.span import Span
from fourcorners_bench.answers.loader import SCHEMA, words_hash
from training.questions.data import read_questions, texts

KINDS = {"yesno": "fact", "who": "fact", "date": "sum"}
RULINGS = {"depends": "it depends"}
DIGITS = 12  # of the hash of needed words


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    text = {name: own for name, (own, is_held) in texts(given.data).items() if is_held}
    folder = given.out / "contracts"
    folder.mkdir(parents=True, exist_ok=True)
    written: list[dict[str, object]] = []
    for number, asked in enumerate(read_questions(), start=1):
        if asked.contract not in text:
            continue
        own = text[asked.contract]
        (folder / f"{asked.contract}.txt").write_bytes(own.encode("utf-8"))

        def place(span: Span, own: str = own, contract: str = asked.contract) -> dict[str, object]:
            hashed = words_hash(span.text_in(own))[:DIGITS]
            return {"in": contract, "at": [span.start, span.end], "hash": hashed}

        record: dict[str, object] = {
            "id": f"held-{number}",
            "kind": KINDS.get(asked.kind, asked.kind),
            "ask": asked.question,
            "in": [asked.contract],
        }
        if asked.verdict:
            record["rulings"] = [RULINGS.get(asked.verdict, asked.verdict)]
        if asked.needed:
            record["evidence"] = [place(span) for span in asked.needed]
        else:
            record["silent"] = True
        written.append(record)
    content = yaml.safe_dump(
        {"schema": SCHEMA, "questions": written}, sort_keys=False, allow_unicode=True
    )
    (given.out / "questions.yaml").write_text(content, "utf-8")
    print(f"{len(written)} questions to {len(list(folder.iterdir()))} contracts")


if __name__ == "__main__":
    main()
