"""The whole review as JSON, by the published schema `review.schema.json`."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

from fourcorners.outline.card.card import Card, Fact, Party
from fourcorners.reports.grid import Grid
from fourcorners.review.finding import (
    Amendment,
    Annotation,
    Evidence,
    Finding,
    Outlier,
    PositionMatch,
    ReviewedDocument,
    RiskAnswer,
    SearchRecord,
)
from fourcorners.text.quote import Quote
from fourcorners.text.span import Span
from fourcorners.version import __version__

SCHEMA_VERSION: Final = "1.1"

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"
T = TypeVar("T")

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
        "provisions": [
            {"id": head.id, "name": head.name, "definition": head.definition}
            for head in review.columns
        ],
        "documents": [_document(document) for document in review.documents],
        "findings": [_finding(cell.finding, cell.document.text) for cell in grid.cells()],
        "unread": [
            {"path": file.path, "reason": file.reason, "remedy": file.remedy}
            for file in review.unread
        ],
        "provenance": [
            {"name": name, "value": value}
            for name, value in (("fourcorners", __version__), *review.provenance)
        ],
    }


def _document(document: ReviewedDocument) -> dict[str, Json]:
    return {
        "id": document.id,
        "name": document.name,
        "path": document.path,
        "media_type": document.media_type,
        "characters": len(document.text),
        "text_sha256": hashlib.sha256(
            document.text.encode("utf-8", errors="surrogatepass")
        ).hexdigest(),
        "page_count": document.page_count,
        "needs_ocr": list(document.needs_ocr),
        "outline": {
            "confidence": _number(document.outline_confidence),
            "windows": document.windows,
        },
        "warnings": list(document.cautions),
        "card": _card(document.card, document.text),
    }


def _card(card: Card, text: str) -> dict[str, Json]:
    return {
        "title": _fact(card.title, text, str),
        "type": _fact(card.type, text, str),
        "parties": [_fact(party, text, _party) for party in card.parties],
        "agreement_date": _fact(card.agreement_date, text, lambda day: day.isoformat()),
        "effective_date": _fact(card.effective_date, text, lambda day: day.isoformat()),
        "expiry_date": _fact(card.expiry_date, text, lambda day: day.isoformat()),
        "governing_law": _fact(card.governing_law, text, str),
        "amends": _fact(card.amends, text, str),
    }


def _party(party: Party) -> Json:
    return {"name": party.name, "short": party.short, "role": party.role}


def _fact(fact: Fact[T] | None, text: str, value: Callable[[T], Json]) -> Json:
    if fact is None:
        return None
    return {
        "value": value(fact.value),
        "confidence": _number(fact.confidence),
        "words": _span(fact.span, text),
    }


def _finding(finding: Finding, text: str) -> dict[str, Json]:
    return {
        "document": finding.document,
        "provision": finding.provision,
        "state": finding.state.value,
        "severity": finding.severity.value,
        "reason": finding.reason,
        "recommendation": finding.recommendation,
        "position": _position(finding.position),
        "author": finding.author.value,
        **review_history(finding),
        "evidence": [_evidence(evidence, text) for evidence in finding.evidence],
        "claims": list(finding.claims),
        "answers": [_answer(answer) for answer in finding.answers],
        "amendments": [_amendment(each) for each in finding.amendments],
        "outlier": _outlier(finding.outlier),
        "searched": _searched(finding.searched, text),
        "candidates": [
            {"start": span.start, "end": span.end, "score": _number(score)}
            for span, score in finding.candidates
        ],
        "error": finding.error or None,
        "remedy": finding.remedy or None,
    }


def review_history(finding: Finding) -> dict[str, Json]:
    """Return what people said of a finding: its state, their value, all remarks."""
    return {
        "review": finding.review.value,
        "value": finding.value or None,
        "place": _place(finding.place),
        "remarks": [_remark(remark) for remark in finding.remarks],
    }


def _remark(remark: Annotation) -> dict[str, Json]:
    return {
        "by": remark.by,
        "author": remark.author.value,
        "at": remark.at,
        "state": remark.state.value if remark.state else None,
        "value": remark.value or None,
        "place": _place(remark.place),
        "comment": remark.comment or None,
    }


def _answer(answer: RiskAnswer) -> dict[str, Json]:
    return {
        "id": answer.id,
        "question": answer.question,
        "answer": answer.answer or None,
        "reason": answer.reason,
        "author": answer.author.value,
        "party": answer.party,
        "quotes": [_quote(quote) for quote in answer.quotes],
        "against": answer.against,
        "against_quotes": [_quote(quote) for quote in answer.against_quotes],
    }


def _amendment(amendment: Amendment) -> dict[str, Json]:
    return {
        "document": amendment.document,
        "name": amendment.name,
        "replaces": amendment.replaces,
        "quote": _quote(amendment.quote),
    }


def _position(position: PositionMatch | None) -> Json:
    if position is None:
        return None
    return {
        "kind": position.kind,
        "text": position.text,
        "recommend": position.recommend,
        "quotes": [_quote(quote) for quote in position.quotes],
    }


def _outlier(outlier: Outlier | None) -> Json:
    if outlier is None:
        return None
    return {
        "score": _number(outlier.score),
        "nearest": {"document": outlier.nearest, **_ends(outlier.clause)},
    }


def _place(span: Span | None) -> Json:
    return None if span is None else _ends(span)


def _ends(span: Span) -> dict[str, Json]:
    return {"start": span.start, "end": span.end}


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
