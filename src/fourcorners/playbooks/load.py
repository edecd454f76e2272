"""Loading a playbook: a file's text to a `Playbook`, or to errors that name line and key."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from fourcorners.errors import PlaybookError, QueryError
from fourcorners.playbooks import source as yaml_source
from fourcorners.playbooks.playbook import (
    Extent,
    Playbook,
    Provision,
    RiskQuestion,
    SeverityRule,
)
from fourcorners.playbooks.schema import MODELS, PlaybookFile, ProvisionFile
from fourcorners.playbooks.source import Problem, Source
from fourcorners.search.query import Query, parse

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

BUILTIN = Path(__file__).parent / "builtin"
SUFFIXES = (".yaml", ".yml")
MAX_BYTES = 1_000_000
MOST_PROBLEMS = 20

Queries = Mapping[yaml_source.Path, Query]


def builtin() -> list[str]:
    """Return the names of the playbooks that come with the package."""
    return sorted(path.stem for path in BUILTIN.glob("*.yaml"))


def load(name_or_path: str | Path) -> Playbook:
    """Return a playbook: one that comes with the package, by its name, or a YAML file's.

    Raises:
        PlaybookError: If there is no such playbook, or its file does not hold the schema; each
            line of the message names file, line and key of one problem.
    """
    return parse_playbook(text_of(name_or_path), str(_path(name_or_path)))


def text_of(name_or_path: str | Path) -> str:
    """Return the YAML of a playbook, as its file has it.

    Raises:
        PlaybookError: If there is no such playbook, or its file cannot be read.
    """
    return _read(_path(name_or_path))


def _path(name_or_path: str | Path) -> Path:
    if isinstance(name_or_path, str) and name_or_path in builtin():
        return BUILTIN / f"{name_or_path}.yaml"
    path = Path(name_or_path)
    if isinstance(name_or_path, str) and _is_name(path):
        near = get_close_matches(name_or_path, builtin(), n=1)
        raise PlaybookError(
            f"no playbook is called {name_or_path!r}.",
            remedy=(f"Did you mean {near[0]!r}? " if near else "")
            + f"There are: {', '.join(builtin())}; or give the path of a YAML file.",
        )
    return path


def parse_playbook(text: str, file: str) -> Playbook:
    """Return the playbook that the YAML `text` holds; errors name it as `file`.

    Raises:
        PlaybookError: If it does not hold the schema.
    """
    source = yaml_source.read(text)
    if source.problems:
        raise _error(source.problems, file)
    try:
        content = PlaybookFile.model_validate(source.data)
    except ValidationError as error:
        faults = error.errors()
        misspelt = {(*fault["loc"][:-1], _near_key(fault)) for fault in faults}
        for fault in faults:
            if fault["type"] != "missing" or fault["loc"] not in misspelt:
                _explain(source, fault)
        raise _error(source.problems, file) from error
    queries = dict(_queries(source, content))
    _check(source, content)
    if source.problems:
        raise _error(source.problems, file)
    return _build(content, queries)


def _is_name(path: Path) -> bool:
    return len(path.parts) < 2 and path.suffix not in SUFFIXES and not path.exists()


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise PlaybookError(
            f"cannot read the playbook {path}: {error.strerror or error}.",
            remedy="Give the path of a YAML file that you may read.",
        ) from error
    if len(content) > MAX_BYTES:
        raise PlaybookError(f"{path}: a playbook may hold {MAX_BYTES:,} bytes; this file has more.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise PlaybookError(
            f"{path}, line {line}: this is not UTF-8.", remedy="Save the file as UTF-8."
        ) from error


def _error(problems: Sequence[Problem], file: str) -> PlaybookError:
    ordered = sorted(problems, key=lambda problem: (problem.line, problem.character or 0))
    lines = []
    for problem in ordered[:MOST_PROBLEMS]:
        place = f"{file}, line {problem.line}"
        if problem.character is not None:
            place += f", character {problem.character}"
        if problem.path:
            place += f", {problem.path}"
        lines.append(f"{place}: {problem.what}")
    if len(ordered) > MOST_PROBLEMS:
        lines.append(f"{file}: and {len(ordered) - MOST_PROBLEMS} more.")
    remedies = dict.fromkeys(problem.remedy for problem in ordered if problem.remedy)
    return PlaybookError("\n".join(lines), remedy=" ".join(remedies))


def _explain(source: Source, details: ErrorDetails) -> None:
    """Note one of pydantic's errors in the words of a playbook's author."""
    path, given, context = details["loc"], details["input"], details.get("ctx", {})
    last = str(path[-1]) if path else ""
    written = f", not {given!r}" if isinstance(given, str) else f", not {_kind(given)}"
    match details["type"]:
        case "missing":
            source.problem(path[:-1], f"the key {last!r} is missing")
        case "extra_forbidden":
            near_key = _near_key(details)
            known = ", ".join(_known_keys(path))
            offer = f"did you mean {near_key!r}?" if near_key else f"known are {known}"
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


def _known_keys(path: yaml_source.Path) -> Sequence[str]:
    return tuple(MODELS[tuple(part for part in path[:-1] if isinstance(part, str))].model_fields)


def _near_key(details: ErrorDetails) -> str | None:
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


def _queries(source: Source, content: PlaybookFile) -> Iterator[tuple[yaml_source.Path, Query]]:
    """Yield each query of the file by its path; note those that do not parse."""
    for path, text in _query_texts(content):
        try:
            yield path, parse(text, fields=False)
        except QueryError as error:
            place = source.place(path, error.at) if error.at is not None else None
            line, character = place or (source.line(path), None)
            source.problems.append(
                Problem(line, source.name(path), error.message, character, error.remedy)
            )


def _query_texts(content: PlaybookFile) -> Iterator[tuple[yaml_source.Path, str]]:
    for at, provision in enumerate(content.provisions):
        path = ("provisions", at)
        yield (*path, "query"), provision.query
        if provision.avoid:
            yield (*path, "avoid"), provision.avoid
        if provision.learned:
            yield (*path, "learned"), provision.learned
        for n, question in enumerate(provision.questions):
            if question.yes:
                yield (*path, "questions", n, "yes"), question.yes
        for n, rule in enumerate(provision.severity):
            if rule.matching:
                yield (*path, "severity", n, "matching"), rule.matching
            if rule.unless:
                yield (*path, "severity", n, "unless"), rule.unless


def _check(source: Source, content: PlaybookFile) -> None:
    """Note what no single value shows: names used twice, rules that can never hold."""
    names: dict[str, yaml_source.Path] = {}
    for at, provision in enumerate(content.provisions):
        path: yaml_source.Path = ("provisions", at)
        own: dict[str, yaml_source.Path] = {}
        for known, where in (
            (provision.id, (*path, "id")),
            (provision.name, (*path, "name")),
            *((alias, (*path, "aliases", n)) for n, alias in enumerate(provision.aliases)),
        ):
            other = names.get(known.casefold())
            if other is not None:
                line = source.line(other)
                source.problem(where, f"{known!r} already names the provision of line {line}")
            own.setdefault(known.casefold(), where)
        names |= own
        _check_questions(source, path, provision)
        _check_rules(source, path, provision)
        if provision.extent is Extent.FACT and provision.card is None:
            source.problem(
                (*path, "extent"), "a fact needs the key 'card', to say which fact of the card"
            )


def _check_questions(source: Source, path: yaml_source.Path, provision: ProvisionFile) -> None:
    first: dict[str, int] = {}
    for n, question in enumerate(provision.questions):
        where = (*path, "questions", n, "id")
        if question.id in first:
            line = first[question.id]
            source.problem(where, f"{question.id!r} already names the question of line {line}")
        first.setdefault(question.id, source.line(where))


def _check_rules(source: Source, path: yaml_source.Path, provision: ProvisionFile) -> None:
    always: dict[str, int] = {}
    for n, rule in enumerate(provision.severity):
        where = (*path, "severity", n)
        if rule.when in always:
            source.problem(
                where, f"this rule is never reached: that of line {always[rule.when]} always holds"
            )
        for key, query in (("matching", rule.matching), ("unless", rule.unless)):
            if query and rule.when == "not_found":
                source.problem((*where, key), "where nothing was found there are no words to match")
        if not rule.matching and not rule.unless:
            always.setdefault(rule.when, source.line(where))


def _build(content: PlaybookFile, queries: Queries) -> Playbook:
    canonical = json.dumps(
        content.model_dump(mode="json", exclude_defaults=True),
        ensure_ascii=False,
        separators=(",", ":"),
        sort_keys=True,
    )
    return Playbook(
        id=content.id,
        name=content.name,
        version=content.version,
        hash=sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest(),
        language=content.language,
        description=content.description,
        provisions=tuple(
            _provision(provision, ("provisions", at), queries)
            for at, provision in enumerate(content.provisions)
        ),
    )


def _provision(content: ProvisionFile, path: yaml_source.Path, queries: Queries) -> Provision:
    return Provision(
        id=content.id,
        name=content.name,
        definition=content.definition,
        query=queries[(*path, "query")],
        examples=content.examples,
        instructions=content.instructions,
        avoid=queries.get((*path, "avoid")),
        learned=queries.get((*path, "learned")),
        extent=content.extent,
        card=content.card,
        aliases=content.aliases,
        questions=tuple(
            RiskQuestion(
                question.id,
                question.question,
                question.guidance,
                queries.get((*path, "questions", n, "yes")),
            )
            for n, question in enumerate(content.questions)
        ),
        severity=tuple(
            SeverityRule(
                rule.when,
                rule.severity,
                rule.because,
                queries.get((*path, "severity", n, "matching")),
                queries.get((*path, "severity", n, "unless")),
            )
            for n, rule in enumerate(content.severity)
        ),
        threshold=content.threshold,
    )
