"""A playbook of a table: a row is a provision, and the headings say what each column is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

import yaml

from fourcorners.documents.tables import Table, match_headings
from fourcorners.errors import InputError
from fourcorners.playbooks.file.source import Data
from fourcorners.playbooks.load import builtin_names, open_playbook
from fourcorners.playbooks.write import provision_id
from fourcorners.text.injections import find_injections


class Field(StrEnum):
    """What a column of the table is of a provision."""

    NAME = "name"
    DEFINITION = "definition"
    PREFERRED = "preferred"
    FALLBACK = "fallback"
    UNACCEPTABLE = "unacceptable"
    WORDING = "wording"
    REASON = "reason"
    ACTION = "action"
    QUESTIONS = "questions"
    RISK = "risk"
    ABSENCE = "absence"
    TERMS = "terms"


Columns = Sequence[Field | None]

# What headings are called; one that has these words in it counts where none is exactly so.
_HEADINGS: Mapping[Field, str] = {
    Field.NAME: "clause|topic|provision|issue|term|subject|clause type|contract term|heading|item",
    Field.UNACCEPTABLE: "unacceptable|walk-away|walk away|red line|redline|deal breaker|"
    "dealbreaker|not acceptable|never accept|reject|prohibited|no go|no-go",
    Field.FALLBACK: "fallback|fall-back|fall back|acceptable|alternative|compromise|can accept|"
    "secondary position|backup position",
    Field.PREFERRED: "preferred|our position|standard position|ideal|opening position|position|"
    "standard|must have|house position",
    Field.WORDING: "wording|model clause|sample clause|example language|language|template|"
    "suggested text|standard clause|sample wording|text",
    Field.QUESTIONS: "question|questions|what to check|check|checklist|ask",
    Field.ABSENCE: "risk if missing|risk if absent|risk of absence|if missing|if absent|if silent",
    Field.RISK: "risk|severity|priority|importance|risk level|rating",
    Field.REASON: "why|reason|rationale|explanation|why it matters|comment|comments",
    Field.ACTION: "action|what to do|escalation|escalate|guidance|approval|instructions",
    Field.DEFINITION: "definition|description|what it is|meaning|summary|scope",
    Field.TERMS: "search terms|keywords|key words|search",
}  # fmt: skip
_LEVELS = {
    "high": "high critical severe red major 3 must",
    "medium": "medium moderate amber yellow orange 2 should",
    "low": "low minor green 1 could",
}
_CHOICES = re.compile(r"[\n;•]+|(?<=\?)\s+")
_ABSENT = re.compile(
    r"\b(?:absen(?:t|ce)|missing|silent|omi(?:tted|ssion)|lack(?:s|ing)?)\b|"
    r"\bno such (?:clause|term)\b|\bnot (?:there|found|present|included|in the contract)\b",
    re.IGNORECASE,
)  # fmt: skip
_AS_REFUSED = "unacceptable"  # the question whether a clause says what is refused
_NAMED = 5  # of what was left out, in a message
_WORD = re.compile(r"\w+")
_SMALL = frozenset(("a", "an", "and", "by", "for", "from", "in", "of", "on", "or", "the", "to"))


@dataclass(frozen=True, slots=True)
class TablePlaybook:
    """The YAML of a playbook that a table makes, and what of the table is not in it."""

    text: str
    left: tuple[str, ...]


def join_tables(tables: Sequence[Table]) -> tuple[Table, list[str]]:
    """Return the table whose headings say most, with others that have the same; and those left.

    Raises:
        InputError: If there is none with two rows.
    """
    whole = [each for each in tables if len(each.rows) > 1]
    if not whole:
        raise InputError(
            "there is no table with a row of headings and a row for each clause.",
            remedy="Give each clause a row, and each column a heading such as Clause or Preferred.",
        )
    best = max(whole, key=lambda each: sum(map(bool, suggest_columns(each.rows[0]))))
    same = [each for each in whole if each.rows[0] == best.rows[0]]
    left = [
        f"table {at}{f' ({each.name})' if each.name else ''}: {len(each.rows)} rows, other headings"
        for at, each in enumerate(tables, start=1)
        if each not in same
    ]
    left += [f"{each.name}: {cell} could not be read" for each in same for cell in each.unread]
    return Table(best.name, (best.rows[0], *(row for each in same for row in each.rows[1:]))), left


def suggest_columns(headings: Sequence[str]) -> list[Field | None]:
    return match_headings(headings, _HEADINGS)


def make_playbook(name: str, rows: Sequence[Sequence[str]], columns: Columns) -> TablePlaybook:
    """Return the playbook of rows below their headings; a row without a name goes on the one above.

    Nothing of a table becomes an instruction to a language model.

    Raises:
        InputError: If no column has the names of clauses, or no row has one.
    """
    if Field.NAME not in columns:
        raise InputError(
            "no column has the names of the clauses.", remedy="Choose the column that names them."
        )
    left = [
        f"column {heading!r}" for heading, field in zip(rows[0], columns, strict=False) if not field
    ]
    merged: dict[str, dict[Field, str]] = {}
    here: dict[Field, str] | None = None
    for number, row in enumerate(rows[1:], start=2):
        values = {
            field: words.strip()
            for field, words in zip(columns, row, strict=False)
            if field and words.strip()
        }
        title = " ".join(values.pop(Field.NAME, "").split())[:200]
        if any(find_injections(words) for words in (title, *values.values())):
            left.append(f"row {number}: it gives orders to whoever reads it")
            continue
        if title:
            here = merged.setdefault(title.casefold(), {Field.NAME: title})
        if here is not None:
            for field, words in values.items():
                here[field] = f"{here[field]}\n{words}" if field in here else words
        elif values:
            left.append(f"row {number}: no clause is named")
    if not merged and any(each.startswith("row ") for each in left):
        raise InputError(
            f"no row was taken: {'; '.join(left[:_NAMED])}.",
            remedy="Correct the rows, or choose the column that names the clauses.",
        )
    if not merged:
        raise InputError("no row names a clause.", remedy="Choose the column that names them.")
    taken: set[str] = set()
    provisions = []
    for each in merged.values():
        made = _provision(each, taken)
        left += [
            f"{each[Field.NAME]}: the risk {each[field][:40]!r}"
            for field in (Field.RISK, Field.ABSENCE)
            if each.get(field) and not _level(each[field])
        ]
        taken.add(str(made["id"]))
        provisions.append(made)
    content = {"id": provision_id(name), "name": name, "version": "1", "provisions": provisions}
    text: str = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=96)
    return TablePlaybook(text, tuple(left))


def _provision(row: Mapping[Field, str], taken: set[str]) -> dict[str, Data]:
    name = row[Field.NAME]
    known = _builtin_provisions().get(name.casefold(), {})
    if known.get("id") in taken:
        known = {}
    stem = str(known.get("id") or provision_id(name))
    identifier, number = stem, 1
    while identifier in taken:
        number += 1
        identifier = f"{stem}-{number}"
    made: dict[str, Data] = {
        "id": identifier,
        "name": name,
        "definition": row.get(Field.DEFINITION) or known.get("definition") or f"Clauses on {name}.",
        "query": _query(row.get(Field.TERMS, ""), name, known),
    }
    if not row.get(Field.TERMS):
        made |= {key: known[key] for key in ("avoid", "examples", "extent", "card") if key in known}
    questions, rules = list(_questions(row)), list(_severity(row))
    if any("answers" in each for each in rules):
        each = (
            " ".join(line.split()).rstrip(".?;") for line in row[Field.UNACCEPTABLE].split("\n")
        )
        asked = "; or: ".join(filter(None, each))
        question = f"Does the clause say this, or come to the same: {asked}?"
        questions.append({"id": _AS_REFUSED, "question": question, "answer": "yes_no"})
    if questions:
        made["questions"] = questions
    if rules:
        made["severity"] = [*rules]
    if positions := list(_positions(row)):
        made["positions"] = positions
    return made


def _questions(row: Mapping[Field, str]) -> Iterator[Data]:
    parts = [each.strip(" -–\t") for each in _CHOICES.split(row.get(Field.QUESTIONS, ""))]
    for number, words in enumerate(filter(None, parts), start=1):
        yield {"id": f"question-{number}", "question": words}


def _severity(row: Mapping[Field, str]) -> Iterator[dict[str, Data]]:
    """Yield the rules of a row's risks: of the clause as it is refused, as found, or as missing."""
    risk, absence = _level(row.get(Field.RISK, "")), _level(row.get(Field.ABSENCE, ""))
    reason, refused = row.get(Field.REASON, ""), row.get(Field.UNACCEPTABLE, "")
    says_absent = any(_ABSENT.search(each) for each in (row.get(Field.RISK, ""), reason))
    if says_absent or _ABSENT.match(refused):
        risk, absence = "", absence or risk
    if absence:
        because = reason or "There is no such clause."
        yield {"when": "not_found", "severity": absence, "because": because}
    if risk and refused:
        because = reason or refused
        given: dict[str, Data] = {_AS_REFUSED: ["yes"]}
        yield {"when": "found", "answers": given, "severity": risk, "because": because}
    elif risk or (reason and not absence):
        because = reason or "The playbook names this risk."
        yield {"when": "found", "severity": risk or "none", "because": because}


def _positions(row: Mapping[Field, str]) -> Iterator[Data]:
    for field in (Field.PREFERRED, Field.FALLBACK, Field.UNACCEPTABLE):
        wording = row.get(Field.WORDING, "") if field is Field.PREFERRED else ""
        text = row.get(field, "") or (wording and "The wording of the house.")
        if not text:
            continue
        position: dict[str, Data] = {"kind": field.value, "text": text}
        if wording:
            position["example"] = wording
        if field is Field.UNACCEPTABLE and Field.ACTION in row:
            position["recommend"] = row[Field.ACTION]
        yield position


def _level(words: str) -> str:
    given = set(words.casefold().replace("/", " ").split())
    return next((level for level, names in _LEVELS.items() if given & set(names.split())), "")


def _query(terms: str, name: str, known: Mapping[str, Data]) -> Data:
    """Return a query: of terms that are given, of a provision of the same name, or of its words."""
    if not terms and known.get("query"):
        return known["query"]
    phrases = [" ".join(_words(each)) for each in re.split(r"[\n;,]+", terms or name)]
    parts = [f'"{each}"~8^4' if " " in each else f'"{each}"^4' for each in filter(None, phrases)]
    if not terms and " " in phrases[0]:
        parts += [f'"{each}"^2' for each in _words(name)]
    parts = list(dict.fromkeys(parts))
    return f"[{', '.join(parts)}]" if parts else '"clause"'


def _words(text: str) -> list[str]:
    return [each for each in _WORD.findall(text.casefold()) if each not in _SMALL]


@cache
def _builtin_provisions() -> Mapping[str, Mapping[str, Data]]:
    """Return the provisions of the package by their names, folded; of two the first counts."""
    found: dict[str, Mapping[str, Data]] = {}
    for book in ("due-diligence", *builtin_names()):
        data = open_playbook(book)[1].data
        listed = data.get("provisions") if isinstance(data, dict) else None
        for each in listed if isinstance(listed, list) else ():
            if isinstance(each, dict):
                aliases = each.get("aliases")
                names = [each.get("name"), *(aliases if isinstance(aliases, list) else [])]
                for name in filter(None, map(str, names)):
                    found.setdefault(name.casefold(), each)
    return found
