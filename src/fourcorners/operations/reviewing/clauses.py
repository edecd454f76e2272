"""One provision's clauses of many contracts side by side, part by part."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from fourcorners.comparison.passages import align_parts
from fourcorners.library.store import Library
from fourcorners.operations.access import Access
from fourcorners.operations.errors import NotFound
from fourcorners.operations.knowledge.playbooks import load_playbook
from fourcorners.operations.principal import Role
from fourcorners.operations.reviewing.findings import FindingsRequest, list_findings
from fourcorners.playbooks.playbook import Playbook
from fourcorners.reports.lists.clauses import (
    ClauseColumn,
    ClauseSheet,
    clauses_report,
    write_clauses_workbook,
)
from fourcorners.research.columns import store as columns
from fourcorners.review.finding import CellState, Finding
from fourcorners.text.span import Span
from fourcorners.text.word_differences import Edit, EditKind, diff_words
from fourcorners.value import Value

PREFERRED = "preferred"
"""In the place of a contract: the playbook's preferred wording."""
MAX_CONTRACTS = 50  # columns that can be read next to each other
_FEWEST = 8  # words of a part that is compared by itself
_LONGEST = 20_000  # characters of a clause that are compared


class ClausesRequest(Value):
    """Which clauses, and against what they are compared."""

    collection: str = Field(max_length=500, examples=["Project Larch"])
    playbook: str = Field(default="due-diligence", max_length=200)
    provision: str = Field(max_length=200, examples=["cap-on-liability"])
    against: str = Field(
        default="",
        max_length=40,
        description="A contract's id, or `preferred` for the playbook's wording; empty for the "
        "first contract that has the clause.",
    )
    documents: Annotated[
        list[Annotated[str, Field(max_length=40)]],
        Field(max_length=MAX_CONTRACTS, description="Only these contracts, by id."),
    ] = Field(default_factory=list)


class WordEdit(Value):
    """Words in a row that both have, or one of them."""

    kind: Literal["equal", "delete", "insert"]
    text: str


class ClausePart(Value):
    """A part of a clause; its edits lead from the words that it is compared with to its own."""

    base: int | None = Field(description="The part that it is compared with; null for none.")
    span: Span = Field(description="Where it is in the contract.")
    edits: list[WordEdit]


class ComparedClause(Value):
    """The clause of a contract."""

    document: str
    title: str
    headline: str
    parts: list[ClausePart]


class ClauseTable(Value):
    """The clauses of contracts, each compared with the parts of one."""

    name: str = Field(description="The provision's.")
    against: str = Field(
        description="A contract's id, or `preferred`; empty if no clause is there."
    )
    base: list[str] = Field(description="The parts that all are compared with, in order.")
    clauses: list[ComparedClause]
    missing: int = Field(description="Contracts in which the clause was not found.")
    left_out: int = Field(description=f"Clauses beyond the first {MAX_CONTRACTS}.")
    has_wording: bool = Field(description="Whether the playbook has a wording to compare with.")


FORMS = ("xlsx", "docx", "pdf", "html")
"""What clauses side by side are written as."""


def export_clauses(access: Access, asked: ClausesRequest, form: str) -> ClauseTable:
    """Return the clauses that are to be written; the audit trail keeps that they were.

    Raises:
        NotFound: As `compare_clauses` does.
    """
    table = compare_clauses(access, asked)
    detail = {"collection": asked.collection, "playbook": asked.playbook, "as": f"clauses {form}"}
    access.record("export", {**detail, "contracts": len(table.clauses)}, always=True)
    return table


def write_clauses(table: ClauseTable, path: Path) -> None:
    """Write clauses side by side in the format that the path's suffix names.

    Raises:
        ConfigError: If the file cannot be written, or what writes it is not installed.
    """
    from fourcorners.reports.send import format_for

    sheet = _sheet(table)
    if path.suffix.lower() == ".xlsx":
        write_clauses_workbook(sheet, path)
    else:
        format_for(path).export(clauses_report(sheet), path)


def _sheet(table: ClauseTable) -> ClauseSheet:
    others = [each for each in table.clauses if each.document != table.against]
    same = [each.title for each in table.clauses if each.document == table.against]
    base = "Preferred wording" if table.against == PREFERRED else next(iter(same), "")
    places = (*range(len(table.base)), None)
    return ClauseSheet(
        provision=table.name,
        base_title=base,
        base=tuple(table.base),
        columns=tuple(
            ClauseColumn(each.title, each.headline, tuple(_edits(each, at) for at in places))
            for each in others
        ),
        facts=(
            ("Compared with", base),
            ("Contracts with this clause", f"{len(table.clauses) + table.left_out:,}"),
            ("Contracts without", f"{table.missing:,}"),
            ("Not shown", f"{table.left_out:,}"),
        ),
    )


def _edits(clause: ComparedClause, base: int | None) -> tuple[Edit, ...]:
    """Return what a clause has for a part, or besides all of them."""
    return tuple(
        Edit(EditKind.INSERT if base is None else EditKind(each.kind), each.text)
        for part in clause.parts
        if part.base == base
        for each in part.edits
    )


def compare_clauses(access: Access, asked: ClausesRequest) -> ClauseTable:
    """Return the clauses of a provision side by side, with what differs marked.

    Raises:
        NotFound: If they may not know of the collection or a contract, there is no such provision,
            or what they are to be compared with is not there.
    """
    wanted = FindingsRequest(
        collection=asked.collection,
        playbook=asked.playbook,
        provision=asked.provision,
        documents=asked.documents,
    )
    findings = list_findings(access, wanted)
    found = [each for each in findings if each.state is CellState.FOUND and _spans(each)]
    library = access.library_for(asked.collection, Role.READER)
    book = load_playbook(access, asked.playbook, asked.collection)
    wording = _preferred(book, asked.provision)
    titles = access.titles(each.document for each in found)
    found.sort(key=lambda each: (each.document != asked.against, str(titles[each.document])))
    parts = {each.document: _parts(library, each) for each in found[:MAX_CONTRACTS]}
    against = asked.against or next(iter(parts), "")
    if against == PREFERRED and wording:
        base = wording
    elif against in parts:
        base = [words for _, words in parts[against]]
    elif against:
        raise NotFound("there is nothing of that name to compare with.", remedy="Choose another.")
    else:
        base = []
    asked_columns = columns.review_playbook(library, asked.collection, book.id)
    names = {each.id: each.name for each in (*book.provisions, *asked_columns.provisions)}
    return ClauseTable(
        name=names[asked.provision],
        against=against,
        base=base,
        clauses=[
            ComparedClause(
                document=each.document,
                title=str(titles[each.document]),
                headline=each.value or each.headline,
                parts=_compare(base, parts[each.document]),
            )
            for each in found[:MAX_CONTRACTS]
        ],
        missing=len(findings) - len(found),
        left_out=max(0, len(found) - MAX_CONTRACTS),
        has_wording=bool(wording),
    )


def _compare(base: Sequence[str], parts: Sequence[tuple[Span, str]]) -> list[ClausePart]:
    paired = align_parts(base, [words for _, words in parts])
    return [
        ClausePart(
            base=at,
            span=span,
            edits=[
                WordEdit(kind=each.kind.value, text=each.text) for each in diff_words(old, words)
            ],
        )
        for at, (span, words) in zip(paired, parts, strict=True)
        for old in [words if at is None else base[at]]
    ]


def _spans(finding: Finding) -> list[Span]:
    """Return where the clauses of a finding are: what a person put there, else the likeliest."""
    if finding.place is not None:
        return [finding.place]
    return [finding.best.clause] if finding.best and finding.best.quote.span else []


def _parts(library: Library, finding: Finding) -> list[tuple[Span, str]]:
    """Return the sub-clauses of a finding's clause, each with its place."""
    text, outline = library.text(finding.document), library.outline(finding.document)
    cut: list[tuple[Span, str]] = []
    for clause in _spans(finding):
        end, start = min(clause.end, clause.start + _LONGEST), clause.start
        inside = {node.span.start for node in outline.nodes if clause.start < node.span.start < end}
        for stop in (*sorted(inside), end):
            words = Span(start, stop).text_in(text).split()
            if len(words) < _FEWEST and stop != end:
                continue  # a heading goes with what follows it
            if words:
                cut.append((Span(start, stop), " ".join(words)))
            start = stop
    return cut


def _preferred(book: Playbook, provision: str) -> list[str]:
    """Return the paragraphs of the playbook's preferred wording; none if it has none."""
    positions: Iterable[str] = (
        position.wording.clause
        for each in book.provisions
        if each.id == provision
        for position in each.positions
        if position.kind == PREFERRED and position.wording and position.wording.clause
    )
    clause = next(iter(positions), "")
    return [" ".join(each.split()) for each in clause.split("\n") if each.strip()]
