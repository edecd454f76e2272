"""The whole review as JSON, by the published schema `review.schema.json`."""

from __future__ import annotations

import hashlib
import json
import math
import re
from dataclasses import fields
from datetime import date
from pathlib import Path
from typing import Final, TypeAlias

from fourcorners.outline.card.card import Fact, Party
from fourcorners.reports.grid import Grid
from fourcorners.review.finding import (
    Amendment,
    Annotation,
    Evidence,
    Finding,
    Outlier,
    PositionMatch,
    Proposal,
    ReviewedDocument,
    RiskAnswer,
    SearchRecord,
)
from fourcorners.text.quote import Quote
from fourcorners.text.span import Span
from fourcorners.version import __version__

SCHEMA_VERSION: Final = "1.3"

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"
_SURROGATE = re.compile("[\ud800-\udfff]")


def review_schema() -> str:
    """Return the published JSON Schema (draft 2020-12) of the report."""
    return Path(__file__).with_name("review.schema.json").read_text(encoding="utf-8")


class JsonExporter:
    """Writes the whole review as one JSON object."""

    suffix = ".json"

    def export(self, grid: Grid, path: Path) -> None:
        """Write the report as UTF-8, keys in a fixed order."""
        words = json.dumps(review_json(grid), ensure_ascii=False, allow_nan=False, indent=1)
        # Names of files on disk may hold bytes that are no UTF-8; JSON can only escape them.
        safe = _SURROGATE.sub(lambda lone: f"\\u{ord(lone.group()):04x}", words)
        path.write_text(safe + "\n", encoding="utf-8", newline="\n")


EXPORTER = JsonExporter()


def review_json(grid: Grid) -> dict[str, Json]:
    """Return the review as the JSON object that `review.schema.json` describes."""
    review = grid.review
    states, flags, quotes = grid.states(), grid.severities(), grid.quotes()
    return {
        "schema": SCHEMA_VERSION,
        "title": review.title,
        "created": review.created.isoformat(),
        "as_of": review.as_of.isoformat(),
        "read_for": list(review.read_for),
        "playbook": {
            "name": review.playbook,
            "version": review.playbook_version,
            "id": review.playbook_id,
            "hash": review.playbook_hash,
        },
        "counts": {
            "documents": len(review.documents),
            "provisions": len(review.columns),
            "unread": len(review.unread),
            "states": {state.value: count for state, count in sorted(states.items())},
            "red_flags": {severity.value: count for severity, count in sorted(flags.items())},
            "quotes": {"verified": quotes[True], "unverified": quotes[False]},
        },
        "provisions": [_fields(head, "id name definition") for head in review.columns],
        "documents": [_document(document) for document in review.documents],
        "findings": [_finding(cell.finding, cell.document) for cell in grid.cells()],
        "unread": [_fields(file, "path reason remedy") for file in review.unread],
        "provenance": [
            {"name": name, "value": value}
            for name, value in (("fourcorners", __version__), *review.provenance)
        ],
    }


def _document(document: ReviewedDocument) -> dict[str, Json]:
    content = document.text.encode("utf-8", errors="surrogatepass")
    confidence = _number(document.outline_confidence)
    return {
        **_fields(document, "id name path media_type"),
        "characters": len(document.text),
        "text_sha256": hashlib.sha256(content).hexdigest(),
        "page_count": document.page_count,
        "needs_ocr": list(document.needs_ocr),
        "read_for": list(document.read_for),
        "outline": {"confidence": confidence, "windows": document.windows},
        "warnings": list(document.cautions),
        "set_apart": [
            {"label": each.label or None, "page": each.page, **_span(each.span, document.text)}
            for each in document.set_apart
        ],
        "card": {
            each.name: _card_value(getattr(document.card, each.name), document.text)
            for each in fields(document.card)
            if each.name not in _JUDGED
        },
    }


_JUDGED = ("values", "renewal")  # of a card, what its dates were taken from


def _card_value(found: object, text: str) -> Json:
    """Return a fact of a card, a list of several, or null where there is none."""
    if isinstance(found, Fact):
        value, confidence = _plain(found.value), _number(found.confidence)
        return {"value": value, "confidence": confidence, "words": _span(found.span, text)}
    return [_card_value(each, text) for each in found] if isinstance(found, tuple) else None


def _finding(finding: Finding, document: ReviewedDocument) -> dict[str, Json]:
    text = document.text
    return {
        "document": finding.document,
        "provision": finding.provision,
        **_fields(finding, "state headline severity reason recommendation position author"),
        **review_history(finding),
        "evidence": [_evidence(evidence, text) for evidence in finding.evidence],
        **_fields(finding, "claims answers amendments"),
        "outlier": _outlier(finding.outlier),
        "left_out": list(document.left_out),
        "searched": _searched(finding.searched, text),
        "candidates": [
            {"start": span.start, "end": span.end, "score": _number(score)}
            for span, score in finding.candidates
        ],
        "error": finding.error or None,
        "remedy": finding.remedy or None,
        "severity_by": finding.severity_by or None,
        "possible_severity": finding.possible_severity.value,
        "proposed": _proposed(finding.proposed, text) if finding.proposed else None,
    }


def _proposed(proposal: Proposal, text: str) -> dict[str, Json]:
    """Return what the program had put into a cell that people's word changed."""
    return {
        **_fields(proposal, "state severity reason"),
        "evidence": [_evidence(evidence, text) for evidence in proposal.evidence],
        **_fields(proposal, "answers"),
    }


def review_history(finding: Finding) -> dict[str, Json]:
    """Return what people said of a finding: its state, their value, all remarks."""
    return {
        "review": finding.review.value,
        "value": finding.value or None,
        **_fields(finding, "place remarks"),
    }


def _fields(value: object, names: str) -> dict[str, Json]:
    return {name: _plain(getattr(value, name)) for name in names.split()}


def _plain(value: object) -> Json:
    """Return a part of a finding as the schema has it."""
    match value:
        case str():
            return str(value)
        case int() | None:
            return value
        case date():
            return value.isoformat()
        case tuple():
            return [_plain(each) for each in value]
        case Span():
            return {"start": value.start, "end": value.end}
        case Quote():
            return _quote(value)
        case Party():
            return _fields(value, "name short role")
        case PositionMatch():
            return _fields(value, "kind text recommend quotes")
        case Amendment():
            return _fields(value, "document name replaces quote")
        case Annotation():
            own_fields = _fields(value, "by author at state value place comment severity")
            answers: list[Json] = [
                {"id": each.id, "value": each.value or None} for each in value.answers
            ]
            given = {"value": value.value or None, "comment": value.comment or None}
            return {**own_fields, **given, "answers": answers}
        case RiskAnswer():
            names = "id question answer reason author party quotes against against_quotes"
            given = {"answer": value.answer or None, "value": value.value or None}
            return {
                **_fields(value, names),
                **given,
                "statement": value.statement,
                "confidence": _number(value.confidence) if value.confidence is not None else None,
            }
        case _:
            raise TypeError(f"{value!r} has no place in the report.")


def _outlier(outlier: Outlier | None) -> Json:
    if outlier is None:
        return None
    nearest: dict[str, Json] = {"document": outlier.nearest, **_fields(outlier.clause, "start end")}
    return {"score": _number(outlier.score), "nearest": nearest}


def _quote(quote: Quote) -> dict[str, Json]:
    return {
        "text": quote.words,
        "start": quote.span.start if quote.span else None,
        "end": quote.span.end if quote.span else None,
        "match": quote.match.value,
        "similarity": _number(quote.score),
    }


def _evidence(evidence: Evidence, text: str) -> dict[str, Json]:
    return {
        "quote": _quote(evidence.quote),
        "clause": _span(evidence.clause, text),
        "path": list(evidence.path),
        "pages": list(evidence.pages) if evidence.pages else None,
        "score": _number(evidence.score),
        "ocr": None if evidence.ocr is None else _number(evidence.ocr),
    }


def _searched(searched: SearchRecord | None, text: str) -> Json:
    if searched is None:
        return None
    return {
        "query": searched.query,
        "passages": searched.passages,
        "threshold": _number(searched.threshold),
        "best": _evidence(searched.best, text) if searched.best else None,
    }


def _span(span: Span, text: str) -> dict[str, Json]:
    return {"text": span.text_in(text), "start": span.start, "end": span.end}


def _number(value: float) -> float | None:
    """Return the number to four places; null where it is not one, for JSON has no NaN."""
    return round(float(value), 4) if math.isfinite(value) else None
