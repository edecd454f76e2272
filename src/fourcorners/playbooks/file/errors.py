"""What is wrong with a playbook file, in the words of its author."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from fourcorners.errors import PlaybookError
from fourcorners.playbooks.file.schema import MODELS
from fourcorners.playbooks.file.source import FileProblem, Path, YamlSource

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

MAX_PROBLEMS = 20  # told at once


class PlaybookFileError(PlaybookError):
    """All that is wrong with one playbook file, in the file's order."""

    problems: tuple[FileProblem, ...] = ()


def file_error(problems: Sequence[FileProblem], file: str) -> PlaybookFileError:
    """Return all that is wrong with a file as one error, a line each, in the file's order."""
    ordered = sorted(problems, key=lambda problem: (problem.line, problem.character or 0))
    lines = []
    for problem in ordered[:MAX_PROBLEMS]:
        place = f"{file}, line {problem.line}"
        if problem.character is not None:
            place += f", character {problem.character}"
        if problem.path:
            place += f", {problem.path}"
        lines.append(f"{place}: {problem.what}")
    if len(ordered) > MAX_PROBLEMS:
        lines.append(f"{file}: and {len(ordered) - MAX_PROBLEMS} more.")
    remedies = dict.fromkeys(problem.remedy for problem in ordered if problem.remedy)
    error = PlaybookFileError("\n".join(lines), remedy=" ".join(remedies))
    error.problems = tuple(ordered)
    return error


def explain_error(source: YamlSource, details: ErrorDetails) -> None:
    """Note one of pydantic's errors in the words of a playbook's author."""
    path, given, context = details["loc"], details["input"], details.get("ctx", {})
    last = str(path[-1]) if path else ""
    written = f", not {given!r}" if isinstance(given, str) else f", not {_kind(given)}"
    match details["type"]:
        case "missing":
            source.problem(path[:-1], f"the key {last!r} is missing")
        case "extra_forbidden":
            meant = similar_key(details)
            known = ", ".join(_known_keys(path))
            offer = f"did you mean {meant!r}?" if meant else f"known are {known}"
            source.problem(path, f"there is no key {last!r} here; {offer}")
        case "string_type":
            hint = "" if given is None else "; put it between single quotes"
            source.problem(path, f"this must be text{written}{hint}")
        case "tuple_type":
            source.problem(path, f"this must be a list, each item after a hyphen{written}")
        case "model_type" | "model_attributes_type":
            source.problem(path, f"this must be a mapping of keys to values{written}")
        case "literal_error" | "enum":
            choices = str(context.get("expected", "")).replace("'", "").replace(" or ", ", ")
            near = get_close_matches(str(given), choices.split(", "), n=1)
            offer = f"; did you mean {near[0]!r}?" if near else ""
            source.problem(path, f"this must be one of {choices}{written}{offer}")
        case "string_pattern_mismatch" if last == "id":
            example = "lower-case words joined by hyphens, such as change-of-control"
            source.problem(path, f"this must be {example}{written}")
        case "string_too_short":
            source.problem(path, "this must not be empty")
        case "too_short":
            if not given:  # pydantic counts only the items that are right
                source.problem(path, "this must hold at least one item")
        case "float_parsing" | "float_type":
            source.problem(path, f"this must be a number{written}")
        case _:
            message = details["msg"]
            source.problem(path, f"{message[:1].lower()}{message[1:]}{written}")


def _known_keys(path: Path) -> Sequence[str]:
    return tuple(MODELS[tuple(part for part in path[:-1] if isinstance(part, str))].model_fields)


def similar_key(details: ErrorDetails) -> str | None:
    """Return the key that the author of an unknown key may have meant."""
    if details["type"] != "extra_forbidden":
        return None
    path = details["loc"]
    near = get_close_matches(str(path[-1]), _known_keys(path), n=1, cutoff=0.5)
    return near[0] if near else None


def _kind(value: object) -> str:
    match value:
        case None:
            return "nothing"
        case dict():
            return "a mapping"
        case list():
            return "a list"
        case _:
            return repr(value)
