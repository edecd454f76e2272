"""What PAKTON has language models do in retrieval: rewrite the query, mark the words that count.

Its appendix F.2: the query is optimised before the search, and of the ten best chunks the most
relevant words are extracted, which alone are returned. What a model quotes is looked up in its
chunk; words that are not there are dropped and counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from pydantic import BaseModel, Field

from fourcorners.errors import BudgetExceeded, LlmError
from fourcorners.llm import QuotedText, Role
from fourcorners.llm.prompt import Value
from fourcorners.text import evidence
from fourcorners.text.span import Span
from fourcorners_bench.measures.model_calls import ModelCalls
from fourcorners_bench.prompts.load import load_prompt
from fourcorners_bench.record import Json

T = TypeVar("T", bound=BaseModel)
FILTERED = 10
"""Chunks of which the words are extracted."""
REWRITE_ROLE, FILTER_ROLE = Role.RESEARCHER, Role.EXTRACT
RankedSpan: TypeAlias = tuple[str, Span, float]
"""Document, span and score."""


class RewrittenQuery(BaseModel):
    """A query in the words of contracts."""

    query: str = Field(min_length=1)


class QuotedPassage(BaseModel):
    """Words of a passage, by its number."""

    passage: int
    words: str


class RelevantSpans(BaseModel):
    """The words that answer a question."""

    spans: list[QuotedPassage] = Field(default_factory=list)


@dataclass(slots=True)
class ModelSteps(ModelCalls):
    """A model's part in a run; where it does not answer, the search stays as it was.

    Attributes:
        invented: Quotations that are not in their passage.
    """

    filters: bool = False
    invented: int = 0

    def rewrite(self, question: str) -> str:
        """Return the query that the model makes of a question; the question where it fails.

        Raises:
            BudgetExceeded: When the budget has ended.
        """
        reply = self._reply("rewrite", {"question": question}, RewrittenQuery)
        return reply.query if reply is not None else question

    def filter(
        self, question: str, ranked: Sequence[RankedSpan], text_of: Callable[[str, Span], str]
    ) -> list[RankedSpan]:
        """Return the words that the model marks in the best chunks, in the order of the chunks.

        Where it does not answer, the best chunks are returned whole.

        Raises:
            BudgetExceeded: When the budget has ended.
        """
        best = list(ranked[:FILTERED])
        texts = [text_of(document, span) for document, span, _ in best]
        passages: list[Value] = [
            QuotedText(text, f"passage {at}") for at, text in enumerate(texts, start=1)
        ]
        reply = self._reply("spans", {"question": question, "passages": passages}, RelevantSpans)
        if reply is None:
            return best
        found: list[list[RankedSpan]] = [[] for _ in best]
        for each in reply.spans:
            at = each.passage - 1
            span = evidence.align_quote(each.words, texts[at]).span if 0 <= at < len(best) else None
            if span is None:
                self.invented += 1
                continue
            document, chunk, score = best[at]
            found[at].append((document, span.shift(chunk.start), score))
        return [one for part in found for one in sorted(part, key=lambda each: each[1].start)]

    def _reply(self, prompt: str, values: dict[str, Value], form: type[T]) -> T | None:
        self.count_calls(1, 0, "")
        try:
            return self.port.ask(load_prompt(prompt), values, form).value
        except BudgetExceeded:
            raise
        except LlmError as error:
            self.count_calls(0, 1, error.message)
            return None

    @property
    def models(self) -> dict[str, Json]:
        roles = (REWRITE_ROLE, *([FILTER_ROLE] if self.filters else []))
        return {role.value: self.port.role_model(role).name for role in roles}

    def to_json(self) -> dict[str, Json]:
        return {**ModelCalls.to_json(self), "invented": self.invented}

    def notes(self) -> list[str]:
        """Return what must be known to read the figures."""
        notes = [f"{self.invented:,} quotations of the model are not in their passages."]
        if self.failed:
            notes.append(
                f"{self.failed:,} of {self.call_count:,} questions to the model have no answer "
                f"({self.failure}); there the search result is unchanged."
            )
        return notes
