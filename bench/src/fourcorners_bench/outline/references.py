"""Cross-references and defined terms against a person's verdicts on a random sample.

A verdict is an offset and a label, without the contract's words. A reference is *right* if the
code leads it to the innermost node that holds the place the person named, or says rightly that
there is none; what points at another document must not be among the references at all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from fourcorners.documents.document import Document
from fourcorners.outline.build import build_outline
from fourcorners.outline.terms import find_terms
from fourcorners.outline.tree import Outline
from fourcorners.text.span import Span
from fourcorners_bench.record import Json
from fourcorners_bench.run_files import read_answers


@dataclass(frozen=True, slots=True)
class ReferenceVerdict:
    """What a person says of a place that looks like a reference.

    Attributes:
        label: `internal`, `external` (another document, a statute), or `none` (a heading, a table
            of contents, plain words).
        targets: For an internal one: where what each of its numbers cites begins, in order;
            None for what is not in the document.
    """

    name: str
    start: int
    end: int
    label: str
    targets: tuple[int | None, ...] = ()


@dataclass(frozen=True, slots=True)
class TermVerdict:
    """Whether a place that looks like a definition is one.

    Attributes:
        label: `definition`; `none`; or `other`, which is not judged: words in small letters that
            are explained ("person", "including") and plain abbreviations.
    """

    name: str
    start: int
    end: int
    label: str


T = TypeVar("T", ReferenceVerdict, TermVerdict)


def read_verdicts(path: Path, kind: type[T]) -> list[T]:
    """Read verdicts; a line of another form is a `ConfigError` that names it."""
    return read_answers(path, kind, "a verdict")


def text_document(name: str, text: str) -> Document:
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    return Document(
        id=sha256[:16],
        name=name,
        path=name,
        sha256=sha256,
        media_type="text/plain",
        reader="plain/1",
        text=text,
    )


def is_right(outline: Outline, verdict: ReferenceVerdict) -> bool:
    """Tell whether the code agrees with a verdict on a reference."""
    span = Span(verdict.start, verdict.end)
    found = [
        each
        for each in outline.references
        if span.overlaps(each.span) or span.end <= each.span.start < span.end + 40
    ]
    if verdict.label != "internal":
        return not any(span.overlaps(each.span) for each in found)
    if len(found) < len(verdict.targets):
        return False
    for reference, place in zip(found, verdict.targets, strict=False):
        if place is None:
            if reference.target is not None:
                return False
        elif reference.target is None or not _leads(outline, reference.target, place):
            return False
    return True


def _leads(outline: Outline, target: int, place: int) -> bool:
    """Tell whether a node is the one that a place begins, or the innermost around it."""
    node = outline.nodes[target]
    innermost = outline.node_at(place)
    begins = abs(node.span.start - place) <= _SLACK
    return begins or (innermost is not None and innermost.id == target)


_SLACK = 12  # characters of signs and numbers that may precede a node's number


def score_references(
    verdicts: Sequence[ReferenceVerdict], texts: Mapping[str, str]
) -> dict[str, Json]:
    outlines: dict[str, Outline] = {}
    wrong: list[str] = []
    right: dict[str, int] = {}
    for verdict in verdicts:
        if verdict.name not in outlines:
            outlines[verdict.name] = build_outline(text_document(verdict.name, texts[verdict.name]))
        if is_right(outlines[verdict.name], verdict):
            right[verdict.label] = right.get(verdict.label, 0) + 1
        else:
            wrong.append(f"{verdict.name} {verdict.start} {verdict.label}")
    labels = sorted({verdict.label for verdict in verdicts})
    counts = {label: sum(verdict.label == label for verdict in verdicts) for label in labels}
    return {
        **{label: [right.get(label, 0), counts[label]] for label in labels},
        "internal_right": round(right.get("internal", 0) / max(1, counts.get("internal", 0)), 4),
        "wrong": wrong,
    }


def score_terms(verdicts: Sequence[TermVerdict], texts: Mapping[str, str]) -> dict[str, Json]:
    """Return recall and precision of the definitions among the places that were judged."""
    found: dict[str, list[Span]] = {}
    counts = {"both": 0, "missed": 0, "invented": 0}
    wrong: list[str] = []
    for verdict in verdicts:
        if verdict.label == "other":
            continue
        if verdict.name not in found:
            found[verdict.name] = [term.span for term in find_terms(texts[verdict.name])]
        read = _any_overlaps(found[verdict.name], Span(verdict.start, verdict.end))
        true = verdict.label == "definition"
        if true and read:
            counts["both"] += 1
        elif true or read:
            counts["missed" if true else "invented"] += 1
            wrong.append(f"{verdict.name} {verdict.start} {verdict.label}")
    both, missed, invented = counts["both"], counts["missed"], counts["invented"]
    return {
        **counts,
        "recall": round(both / max(1, both + missed), 4),
        "precision": round(both / max(1, both + invented), 4),
        "wrong": wrong,
    }


def _any_overlaps(spans: Iterable[Span], span: Span) -> bool:
    return any(each.overlaps(span) for each in spans)
