from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, field_validator

from fourcorners.llm.port.conversation import AnswerParseError, answer_schema, parse_answer


class Item(BaseModel):
    model_config = ConfigDict(extra="forbid")
    quote: str
    sure: Literal["yes", "no"]


class Answer(BaseModel):
    items: list[Item]

    @field_validator("items")
    @classmethod
    def _few(cls, items: list[Item]) -> list[Item]:
        if len(items) > 2:
            raise ValueError(f"too many, such as {items[0].quote}")
        return items


RIGHT = '{"items": [{"quote": "a {b} \\"c\\"", "sure": "yes"}]}'


@pytest.mark.parametrize(
    "text",
    [
        RIGHT,
        f"\n  {RIGHT}\n",
        f"```json\n{RIGHT}\n```",
        f"Here you are:\n```\n{RIGHT}\n```\nAnything else?",
        f"Here you are: {RIGHT} Anything else?",
        f"<think>{{not this}}</think>{RIGHT}",
    ],
)
def test_the_json_is_found_wherever_it_stands(text: str) -> None:
    assert parse_answer(text, Answer).items[0].quote == 'a {b} "c"'


@pytest.mark.parametrize(
    "text", ["", "No.", RIGHT[:-1], "{", "[" * 100_000, '{"items": [' * 5_000, "null", "[]", "\x00"]
)
def test_what_is_no_answer_is_said(text: str) -> None:
    with pytest.raises(AnswerParseError):
        parse_answer(text, Answer)


def test_what_is_wrong_is_told_to_the_model_and_not_to_logs() -> None:
    clause = "Northmere pays 5 million"
    text = f'{{"items": [{{"quote": 5, "sure": "{clause}", "{clause}": 1}}]}}'
    with pytest.raises(AnswerParseError) as caught:
        parse_answer(text, Answer)
    assert any("items.0.quote" in problem for problem in caught.value.problems)
    assert any("'yes' or 'no'" in problem for problem in caught.value.problems)
    assert "items.0.sure: literal_error" in caught.value.summary
    assert "items.0.…: extra_forbidden" in caught.value.summary
    assert clause not in caught.value.summary
    item = f'{{"quote": "{clause}", "sure": "no"}}'
    with pytest.raises(AnswerParseError) as caught:
        parse_answer(f'{{"items": [{item}, {item}, {item}]}}', Answer)
    assert clause not in caught.value.summary


@given(st.text(max_size=300))
def test_any_other_text_is_unparsable(text: str) -> None:
    with pytest.raises(AnswerParseError) as caught:
        parse_answer(text, Answer)
    assert caught.value.problems


def test_the_shape_is_the_same_every_time() -> None:
    assert answer_schema(Answer) == answer_schema(Answer)
    assert answer_schema(Answer).name == "Answer"
    assert answer_schema(Answer).schema != answer_schema(Item).schema
