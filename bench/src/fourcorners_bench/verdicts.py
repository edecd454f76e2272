"""How often what is said of a clause is right, and how much is said: a table a question.

A run file has a line a clause and question: what was answered, how surely, and what readers of the
clause say (`training/verdicts`). Of contrary clauses, which were invented to mislead, it is known
what would be wrong. An answer is asserted where it says something and is as sure as its question's
limit; limits are chosen on other folds than those that are judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from fourcorners.errors import ConfigError
from fourcorners.models.verdict_reader.limits import (
    CONTRARY,
    Line,
    VerdictScore,
    choose_limits,
    is_asserted,
)
from fourcorners.models.verdict_reader.reader import IS
from fourcorners_bench.measures.tables import figure_table
from fourcorners_bench.record import Json, json_figures
from fourcorners_bench.run_files import read_lines

if TYPE_CHECKING:
    from rich.table import Table

Wrong: TypeAlias = Mapping[str, Sequence[str]]
"""The answers that would be wrong, by question."""


def score_contrary(
    lines: Sequence[Line], wrong: Mapping[str, Mapping[str, Sequence[str]]]
) -> tuple[int, int]:
    """Return of how many contrary clauses something wrong is asserted in a fold, and of how many.

    `wrong` are the wrong answers of each clause by question. A clause that is said to be no such
    provision has no answers.

    Raises:
        ConfigError: If the run has a contrary clause whose wrong answers are not given.
    """
    unknown = {each["id"] for each in lines if each["id"].startswith(CONTRARY)} - wrong.keys()
    if unknown:
        raise ConfigError(
            f"the run has contrary clauses that the file lacks: {min(unknown)}.",
            remedy="Give the file with which the run was made.",
        )
    limits = choose_limits(lines)
    failed: set[tuple[str, int]] = set()
    seen: set[tuple[str, int]] = set()
    for each in lines:
        if not each["id"].startswith(CONTRARY):
            continue
        place = (each["id"], each["fold"])
        seen.add(place)
        limit = limits.get((each["provision"], each["question"]))
        if is_asserted(each, limit) and each["value"] in wrong[each["id"]].get(
            each["question"], ()
        ):
            failed.add(place)
    return len(failed), len(seen)


def read_run(path: Path) -> list[Line]:
    """Return the lines of a run file.

    Raises:
        ConfigError: If it cannot be read, or a line is not one of such a run; the message names it.
    """
    return read_lines(path, _parse_line, "a verdict", "training.verdicts.train writes such files.")


def read_contrary(path: Path) -> dict[str, Wrong]:
    """Return the wrong answers of contrary clauses by their ids in a run, which count their lines.

    Raises:
        ConfigError: If the file cannot be read, or a line is no contrary clause.
    """
    clauses = read_lines(path, _parse_wrong, "a contrary clause")
    return {f"{CONTRARY}{number}": wrong for number, wrong in enumerate(clauses)}


def verdict_table(scores: Sequence[VerdictScore]) -> Table:
    """Return the scores as a table, with a row of all answers."""
    heads = ("clauses", "stated", "asserted", "precision", "coverage")
    table = figure_table("What clauses say", "Provision", "Question", *heads, left=2)
    for each in (*scores, total_score(scores)):
        precision = "" if each.precision is None else f"{each.precision:.3f}"
        counts = (str(count) for count in (each.clauses, each.stated, each.asserted))
        table.add_row(each.provision, each.question, *counts, precision, f"{each.coverage:.3f}")
    return table


def verdict_measures(scores: Sequence[VerdictScore]) -> dict[str, Json]:
    """Return the scores as a record holds them."""
    return {f"{each.provision}.{each.question}": score_measures(each) for each in scores}


def total_score(scores: Iterable[VerdictScore]) -> VerdictScore:
    """Return the scores of all answers added up; whether words are such a provision is none."""
    answers = (each for each in scores if each.question != IS)
    counts = [tuple(getattr(each, name) for name in _COUNTS) for each in answers]
    return VerdictScore(
        "All", "answers", *(sum(each[at] for each in counts) for at in range(len(_COUNTS)))
    )


def score_measures(score: VerdictScore) -> Json:
    """Return a score as a record holds it."""
    counts = {name: getattr(score, name) for name in _COUNTS}
    return json_figures({**counts, "precision": score.precision, "coverage": score.coverage})


_COUNTS = ("clauses", "stated", "asserted", "right")
_LINE: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("id", "provision", "question", "value"), str),
    **dict.fromkeys(("silent", "settled"), bool),
    "probability": (int, float),
    "right": (str, type(None)),
    "silences": list,
    "fold": int,
}


def _parse_line(line: Line) -> Line:
    for name, kind in _LINE.items():
        if not isinstance(line[name], kind):
            raise TypeError(f"{name} is {line[name]!r}")
    return line


def _parse_wrong(line: Mapping[str, Wrong]) -> Wrong:
    return {question.replace("_", "-"): wrong for question, wrong in line["wrong"].items()}
