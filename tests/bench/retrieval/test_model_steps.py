"""A model's part in retrieval: the query it writes, the words it marks, and what it invents."""

from __future__ import annotations

import pytest

from fourcorners.errors import LlmError
from fourcorners.llm import Request
from fourcorners.text.span import Span
from fourcorners_bench.retrieval.model_steps import FILTERED, ModelSteps
from tests.review import asked

TEXT = "Rent is due monthly. The Tenant shall insure the shop. Notice is thirty days. " * 20
CHUNKS = [("doc", Span(at * 78, at * 78 + 78), 1.0 - at / 100) for at in range(12)]


def words_of(document: str, span: Span) -> str:
    assert document == "doc"
    return span.text_in(TEXT)


def test_a_query_is_rewritten() -> None:
    port, model = asked.port({"rewrite": {"query": "insurance; Tenant shall insure"}})
    with port:
        steps = ModelSteps(port)
        assert steps.rewrite("What must be insured?") == "insurance; Tenant shall insure"
    assert "What must be insured?" in model.requests[0].messages[-1].text
    assert (steps.call_count, steps.failed) == (1, 0)


def test_the_marked_words_alone_are_returned_in_their_place() -> None:
    def mark(request: Request) -> dict[str, object]:
        assert f"passage {FILTERED}" in request.messages[-1].text
        assert f"passage {FILTERED + 1}" not in request.messages[-1].text
        marked = ((2, "The Tenant shall insure the shop."), (1, "Notice is thirty days."))
        wrong = ((1, "The Tenant shall insure the moon."), (99, "Rent is due monthly."))
        return {"spans": [{"passage": at, "words": words} for at, words in (*marked, *wrong)]}

    port, _ = asked.port({"spans": mark})
    with port:
        steps = ModelSteps(port, filters=True)
        found = steps.filter("What must be insured?", CHUNKS, words_of)
    assert [span.text_in(TEXT) for _, span, _ in found] == [
        "Notice is thirty days.",
        "The Tenant shall insure the shop.",
    ]
    assert found[1][1].start >= CHUNKS[1][1].start
    assert steps.invented == 2
    assert "2 quotations" in steps.notes()[0]


def test_where_the_model_fails_the_search_stands() -> None:
    port, _ = asked.port({"rewrite": "no JSON", "spans": "no JSON"})
    with port:
        steps = ModelSteps(port, filters=True)
        assert steps.rewrite("Who pays?") == "Who pays?"
        assert steps.filter("Who pays?", CHUNKS, words_of) == CHUNKS[:FILTERED]
        assert steps.to_json()["failed"] == 2
        with pytest.raises(LlmError, match="none of 2 questions"):
            steps.require_answers()
