"""A model that says what was written down, in turn."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fourcorners.llm import Request
from tests.research.agents.test_inquiry import number_of

MANY = 100
ENDLESS = 20_000


def play(answers: Mapping[str, Sequence[object]], question: str) -> Callable[[Request], str]:
    """Return a model that gives its answers by prompt, the last again.

    Sentences are named by words that they hold, for their numbers may change.
    """
    given = {"archivist": [{"question": question}], **answers}
    asked: dict[str, int] = {}

    def said(request: Request) -> str:
        name = request.prompt.name
        at = asked[name] = asked.get(name, -1) + 1
        answer = given[name][min(at, len(given[name]) - 1)]
        if isinstance(answer, str):
            return answer
        return json.dumps(_numbered(answer, request))

    return said


def _numbered(answer: Any, request: Request) -> Any:
    told = json.loads(json.dumps(answer))
    if "repeat" in told:
        return told["repeat"] * ENDLESS
    findings = told.get("findings", [])
    if isinstance(findings, dict):
        findings = [{"number": n, **findings["repeat"]} for n in range(1, MANY + 1)]
        told["findings"] = findings
    for each in (*findings, *told.get("external", [])):
        each["sentences"] = [
            number_of(request, words) if isinstance(words, str) else words
            for words in each.get("sentences", [])
        ]
    return told
