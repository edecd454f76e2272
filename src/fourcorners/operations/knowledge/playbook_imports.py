"""Making a playbook of a table in a Word file or an Excel workbook."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from fourcorners.documents.tables import MAX_COLUMNS, MAX_ROWS, read_tables
from fourcorners.errors import PlaybookError
from fourcorners.models.registry import default_verdict_reader
from fourcorners.operations.access import Access
from fourcorners.operations.errors import Refusal
from fourcorners.operations.knowledge.playbooks import playbook_homes, playbook_names
from fourcorners.playbooks.file.checks import offline_provisions
from fourcorners.playbooks.load import MAX_BYTES, parse_playbook
from fourcorners.playbooks.tables import Field as TableField
from fourcorners.playbooks.tables import join_tables, make_playbook, suggest_columns
from fourcorners.playbooks.write import unused_id
from fourcorners.value import Value

_Row = Annotated[list[str], Field(max_length=MAX_COLUMNS)]
_NAME = "Imported playbook"


class ImportedTable(Value):
    """A table: its rows, the first with the headings, and what each column is of a provision.

    A column without a field is left out.
    """

    name: str = Field(default=_NAME, max_length=200)
    rows: list[_Row] = Field(max_length=MAX_ROWS)
    columns: list[TableField | None] = Field(max_length=MAX_COLUMNS)
    left: list[str] = Field(default=[], description="What of the file is not in the table.")


class ImportedPlaybook(Value):
    """The YAML of a playbook that a table makes, which nobody has saved yet."""

    text: str
    columns: list[TableField | None]
    left: list[str] = Field(description="What of the table is not in the playbook.")
    unanswered: list[str] = Field(
        description="The clauses with a question that only a language model or a person answers."
    )


def open_table(access: Access, path: Path, *, name: str = "") -> ImportedTable:
    """Return the table of a file, with what its headings suggest.

    Raises:
        NotAllowed: If they may not save playbooks.
        InputError: If the file cannot be read, or has no such table.
    """
    playbook_homes(access)
    table, left = join_tables(read_tables(path))
    access.record("playbook import", {"file": path.name, "rows": len(table.rows)})
    return ImportedTable(
        name=" ".join(name.split()) or path.stem[:200] or _NAME,
        rows=[list(row) for row in table.rows],
        columns=suggest_columns(table.rows[0]),
        left=left,
    )


def import_playbook(access: Access, asked: ImportedTable) -> ImportedPlaybook:
    """Return the playbook of a table under an id that is unused; it is not saved.

    It may have faults to correct.

    Raises:
        NotAllowed: If they may not save playbooks.
        Refusal: If a column is named twice, or not all of them are, or the table is too large.
        InputError: If nothing names the clauses.
    """
    playbook_homes(access)
    named = [each for each in asked.columns if each is not None]
    if len(set(named)) < len(named) or not asked.rows:
        raise Refusal("two columns cannot be the same.", remedy="Leave one of them out.")
    if any(len(row) != len(asked.columns) for row in asked.rows):
        raise Refusal("each row needs a cell for each column.", remedy="Import the file again.")
    made = make_playbook(asked.name, asked.rows, asked.columns)
    stem = made.text.partition("\n")[0].removeprefix("id: ")
    name = unused_id(stem, playbook_names(access))
    text = made.text.replace(f"id: {stem}\n", f"id: {name}\n", 1)
    if len(text.encode()) > MAX_BYTES:
        raise Refusal(f"a playbook may hold {MAX_BYTES:,} bytes.", remedy="Divide the table.")
    return ImportedPlaybook(
        text=text,
        columns=asked.columns,
        left=[*asked.left, *made.left],
        unanswered=_unanswered(text),
    )


def _unanswered(text: str) -> list[str]:
    """Return the clauses with a question that stays open without a language model."""
    try:
        book = parse_playbook(text, "the playbook")
    except PlaybookError:  # its faults are shown first
        return []
    offline = offline_provisions(book, default_verdict_reader())
    return [book.provision(each.provision).name for each in offline if each.unsure or each.unknown]
