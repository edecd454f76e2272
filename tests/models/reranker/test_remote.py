"""A reranker behind HTTP: the protocol, the order, shares and logits, and what goes wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import SecretStr

from fourcorners import models
from fourcorners.errors import CallError, ConfigError, ModelError
from fourcorners.models.remote import RemoteReranker
from fourcorners.net import RetryPolicy
from fourcorners.settings import Settings
from tests.serving import Asked, Reply, Served, served

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


def by_length(asked: Asked, *, share: bool = True) -> Reply:
    """Answer as Cohere's server does: the best first, each with its index."""
    lengths = [len(text) for text in asked.body["documents"]]
    scores = [length / 100 if share else float(length) for length in lengths]
    order = sorted(range(len(scores)), key=lambda at: -scores[at])
    results = [{"index": at, "relevance_score": scores[at]} for at in order]
    return Reply(json.dumps({"results": results, "id": "x"}))


@pytest.fixture
def server() -> Iterator[Served]:
    with served() as running:
        running.answer = by_length
        yield running


def reranker_at(server: Served, batch: int = 2) -> RemoteReranker:
    return RemoteReranker(
        url=server.url,
        model="rerank-english-v3.0",
        key=SecretStr("sk-secret"),
        batch=batch,
        retry_policy=RetryPolicy(5.0, 1, lambda _: None),
    )


def test_passages_are_scored_in_their_order(server: Served) -> None:
    reranker = reranker_at(server)
    scores = reranker.scores("notice?", ["x" * 50, "x" * 10, "x" * 50, "x" * 90])
    assert scores.tolist() == pytest.approx([0.0, -2.197, 0.0, 2.197], abs=0.001)
    assert reranker.name == "remote/rerank-english-v3.0"
    assert [each.path for each in server.asked] == ["/v1/rerank"] * 2
    first = server.asked[0]
    assert first.headers["Authorization"] == "Bearer sk-secret"
    assert first.body["query"] == "notice?"
    assert (first.body["model"], first.body["top_n"]) == ("rerank-english-v3.0", 2)
    assert reranker.scores("notice?", []).shape == (0,)


def test_scores_beyond_shares_are_logits(server: Served) -> None:
    server.answer = lambda asked: by_length(asked, share=False)
    assert reranker_at(server).scores("q", ["abc", "abcdef"]).tolist() == [3.0, 6.0]


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"results": [{"index": 0, "relevance_score": 0.5}]},
        {"results": [{"index": 0, "relevance_score": "high"}, {"index": 1}]},
        {"results": [{"index": 0, "relevance_score": 0.5}, {"index": 7, "relevance_score": 0.1}]},
    ],
)
def test_an_answer_that_is_no_ranking_is_refused(server: Served, answer: dict[str, Any]) -> None:
    server.answer = lambda _: Reply(json.dumps(answer))
    with pytest.raises(ModelError, match="does not score each passage"):
        reranker_at(server).scores("q", ["a", "b"])


def test_a_refusal_says_what_to_do(server: Served) -> None:
    server.answer = lambda _: Reply("{}", status=401)
    with pytest.raises(CallError) as caught:
        reranker_at(server).scores("q", ["a"])
    assert "FOURCORNERS_RERANKER_KEY" in caught.value.remedy
    assert "sk-secret" not in str(caught.value)


def test_it_is_named_by_the_settings(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOURCORNERS_RERANKER_KIND", "remote")
    with pytest.raises(ConfigError, match="needs url and model"):
        models.default_reranker(Settings.load().reranker)
    monkeypatch.setenv("FOURCORNERS_RERANKER_URL", server.url)
    monkeypatch.setenv("FOURCORNERS_RERANKER_MODEL", "jina-reranker-v2")
    reranker = models.default_reranker(Settings.load().reranker)
    assert reranker is not None
    assert reranker.scores("q", ["ab"]).shape == (1,)
    monkeypatch.setenv("FOURCORNERS_RERANKER_KIND", "local")
    with pytest.raises(ConfigError, match="calls no server"):
        models.default_reranker(Settings.load().reranker)
