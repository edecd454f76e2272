"""Apply a person's decisions on proposed changes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import sha256

from fourcorners.errors import ConfigError
from fourcorners.redline.proposal import (
    Basis,
    NewClause,
    NewParagraph,
    ProposedChange,
    Redline,
    Run,
    Source,
    find_blanks,
)
from fourcorners.redline.replacement import without_number
from fourcorners.text.sentences import BLANK_LINE
from fourcorners.text.span import Span
from fourcorners.text.word_differences import Edit, EditKind, diff_words, texts_of

# What precedes the words of a new clause in their run: a number, or what follows a heading.
_LEAD = r"(?:{number}\s*)?[.:]?\s*(?:[-–—]\s*)?(?:\d{{1,3}}(?:\.\d{{1,3}})+[.)]?\s+)?"


class DecisionState(StrEnum):
    ACCEPTED = "accepted"
    EDITED = "edited"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person says of one change.

    Attributes:
        words: Of an edited change: what its place is to say.
        by: Who decided.
        source: The precedent that the words were taken from; None for those proposed.
        is_edited: Whether the person wrote in them.
    """

    state: DecisionState
    by: str
    words: str = ""
    source: Source | None = None
    is_edited: bool = False


def change_id(change: ProposedChange) -> str:
    """Return an id of a change that is stable whenever it is proposed again."""
    edits = "\n".join(f"{each.kind} {each.text}" for each in change.edits)
    same = f"{change.provision}\n{change.span.start}-{change.span.end}\n{edits}"
    return sha256(same.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def find_change(redline: Redline, identity: str) -> ProposedChange | None:
    return next((each for each in redline.changes if change_id(each) == identity), None)


def edit_place(redline: Redline, change: ProposedChange, text: str) -> Span:
    """Return the words that a person edits: the quote around a change, if it has only that change.

    If another change is in the same words, or they span lines, it is the change's own words.
    """
    if change.new_clause is not None:
        return change.span
    others = [each for each in redline.changes if each is not change]
    for quote in change.quotes:
        place = quote.span
        if place is None or not place.contains(change.span) or "\n" in quote.words:
            continue
        taken = [each.span for each in others if each.new_clause is None]
        taken += [each.span for other in others for each in other.quotes if each.span is not None]
        if any(place.overlaps(each) or place.contains(each) for each in taken):
            continue
        words = without_number(text, place)
        return words if words.contains(change.span) else change.span
    return change.span


def proposed_words(change: ProposedChange, place: Span, text: str) -> str:
    """Return what a place says once a change is made in it."""
    if change.new_clause is not None:
        return "\n\n".join(
            "".join(run.text for run in each.runs) for each in change.new_clause.paragraphs
        )
    _, after = texts_of(change.edits)
    return text[place.start : change.span.start] + after + text[change.span.end : place.end]


def edit_change(
    redline: Redline, change: ProposedChange, decision: Decision, text: str
) -> ProposedChange:
    """Return a change with a person's words.

    Raises:
        ConfigError: If they are the contract's own, or there are none for a new clause.
    """
    words = re.sub(r"\r\n?", "\n", decision.words)
    if change.new_clause is not None:
        if not words.strip():
            raise _nothing_new()
        clause = _write_clause(change.new_clause, words)
        added = (Edit(EditKind.INSERT, clause.text),)
        return _as_edited(replace(change, new_clause=clause, edits=added), words, decision)
    place = edit_place(redline, change, text)
    before = place.text_in(text)
    proposed = before or proposed_words(change, place, text)
    lead = proposed[: len(proposed) - len(proposed.lstrip())]
    words = " ".join(words.split("\n")).strip()
    after = f"{lead}{words}" if words else ""
    edits = tuple(diff_words(before, after))
    if all(each.kind is EditKind.EQUAL for each in edits):
        raise _nothing_new()
    return _as_edited(replace(change, span=place, edits=edits), words, decision)


def clause_words(change: ProposedChange, words: str) -> str:
    """Return a precedent's words as a change takes them: a new clause keeps number and heading."""
    clause = change.new_clause
    if clause is None:
        return words
    *before, last = clause.paragraphs
    *heading, body = last.runs
    number = re.escape(clause.number) if clause.number else "(?!)"
    lead = re.match(_LEAD.format(number=number), body.text)
    runs = (*heading, replace(body, text=f"{lead[0] if lead else ''}{words}"))
    paragraphs = (*before, replace(last, runs=runs))
    return "\n\n".join("".join(run.text for run in each.runs) for each in paragraphs)


def apply_decision(
    redline: Redline, change: ProposedChange, decision: Decision | None, text: str
) -> ProposedChange:
    """Return a change after a person's decision."""
    if decision is None or decision.state is not DecisionState.EDITED:
        return change
    return edit_change(redline, change, decision, text)


def decided_redline(redline: Redline, decisions: Mapping[str, Decision], text: str) -> Redline:
    """Return a redline of the changes that were accepted or edited, and of nothing else."""
    changes = []
    for change in redline.changes:
        decision = decisions.get(change_id(change))
        if decision is not None and decision.state is not DecisionState.REJECTED:
            changes.append(apply_decision(redline, change, decision, text))
    return replace(redline, changes=tuple(changes), open_points=(), responses=())


def _as_edited(change: ProposedChange, words: str, decision: Decision) -> ProposedChange:
    source = decision.source or change.source
    if decision.is_edited:
        source = replace(source, name=f"{source.name}, edited by {decision.by}")
    return replace(change, source=source, blanks=find_blanks(words), basis=Basis.EDITED)


def _write_clause(clause: NewClause, words: str) -> NewClause:
    paragraphs = [" ".join(each.split()) for each in BLANK_LINE.split(words) if each.strip()]
    models = [*clause.paragraphs, *[clause.paragraphs[-1]] * len(paragraphs)]
    written = tuple(map(_write_paragraph, models, paragraphs))
    return replace(clause, paragraphs=written)


def _write_paragraph(model: NewParagraph, words: str) -> NewParagraph:
    """Return a paragraph that looks like another; a heading that it begins with stays one."""
    heading, last = model.runs[0], model.runs[-1]
    if len(model.runs) > 1 and words.startswith(heading.text):
        rest = words.removeprefix(heading.text)
        return replace(model, runs=(heading, Run(rest, last.like)))
    return replace(model, runs=(Run(words, last.like),))


def _nothing_new() -> ConfigError:
    return ConfigError(
        "these words change nothing in the contract.", remedy="Reject the change instead."
    )
