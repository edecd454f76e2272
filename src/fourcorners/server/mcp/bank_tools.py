"""Tools for what the house knows: clause banks, and playbooks made of tables."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from fourcorners.documents.tables import MAX_COLUMNS, MAX_ROWS
from fourcorners.operations.errors import NotFound
from fourcorners.operations.knowledge import banks
from fourcorners.operations.knowledge.banks import (
    BankClauseValue,
    BankRequest,
    ClauseFactsValue,
    FactsRequest,
)
from fourcorners.operations.knowledge.playbook_imports import ImportedTable, import_playbook
from fourcorners.operations.knowledge.playbooks import parse_cached, save_playbook
from fourcorners.playbooks.bank.facts import ClauseStanding
from fourcorners.playbooks.tables import Field as TableField
from fourcorners.playbooks.tables import suggest_columns
from fourcorners.server.api.findings import cut_words
from fourcorners.server.context import RequestContext
from fourcorners.server.mcp.summaries import (
    DEFAULT_CHARACTERS,
    FRAME,
    MAX_EXCERPT,
    CutResult,
    MaxCharacters,
    PageCursor,
    fill_page,
    fit,
    without_own_orders,
)
from fourcorners.server.mcp.tool import McpTool, Progress, tool
from fourcorners.value import Value


class BankToolRequest(BankRequest):
    """Which clauses of which bank."""

    bank: str = Field(default="", max_length=120, description="Empty to list the banks.")
    clause: str = Field(default="", max_length=12, description="One of them, whole, by its id.")
    cursor: PageCursor = ""
    max_characters: MaxCharacters = DEFAULT_CHARACTERS


class BankEntry(Value):
    """How many clauses a bank has of a provision."""

    bank: str
    provision: str
    clauses: int


class BankClauseSummary(Value):
    """A clause of a bank with what is noted of it."""

    clause: str
    provision: str
    words: str
    cut: bool = False
    stars: int | None = None
    source: str = ""
    standing: ClauseStanding
    facts: ClauseFactsValue = Field(default_factory=ClauseFactsValue)


class BankClauses(Value):
    """The banks, or the clauses of one, the best rated first."""

    banks: list[BankEntry] = Field(default_factory=list)
    clauses: list[BankClauseSummary] = Field(default_factory=list)
    total: int
    next: str | None = None


@tool(
    "Clause bank",
    "Lists the clause banks; of one that is named, its clauses by provision, stars, law, owner or "
    "standing (approved, expired), with who approved each and until when it may be used. To find "
    "the best clause for a purpose, use `precedents`.",
)
def _bank_clauses(context: RequestContext, asked: BankToolRequest, _: Progress) -> BankClauses:
    name = f"mcp bank {asked.bank}"
    with context.access() as access:
        if not asked.bank:
            held = [BankEntry.make(each) for each in banks.list_banks(access)]
            shown, more = fill_page(
                context, name, held, _bank_order, asked.cursor, asked.max_characters
            )
            return BankClauses(banks=shown, total=len(held), next=more)
        found = banks.list_clauses(access, asked)
    if asked.clause:
        found = [each for each in found if each.id == asked.clause]
        if not found:
            raise NotFound("the clause bank has no such clause.")
    most = asked.max_characters - 2 * FRAME if asked.clause else MAX_EXCERPT
    clauses = [_summarise(BankClauseValue.from_clause(each), most) for each in found]
    here, after = fill_page(
        context,
        name,
        sorted(clauses, key=_clause_order),
        _clause_order,
        asked.cursor,
        asked.max_characters,
    )
    return BankClauses(clauses=here, total=len(clauses), next=after)


def _summarise(clause: BankClauseValue, most: int = MAX_EXCERPT) -> BankClauseSummary:
    words = without_own_orders(clause.text)
    shown = cut_words(words, most)
    cut = len(shown) < len(words)
    return BankClauseSummary.make(clause, clause=clause.id, words=shown, cut=cut)


def _bank_order(entry: BankEntry) -> tuple[str, str]:
    return entry.bank, entry.provision


def _clause_order(clause: BankClauseSummary) -> tuple[str, str]:
    return str(9 - (clause.stars or 0)), clause.clause


@tool(
    "Note facts of a clause",
    "Notes owner, approval, governing law and expiry of a clause of a bank, in place of all that "
    "is noted. An approval is a person's: note none that nobody gave.",
    writes=True,
    destructive=True,
)
def _set_clause_facts(
    context: RequestContext, asked: FactsRequest, _: Progress
) -> BankClauseSummary:
    with context.access() as access:
        return _summarise(BankClauseValue.from_clause(banks.set_facts(access, asked)))


class ImportRequest(Value):
    """A table, a row for each clause, and where its playbook belongs."""

    name: str = Field(min_length=1, max_length=200, description="Of the playbook.")
    rows: list[Annotated[list[str], Field(max_length=MAX_COLUMNS)]] = Field(
        min_length=2, max_length=MAX_ROWS, description="The first has the headings."
    )
    columns: list[TableField | None] | None = Field(
        default=None,
        max_length=MAX_COLUMNS,
        description="What each column is, in order, null for none; as its heading suggests if "
        "left out.",
    )
    collection: str = Field(
        default="", max_length=500, description="Where it belongs; empty for all collections."
    )
    save: bool = False
    max_characters: MaxCharacters = DEFAULT_CHARACTERS


class PlaybookImport(CutResult):
    """The playbook that a table makes."""

    playbook: str = Field(description="Its id.")
    saved: bool = False
    columns: list[TableField | None] = Field(description="What each column was taken for.")
    left: list[str] = Field(default_factory=list, description="What of the table is not in it.")
    provisions: list[str] = Field(default_factory=list, description="Their ids.")


@tool(
    "Playbook from a table",
    "Makes a playbook of a table of positions, a row for each clause. Call it without `save` "
    "first: it tells what each column was taken for and what is left out, and stores nothing. "
    "With `save` the playbook is stored, and `start_review` can follow it.",
    writes=True,
)
def _import_playbook(context: RequestContext, asked: ImportRequest, _: Progress) -> PlaybookImport:
    columns = suggest_columns(asked.rows[0]) if asked.columns is None else asked.columns
    table = ImportedTable(name=asked.name, rows=asked.rows, columns=columns)
    with context.access() as access:
        made = import_playbook(access, table)
        book = parse_cached(made.text)
        if asked.save:
            save_playbook(access, made.text, collection=asked.collection)
    return fit(
        PlaybookImport,
        asked.max_characters,
        {"left": made.left, "provisions": [each.id for each in book.provisions]},
        playbook=book.id,
        saved=asked.save,
        columns=columns,
    )


TOOLS: tuple[McpTool[Any], ...] = (_bank_clauses, _set_clause_facts, _import_playbook)
