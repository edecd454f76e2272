"""A clause's words of both versions in one text: what stays, what goes and what comes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from fourcorners.comparison.comparison import ClauseChange, Comparison, Relation
from fourcorners.text.span import Span
from fourcorners.text.word_differences import Edit, EditKind

BREAK = "\u2029"
"""The character that marks the beginning of a clause that only one version has."""
_WHOLE = frozenset({Relation.ADDED, Relation.REMOVED, Relation.REPLACED})


def mark_words(comparison: Comparison, change: ClauseChange) -> list[Edit]:
    """Return the words of both versions, those of the first before those in their place.

    Where clauses were split or merged, what begins one in one version alone is `BREAK` with its
    number. Of clauses that were replaced, all words of the first come before all of the second.
    """
    old, new = comparison.before.text, comparison.after.text
    if change.relation in _WHOLE:
        sides = ((EditKind.DELETE, change.before, old), (EditKind.INSERT, change.after, new))
        return [
            Edit(kind, "\n".join(each.span.text_in(text) for each in clauses))
            for kind, clauses, text in sides
            if clauses
        ]
    is_after = change.relation is not Relation.MERGED
    clauses, text = (change.after, new) if is_after else (change.before, old)
    kind = EditKind.INSERT if is_after else EditKind.DELETE
    pieces = [
        (each.after, _apart(old, each.before, new, each.after))
        if is_after
        else (each.before, _apart(new, each.after, old, each.before))
        for each in change.changes
    ]
    if change.is_renumbered:
        other = change.before[0].written if is_after else change.after[0].written
        pieces.insert(0, (clauses[0].number, other))
    if change.relation in (Relation.SPLIT, Relation.MERGED):
        pieces += [
            (Span(one.span.end, max(other.number.end, other.span.start)), f"{BREAK}{other.written}")
            for one, other in pairwise(clauses)
            if other.written
        ]
    edits: list[Edit] = []
    at = clauses[0].span.start
    for place, other in sorted(pieces, key=lambda piece: piece[0]):
        span = place if other else _with_space(text, place)
        if span.start < at:
            continue
        edits.append(Edit(EditKind.EQUAL, text[at : span.start]))
        edits += _mark_piece(text, span, other, kind)
        at = span.end
    edits.append(Edit(EditKind.EQUAL, text[at : clauses[-1].span.end]))
    return [each for each in edits if each.text]


def _with_space(text: str, span: Span) -> Span:
    """Return words that come or go alone with the space that parts them from the others."""
    after = text[span.end : span.end + 1]
    if after.isspace():
        return Span(span.start, span.end + 1)
    before = text[max(0, span.start - 1) : span.start]
    return Span(span.start - 1, span.end) if before.isspace() else span


def _apart(other: str, span: Span, text: str, place: Span) -> str:
    """Return words of the other version, parted from the words before by a space if they are so."""
    words = span.text_in(other)
    is_parted = other[max(0, span.start - 1) : span.start].isspace()
    if words and place and is_parted and not text[max(0, place.start - 1) : place.start].isspace():
        return f" {words}"
    return words


def _mark_piece(text: str, span: Span, other: str, kind: EditKind) -> list[Edit]:
    """Return words of one version, of the kind, with those of the other in their place."""
    if other.startswith(BREAK):
        return [Edit(kind, other)]
    if other == span.text_in(text):  # a reference that means another clause now
        return [Edit(EditKind.EQUAL, other)]
    if not span and other:
        # Words that come alone, or go alone, bring the space that parts them from the others.
        follows_space = text[max(0, span.start - 1) : span.start].isspace()
        other = f"{other} " if follows_space else f" {other}"
    own = Edit(kind, span.text_in(text))
    if kind is EditKind.INSERT:
        return [Edit(EditKind.DELETE, other), own]
    return [own, Edit(EditKind.INSERT, other)]


def mark_side(change: ClauseChange, text: str, *, is_after: bool) -> list[Edit]:
    """Return the words of one version alone, with those marked that the other has not."""
    clauses = change.after if is_after else change.before
    kind = EditKind.INSERT if is_after else EditKind.DELETE
    if not clauses:
        return []
    whole = Span(clauses[0].span.start, clauses[-1].span.end)
    if change.relation in _WHOLE:
        return [Edit(kind, whole.text_in(text))]
    marked = [each.after if is_after else each.before for each in change.changes]
    if change.is_renumbered:
        marked.append(clauses[0].number)
    if change.relation is (Relation.SPLIT if is_after else Relation.MERGED):
        marked += [each.number for each in clauses[1:]]
    edits: list[Edit] = []
    at = whole.start
    for span in sorted(each for each in marked if each):
        if span.start < at:
            continue
        edits += [Edit(EditKind.EQUAL, text[at : span.start]), Edit(kind, span.text_in(text))]
        at = span.end
    edits.append(Edit(EditKind.EQUAL, text[at : whole.end]))
    return [each for each in edits if each.text]


def shorten_marked(edits: Sequence[Edit], around: int) -> list[Edit]:
    """Leave out equal words that are further than some characters from a change, for `…`."""
    shown: list[Edit] = []
    for at, each in enumerate(edits):
        if each.kind is not EditKind.EQUAL:
            shown.append(each)
            continue
        head = _cut(each.text, around) if at else ""
        tail = _cut(each.text[::-1], around)[::-1] if at + 1 < len(edits) else ""
        whole = len(head) + len(tail) >= len(each.text)
        shown.append(Edit(each.kind, each.text if whole else f"{head}…{tail}"))
    return shown


def _cut(text: str, length: int) -> str:
    """Return the beginning of a text, cut where a word ends."""
    if len(text) <= length:
        return text
    cut = text[:length]
    space = cut.rfind(" ")
    return cut[: space + 1] if space > 0 else cut
