"""The forms in which a language model answers the agents; their content is unchecked claims.

The schemas suit a provider's strict mode: every field is required, and no other is allowed. Parsing
is more lenient: a missing list is empty, a single thing is a list of one, and "[3]" is 3.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model

_DIGITS = re.compile(r"\d+")
_RULINGS = {
    "depends": "it depends",
    "says": "the contract says",
    "absent": "no answer found",
    "not found": "no answer found",
    "not in the contract": "no answer found",
    "unclear": "cannot tell",
    "unknown": "cannot tell",
    "unsure": "cannot tell",
}


def _strict(schema: dict[str, Any]) -> None:
    properties = schema.get("properties", {})
    for each in properties.values():
        each.pop("default", None)
        each.pop("title", None)
    schema.pop("title", None)
    schema.update(required=list(properties), additionalProperties=False)


def _as_list(value: object) -> object:
    return [] if value in (None, "") else value if isinstance(value, list) else [value]


def _numbers(value: object) -> object:
    """Read numbers out of what names them: 3, "[3]", "F3, F4", {"number": 3}."""
    found: list[int] = []
    for each in value if isinstance(value, list) else [value]:
        number = next(iter(each.values()), None) if isinstance(each, dict) else each
        if isinstance(number, str):
            found += map(int, _DIGITS.findall(number))
        elif isinstance(number, int):
            found.append(number)
        elif number is not None:
            return value
    return found


def _number(value: object) -> object:
    found = _numbers(value)
    return found[0] if isinstance(found, list) and found else value


def _text(value: object) -> object:
    """Read nothing as empty, and the number of a contract as words."""
    return "" if value is None else str(value) if isinstance(value, int) else value


def _ruling(value: object) -> object:
    plain = value.strip(" .!").casefold() if isinstance(value, str) else value
    return _RULINGS.get(plain, plain) if isinstance(plain, str) else plain


def _sentence(value: object) -> object:
    return {"text": value} if isinstance(value, str) else value


def _sentences(value: object) -> object:
    found = _as_list(value)
    return [_sentence(each) for each in found] if isinstance(found, list) else found


def _paragraphs(value: object) -> object:
    """Read a paragraph that is a list of sentences, or one sentence."""
    found = _as_list(value)
    if not isinstance(found, list):
        return found
    return [
        each if isinstance(each, dict) and "sentences" in each else {"sentences": each}
        for each in found
    ]


Text = Annotated[str, BeforeValidator(_text)]
Texts = Annotated[list[str], BeforeValidator(_as_list)]
Numbers = Annotated[list[int], BeforeValidator(_numbers)]
Ruling = Literal["yes", "no", "the contract says", "it depends", "no answer found", "cannot tell"]


class Claim(BaseModel):
    model_config = ConfigDict(json_schema_extra=_strict)


class ToolCall(Claim):
    """A tool, the words that it is asked with, and the contract where several are listed."""

    tool: str
    words: Text = ""
    contract: Text = ""


Looks = Annotated[list[ToolCall], BeforeValidator(_as_list)]


class UnderstoodQuestion(Claim):
    """What a person wants to know, and what to look up first."""

    question: Text = ""
    assumptions: Texts = Field(default_factory=list)
    ask_back: Text = ""
    looks: Looks = Field(default_factory=list)


class PassageResponse(Claim):
    """What sentences tell, in words."""

    response: str


class FindingClaim(Claim):
    """A statement about the contract, and the numbered sentences that say it."""

    number: Annotated[int, BeforeValidator(_number)]
    statement: str
    sentences: Numbers = Field(default_factory=list)
    computed: Text = ""
    absent: Text = ""


class SentenceClaim(Claim):
    """A sentence that rests on findings."""

    text: str
    findings: Numbers = Field(default_factory=list)


Sentences = Annotated[list[SentenceClaim], BeforeValidator(_sentences)]


class ParagraphClaim(Claim):
    """A paragraph of the reasoning, sentence by sentence."""

    sentences: Sentences = Field(default_factory=list)


class AnswerClaim(Claim):
    """The preliminary answer, with its summary and the reasoning that leads to it."""

    summary: Sentences = Field(default_factory=list)
    reasoning: Annotated[list[ParagraphClaim], BeforeValidator(_paragraphs)] = Field(
        default_factory=list
    )
    ruling: Annotated[Ruling, BeforeValidator(_ruling)]
    sentences: Sentences = Field(default_factory=list)
    conditions: Sentences = Field(default_factory=list)
    readings: Sentences = Field(default_factory=list)


class ExternalClaim(Claim):
    """What a source outside of the contracts says."""

    statement: str
    sentences: Numbers = Field(default_factory=list)


class Correction(Claim):
    """Findings that are new or changed, those that are removed, and the answer where it changes."""

    findings: Annotated[list[FindingClaim], BeforeValidator(_as_list)] = Field(default_factory=list)
    removed: Numbers = Field(default_factory=list)
    answer: AnswerClaim | None = None


class AmendedReport(Correction):
    """What changes in a report, and what to look up next."""

    gaps: Texts = Field(default_factory=list)
    directions: Texts = Field(default_factory=list)
    next_questions: Texts = Field(default_factory=list)
    external: Annotated[list[ExternalClaim], BeforeValidator(_as_list)] = Field(
        default_factory=list
    )
    next_question: Text = ""
    looks: Looks = Field(default_factory=list)


class DraftReport(AmendedReport):
    """A report, and what to look up next."""

    title: Text = ""
    answer: AnswerClaim


@dataclass(frozen=True)
class Claims:
    """What a model claims after its drafts: a finding remains until it is changed or removed."""

    findings: Mapping[int, FindingClaim]
    answer: AnswerClaim
    title: str = ""
    gaps: Sequence[str] = ()
    directions: Sequence[str] = ()
    next_questions: Sequence[str] = ()
    external: Sequence[ExternalClaim] = ()

    @classmethod
    def of_draft(cls, draft: DraftReport) -> Claims:
        findings = {each.number: each for each in draft.findings}
        return cls(findings, draft.answer, draft.title, draft.gaps, draft.directions,
                   draft.next_questions, draft.external)  # fmt: skip

    def in_form(self) -> str:
        """Return findings and answer in the form in which a model gives them."""
        claimed = Correction(findings=list(self.findings.values()), answer=self.answer)
        return claimed.model_dump_json(exclude_defaults=True)

    def with_correction(self, correction: Correction) -> Claims:
        changed = {each.number: each for each in correction.findings}
        existing = {n: each for n, each in self.findings.items() if n not in correction.removed}
        findings = dict(sorted({**existing, **changed}.items()))
        corrected = replace(self, findings=findings, answer=correction.answer or self.answer)
        if not isinstance(correction, AmendedReport):
            return corrected
        return replace(
            corrected,
            gaps=correction.gaps,
            directions=correction.directions,
            next_questions=correction.next_questions,
            external=(*self.external, *correction.external),
        )


T = TypeVar("T", bound=UnderstoodQuestion | AmendedReport)


def build_form(answer: type[T], tools: Sequence[str], without: Collection[str] = ()) -> type[T]:
    """Return a form whose schema names the tools that there are, and lacks some of its fields.

    What has no use in a question is not asked for: a model fills in what it is shown. Where there
    are no tools, nothing is asked of what to look up.
    """
    unused = {*without, *(() if tools else ("looks", "next_question"))}

    def leave_out(schema: dict[str, Any]) -> None:
        for each in unused:
            schema.get("properties", {}).pop(each, None)
        _strict(schema)

    tool = Annotated[str, Field(json_schema_extra={"enum": list(tools)})]
    call = create_model(ToolCall.__name__, __base__=ToolCall, __doc__=ToolCall.__doc__, tool=tool)
    looks = Annotated[list[call], *get_args(Looks)[1:]]  # type: ignore[valid-type]
    form = create_model(
        answer.__name__,
        __base__=answer,
        __doc__=answer.__doc__,
        looks=(looks, Field(default_factory=list)),
    )
    form.model_config["json_schema_extra"] = leave_out
    return form
