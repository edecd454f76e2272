"""Files of clauses: JSON lines, folders in BEIR's layout, and folders of annotated contracts."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from io import StringIO
from math import ceil
from pathlib import Path
from random import Random
from typing import TypeAlias

from fourcorners.documents.tables import match_headings, read_tables
from fourcorners.errors import ConfigError
from fourcorners.playbooks.bank.facts import ClauseFacts, parse_day
from fourcorners.playbooks.bank.store import STARS, BankClause
from fourcorners.playbooks.learning.learn import Clause, Sentence, mark_sentences, sentence_spans
from fourcorners.system.private_files import make_folder
from fourcorners.text.invisible_characters import find_refused_character
from fourcorners.text.span import Span
from fourcorners.work_folder import replace_text

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"

_FACTS = tuple(each.name for each in fields(ClauseFacts))
_KEYS = frozenset({"provision", "text", "stars", "source", "start", "end", "tags", *_FACTS})
_FORM = (
    'Each line is a JSON object such as {"provision": "Insurance", "text": "…", "stars": 4}; '
    "source, start, end, tags, owner, approved_by, approved, law and expires may follow."
)
_HEADINGS = {
    "provision": "provision|kind of clause|clause type|type|topic|category|clause",
    "text": "text|wording|clause text|words|language",
    "stars": "stars|rating|quality",
    "source": "source|origin|from|precedent",
    "owner": "owner|responsible|maintained by",
    "approved_by": "approved by|approver",
    "approved": "approved on|approval date|date approved|approved",
    "law": "governing law|law|jurisdiction",
    "expires": "expires|expiry|expiry date|valid until|review by",
}
_LAYOUTS = (
    "Give a .jsonl file, a Word or Excel file with a table, a folder with corpus.jsonl, "
    "queries.jsonl and qrels, or one with annotations.jsonl and contracts."
)
_FORM_OF_TABLE = (
    "Give each clause a row; the headings are such as Kind of clause, Text, Stars, Source, Owner, "
    "Approved by, Approved on, Governing law and Expires."
)
_NO_STARS = 0  # BEIR's score of what was judged irrelevant
_EXPANDED = "expanded_by"  # how many clauses were added to a query's, in its metadata


def read_clauses(path: Path) -> Iterator[BankClause]:
    """Yield the clauses of a file or folder in any of the four layouts.

    Raises:
        ConfigError: If it has none of them, or contains an error; the message names file and line.
    """
    if path.is_dir():
        if (path / "annotations.jsonl").is_file():
            return _annotated(path)
        if (path / "corpus.jsonl").is_file():
            return _beir(path)
        raise ConfigError(f"{path}: this folder holds no clauses.", remedy=_LAYOUTS)
    if path.suffix.lower() in (".xlsx", ".docx") and path.is_file():
        return _table(path)
    if path.is_file():
        return _lines(path)
    raise ConfigError(f"{path}: there is no such file or folder.", remedy=_LAYOUTS)


@dataclass(frozen=True, slots=True)
class _Record:
    """A line of JSON with its place in a file, from 1, and what to do if it is wrong."""

    path: Path
    number: int
    remedy: str
    values: Mapping[str, Json]

    def wrong(self, what: str) -> ConfigError:
        return _wrong(self.path, self.number, what, self.remedy)

    def text(self, key: str) -> str:
        value = self.values.get(key)
        if not isinstance(value, str) or not value.strip():
            missing = key not in self.values
            what = "is missing" if missing else "must be a text that is not empty"
            raise self.wrong(f"{key!r} {what}")
        self.require_stored(key, value)
        return value.strip()

    def require_stored(self, key: str, value: str) -> None:
        if character := find_refused_character(value):
            raise self.wrong(f"{key!r} contains {character}, which cannot be stored")

    def place(self, key: str) -> int | None:
        value = self.values.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise self.wrong(f"{key!r} must be a number from 0")
        return value


def _table(path: Path) -> Iterator[BankClause]:
    """Yield the clauses of the tables of a file: a row each, with headings over the columns."""
    read = False
    for table in read_tables(path):
        columns = match_headings(table.rows[0], _HEADINGS)
        if "text" not in columns and "provision" in columns:  # a table of clauses and their kind
            columns = match_headings(table.rows[0], {**_HEADINGS, "text": "clause"})
        if not {"text", "provision"} <= set(columns):
            continue
        read = True
        for number, row in enumerate(table.rows[1:], start=2):
            named = zip(columns, row, strict=True)
            given: dict[str, Json] = {key: words for key, words in named if key and words.strip()}
            if stars := str(given.pop("stars", "")):
                given["stars"] = int(stars) if stars.isdecimal() else stars.count("★") or stars
            if given:
                yield _clause(_Record(Path(path.name), number, _FORM_OF_TABLE, given))
    if not read:
        raise ConfigError(
            f"{path.name}: no table has clauses and their kinds.", remedy=_FORM_OF_TABLE
        )


def _lines(path: Path) -> Iterator[BankClause]:
    for record in _records(path, remedy=_FORM):
        unknown = sorted(record.values.keys() - _KEYS)
        if unknown:
            raise record.wrong(f"there is no key {unknown[0]!r}")
        yield _clause(record)


def _clause(record: _Record) -> BankClause:
    tags = record.values.get("tags") or []
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise record.wrong("tags must be a list of texts")
    record.require_stored("tags", "".join(map(str, tags)))
    start, end = record.place("start"), record.place("end")
    if start is not None and end is not None and end < start:
        raise record.wrong("end lies before start")
    stars = record.values.get("stars")
    if stars is not None and (
        isinstance(stars, bool) or not isinstance(stars, int) or stars not in STARS
    ):
        raise record.wrong(f"stars must be 1 to 5, not {stars!r}")
    return BankClause(
        provision=" ".join(record.text("provision").split()),
        text=record.text("text"),
        stars=stars,
        source=record.text("source") if record.values.get("source") else "",
        start=start,
        end=end,
        tags=tuple(str(tag) for tag in tags),
        facts=_facts(record),
    )


def _facts(record: _Record) -> ClauseFacts:
    given = {key: record.text(key) for key in _FACTS if record.values.get(key)}
    try:
        approved, expires = (parse_day(given.pop(key, "")) for key in ("approved", "expires"))
    except ConfigError as error:
        raise record.wrong(error.message.rstrip(".")) from error
    return ClauseFacts(**given, approved=approved, expires=expires)


def _records(path: Path, *, remedy: str) -> Iterator[_Record]:
    """Yield each line of JSON that is not empty."""
    try:
        content = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(
            f"{path}: {(error.strerror or str(error)).lower()}.", remedy=remedy
        ) from error
    except UnicodeDecodeError as error:
        bad = error.object.count(b"\n", 0, error.start) + 1
        raise _wrong(path, bad, "this is not UTF-8", "Save the file as UTF-8.") from error
    for number, line in enumerate(content.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except ValueError as error:
            raise _wrong(path, number, f"this is not JSON ({error})", remedy) from error
        except RecursionError as error:
            raise _wrong(path, number, "this is nested too deeply", remedy) from error
        if not isinstance(record, dict):
            raise _wrong(path, number, "this is not a JSON object", remedy)
        yield _Record(path, number, remedy, record)


def _beir(folder: Path) -> Iterator[BankClause]:
    """Yield the judged clauses of a folder in BEIR's layout.

    The provision is the query's category where its metadata names one, else the query's text.
    Scores of 1 to 4 are 2 to 5 stars, 0 is one star. A folder to which `write_beir` added clauses
    that nobody judged is refused.
    """
    remedy = "BEIR's layout: corpus.jsonl and queries.jsonl with _id and text, qrels/*.tsv."
    corpus = _records(folder / "corpus.jsonl", remedy=remedy)
    texts = {record.text("_id"): record.text("text") for record in corpus}
    asked: dict[str, tuple[str, str]] = {}
    for record in _records(folder / "queries.jsonl", remedy=remedy):
        text, extra = record.text("text"), record.values.get("metadata")
        if isinstance(extra, dict) and extra.get(_EXPANDED):
            raise ConfigError(
                f"{folder}: clauses of other provisions were added to this bank's ratings as "
                "irrelevant, and nobody has rated them.",
                remedy="Import an export without --expand.",
            )
        category = extra.get("category") if isinstance(extra, dict) else None
        name = category if isinstance(category, str) and category.strip() else text
        asked[record.text("_id")] = (name, text)
    files = sorted((folder / "qrels").glob("*.tsv")) or [
        path for path in [folder / "qrels.tsv"] if path.is_file()
    ]
    if not files:
        raise ConfigError(f"{folder / 'qrels'}: there are no ratings.", remedy=remedy)
    best: dict[tuple[str, str], tuple[int, dict[str, None]]] = {}
    for path in files:
        for query, clause, score in _judgements(path, remedy):
            if query not in asked or clause not in texts:
                continue  # judgements of what was left out of the folder
            provision, text = asked[query]
            before, tags = best.get((provision, clause), (0, {}))
            if score > _NO_STARS:
                tags[text] = None
            best[provision, clause] = (max(before, score + 1), tags)
    for (provision, clause), (stars, tags) in best.items():
        yield BankClause(
            provision, texts[clause], stars, f"{folder.name}:{clause}", tags=tuple(tags)
        )


def write_beir(
    clauses: Sequence[BankClause], folder: Path, *, split: bool = False, expand: int = 0
) -> int:
    """Write clauses in BEIR's layout, a query for each provision; return how many are judged.

    Stars of 1 to 5 are scores of 0 to 4, as ACORD has them; a clause without stars is in the corpus
    and not judged. `split` divides the queries into train, valid and test, and `expand` adds so
    many clauses of other provisions to each as irrelevant, as ACORD's authors did; the queries say
    so, and `read_clauses` refuses them. Both are drawn by a fixed seed.
    """
    make_folder(folder / "qrels")
    provisions = list(dict.fromkeys(each.provision for each in clauses))
    query = {name: f"q{at}" for at, name in enumerate(provisions, start=1)}
    corpus = ({"_id": each.id, "title": each.source, "text": each.text} for each in clauses)
    drawn: dict[str, Json] = {_EXPANDED: expand} if expand else {}
    queries = (
        {"_id": query[name], "text": name, "metadata": {"category": name, **drawn}}
        for name in provisions
    )
    for path, records in (("corpus.jsonl", corpus), ("queries.jsonl", queries)):
        lines = (json.dumps(each, ensure_ascii=False) + "\n" for each in records)
        replace_text(folder / path, "".join(lines))
    judged = [(each.provision, each.id, each.stars - 1) for each in clauses if each.stars]
    added = _other_provisions(clauses, expand)
    for name in ("train", "valid", "test"):  # those of an earlier export number other provisions
        (folder / "qrels" / f"{name}.tsv").unlink(missing_ok=True)
    for name, part in _splits(provisions).items() if split else [("test", provisions)]:
        table = StringIO()
        rows = csv.writer(table, delimiter="\t", lineterminator="\n")
        rows.writerow(("query-id", "corpus-id", "score"))
        rows.writerows((query[of], id_, score) for of, id_, score in judged if of in part)
        rows.writerows((query[of], id_, _NO_STARS) for of, id_ in added if of in part)
        replace_text(folder / "qrels" / f"{name}.tsv", table.getvalue())
    return len(judged)


_SHARES = (0.5, 0.05)
"""Of the queries in test and valid; the others are to train on (ACORD, section 3)."""


def _splits(provisions: Sequence[str]) -> dict[str, list[str]]:
    """Return the provisions of each split, that to test on never empty."""
    drawn = Random(0).sample(sorted(provisions), len(provisions))  # noqa: S311 - no secret
    tested = ceil(len(drawn) * _SHARES[0])
    valid = max(1, round(len(drawn) * _SHARES[1])) if len(drawn) > 2 else 0
    parts = {"test": drawn[:tested], "valid": drawn[tested : tested + valid]}
    return parts | {"train": drawn[tested + valid :]}


def _other_provisions(clauses: Sequence[BankClause], count: int) -> list[tuple[str, str]]:
    """Return pairs of a provision and the id of a clause that only other provisions have."""
    texts: dict[str, set[str]] = {}
    for each in clauses:
        texts.setdefault(each.provision, set()).add(each.text)
    added = []
    for provision, own in texts.items() if count else ():
        others = [each.id for each in clauses if each.text not in own]
        drawn = Random(provision).sample(others, min(count, len(others)))  # noqa: S311 - as above
        added += [(provision, each) for each in drawn]
    return added


def _judgements(path: Path, remedy: str) -> Iterator[tuple[str, str, int]]:
    with path.open(encoding="utf-8", newline="") as file:
        for number, row in enumerate(csv.reader(file, delimiter="\t"), start=1):
            if not row or (number == 1 and row[-1] == "score"):
                continue
            if len(row) != 3 or not row[2].strip().isdigit() or int(row[2]) >= len(STARS):
                raise _wrong(
                    path, number, "this must be a query, a clause and a score 0 to 4", remedy
                )
            yield row[0], row[1], int(row[2])


def _annotated(folder: Path) -> Iterator[BankClause]:
    """Yield the annotated spans of contracts; their group, if they have one, is their source."""
    remedy = (
        'Each line: {"name": "x.txt", "annotations": {"Insurance": [[start, end], …]}}, '
        "with the text in contracts/x.txt."
    )
    path = folder / "annotations.jsonl"
    for record in _records(path, remedy=remedy):
        name = record.text("name")
        file = folder / "contracts" / name
        if file.parent != folder / "contracts":
            raise record.wrong(f"{name!r} is not a file in the folder contracts")
        try:
            text = file.read_bytes().decode("utf-8")
        except OSError as error:
            raise record.wrong(f"{file} cannot be read") from error
        annotations = record.values.get("annotations")
        if not isinstance(annotations, dict):
            raise record.wrong("'annotations' must be a mapping of names to spans")
        source = record.values.get("group")
        group = source if isinstance(source, str) and source else name
        for provision, spans in annotations.items():
            for span in spans if isinstance(spans, list) else [spans]:
                match span:
                    case [int(start), int(end)] if 0 <= start <= end <= len(text):
                        if words := text[start:end].strip():
                            yield BankClause(provision, words, None, group, start, end, (name,))
                    case _:
                        raise record.wrong(
                            f"{span!r} of {provision!r} is not a span of the text of "
                            f"{len(text):,} characters"
                        )


def _wrong(path: Path, number: int, what: str, remedy: str) -> ConfigError:
    return ConfigError(f"{path}, line {number}: {what}.", remedy=remedy)


def read_annotated_folder(folder: Path) -> tuple[list[Sentence], list[Clause]]:
    """Return the sentences of the annotated contracts of a folder, and the clauses.

    Raises:
        ConfigError: If the folder is not laid out as CUAD is, or something in it is wrong.
    """
    marked: dict[str, list[BankClause]] = {}
    for clause in read_clauses(folder):
        marked.setdefault(clause.tags[0], []).append(clause)
    given: list[Sentence] = []
    clauses: list[Clause] = []
    for name, found in marked.items():
        text = (folder / "contracts" / name).read_bytes().decode("utf-8")
        given += mark_sentences(text, sentence_spans(text), _marks(found), found[0].source)
        clauses += [Clause(each.provision, each.text, each.source) for each in found]
    return given, clauses


def _marks(clauses: Sequence[BankClause]) -> dict[str, list[Span]]:
    spans: dict[str, list[Span]] = {}
    for each in clauses:
        if each.start is not None and each.end is not None:
            spans.setdefault(each.provision, []).append(Span(each.start, each.end))
    return spans
