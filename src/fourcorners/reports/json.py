"""The whole review as JSON: the keys of the report, what they mean, and its JSON Schema."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from datetime import date
from hashlib import sha256
from typing import Annotated, Any, Final, Generic, Literal, TypeVar, cast

from pydantic import BeforeValidator, ConfigDict, Field, PlainSerializer, ValidationInfo

from fourcorners.documents.change_marks import name_change_authors
from fourcorners.documents.document import PageLabel
from fourcorners.outline.exclusions import SetApartClause
from fourcorners.reports.grid import Grid
from fourcorners.review.finding import (
    Author,
    CellState,
    Finding,
    Outlier,
    ReviewedDocument,
    ReviewState,
    Severity,
)
from fourcorners.text.quote import Match, Quote
from fourcorners.text.span import Span
from fourcorners.value import ChangeAuthors, PlacedWords, Value
from fourcorners.version import __version__

SCHEMA_VERSION: Final = "1.3"
T = TypeVar("T")
V = TypeVar("V", bound=Value)


def _round(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else round(float(value), 4)


def _words(span: Span, info: ValidationInfo) -> dict[str, object]:
    return {"text": span.text_in(cast("Any", info.context).text), **asdict(span)}


def _clause(clause: SetApartClause, info: ValidationInfo) -> dict[str, object]:
    return {"label": clause.label or None, "page": clause.page, **_words(clause.span, info)}


def _quote(quote: Quote) -> dict[str, object]:
    start, end = (quote.span.start, quote.span.end) if quote.span else (None, None)
    place = {"text": quote.words, "start": start, "end": end}
    return {**place, "match": quote.match, "similarity": quote.score}


def _authors(words: Span | Quote, info: ValidationInfo) -> tuple[str, ...]:
    span = words.span if isinstance(words, Quote) else words
    return name_change_authors(cast("Any", info.context).tracked_changes, span) if span else ()


def _outlier(found: Outlier) -> dict[str, object]:
    return {"score": found.score, "nearest": {"document": found.nearest, **asdict(found.clause)}}


def _says(description: str, **extra: object) -> Any:  # noqa: ANN401 - as `Field`
    return Field(description=description, json_schema_extra=extra)  # type: ignore[arg-type]


_Count = Annotated[int, Field(json_schema_extra={"minimum": 0})]
_Number = Annotated[float | None, BeforeValidator(_round)]
_Probability = Annotated[
    _Number, _says("A calibrated probability; null where there is no number.", minimum=0, maximum=1)
]
_Scored = BeforeValidator(lambda given: {**asdict(given[0]), "score": given[1]})
_Text = Annotated[str | None, BeforeValidator(lambda given: given or None)]
_Day = Annotated[
    date,
    PlainSerializer(date.isoformat, return_type=str),
    Field(json_schema_extra={"format": "date", "pattern": r"^\d{4}-\d{2}-\d{2}$"}),
]
_By = Annotated[Author, _says("The program's rules and models, a language model, or a person.")]
_Words = Annotated[PlacedWords, BeforeValidator(_words)]
_Authors = Annotated[ChangeAuthors, BeforeValidator(_authors)]


class _Place(Value):
    start: _Count
    end: _Count


class _PlacedQuote(Value):
    text: str
    start: _Count | None = _says("Null for an unverified quote, which is no evidence.")
    end: _Count | None
    match: Match
    similarity: _Number = _says("In percent.", minimum=0, maximum=100)


_Quote = Annotated[_PlacedQuote, BeforeValidator(_quote)]


class _Evidence(Value):
    quote: _Quote
    clause: _Words
    path: list[str]
    pages: list[PageLabel] | None = _says("The first and the last; null for formats without pages.")
    score: _Probability
    ocr: _Probability = _says("The mean confidence of the words, where OCR read them.")
    proposed: _Authors = Field(validation_alias="quote")


class _Fact(Value, Generic[T]):
    value: T
    confidence: _Probability
    by: str = _says("The person who gave it; empty if it was read.")
    words: _Words = Field(validation_alias="span")
    proposed: _Authors = Field(validation_alias="span")


class _Party(Value):
    name: str = _says("If the contract leaves it blank, its short name.")
    short: str
    role: str
    is_blank: bool


class _Card(Value):
    title: _Fact[str] | None
    type: _Fact[str] | None
    parties: list[_Fact[_Party]]
    agreement_date: _Fact[_Day] | None
    effective_date: _Fact[_Day] | None
    expiry_date: _Fact[_Day] | None
    governing_law: _Fact[str] | None
    amends: _Fact[str] | None


class _Outline(Value):
    confidence: _Probability
    windows: bool = _says("Whether the outline was not trusted: clauses are windows of sentences.")


class _Instruction(Value):
    label: str | None
    page: PageLabel | None
    text: str
    start: _Count
    end: _Count


class _Document(Value):
    id: str
    name: str
    path: str
    media_type: str
    characters: _Count
    text_sha256: str = _says("SHA-256 of the canonical text as UTF-8.", pattern="^[0-9a-f]{64}$")
    page_count: _Count
    needs_ocr: list[int] = _says("Pages, counted from 1, that show something but gave no text.")
    read_for: list[str] = _says("Its parties for whom it is read, by name; empty for nobody.")
    outline: _Outline
    warnings: list[str]
    set_apart: list[Annotated[_Instruction, BeforeValidator(_clause)]] = _says(
        "Clauses that give orders to whoever reads them: no finding follows from them."
    )
    card: _Card


class _RiskAnswer(Value):
    id: str
    question: str
    answer: _Text = _says("Null if left to a person.")
    reason: str
    author: _By
    party: str
    quotes: list[_Quote]
    against: str
    against_quotes: list[_Quote]
    value: _Text = _says("For programs: an option's id, an ISO date or duration, a party's name.")
    statement: str = _says("How the headline says it; empty where it does not.")
    confidence: _Number = _says("The probability that it is right; null where none was measured.")


class _Correction(Value):
    id: str
    value: _Text = _says("Null where the contract does not say.")


class _Remark(Value):
    by: str
    author: _By
    at: str = _says("UTC, ISO 8601.")
    state: ReviewState | None = _says("Null where they only commented.")
    value: _Text
    place: _Place | None
    comment: _Text
    severity: Severity | None = _says("The severity they set; null where they set none.")
    answers: list[_Correction] = _says("Their answers to risk questions.")


class _Position(Value):
    kind: Literal["preferred", "fallback", "unacceptable"]
    text: str
    recommend: str
    quotes: list[_Quote]


class _Amendment(Value):
    document: str = _says("The amending document, whose words are quoted.")
    name: str
    place: str = _says("The clause of the amending document; empty where it has no number.")
    replaces: bool = _says("Whether the words found here are no longer in force.")
    quote: _Quote
    old: _Quote | None = _says("The words before.")


class _Nearest(_Place):
    document: str


class _Outlier(Value):
    score: _Number = _says("How unlike the room's other clauses of the provision, 0 to 1.")
    nearest: _Nearest


class _Search(Value):
    query: str
    passages: _Count
    threshold: _Probability
    best: _Evidence | None = _says("The strongest candidate, found or not.")


class _Candidate(_Place):
    score: _Probability


class _Proposal(Value):
    state: CellState
    severity: Severity
    reason: str
    evidence: list[_Evidence]
    answers: list[_RiskAnswer]


class _Finding(Value):
    model_config = ConfigDict(
        json_schema_extra={
            "if": {"properties": {"state": {"const": "failed"}}},
            "then": {"properties": {"error": {"type": "string", "minLength": 1}}},
        }
    )

    document: str
    provision: str
    state: CellState = _says("not_applicable: not asked of this type of contract.")
    headline: str = _says("What the cell says first: its answers; may be empty.")
    severity: Severity
    reason: str
    recommendation: str = _says("What the playbook says to do about it.")
    position: _Position | None
    author: _By
    review: ReviewState = _says("What people last said; second_look also where that was changed.")
    value: _Text = _says("What people put in the place of the proposed words.")
    place: _Place | None = _says("Of that value; null for a person's own words.")
    remarks: list[_Remark] = _says("All that was said of it, the oldest first.")
    evidence: list[_Evidence]
    claims: list[str] = _says("What a language model wrongly gave as the contract's words.")
    answers: list[_RiskAnswer]
    amendments: list[_Amendment]
    outlier: Annotated[_Outlier, BeforeValidator(_outlier)] | None
    left_out: list[str] = _says("Words that no finding follows from, each kind in one sentence.")
    searched: _Search | None
    candidates: list[Annotated[_Candidate, _Scored]]
    error: _Text
    remedy: _Text
    severity_by: _Text = _says("Who set the severity; null where the playbook's rules did.")
    possible_severity: Severity = _says("What open questions may make it, if that is graver.")
    proposed: _Proposal | None = _says("By the program; null where people changed nothing.")


class _Playbook(Value):
    name: str
    version: str
    id: str
    hash: str


class _QuoteCounts(Value):
    verified: _Count
    unverified: _Count


class _Counts(Value):
    documents: _Count
    provisions: _Count
    unread: _Count
    states: dict[CellState, _Count]
    red_flags: dict[Severity, _Count]
    quotes: _QuoteCounts


class _Provision(Value):
    id: str
    name: str
    definition: str


class _UnreadFile(Value):
    path: str
    reason: str
    remedy: str


class _Origin(Value):
    name: str
    value: str


class _Report(Value):
    """A grid of documents × provisions with exactly one finding each.

    Every `start` and `end` is a half-open range of a document's canonical text, counted in Unicode
    code points from 0: of the finding's document, unless another is named next to it.
    """

    schema_version: Literal["1.3"] = Field(serialization_alias="schema")
    title: str
    created: str = _says("When, ISO 8601.", format="date-time")
    as_of: _Day = _says("The day on which terms and dates were judged.")
    read_for: list[str] = _says("The names given for whom one reads; empty for nobody.")
    playbook: _Playbook
    counts: _Counts
    provisions: list[_Provision]
    documents: list[_Document]
    findings: list[_Finding] = _says("Row by row, in the order of `documents` and `provisions`.")
    unread: list[_UnreadFile] = _says("Files that could not be read, or were not reviewed yet.")
    provenance: list[_Origin]


def review_schema() -> str:
    """Return the JSON Schema (draft 2020-12) of the report."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:fourcorners:review:{SCHEMA_VERSION}",
        **_Report.model_json_schema(mode="serialization"),
        "title": "A Fourcorners review",
    }
    return json.dumps(schema, indent=1).replace("/_", "/").replace('"_', '"')


def review_json(grid: Grid) -> dict[str, Any]:
    """Return the review as the JSON object that `review_schema` describes."""
    review, quotes = grid.review, grid.quotes()
    counts = {
        "documents": len(review.documents),
        "provisions": len(review.columns),
        "unread": len(review.unread),
        "states": dict(sorted(grid.states().items())),
        "red_flags": dict(sorted(grid.severities().items())),
        "quotes": {"verified": quotes[True], "unverified": quotes[False]},
    }
    playbook = {"name": review.playbook, "version": review.playbook_version}
    origins = (("fourcorners", __version__), *review.provenance)
    report = _Report.make(
        review,
        schema_version=SCHEMA_VERSION,
        created=review.created.isoformat(),
        playbook={**playbook, "id": review.playbook_id, "hash": review.playbook_hash},
        counts=counts,
        provisions=review.columns,
        documents=[_document(each) for each in review.documents],
        findings=[
            _make(_Finding, each.finding, each.document, left_out=each.document.left_out)
            for each in grid.cells()
        ],
        provenance=[{"name": name, "value": value} for name, value in origins],
    )
    return report.model_dump(by_alias=True)


def _document(document: ReviewedDocument) -> _Document:
    values = {
        "characters": len(document.text),
        "text_sha256": sha256(document.text.encode("utf-8", errors="surrogatepass")).hexdigest(),
        "outline": {"confidence": document.outline_confidence, "windows": document.windows},
        "warnings": document.cautions,
    }
    return _make(_Document, document, document, **values)


def _make(form: type[V], source: object, document: ReviewedDocument, **more: object) -> V:
    rest = form.model_fields.keys() - more
    values = {name: getattr(source, name) for name in rest} | more
    return form.model_validate(values, context=document)


def review_history(finding: Finding) -> dict[str, Any]:
    """Return what people said of a finding: its state, their value, all remarks."""
    remarks = [_Remark.model_validate(each).model_dump() for each in finding.remarks]
    place = {"place": finding.place and asdict(finding.place), "remarks": remarks}
    return {"review": finding.review, "value": finding.value or None, **place}
