"""A model that reads clauses, for tests: it answers by a function of what it is shown."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from fourcorners.errors import LlmTimedOut
from fourcorners.llm import FakeModel, Port, Request
from fourcorners.llm.offline import Answer

_DATA = re.compile(r'<<<data (\w+) "[^"]*">>>\n(.*?)\n<<<end \1>>>', re.S)
LATE = LlmTimedOut("no answer in time.")


async def at_once(_: float) -> None:
    """Wait for nothing."""


def shown(request: Request) -> list[str]:
    """Return the clauses that a request holds as data."""
    return [words for _, words in _DATA.findall(request.messages[1].text)]


def port(answer: Callable[..., Any], **more: Any) -> tuple[Port, FakeModel]:
    """Return a port whose model answers by the clauses it is shown: a form, or what goes wrong."""

    def told(request: Request) -> Answer:
        said = answer(*shown(request))
        return json.dumps(said) if isinstance(said, dict) else said

    model = FakeModel(told)
    return Port.for_model(model, sleep=at_once, attempts=1, **more), model
