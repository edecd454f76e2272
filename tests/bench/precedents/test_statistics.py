"""What ACORD's splits hold, counted by stars and by category."""

from __future__ import annotations

import json
from pathlib import Path

from fourcorners_bench.precedents.statistics import read_statistics


def test_clauses_are_counted_by_stars_and_category(tmp_path: Path) -> None:
    clauses = {"a": "one two three", "b": "one two", "c": "one"}
    corpus = (json.dumps({"_id": name, "text": text}) for name, text in clauses.items())
    (tmp_path / "corpus.jsonl").write_text("\n".join(corpus), "utf-8")
    queries = (
        json.dumps({"_id": query, "text": query, "metadata": {"category": category}})
        for query, category in (("cap", "Liability"), ("law", "Governing Law"))
    )
    (tmp_path / "queries.jsonl").write_text("\n".join(queries), "utf-8")
    (tmp_path / "qrels").mkdir()
    for split, rows in (("train", "cap\ta\t4\ncap\tb\t1\ncap\tc\t0"), ("valid", "law\tc\t0")):
        (tmp_path / "qrels" / f"{split}.tsv").write_text(f"q\tc\ts\n{rows}\n", "utf-8")
    found = read_statistics(tmp_path)
    assert found.per_query == {1: [1, 1], 2: [1], 3: [], 4: [], 5: [1]}
    queries_of, counts = found.categories["Liability"]
    assert (queries_of, counts[5], counts[2], counts[1]) == (1, 1, 1, 1)
    assert found.lengths == (3, 2)  # of clauses with two stars and more
