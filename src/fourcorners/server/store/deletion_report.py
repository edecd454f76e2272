"""What a deletion reports: what was deleted, what still has words of it, and what was searched."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Annotated

from pydantic import BeforeValidator, Field

from fourcorners.value import Value, as_list

_NAMES: Mapping[str, str] = {
    "bank_clauses": "clause banks",
    "document_parties": "parties of contracts",
    "documents": "contracts",
    "llm_answers": "stored replies of a language model",
    "llm_calls": "the record of calls to a language model",
    "obligation_lists": "lists of obligations",
    "remarks": "notes on findings",
    "research_answers": "answers",
    "review_findings": "findings",
    "review_summaries": "findings as the grid lists them",
    "server_columns": "questions of columns",
    "server_deliveries": "messages of webhooks",
    "server_exports": "exported files",
    "server_markups": "mark-ups",
    "server_once": "stored responses to programs",
    "server_papers": "checks of documents",
    "server_playbooks": "playbooks",
    "server_steps": "progress of questions",
    "server_tasks": "tasks",
}
"""What people call tables; others have names that say it."""


_Id = Annotated[str, Field(max_length=40)]
_Ids = list[_Id]


class DeletionScope(StrEnum):
    """What of a collection is to be deleted."""

    CONTRACTS = "contracts"
    DUE = "due"
    COLLECTION = "collection"


class DeletionRequest(Value):
    """What is to be deleted of a collection, with a report."""

    collection: str = Field(max_length=500, examples=["Project Larch"])
    scope: DeletionScope = Field(
        description="Some `contracts`, what is `due` by the retention rule, or the `collection` "
        "with all that it has."
    )
    documents: Annotated[_Ids, BeforeValidator(as_list, json_schema_input_type=_Id | _Ids)] = Field(
        default_factory=list, max_length=10_000, description="The contracts, by id."
    )
    count: int = Field(
        ge=0,
        description="How many contracts are to be deleted; it is refused if there are more or "
        "fewer by now.",
        examples=[2],
    )


class DeletedContract(Value):
    """A contract that was deleted: nothing of its text, only what identifies it."""

    id: str
    name: str
    collection: str
    sha256: str = Field(description="Of the original file.")
    added: str = Field(description="UTC.")


class DeletedOriginal(Value):
    """An object that was deleted from a bucket."""

    address: str
    versions: int = Field(description="How many versions and delete markers were deleted.")
    proved: bool = Field(description="Whether the bucket then listed no version of it.")


class Remainder(Value):
    """What still has words of a deleted contract, or names it."""

    place: str = Field(description="A table, a file, or `audit trail`.")
    count: int
    reason: str


class KnownBackup(Value):
    """A backup that has a deleted contract."""

    file: str
    made: str
    contracts: int


class LibrarySearch(Value):
    """What was searched for words of deleted contracts, and where some are left."""

    library: str
    removed: dict[str, int] = Field(description="Rows with its words before, by table.")
    remaining: list[Remainder]
    backups: list[KnownBackup]
    runs: int = Field(description="Runs of six words that were looked for in tables.")
    lines: int = Field(description="Lines and rare words that were looked for in files.")
    contracts: int = Field(description="Contracts that have any of these alone.")
    tables: list[str] = Field(description="The tables that were searched.")
    files: list[str] = Field(description="The files whose every byte was searched.")
    bytes: int = Field(description="How many bytes these have.")
    notes: list[str]


class DeletionReport(Value):
    """What was deleted, and whether something of it is left."""

    at: str = Field(description="UTC.")
    by: str
    contracts: list[DeletedContract]
    originals: list[DeletedOriginal]
    originals_left: dict[str, str] = Field(
        description="Objects that could not be deleted, and why; it is tried again."
    )
    files: int = Field(description="Uploaded and prepared files that were deleted.")
    is_clean: bool | None = Field(
        description="Whether neither a table, a file nor a bucket has any of it; backups and the "
        "audit trail are named apart. Null where the library was not searched."
    )
    search: LibrarySearch | None = Field(
        description="Null where the person does not administer the whole library: what other "
        "collections have is not theirs to learn."
    )


def report_json(report: DeletionReport) -> str:
    """Return a report as the file whose SHA-256 is in the audit trail."""
    return report.model_dump_json(indent=1) + "\n"


def report_digest(report: DeletionReport) -> str:
    return hashlib.sha256(report_json(report).encode()).hexdigest()


def report_text(report: DeletionReport) -> str:
    """Return a report for people."""
    count, at = _count_noun(len(report.contracts), "contract"), report.at[:16].replace("T", " ")
    lines = [f"{count} deleted by {report.by}, {at} UTC", "", report_verdict(report)]
    for title, found in report_sections(report):
        lines += ["", title, *(f"- {each}" for each in found or ["nothing"])]
    lines += ["", f"SHA-256 of this report as JSON, as in the audit trail: {report_digest(report)}"]
    return "\n".join(lines) + "\n"


def report_sections(report: DeletionReport) -> list[tuple[str, list[str]]]:
    """Return the parts of a report: what each is called, and its lines."""
    parts = [
        ("Contracts", list(_contracts(report))),
        ("Removed", list(_removed(report))),
        ("Still there", list(_remaining(report))),
    ]
    if (search := report.search) is not None:
        parts += [("Searched", list(_searched(search))), ("Notes", search.notes)]
    return parts


def report_verdict(report: DeletionReport) -> str:
    """Return in a sentence whether something of the contracts is left."""
    if report.is_clean is None:
        return (
            "The library was not searched for what may be left: that takes an admin of the whole "
            "library."
        )
    if report.is_clean:
        return "The search found nothing of them in the library, its files and its buckets."
    return "Something of them is left: see what is still there."


def _contracts(report: DeletionReport) -> Iterator[str]:
    for each in report.contracts:
        yield f"{each.name}, of {each.collection}: id {each.id}, SHA-256 {each.sha256}"


def _removed(report: DeletionReport) -> Iterator[str]:
    for table, rows in report.search.removed.items() if report.search else ():
        yield f"{_place(table)}: {rows:,}"
    yield f"uploaded and prepared files: {report.files:,}"
    for each in report.originals:
        left = "none is left" if each.proved else "the bucket does not list versions"
        yield f"{each.address}: {_count_noun(each.versions, 'version')}, {left}"


def _remaining(report: DeletionReport) -> Iterator[str]:
    if report.search is not None:
        for each in report.search.remaining:
            yield f"{_place(each.place)}: {each.count:,}. {each.reason}"
    for address, reason in report.originals_left.items():
        yield f"{address}: {reason} It is tried again."
    if report.search is not None:
        for backup in report.search.backups:
            found = _count_noun(backup.contracts, "contract")
            yield f"backup {backup.file}, made {backup.made}: {found}"


def _searched(search: LibrarySearch) -> Iterator[str]:
    yield f"library: {search.library}"
    yield (
        f"{len(search.tables):,} tables, for {_count_noun(search.runs, 'run')} of six words that "
        "no other contract has"
    )
    yield (
        f"every byte of {_count_noun(len(search.files), 'file')} ({search.bytes:,} bytes), for "
        f"{_count_noun(search.lines, 'line')} and words"
    )


def _place(name: str) -> str:
    return _NAMES.get(name, name)


def _count_noun(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
