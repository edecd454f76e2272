"""ACORD: queries of lawyers, and clauses with the stars that lawyers gave them for each.

Wang et al., "ACORD: An Expert-Annotated Dataset for Legal Contract Clause Retrieval" (2025). A
folder in BEIR's layout; a score of 0 to 4 is 1 to 5 stars, and a clause that is not listed for a
query was not judged for it.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from fourcorners.errors import ConfigError
from fourcorners_bench.record import Json
from fourcorners_bench.run_files import read_answers

MAX_GAIN = 4  # ACORD's five stars, counted from 0
_QUOTES = str.maketrans("", "", "\"'“”‘’")
_LAYOUT = "Give the folder of ACORD: corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv."
_FORMATS = "query_formats.tsv"


class Format(StrEnum):
    """How long a query is: a phrase, a line, or a description of the clause."""

    SHORT = "short"
    MEDIUM = "medium"
    LONG = "long"


@dataclass(frozen=True, slots=True)
class AcordQuery:
    """A query with the scores of the clauses that were judged for it.

    Attributes:
        forms: Its wordings; the short one is always there.
    """

    id: str
    category: str
    forms: Mapping[Format, str]
    judged: Mapping[str, int] = field(repr=False)

    def wording(self, form: Format) -> str:
        return self.forms.get(form, self.forms[Format.SHORT])


@dataclass(frozen=True, slots=True)
class Split:
    """The queries of one split, and the text of every clause by its id."""

    name: str
    queries: tuple[AcordQuery, ...] = field(repr=False)
    clauses: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Ranking:
    """The judged clauses of a query, the best first; scores are whole: rounding would make ties."""

    query: str
    ranking: tuple[tuple[str, float], ...]


def rank_by_score(query: str, scores: Mapping[str, float]) -> Ranking:
    """Order clauses by score; equal scores by the clause's id."""
    ordered = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
    return Ranking(query, tuple(ordered))


def split_names(data: Path) -> list[str]:
    return sorted(path.stem for path in (data / "qrels").glob("*.tsv"))


def load_split(data: Path, split: str, *, limit: int | None = None) -> Split:
    """Read one split, in the order of its scores' file; with a limit, its first queries alone.

    Raises:
        ConfigError: If the split is not there, or something is not of BEIR's form.
    """
    path = data / "qrels" / f"{split}.tsv"
    if not path.is_file():
        known = split_names(data)
        raise ConfigError(
            f"{data} has no qrels/{split}.tsv.",
            remedy=f"It has: {', '.join(known)}." if known else _LAYOUT,
        )
    clauses = {_text(one, "_id"): _text(one, "text") for one in _records(data / "corpus.jsonl")}
    asked = {_text(one, "_id"): one for one in _records(data / "queries.jsonl")}
    forms = _wordings(data / _FORMATS)
    queries = []
    for query, judged in list(_scores(path).items())[:limit]:
        record = asked.get(query)
        if record is None:
            raise ConfigError(f"{path} scores {query!r}, which is not in queries.jsonl.")
        missing = sorted(clause for clause in judged if clause not in clauses)
        if missing:
            raise ConfigError(f"{path} scores {missing[0]!r}, which is not in corpus.jsonl.")
        about = record.get("metadata")
        category = str(about.get("category", "")) if isinstance(about, dict) else ""
        text = _text(record, "text")
        wordings = {Format.SHORT: text, **forms.get(_plain(text), {})}
        queries.append(AcordQuery(query, category, wordings, judged))
    return Split(split, tuple(queries), clauses)


def _records(path: Path) -> Iterator[dict[str, Json]]:
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                record = json.loads(line)
                if not isinstance(record, dict):
                    raise ConfigError(f"{path}, line {number}: not a JSON object.", remedy=_LAYOUT)
                yield record
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}.", remedy=_LAYOUT) from error
    except ValueError as error:
        raise ConfigError(f"{path} is not JSON lines ({error}).", remedy=_LAYOUT) from error


def _text(record: Mapping[str, Json], key: str) -> str:
    value = record.get(key)
    if not isinstance(value, str):
        raise ConfigError(f"a line of ACORD has no text under {key!r}.", remedy=_LAYOUT)
    return value


def _scores(path: Path) -> dict[str, dict[str, int]]:
    """Return for each query its clauses, in order of their ids: files list the relevant first."""
    found: dict[str, dict[str, int]] = {}
    for number, row in enumerate(_table(path), start=1):
        if number == 1:
            continue
        try:
            query, clause, score = row
            found.setdefault(query, {})[clause] = int(score)
        except ValueError as error:
            raise ConfigError(f"{path}, line {number}: not query, clause and score.") from error
        if not 0 <= found[query][clause] <= MAX_GAIN:
            raise ConfigError(f"{path}, line {number}: the score is not 0 to {MAX_GAIN}.")
    return {query: dict(sorted(judged.items())) for query, judged in found.items()}


def _wordings(path: Path) -> dict[str, dict[Format, str]]:
    """Return the longer wordings by the short one; none where there is no such file."""
    if not path.is_file():
        return {}
    found = {}
    for row in _table(path)[1:]:
        if len(row) >= 3:
            longer = zip((Format.MEDIUM, Format.LONG), row[1:3], strict=True)
            found[_plain(row[0])] = {form: text for form, text in longer if text.strip()}
    return found


def _table(path: Path) -> list[list[str]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return [row for row in csv.reader(file, delimiter="\t") if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ConfigError(f"{path} cannot be read: {error}.", remedy=_LAYOUT) from error


def _plain(query: str) -> str:
    """Return a query without quotation marks and case, in which the two files differ."""
    return " ".join(query.translate(_QUOTES).casefold().split())


def read_run(path: Path) -> list[Ranking]:
    run = read_answers(path, Ranking, "a line of a precedents run")
    return [rank_by_score(each.query, dict(each.ranking)) for each in run]


def match_run(data: Path, run: Sequence[Ranking], *, partial: bool = False) -> Split:
    """Return the split that a run answers; with `partial`, the part that it answers.

    Raises:
        ConfigError: If no split has all its queries, or it leaves some of the split's out.
    """
    answered = {each.query for each in run}
    for name in split_names(data):
        whole = load_split(data, name)
        own = {query.id for query in whole.queries}
        if not answered or not answered <= own:
            continue
        if answered != own and not partial:
            raise ConfigError(
                f"the run has no line for {len(own - answered)} of the {len(own)} queries of "
                f"{name}.",
                remedy="Answer them all, or score the part that is there with --limit.",
            )
        answered_queries = tuple(query for query in whole.queries if query.id in answered)
        return Split(name, answered_queries, whole.clauses)
    raise ConfigError(
        f"no split of {data} asks what the run answers.",
        remedy="Give the folder that the run was made with.",
    )
