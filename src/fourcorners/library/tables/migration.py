"""The schema of a library, and how one of schema 8, whose rooms each had tables, is converted.

It stored a dataclass as the array of its fields; the names of the fields were written once, in
front of the value: `{"layout":{"Span":["start","end"]},"value":[0,5]}`. The library is converted
some rows per transaction, so that it continues wherever it was stopped.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

from fourcorners.errors import DamagedValue, LibraryError
from fourcorners.library.database import Database, Row, SQLiteValue, as_integer, as_string

VERSION: Final = 9
"""The version of the schema, in a file its `user_version`."""

FORMER: Final = 8
"""The schema that can be converted."""

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"

_OLD = '{"layout":'
_AT_ONCE = 256  # rows in one transaction
_CHANGED_ROOMS = {
    "graph": 2,
    "remarks": 2,
    "review": 2,
    "review_grid": 4,
    "server_accounts": 4,
    "server_once": 2,
}
"""The versions of the tables of rooms where it was not 1."""
_INTERRUPTED = ("packed_vectors", "shared_documents")
"""Tables that hold rows only while a library of an earlier schema is converted."""
_FORMER_TABLES = """
    DROP TRIGGER IF EXISTS grid_glances_come;
    DROP TRIGGER IF EXISTS grid_glances_change;
    DROP TRIGGER IF EXISTS grid_glances_go;
    DROP TABLE IF EXISTS grid_glances;
    DROP TABLE packed_vectors;
    DROP TABLE shared_documents;
    DROP TABLE rooms;
"""

# What the values are, `*` before a class for a list of it.
_VALUES: Mapping[tuple[str, str], Mapping[str, str]] = {
    ("documents", "row"): {
        "pages": "*Page",
        "marks": "*Mark",
        "warnings": "",
        "card": "Card",
        "needs_ocr": "",
        "words": "*OcrWord",
        "outline": "Outline",
    },
    ("graph_documents", "document"): {"statements": "*AmendmentStatement"},
    ("research_answers", "id"): {"answer": "Answer"},
    ("server_papers", "fold"): {"found": "Health"},
}
_PARTS: Mapping[str, str] = {
    "AmendmentStatement": "span:Span",
    "Amendment": "quote:Quote",
    "Annotation": "place:Span answers:*AnswerCorrection",
    "Answer": "made:Provenance answer:PreliminaryAnswer summary:*Statement findings:*Statement "
    "beside:*Statement gaps:*Gap sources:*Source external:*ExternalStatement "
    "counts:StatementCounts drafts:*Draft record:*Step",
    "Card": "title:Fact type:Fact parties:*Fact agreement_date:Fact effective_date:Fact "
    "expiry_date:Fact governing_law:Fact amends:Fact values:*Value renewal:Renewal",
    "Citation": "quote:Quote",
    "CrossReference": "span:Span",
    "DefinedTerm": "span:Span definition:Span",
    "Draft": "summary:*Statement findings:*Statement answer:PreliminaryAnswer gaps:*Gap "
    "counts:StatementCounts",
    "Evidence": "quote:Quote clause:Span",
    "Fact": "value:Party span:Span",
    "Finding": "evidence:*Evidence searched:SearchRecord answers:*RiskAnswer candidates:*Candidate "
    "amendments:*Amendment outlier:Outlier remarks:*Annotation place:Span position:PositionMatch "
    "proposed:Proposal",
    "Gap": "nearest:Citation",
    "Health": "symptoms:*Symptom",
    "Mark": "span:Span",
    "Node": "heading:Span span:Span",
    "OcrWord": "span:Span box:Box",
    "Outlier": "clause:Span",
    "Outline": "nodes:*Node terms:*DefinedTerm references:*CrossReference contents:*Span",
    "Page": "span:Span",
    "PositionMatch": "quotes:*Quote",
    "PreliminaryAnswer": "sentences:*Statement conditions:*Statement readings:*Statement",
    "Proposal": "evidence:*Evidence answers:*RiskAnswer position:PositionMatch",
    "Quote": "span:Span",
    "Renewal": "span:Span",
    "RiskAnswer": "quotes:*Quote against_quotes:*Quote",
    "SearchRecord": "best:Evidence given:*Span",
    "Statement": "quotes:*Citation",
    "Symptom": "span:Span places:*Span",
    "Value": "span:Span",
}


def schema_sql() -> str:
    """Return the statements that create each table that is not there."""
    return Path(__file__).with_name("schema.sql").read_text("utf-8")


def migrate(database: Database) -> None:
    """Convert a library of schema 8; the version on record is the caller's.

    What is damaged stays as it is, and is reported when it is read.

    Raises:
        LibraryError: If a room's tables are of an earlier version.
    """
    with database.transaction():
        if "rooms" in database.tables():  # else another process was faster, or was stopped
            _require_current(database)
            database.run_script(_FORMER_TABLES + schema_sql())
    for (table, key), columns in _VALUES.items():
        _convert_table(database, table, key, columns)
    _convert_findings(database)


def _require_current(database: Database) -> None:
    rooms = {
        as_string(name): as_integer(version)
        for name, version in database.execute("SELECT name, version FROM rooms")
    }
    if any(version != _CHANGED_ROOMS.get(room, 1) for room, version in rooms.items()) or any(
        database.execute(f"SELECT 1 FROM {table} LIMIT 1")  # noqa: S608 - ours
        for table in _INTERRUPTED
    ):
        raise too_old(database, "some of its tables are earlier than schema 8")


def too_old(database: Database, what: str) -> LibraryError:
    return LibraryError(
        f"{database.path} was written by an earlier version of Fourcorners ({what}).",
        remedy="Open it once with the version before this one, then with this one.",
    )


def _convert_table(database: Database, table: str, key: str, columns: Mapping[str, str]) -> None:
    assigned = ", ".join(f"{name} = ?" for name in columns)
    for rows in _old_rows(database, table, (key,), tuple(columns)):
        database.execute_many(
            f"UPDATE {table} SET {assigned} WHERE {key} = ?",  # noqa: S608 - ours
            [
                (
                    *(
                        _convert_text(kind, text)
                        for kind, text in zip(columns.values(), texts, strict=True)
                    ),
                    place,
                )
                for (place, *texts) in rows
            ],
        )


def _convert_findings(database: Database) -> None:
    key = ("document", "playbook", "provision")
    for rows in _old_rows(database, "review_findings", key, ("made", "state", "finding")):
        summaries: list[Row] = []
        findings: list[Row] = []
        for *place, made, state, text in rows:
            finding = _read(text, "Finding")
            if isinstance(finding, dict):
                findings.append((_write(finding), *place))
                summaries.append((*place, made, state, *_summary(finding)))
        database.execute_many(
            "UPDATE review_findings SET finding = ? "
            "WHERE document = ? AND playbook = ? AND provision = ?",
            findings,
        )
        database.execute_many(
            "INSERT OR REPLACE INTO review_summaries VALUES (?, ?, ?, ?, ?, ?, ?)", summaries
        )


def _old_rows(
    database: Database, table: str, key: tuple[str, ...], columns: tuple[str, ...]
) -> Iterator[list[Row]]:
    """Yield the rows that are to be converted, each time in a transaction."""
    places = database.execute(
        f"SELECT {', '.join(key)} FROM {table} "  # noqa: S608 - ours
        f"WHERE substr({columns[-1]}, 1, 10) = '{_OLD}'"
    )
    wanted = " AND ".join(f"{name} = ?" for name in key)
    sql = f"SELECT {', '.join((*key, *columns))} FROM {table} WHERE {wanted}"  # noqa: S608 - ours
    for start in range(0, len(places), _AT_ONCE):
        rows: list[Row] = []
        with database.transaction():
            for place in places[start : start + _AT_ONCE]:
                with suppress(UnicodeDecodeError):
                    rows += database.execute(sql, place)
            yield rows


def _summary(finding: Mapping[str, Any]) -> tuple[str, str]:
    """Return severity and statements of a finding, as `review.store` stores them."""
    answers = [each for each in finding.get("answers", ()) if each.get("statement")]
    statements = [(each["statement"], each.get("value", "")) for each in answers]
    return finding.get("severity", "none"), _write(statements)


def _convert_text(kind: str, text: SQLiteValue) -> SQLiteValue:
    """Return a stored value by the names of its fields; one that is damaged as it is."""
    if text == "":
        return "[]"  # no words were recognised
    value = _read(text, kind)
    return text if value is None else _write(value)


def _read(text: SQLiteValue, kind: str) -> Json:
    """Return a value of schema 8 by the names of its fields; None if it is damaged."""
    try:
        stored = json.loads(as_string(text))
        return _by_name(kind, stored["value"], stored["layout"])
    except (DamagedValue, ValueError, KeyError, TypeError, IndexError):
        return None


def _write(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace").decode()  # it could hold half a surrogate pair


def _by_name(kind: str, value: Json, layout: Mapping[str, list[str]]) -> Json:
    if not isinstance(value, list) or not kind:
        return value
    if kind.startswith("*"):
        return [_by_name(kind[1:], each, layout) for each in value]
    if kind == "Candidate":
        span, score = value
        return [_by_name("Span", span, layout), score]
    parts = _parts(kind)
    return {
        name: _by_name(parts.get(name, ""), each, layout)
        for name, each in zip(layout[kind], value, strict=True)
    }


@cache
def _parts(kind: str) -> Mapping[str, str]:
    """Return the fields of a class that hold values of other classes, and which."""
    return dict(each.split(":") for each in _PARTS.get(kind, "").split())
