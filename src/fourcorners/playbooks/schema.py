"""What a playbook file may hold, as pydantic models, and the JSON Schema that editors use.

The published `playbook.schema.json` is rewritten by `REWRITE_GOLDEN=1 pytest tests/playbooks`.
"""

from __future__ import annotations

import json
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from fourcorners.playbooks.playbook import CardField, Extent, Level, When

Text = Annotated[str, Field(min_length=1)]
Id = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=80)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


class QuestionFile(_Strict):
    """A question a lawyer asks once the provision is found."""

    id: Id = Field(description="Lower-case words joined by hyphens.")
    question: Text
    guidance: Text = Field("", description="What to consider in the answer.")
    yes: Text = Field("", description="A query: wording that makes the answer likely yes.")


class SeverityFile(_Strict):
    """A rule for how much a cell matters; the first rule that holds decides."""

    when: When = Field(description="Which cells the rule is for.")
    matching: Text = Field("", description="A query that a clause found must satisfy.")
    unless: Text = Field("", description="A query that no clause found may satisfy.")
    severity: Level
    because: Text = Field(description="The reason, one sentence, as a report prints it.")


class ProvisionFile(_Strict):
    """A kind of clause to look for."""

    id: Id = Field(description="Lower-case words joined by hyphens; results are kept under it.")
    name: Text = Field(description="The heading of the column in a report.")
    aliases: tuple[Text, ...] = Field((), description="Other names people use for it.")
    definition: Text = Field(description="What the clause does, and what it is not.")
    query: Text = Field(description="A search query: the clause's words, with boosts.")
    avoid: Text = Field("", description="A search query: look-alikes that must not count.")
    learned: Text = Field(
        "", description="A search query mined from a clause bank: it ranks passages to read."
    )
    examples: tuple[Text, ...] = Field((), description="Example clauses, to search by meaning.")
    instructions: Text = Field("", description="What a language model is told to extract.")
    extent: Extent = Field(
        Extent.SENTENCE,
        description="What a quote is: sentences, the whole clause, or the words of a card's fact.",
    )
    card: CardField | None = Field(
        None, description="The fact of the contract card that speaks for the provision."
    )
    threshold: float | None = Field(
        None, gt=0, lt=1, description="The probability from which a quote counts."
    )
    questions: tuple[QuestionFile, ...] = Field((), description="Risk questions.")
    severity: tuple[SeverityFile, ...] = Field(
        (), description="Rules, tried in order; the first that holds decides."
    )


class PlaybookFile(_Strict):
    """A fourcorners playbook: a list of provisions to look for in contracts."""

    id: Id = Field(description="Lower-case words joined by hyphens.")
    name: Text = Field(description="The name a report prints.")
    version: Text = Field(description="Your own version; change it when the content changes.")
    language: str = Field(
        "en", pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]+)*$", description="A BCP 47 tag, such as en."
    )
    description: Text = ""
    provisions: tuple[ProvisionFile, ...] = Field(min_length=1)


MODELS: dict[tuple[str, ...], type[BaseModel]] = {
    (): PlaybookFile,
    ("provisions",): ProvisionFile,
    ("provisions", "questions"): QuestionFile,
    ("provisions", "severity"): SeverityFile,
}
"""The model of the mappings that stand under these keys."""


def json_schema() -> str:
    """Return the JSON Schema of a playbook file, as the text of `playbook.schema.json`."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **PlaybookFile.model_json_schema(),
        "title": "Fourcorners playbook",
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
