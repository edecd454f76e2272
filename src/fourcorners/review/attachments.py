"""Find exhibits and schedules that a contract cites and that are not in its file."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

from fourcorners.outline.references.labels import label_parts
from fourcorners.outline.tree import Outline, ReferenceKind
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

ATTACHMENTS = ("Exhibit", "Schedule", "Annex", "Annexure", "Appendix", "Attachment", "Addendum")
_PATTERNS = load_patterns("fourcorners.review", "attachments")
_ITSELF = _PATTERNS["itself"]
_LINE_END = re.compile(r"[^\S\n]*\n")


@dataclass(frozen=True, slots=True)
class MissingAttachment:
    """An exhibit or schedule that is cited and missing.

    Attributes:
        alike: One with the same letter under another word, if none has the cited word.
    """

    raw: str
    places: list[Span]
    alike: str | None


def find_missing_attachments(text: str, outline: Outline) -> list[MissingAttachment]:
    """Return the cited attachments that are missing, with all places that cite them.

    One is present if a part of it is ("Exhibit F-1"), or if it is the document itself. A number at
    the foot of a page of an exhibit ("Exhibit A-2") cites nothing.
    """
    present: dict[str, dict[tuple[str, ...], str]] = defaultdict(dict)
    for node in outline.nodes:
        word, _, written = node.label.partition(" ")
        if word in ATTACHMENTS and written:
            present[word].setdefault(_fold_mark(written), node.label)
    missing = []
    for raw, spans in missing_references(outline):
        word, _, written = raw.partition(" ")
        mark = _fold_mark(written)
        parts = any(own[: len(mark)] == mark for own in present[word])
        itself = any(_ITSELF.search(text, max(0, span.start - 16), span.start) for span in spans)
        foot = mark[:-1] in present[word] and all(_LINE_END.match(text, s.end) for s in spans)
        if word in ATTACHMENTS and not parts and not itself and not foot:
            named = (labels[mark] for labels in present.values() if mark in labels)
            alike = None if present[word] else next(named, None)
            missing.append(MissingAttachment(raw, spans, alike))
    return missing


def _fold_mark(mark: str) -> tuple[str, ...]:
    return tuple(part.casefold() for part in label_parts(mark))


def missing_references(outline: Outline) -> list[tuple[str, list[Span]]]:
    """Return the numbered references that lead nowhere, each with its places."""
    places: dict[str, list[Span]] = defaultdict(list)
    for reference in outline.references:
        if reference.target is None and reference.kind is ReferenceKind.NUMBERED:
            places[reference.raw].append(reference.span)
    # A missing attachment of a part is reported separately.
    inner = re.compile(rf" of (?:{'|'.join(ATTACHMENTS)}) ")
    return [(raw, spans) for raw, spans in places.items() if not inner.search(raw)]
