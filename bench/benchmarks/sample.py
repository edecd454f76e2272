"""Draw small samples of CUAD, ACORD and ContractNLI, for what is too dear to ask of all of them.

    python -m benchmarks.sample DATA OUT

`OUT` then holds, in the layouts that the benchmarks read, five contracts of CUAD that have at most
14,000 characters and at least four of the law firm's nine provisions, five queries of ACORD's valid
split with all their judged clauses, and 60 pairs of document and hypothesis from ContractNLI's
development documents of at most 14,000 characters; `contractnli/agents.json` has the first 20 pairs
that were drawn.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
from itertools import groupby
from pathlib import Path

from fourcorners_bench.extraction.loader import NINE_PROVISIONS

CONTRACTS, QUERIES, PAIRS, AGENTS_PAIRS = 5, 5, 60, 20
MOST_CHARACTERS = 14_000
LEAST_PROVISIONS = 4


def sample_cuad(data: Path, out: Path, draw: random.Random) -> None:
    (out / "contracts").mkdir(parents=True)
    texts, lines = {}, {}
    for line in (data / "annotations.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        name, marked = record["name"], record["annotations"]
        text = (data / "contracts" / name).read_bytes()
        held = sum(bool(marked[each]) for each in NINE_PROVISIONS)
        if len(text.decode("utf-8")) <= MOST_CHARACTERS and held >= LEAST_PROVISIONS:
            texts[name], lines[name] = text, line
    chosen = draw.sample(sorted(texts), CONTRACTS)
    for name in chosen:
        (out / "contracts" / name).write_bytes(texts[name])
    (out / "annotations.jsonl").write_text("".join(f"{lines[name]}\n" for name in chosen), "utf-8")


def sample_acord(data: Path, out: Path, draw: random.Random) -> None:
    shutil.copytree(data, out)
    path = out / "qrels" / "valid.tsv"
    head, *rows = path.read_text("utf-8").splitlines()
    by_query = {
        query: list(lines) for query, lines in groupby(rows, lambda row: row.partition("\t")[0])
    }
    chosen = draw.sample(sorted(by_query), QUERIES)
    path.write_text("\n".join([head, *(row for each in chosen for row in by_query[each])]), "utf-8")


def sample_contractnli(data: Path, out: Path, draw: random.Random) -> None:
    out.mkdir(parents=True)
    shutil.copyfile(data / "train_spans.csv", out / "train_spans.csv")
    split = json.loads((data / "dev.json").read_text("utf-8"))
    short = [each for each in split["documents"] if len(each["text"]) <= MOST_CHARACTERS]
    pairs = [(each["id"], key) for each in short for key in sorted(split["labels"])]
    chosen = draw.sample(pairs, PAIRS)
    for name, wanted in (("dev", chosen), ("agents", chosen[:AGENTS_PAIRS])):
        documents = []
        for each in short:
            annotated = each["annotation_sets"][0]["annotations"]
            selected = {key: one for key, one in annotated.items() if (each["id"], key) in wanted}
            if selected:
                documents.append({**each, "annotation_sets": [{"annotations": selected}]})
        (out / f"{name}.json").write_text(json.dumps({**split, "documents": documents}), "utf-8")


def draw_samples(data: Path, out: Path, seed: int = 0) -> None:
    for name, draw_sample in (
        ("cuad", sample_cuad),
        ("acord", sample_acord),
        ("contractnli", sample_contractnli),
    ):
        draw = random.Random(f"{name} {seed}")  # noqa: S311 - a sample, not a secret
        draw_sample(data / name, out / name, draw)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    draw_samples(given.data, given.out, given.seed)


if __name__ == "__main__":
    main()
