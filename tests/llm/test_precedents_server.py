"""Precedents read again by a real, tiny model: whatever it says, there is an order, and replays."""

from __future__ import annotations

from pathlib import Path

import pytest

from fourcorners.llm import open_port
from fourcorners.precedents.profile import Rerank
from fourcorners.precedents.rerank import MOST_TERMS, expand_query, rerank_texts
from fourcorners.settings import LlmSettings

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])
TEXTS = ["The miller insures the grain against fire.", "The laws of Norway govern this deed."]


def test_a_tiny_model_reads_clauses_somehow_and_replays_the_same(
    llama: str, tmp_path: Path
) -> None:
    file = tmp_path / "exchanges.jsonl"
    settings = LlmSettings(
        model="smollm2", url=llama, max_tokens=120, attempts=1, timeout=240, seed=7, cache=False
    )
    with open_port(settings.model_copy(update={"record": file}), job="mill") as port:
        first = [rerank_texts("governing law", TEXTS, port, how) for how in Rerank]
        words = expand_query("governing law", port)
        assert port.spending.tokens_out > 0
    for order, verdicts in first:
        assert sorted(order) == [0, 1]
        assert all(each.asked and bool(each.failure) == bool(each.failed) for each in verdicts)
    stars = [each.stars for each in first[0][1]]
    assert all(given is None or 1 <= given <= 5 for given in stars)
    assert len(words.terms) <= MOST_TERMS
    assert not (words.failure and words.text)
    nowhere = {"url": "http://127.0.0.1:1/v1", "replay": file}
    with open_port(settings.model_copy(update=nowhere)) as port:
        again = [rerank_texts("governing law", TEXTS, port, how) for how in Rerank]
        assert again == first
        assert expand_query("governing law", port) == words
