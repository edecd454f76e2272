"""Documents described by a language model, from their names, beginnings and ends.

Section 3.2 of LegalBench-RAG's paper: a model describes each document, in a form that it is given
and that is checked. Here it gives title and parties, the program writes the description, and a
party that neither the excerpts nor the file name have is refused. What fails is asked for once
more, and then left out.
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, Field

from fourcorners.errors import BudgetExceeded, LlmError
from fourcorners.llm import QuotedText, Role
from fourcorners.llm.prompt import Value
from fourcorners.text.evidence import align_quote
from fourcorners_bench.measures.model_calls import ModelCalls
from fourcorners_bench.prompts.load import load_prompt

ROLE = Role.EXTRACT
EXCERPT = 1_500  # characters of beginning and end: about a paragraph of each, with the head
TRIES = 2  # a second answer where the first is not of the form
MAX_TITLE, MAX_PARTIES = 12, 4  # words of a title, and parties that tell documents apart


class ContractNames(BaseModel):
    """What a model reads at the head of a document."""

    title: str
    parties: list[str] = Field(default_factory=list)


@dataclass(slots=True)
class DescriptionModel(ModelCalls):
    """A model that describes documents; `refused` counts answers that were not of the form."""

    refused: int = 0

    def describe(self, file_name: str, text: str) -> str | None:
        """Return title and parties; None if no answer is of the form.

        Raises:
            BudgetExceeded: When the budget has ended.
        """
        parts = {
            "the name of the file": file_name,
            "its beginning": text[:EXCERPT],
            "its end": text[max(EXCERPT, len(text) - EXCERPT) :],
        }
        excerpts: list[Value] = [QuotedText(part, name) for name, part in parts.items() if part]
        for sample in range(TRIES):
            self.count_calls(1, 0, "")
            try:
                prompt = load_prompt("describe")
                names = self.port.ask(
                    prompt, {"excerpts": excerpts}, ContractNames, sample=sample
                ).value
            except BudgetExceeded:
                raise
            except LlmError as error:
                self.count_calls(0, 1, error.message)
                continue
            if described := description(names, "\n".join(parts.values())):
                return described
            self.refused += 1
        return None


def description(names: ContractNames, text: str) -> str | None:
    """Return a description by title and parties; None if they are not of the form or not there."""
    title = " ".join(names.title.split())
    parties = list(dict.fromkeys(" ".join(each.split()) for each in names.parties))
    if not title or len(title.split()) > MAX_TITLE or ";" in title:
        return None
    if not 0 < len(parties) <= MAX_PARTIES or not all(parties):
        return None
    if any(align_quote(each, text).span is None for each in parties):
        return None
    return join_parties(title, parties)


def join_parties(title: str, parties: list[str]) -> str:
    """Return how a question names a contract: `Lease between A and B`, `Lease of A`."""
    if len(parties) == 1:
        return f"{title} of {parties[0]}"
    return f"{title} between {' and '.join(parties)}"
