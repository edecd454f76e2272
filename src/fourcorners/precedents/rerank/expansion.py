"""A query expanded by a language model: the words in which contracts write the clause wanted.

It stands beside the rules of `concepts.py`, which expand what they know.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import BaseModel

from fourcorners.llm import Port, PromptRequest, Role, Value
from fourcorners.precedents.verdict import parse_outcome

PROMPT = "wordings"
ROLE = Role.WRITE
MOST_TERMS, MOST_WORDINGS = 12, 3
MAX_LENGTH = 300
"""Characters of one term or wording that are taken."""


class WordingsAnswer(BaseModel):
    """The words of a clause."""

    terms: list[str]
    wordings: list[str]


@dataclass(frozen=True, slots=True)
class Expansion:
    """What a language model adds to a query.

    Attributes:
        terms: Words and short phrases of the clause.
        wordings: Its openings or key sentences.
        failure: Why there is nothing; empty if the model answered.
    """

    terms: tuple[str, ...] = ()
    wordings: tuple[str, ...] = ()
    failure: str = ""

    @property
    def text(self) -> str:
        """Return all of it, as it is searched for."""
        return ". ".join(filter(None, (", ".join(self.terms), *self.wordings)))


def expand_query(query: str, port: Port, *, longer: str | None = None) -> Expansion:
    """Return the words in which contracts write a clause, as the model knows them.

    Raises:
        ConfigError: If the model is not configured, or prompts or settings are wrong.
    """
    port.role_model(ROLE)
    values: dict[str, Value] = {"wanted": query, "longer": longer or ""}
    (outcome,) = port.ask_many([PromptRequest(PROMPT, values, WordingsAnswer, tag="expansion")])
    told = parse_outcome(outcome)
    if isinstance(told, str):
        return Expansion(failure=told)
    return Expansion(_lines(told.terms, MOST_TERMS), _lines(told.wordings, MOST_WORDINGS))


def _lines(told: Iterable[str], most: int) -> tuple[str, ...]:
    found = dict.fromkeys(" ".join(each.split())[:MAX_LENGTH].strip(" .,;") for each in told)
    return tuple(filter(None, found))[:most]
