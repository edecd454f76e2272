"""A deal room of invented contracts, reviewed: what every exporter is tested on.

The texts are in `dealroom.yaml`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from fourcorners.library.entries import Failure
from fourcorners.outline.card.card import Card, Fact, Party, Value
from fourcorners.review.finding import (
    CellState,
    ColumnHeader,
    Evidence,
    Finding,
    Review,
    ReviewedDocument,
    ReviewState,
    RiskAnswer,
    SearchRecord,
    Severity,
)
from fourcorners.text.quote import Match, Quote
from fourcorners.text.span import Span

PROVISIONS = (
    ("change-of-control", "Change of control", "What happens if a party’s owner changes."),
    ("assignment", "Assignment", "Whether rights or duties may pass to another."),
    ("exclusivity", "Exclusivity", "A duty to deal with one party alone."),
    ("non-compete", "Non-compete", "A ban on doing competing business."),
    ("termination", "Termination for convenience", "A right to end without a cause."),
    ("term", "Term and renewal", "How long the contract lasts, and how it renews."),
    ("liability-cap", "Cap on liability", "A limit on what a party may have to pay."),
    ("uncapped", "Uncapped liability", "Liability that no limit applies to."),
    ("indemnity", "Indemnity", "A duty to hold another harmless."),
    ("ip", "Ownership of IP", "Who owns what is made or brought."),
    ("licence", "Licence grant", "A right to use another’s intellectual property."),
    ("audit", "Audit rights", "A right to inspect books or premises."),
    ("most-favoured", "Most favoured customer", "A promise of the best terms given to anyone."),
    ("minimum", "Minimum commitment", "A quantity or sum that must be bought."),
    ("confidentiality", "Confidentiality", "A duty to keep information secret."),
    ("insurance", "Insurance", "Cover that a party must keep up."),
    ("governing-law", "Governing law", "The law that governs the contract."),
)

LARCH = "Larch Hydraulics Limited"


@dataclass(frozen=True)
class Sketch:
    """A contract in short: clauses are (label, heading, words with marks)."""

    name: str
    kind: str
    other: str
    role: str
    day: date | None
    law: str
    clauses: tuple[tuple[str, str, str], ...]
    pages: int = 0
    expiry: date | None = None
    windows: bool = False
    needs_ocr: tuple[int, ...] = ()
    warnings: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


_ROOM = yaml.safe_load(Path(__file__).with_name("dealroom.yaml").read_text(encoding="utf-8"))


def _sketch(entry: dict[str, Any]) -> Sketch:
    clauses = tuple((c["label"], c["heading"], c["words"]) for c in entry["clauses"])
    tuples = {k: tuple(entry.get(k, ())) for k in ("needs_ocr", "warnings", "failed")}
    return Sketch(**{"day": None, "law": ""} | entry | tuples | {"clauses": clauses})


SKETCHES = tuple(_sketch(entry) for entry in _ROOM["documents"])
SEVERE = {
    (entry["provision"], entry["document"]): (Severity(entry["severity"]), entry["reason"])
    for entry in _ROOM["severe"]
}

_MARK = re.compile(r"\{\{([a-z-]+):(.*?)\}\}", re.DOTALL)


def _compose(sketch: Sketch) -> tuple[str, list[tuple[str, Span, Span, tuple[str, ...]]]]:
    """Return the text, and (provision, quote, clause, path) of each mark."""
    who = f"(1) {LARCH} (“Larch”) and (2) {sketch.other} (the “{sketch.role}”)"
    text = f"{sketch.kind.upper()}\n\nMade between {who}.\n\n"
    marks: list[tuple[str, Span, Span, tuple[str, ...]]] = []
    for label, heading, words in sketch.clauses:
        start = len(text)
        text += " ".join(part for part in (label, heading) if part)
        text += ". " if label else ""
        quotes, at = [], 0
        for mark in _MARK.finditer(words):
            text += words[at : mark.start()]
            quotes.append((mark.group(1), Span(len(text), len(text) + len(mark.group(2)))))
            text += mark.group(2)
            at = mark.end()
        text += words[at:]
        clause = Span(start, len(text))
        path = (f"{label.split('.')[0]} {sketch.kind} terms", f"{label} {heading}".strip())
        marks += [(name, quote, clause, path if label else ()) for name, quote in quotes]
        text += (
            "\n\nThe parties shall each bear their own costs of putting this into effect, and "
            "shall do at the other’s request whatever is reasonably needed for it.\n\n"
        )
    return text + "Signed by the parties on the date stated at the head.\n", marks


def _fact(text: str, words: str) -> Span:
    start = max(0, text.find(words))
    return Span(start, start + len(words))


def _evidence(text: str, quote: Span, clause: Span, path: tuple[str, ...], pages: int) -> Evidence:
    page = 1 + quote.start * max(1, pages) // (len(text) + 1)
    score = 0.64 + (int(hashlib.sha256(quote.text_in(text).encode()).hexdigest(), 16) % 34) / 100
    return Evidence(
        Quote(quote.text_in(text), quote, Match.EXACT),
        clause,
        path,
        (page, page) if pages else None,
        score,
    )


def _absent(
    text: str, name: str, marks: list[tuple[str, Span, Span, tuple[str, ...]]]
) -> SearchRecord:
    weak = next((mark for mark in marks if mark[0] != name), None)
    best = replace(_evidence(text, *weak[1:], 0), score=0.23) if weak else None
    return SearchRecord(f'"{name}"~5 OR {name}', 12 + len(text) // 160, 0.62, best)


def reviewed(sketch: Sketch, number: int) -> tuple[ReviewedDocument, list[Finding]]:
    """Return the document of a sketch and its seventeen findings."""
    text, marks = _compose(sketch)
    identity = hashlib.sha256(f"{number} {sketch.name}".encode()).hexdigest()[:16]
    law = _fact(text, sketch.law)
    head = Span(0, len(sketch.kind))
    day = Fact(sketch.day, head, 0.9) if sketch.day else None
    card = Card(
        title=Fact(sketch.kind.title(), head, 0.97),
        type=Fact(sketch.kind, head, 0.93),
        parties=(
            Fact(Party(LARCH, "Larch", ""), _fact(text, LARCH), 0.95),
            Fact(Party(sketch.other, "", sketch.role), _fact(text, sketch.other), 0.95),
        ),
        agreement_date=day,
        expiry_date=Fact(sketch.expiry, head, 0.8) if sketch.expiry else None,
        governing_law=Fact(sketch.law, law, 0.9) if sketch.law else None,
        values=(
            (Value("end", sketch.expiry.isoformat(), head, 0.9, asserted=True),)
            if sketch.expiry
            else ()
        ),
    )
    document = ReviewedDocument(
        id=identity,
        name=sketch.name,
        path=f"/deals/larch/{sketch.name}",
        media_type="application/pdf" if sketch.name.endswith(".pdf") else "text/plain",
        text=text,
        card=card,
        outline_confidence=0.31 if sketch.windows else 0.92,
        windows=sketch.windows,
        page_count=sketch.pages,
        needs_ocr=sketch.needs_ocr,
        warnings=sketch.warnings,
    )
    findings = []
    for name, _, _ in PROVISIONS:
        severity, reason = SEVERE.get((name, number), (Severity.NONE, ""))
        found = tuple(_evidence(text, *m[1:], sketch.pages) for m in marks if m[0] == name)
        if name in sketch.failed:
            finding = Finding(
                identity, name, CellState.FAILED,
                error="The clause reader ran out of its time limit of 30 seconds.",
                remedy="Run the review again with a longer limit: what is done is kept.",
            )  # fmt: skip
        elif found:
            finding = Finding(
                identity, name, CellState.FOUND, found, _absent(text, name, []),
                severity=severity, reason=reason,
                answers=(
                    RiskAnswer("Does the sale of the shares set it off?", "Yes.", reason),
                    RiskAnswer("Has the other side waived it?", ""),
                ) if severity is Severity.HIGH else (),
                review=ReviewState.CONFIRMED if number == 0 else ReviewState.PROPOSED,
            )  # fmt: skip
        else:
            finding = Finding(
                identity, name, CellState.NOT_FOUND, (), _absent(text, name, marks),
                severity=severity, reason=reason,
            )  # fmt: skip
        findings.append(finding)
    return document, findings


def compose(sketches: tuple[Sketch, ...] = SKETCHES) -> Review:
    """Return the review of some sketches, with two files that were not read."""
    pairs = [reviewed(sketch, number) for number, sketch in enumerate(sketches)]
    return Review(
        title="Project Larch",
        created=datetime(2025, 2, 17, 16, 42, tzinfo=UTC),
        as_of=date(2025, 2, 14),
        playbook="Due diligence",
        playbook_version="1.0",
        playbook_hash="7d1b0c6e5f4a39281716054f3e2d1c0b",
        columns=tuple(ColumnHeader(*provision) for provision in PROVISIONS),
        documents=tuple(document for document, _ in pairs),
        findings=tuple(finding for _, findings in pairs for finding in findings),
        unread=(
            Failure(
                "/deals/larch/Shareholders Agreement (signed).pdf",
                "The file is protected by a password.",
                "Save a copy without the password and add it again.",
            ),
            Failure(
                "/deals/larch/old/Pension Deed 1998.tif",
                "The format image/tiff is not one of those that can be read.",
                "Convert it to PDF with a text layer.",
            ),
        ),
        provenance=(
            ("encoder", "fourcorners-encoder, sha256 4f2a…"),
            ("outline", "rules/3"),
            ("settings", "threshold 0.62, window 5 sentences"),
        ),
    )


@pytest.fixture(scope="session")
def review() -> Review:
    """Twelve contracts × seventeen provisions, two files not read."""
    return compose()


@pytest.fixture(scope="session")
def large_review() -> Callable[[int], Review]:
    """Make a review of so many documents, with clauses of a real contract's length."""

    def make(count: int) -> Review:
        padding = " and shall do so with the care of a prudent trader in the same line of business"
        long = [
            replace(
                sketch,
                clauses=tuple(
                    (label, heading, words + padding * 9 + ".")
                    for label, heading, words in sketch.clauses
                ),
            )
            for sketch in SKETCHES
        ]
        return compose(
            tuple(
                replace(long[i % len(long)], name=f"{i:03d} {long[i % len(long)].name}")
                for i in range(count)
            )
        )

    return make


HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</script><script>alert(2)</script>",
    "right\u202eto left\u202c and zero\u200bwidth\ufeff",
    "line\u2028separator \u2029 and null\x00byte \x0b \x0c \x85 \ud800",
    "=HYPERLINK(\"http://x\",\"y\")",
    "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1",
    "W" * 900,
    "{{ 7*7 }} {% raw %} ${7*7}",
    "_x000D_ ]]> &amp; &#x3c;",
    "=cmd|' /C calc'!A0", "=DDE(\"cmd\";\"/C calc\")", "{DDEAUTO c:\\cmd \"/k calc\"}",
    "[click](javascript:alert(3)) ![x](http://x/y.png)", "<svg onload=alert(4)>",
    '#eval("1") #read("/etc/passwd") #link("http://x")[y] $x$',
)  # fmt: skip


@pytest.fixture(scope="session")
def hostile_review(review: Review) -> Review:
    """A review in which every string that comes from outside attacks the report."""
    nasty = "\n".join(HOSTILE)
    text = f"Before the words. {nasty} After the words."
    quote = Span(18, 18 + len(nasty))
    evidence = Evidence(
        Quote(nasty, quote, Match.EXACT), Span(0, len(text)), (nasty, nasty), (1, 2), 0.9
    )
    document = replace(
        review.documents[0], id=HOSTILE[1], name=nasty, path=nasty, text=text, warnings=(nasty,),
        suspicions=(nasty,),
        needs_ocr=(2,),
        card=Card(
            title=Fact(nasty, quote, 1.0), type=Fact(nasty, quote, 1.0),
            parties=(Fact(Party(nasty, nasty, nasty), quote, 1.0),),
            governing_law=Fact(nasty, quote, float("nan")), amends=Fact(nasty, quote, 1.0),
        ),
    )  # fmt: skip
    base = Finding(document.id, HOSTILE[0], CellState.FOUND, (evidence,), severity=Severity.HIGH)
    found = replace(
        base, reason=nasty, answers=(RiskAnswer(nasty, nasty, nasty), RiskAnswer(nasty, "")),
        searched=SearchRecord(nasty, 3, float("nan"), evidence),
    )  # fmt: skip
    columns = tuple(ColumnHeader(name, name, nasty) for name in HOSTILE[:3])
    findings = (
        found,
        Finding(
            document.id, HOSTILE[1], CellState.NOT_FOUND, (),
            SearchRecord(nasty, 3, 0.5, replace(evidence, score=float("inf"))),
        ),
        Finding(document.id, HOSTILE[2], CellState.FAILED, error=nasty, remedy=nasty),
    )  # fmt: skip
    return replace(
        review, title=nasty, playbook=nasty, playbook_version=nasty, playbook_hash=nasty,
        columns=columns, documents=(document,), findings=findings,
        unread=(Failure(nasty, nasty, nasty),), provenance=((nasty, nasty),),
    )  # fmt: skip
