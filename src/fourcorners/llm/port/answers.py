"""Parse a model's answer to a value: find its JSON anywhere, or say what is wrong with it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeVar

from fourcorners.llm.exchange import AnswerSchema

if TYPE_CHECKING:
    from pydantic import BaseModel

    M = TypeVar("M", bound=BaseModel)

MAX_PROBLEMS = 8  # shown to the model
_FENCED = re.compile(r"```[a-zA-Z]*\s*\n(.*?)```", re.S)
_THOUGHT = re.compile(r"^\s*<think>.*?</think>", re.S)


class AnswerParseError(Exception):
    """Words that hold no value of the form.

    Attributes:
        problems: For the model: what is wrong, and where.
        summary: For people and logs: the same without any words of the answer.
    """

    def __init__(self, problems: list[str], summary: str) -> None:
        super().__init__(summary)
        self.problems = problems
        self.summary = summary


def answer_schema(answer: type[BaseModel]) -> AnswerSchema:
    schema = answer.model_json_schema()
    return AnswerSchema(answer.__name__, json.dumps(schema, sort_keys=True, separators=(",", ":")))


def parse_answer(text: str, answer: type[M]) -> M:
    """Return the value that a model's words hold.

    Raises:
        AnswerParseError: If they hold none.
    """
    from pydantic import ValidationError

    faults = []
    for candidate in _candidates(text):
        try:
            return answer.model_validate_json(candidate)
        except ValidationError as error:
            found = error.errors(include_input=False, include_url=False)
            if found[0]["type"] != "json_invalid":
                faults = found
    if not faults:
        raise AnswerParseError(["it is no JSON, or not all of it"], "it is no JSON")
    known = answer_schema(answer).schema
    problems, kinds = [], []
    for fault in faults[:MAX_PROBLEMS]:
        where = ".".join(str(step) for step in fault["loc"]) or "the whole"
        problems.append(f"{where}: {fault['msg']}")
        safe = [str(s) if isinstance(s, int) or f'"{s}"' in known else "…" for s in fault["loc"]]
        kinds.append(f"{'.'.join(safe) or 'the whole'}: {fault['type']}")
    raise AnswerParseError(problems, "; ".join(kinds))


def _candidates(text: str) -> Iterator[str]:
    """Yield what may be the JSON of an answer, the likeliest first."""
    words = _THOUGHT.sub("", text).strip()
    yield words
    yield from (each.strip() for each in _FENCED.findall(words))
    if (start := words.find("{")) >= 0:
        try:
            _, end = json.JSONDecoder().raw_decode(words, start)
        except (ValueError, RecursionError):
            return
        yield words[start:end]
