"""The forms in which a language model answers; everything in them is a claim until verified."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field, model_validator
from pydantic_core import PydanticCustomError


class Passage(BaseModel):
    """Words that are said to stand in the contract."""

    where: str = Field(default="", description="the number of the clause, as the contract has it")
    words: str = Field(description="the contract's own words, copied exactly")


class ExtractionAnswer(BaseModel):
    """The passages of a provision, or that there are none."""

    found: bool
    passages: list[Passage]

    @model_validator(mode="after")
    def _found_is_quoted(self) -> ExtractionAnswer:
        """Refuse the one without the other: as wrong as a broken form, and not to be kept."""
        if self.found and not self.passages:
            raise PydanticCustomError(
                "found, and quoted nothing",
                "found is true, and passages is empty: quote them, or say that found is false",
            )
        return self


class ProposalVerdict(BaseModel):
    """Whether a proposal belongs to the provision."""

    proposal: int
    belongs: bool


class ProposalAnswer(BaseModel):
    """What became of the proposals, and the passages that were missing."""

    verdicts: list[ProposalVerdict]
    added: list[Passage]


class FollowUpAnswer(BaseModel):
    """What a second look brought."""

    missed: list[Passage]
    wrong: list[int]


class Requote(BaseModel):
    """A quotation again, by its number."""

    number: int
    words: str


class RequoteAnswer(BaseModel):
    """The quotations that could be mended."""

    passages: list[Requote]


class RiskAnswerClaim(BaseModel):
    """The answer to one risk question."""

    id: str
    answer: str
    party: str = ""
    reasoning: str = ""
    source: list[str] = Field(default_factory=list)
    against: str = ""
    against_source: list[str] = Field(default_factory=list)


class RiskAnswersClaim(BaseModel):
    """The answers to the risk questions of a provision."""

    answers: list[RiskAnswerClaim]
    severity: Literal["high", "medium", "low", "none"] | None = None
    because: str = ""
