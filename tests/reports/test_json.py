"""The JSON report against its published schema and against the review."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from fourcorners import reports
from fourcorners.errors import EvidenceError
from fourcorners.library.entries import Failure
from fourcorners.reports.json import SCHEMA_VERSION, review_schema
from fourcorners.review.finding import (
    Amendment,
    Annotation,
    Author,
    Outlier,
    PositionMatch,
    Review,
    ReviewState,
    RiskAnswer,
)
from fourcorners.server.api.findings import FindingValue
from fourcorners.text.quote import Match, Quote
from fourcorners.text.span import Span

UNVERIFIED = Match.UNVERIFIED


def written(review: Review, folder: Path) -> dict[str, Any]:
    path = folder / "review.json"
    reports.write(review, path)

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} in JSON")

    loaded: dict[str, Any] = json.loads(path.read_bytes(), parse_constant=refuse)
    return loaded


def checker() -> jsonschema.Draft202012Validator:
    published = json.loads(review_schema())
    jsonschema.Draft202012Validator.check_schema(published)
    assert published["properties"]["schema"]["const"] == SCHEMA_VERSION
    return jsonschema.Draft202012Validator(published)


def test_the_report_holds_its_schema(tmp_path: Path, review: Review) -> None:
    checker().validate(written(review, tmp_path))


def test_a_hostile_review_holds_it_too(tmp_path: Path, hostile_review: Review) -> None:
    report = written(hostile_review, tmp_path)
    checker().validate(report)
    assert report["findings"][0]["searched"]["threshold"] is None
    assert report["title"] == hostile_review.title


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("findings", 0, "state"), "perhaps"),
        (("findings", 0, "evidence", 0, "quote", "match"), "maybe"),
        (("created",), None),
        (("documents", 0, "card", "agreement_date", "value"), "3 March"),
        (("schema",), "2.0"),
        (("extra",), 1),
    ],
)
def test_the_schema_refuses_what_it_should(
    tmp_path: Path, review: Review, path: tuple[Any, ...], value: Any
) -> None:
    report = written(review, tmp_path)
    place: Any = report
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    assert not checker().is_valid(report)


def test_every_place_gives_the_words_of_the_text(tmp_path: Path, review: Review) -> None:
    report = written(review, tmp_path)
    texts = {document.id: document.text for document in review.documents}
    seen = 0

    def check(value: Any, text: str) -> None:
        nonlocal seen
        if isinstance(value, dict):
            if {"text", "start", "end"} <= value.keys():
                assert text[value["start"] : value["end"]] == value["text"]
                seen += 1
            for inner in value.values():
                check(inner, text)
        elif isinstance(value, list):
            for inner in value:
                check(inner, text)

    for finding in report["findings"]:
        check(finding, texts[finding["document"]])
    for document in report["documents"]:
        check(document["card"], texts[document["id"]])
    assert seen > 300


def test_nothing_is_left_out(tmp_path: Path, review: Review) -> None:
    report = written(review, tmp_path)
    assert [(f["document"], f["provision"]) for f in report["findings"]] == [
        (f.document, f.provision) for f in review.findings
    ]
    assert [file["path"] for file in report["unread"]] == [file.path for file in review.unread]
    assert report["counts"]["states"]["failed"] == 2
    failed = [f for f in report["findings"] if f["state"] == "failed"]
    assert all(f["error"] and f["remedy"] for f in failed)
    assert report["as_of"] == "2025-02-14"
    assert report["provenance"][0]["name"] == "fourcorners"
    left = [a for f in report["findings"] for a in f["answers"] if a["answer"] is None]
    assert len(left) == 6


def test_a_path_that_is_no_utf8_is_escaped(tmp_path: Path, review: Review) -> None:
    odd = replace(review, unread=(Failure("caf\udce9.pdf", "Damaged."),))
    assert written(odd, tmp_path)["unread"][0]["path"] == "caf\udce9.pdf"


def test_pages_are_cited_by_their_labels(tmp_path: Path, review: Review) -> None:
    at = next(i for i, each in enumerate(review.findings) if each.evidence)
    finding = review.findings[at]
    first = replace(finding.evidence[0], pages=("ii", 3))
    labelled = replace(finding, evidence=(first, *finding.evidence[1:]))
    findings = (*review.findings[:at], labelled, *review.findings[at + 1 :])
    report = written(replace(review, findings=findings), tmp_path)
    checker().validate(report)
    assert report["findings"][at]["evidence"][0]["pages"] == ["ii", 3]
    assert FindingValue.from_finding(labelled).quotes[0].pages == ("ii", 3)


def test_what_people_and_models_said_is_told(tmp_path: Path, review: Review) -> None:
    at = next(i for i, each in enumerate(review.findings) if each.evidence)
    finding = review.findings[at]
    quote = finding.evidence[0].quote
    assert quote.span is not None
    said = Annotation("Ann", "2025-02-18T09:00:00+00:00", ReviewState.CORRECTED, quote.words, "no",
                  place=quote.span)  # fmt: skip
    told = replace(
        finding,
        review=ReviewState.SECOND_LOOK,
        value=quote.words,
        place=quote.span,
        author=Author.MODEL,
        claims=("never said",),
        recommendation="Ask for consent.",
        remarks=(said, Annotation("Fourcorners", said.at, None, "", "changed", Author.RULE)),
        position=PositionMatch("fallback", "We accept it.", "Ask.", (quote,)),
        amendments=(
            Amendment(review.documents[1].id, "b.docx", Quote("x", None, UNVERIFIED), True),
        ),
        outlier=Outlier(0.7, review.documents[1].id, Span(3, 9)),
        answers=(
            RiskAnswer("Can they?", "yes", "so", "can", Author.MODEL, "Buyer", (quote,), "but", ()),
        ),
    )
    findings = (*review.findings[:at], told, *review.findings[at + 1 :])
    report = written(replace(review, findings=findings, playbook_id="due-diligence"), tmp_path)
    checker().validate(report)
    kept = report["findings"][at]
    place = {"start": quote.span.start, "end": quote.span.end}
    assert (kept["review"], kept["value"], kept["place"]) == ("second_look", quote.words, place)
    assert kept["author"] == "model"
    assert [(each["by"], each["author"], each["state"]) for each in kept["remarks"]] == [
        ("Ann", "person", "corrected"),
        ("Fourcorners", "rule", None),
    ]
    assert kept["outlier"] == {
        "score": 0.7,
        "nearest": {"document": review.documents[1].id, "start": 3, "end": 9},
    }
    assert (kept["claims"], kept["position"]["kind"]) == (["never said"], "fallback")
    assert kept["amendments"][0]["replaces"] is True
    assert kept["answers"][0]["quotes"][0]["text"] == quote.words
    assert report["playbook"]["id"] == "due-diligence"


def test_a_corrected_value_must_stand_at_its_place(tmp_path: Path, review: Review) -> None:
    moved = replace(review.findings[0], value="other words", place=Span(0, 11))
    with pytest.raises(EvidenceError, match="the corrected value"):
        written(replace(review, findings=(moved, *review.findings[1:])), tmp_path)
