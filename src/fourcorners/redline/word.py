"""Write a redline: tracked changes and comments in the contract's Word file, or a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from pathlib import Path

from fourcorners.documents.docx.change_answers import AnsweredDocument
from fourcorners.documents.docx.tracked_changes import NewWords, TrackedDocument
from fourcorners.errors import InputError
from fourcorners.redline.proposal import (
    POINT_HEADINGS,
    Basis,
    ChangeResponse,
    NewClause,
    OpenPoint,
    ProposedChange,
    Redline,
    ResponseKind,
    Source,
)
from fourcorners.text.invisible_characters import shorten, single_line
from fourcorners.text.span import Span
from fourcorners.text.word_differences import EditKind


def redline_table(found: Redline) -> Iterator[str]:
    """Yield the lines of a redline as Markdown; what the contract says is escaped."""
    yield f"# Proposed changes: {_cell(found.name)}"
    yield ""
    yield f"For {_cell(found.party)}, against {_cell(found.playbook)} {found.playbook_version}."
    yield ""
    yield "| # | Provision | Clause | Goes | Comes | Why | Reaches | Wording |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for number, change in enumerate(found.changes, 1):
        why = change.found or ("No such clause was found." if change.new_clause else "")
        cells = (
            change.name,
            " › ".join(change.path),
            change.removed,
            change.added,
            why,
            change.reached,
            source_words(change.source),
        )
        yield f"| {number} | {' | '.join(_cell(each) for each in cells)} |"
    if found.remainder:
        yield ""
        yield _cell(found.remainder)
    for is_recognised, points in groupby(found.open_points, key=lambda each: each.is_recognised):
        yield ""
        yield f"## {POINT_HEADINGS[is_recognised]}"
        yield ""
        yield "| Provision | Clause | The contract says | Why it is open | Suggested wording |"
        yield "| --- | --- | --- | --- | --- |"
        for point in points:
            quoted = " … ".join(quote.words for quote in point.quotes)
            offered = point.offered.text if point.offered else ""
            row = (point.name, " › ".join(point.path), quoted, point.reason, offered)
            yield f"| {' | '.join(_cell(each) for each in row)} |"


def _cell(words: str) -> str:
    flat = single_line(words.replace("\n\n", " ¶ ").replace("\n", " "))
    return "".join(f"\\{each}" if each in "\\`*_{}[]<>#|!" else each for each in flat)


_QUOTED = 400  # characters of the contract's words in a comment


def write_redline(
    redline: Redline,
    text: str,
    data: bytes,
    path: Path,
    *,
    author: str,
    at: datetime,
    comment_open: bool = False,
) -> tuple[bytes, Redline]:
    """Return the marked file, and the redline as it was written.

    A change that the file does not allow, such as one within a cross-reference field, is an open
    point of the redline that is returned. `text` is the contract's, as it was read for the redline.
    `comment_open` puts a comment on the words of each open point. The responses of the redline are
    written, too: a change of another author is rejected within it, or only commented on.

    Raises:
        InputError: If the file is damaged, or is not the one that was read.
    """
    document = AnsweredDocument(data, path, author=author, at=at)
    if document.text != text:
        raise InputError(
            f"{path}: the file has changed since it was read.",
            remedy="Add it to the library again, or give its path.",
        )
    written: list[ProposedChange] = []
    refused: list[OpenPoint] = []
    rejected = [each for each in redline.responses if each.kind is ResponseKind.REJECT]
    for response in redline.responses:
        is_open = response.kind is ResponseKind.OPEN
        if is_open and not comment_open:
            continue
        lines = [*_response_lines(response)]
        if response in rejected:
            if why := document.rejection_obstacle(response.change):
                lines.append(f"It is to be undone by hand: {why}.")
            else:
                document.reject(response.change)
        document.comment_on(response.change, "\n".join(lines))
    for change in redline.changes:
        if any(_is_settled(change, each) for each in rejected):
            continue
        why = _obstacle(document, change)
        if why:
            refused.append(_as_open(change, why))
        else:
            _write(document, change)
            written.append(change)
    for point in redline.open_points if comment_open else ():
        spans = [quote.span for quote in point.quotes if quote.span is not None]
        if spans and not document.comment_obstacle(spans[0]):
            document.add_comment(spans[0], "\n".join(_open_point_lines(point)))
    made = replace(redline, changes=tuple(written), open_points=(*redline.open_points, *refused))
    return document.save(), made


def _is_settled(change: ProposedChange, rejected: ChangeResponse) -> bool:
    """Tell whether a change is not needed, because the words that call for it are rejected."""
    is_same = change.provision == rejected.provision
    return is_same and any(each in rejected.quotes for each in change.quotes)


def response_comment(response: ChangeResponse) -> str:
    return "\n".join(_response_lines(response))


def _response_lines(response: ChangeResponse) -> Iterator[str]:
    """Yield what a comment says of another author's change: the answer, and why."""
    heads = {
        ResponseKind.ACCEPT: "may be accepted",
        ResponseKind.REJECT: "rejected",
        ResponseKind.COUNTER: "other words are proposed",
        ResponseKind.OPEN: "to be decided by you",
    }
    subject = response.name or "This change"
    yield f"{subject}: {heads[response.kind]}. {response.reason}"
    for quote in response.quotes:
        where = f" ({' › '.join(response.path)})" if response.path else ""
        yield f"It would say{where}: “{shorten(single_line(quote.words), _QUOTED)}”"


def _obstacle(document: TrackedDocument, change: ProposedChange) -> str:
    if change.new_clause is not None:
        places = [change.new_clause.after, *(each.like for each in change.new_clause.paragraphs)]
        return next(filter(None, map(document.paragraph_obstacle, places)), "")
    offset = change.span.start
    for edit in change.edits:
        length = 0 if edit.kind is EditKind.INSERT else len(edit.text)
        if edit.kind is not EditKind.EQUAL:
            why = document.obstacle(Span(offset, offset + length))
            if why:
                return why
        offset += length
    return ""


def _write(document: TrackedDocument, change: ProposedChange) -> None:
    comment = change_comment(change)
    if change.new_clause is None:
        document.replace(change.span, change.edits, comment)
    else:
        _write_clause(document, change.new_clause, comment)


def _write_clause(document: TrackedDocument, clause: NewClause, comment: str) -> None:
    for at, paragraph in enumerate(clause.paragraphs):
        words = [NewWords(run.text, run.like) for run in paragraph.runs]
        document.insert_paragraph(clause.after, paragraph.like, words, "" if at else comment)


def _as_open(change: ProposedChange, why: str) -> OpenPoint:
    return OpenPoint(
        provision=change.provision,
        name=change.name,
        reason=f"The file does not let the words be changed: {why}.",
        quotes=change.quotes,
        path=change.path,
        target_kind=change.target_kind,
        target=change.target,
    )


def change_comment(change: ProposedChange) -> str:
    return "\n".join(_comment_lines(change))


def _comment_lines(change: ProposedChange) -> Iterator[str]:
    """Yield what a comment says of a change: the rule, the words before, where wording is from."""
    if change.new_clause is not None:
        yield f"{change.name}: no such clause was found in the contract."
    else:
        decided = "changed by decision." if change.basis is Basis.PERSON or not change.found else ""
        yield " ".join(filter(None, (f"{change.name}:", decided, change.found)))
    if change.basis is not Basis.EDITED:
        yield f"Proposed: {change.target}"
    for quote in change.quotes:
        where = f" ({' › '.join(change.path)})" if change.path else ""
        yield f"The contract says{where}: “{shorten(single_line(quote.words), _QUOTED)}”"
    yield f"Wording: {source_words(change.source)}"
    if change.blanks:
        yield f"To fill in: {'; '.join(change.blanks)}"
    yield from change.cautions


def _open_point_lines(point: OpenPoint) -> Iterator[str]:
    """Yield what a comment says of what is left to a person."""
    yield f"{point.name}: to be decided by you. {point.reason}"
    if point.recommend:
        yield point.recommend
    if point.target:
        yield f"The playbook would have ({point.target_kind}): {point.target}"
    if point.offered is not None:
        yield f"Suggested wording: “{point.offered.text}”"
        if point.source is not None:
            yield f"Wording: {source_words(point.source)}"


def source_words(source: Source) -> str:
    """Name where wording comes from, with its place and stars if it has them."""
    stars = f"{source.stars} of 5 stars" if source.stars else ""
    place = f"characters {source.span.start:,} to {source.span.end:,}" if source.span else ""
    return ", ".join(filter(None, (source.name, " › ".join(source.path), place, stars)))
