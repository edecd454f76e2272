"""Load a playbook: from a file's text to a `Playbook`, or errors that name line and key."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from fourcorners.errors import PlaybookError, QueryError, name_remedy
from fourcorners.playbooks.file import source as yaml_source
from fourcorners.playbooks.file.checks import check_file
from fourcorners.playbooks.file.schema import (
    PlaybookFile,
    PositionFile,
    QuestionFile,
    explain_error,
    file_error,
    similar_key,
)
from fourcorners.playbooks.file.source import FileProblem, YamlSource, merge_playbooks
from fourcorners.playbooks.playbook import (
    ClauseEdit,
    Playbook,
    Position,
    Provision,
    RiskQuestion,
    Rule,
    SeverityRule,
    Wording,
)
from fourcorners.search.query import Query, parse_query

BUILTIN = Path(__file__).parent / "builtin"
SUFFIXES = (".yaml", ".yml")
MAX_BYTES = 1_000_000  # of a playbook

Queries = Mapping[yaml_source.Path, Query]
_QUERIES = frozenset(("query", "avoid", "learned"))
_OF_REDLINES = dict.fromkeys(
    ("alone", "about", "not_about", "unless", "under", "over", "wording"), True
)
_UNHASHED: Any = {
    "payer": True,
    "payee": True,
    "provisions": {"__all__": {"positions": {"__all__": _OF_REDLINES}}},
}
"""Names, and fields for drafting only: changing them changes no finding, and so not the hash."""
_PARTS = {
    "questions": RiskQuestion,
    "severity": SeverityRule,
    "rules": Rule,
    "positions": Position,
}


def builtin_names() -> list[str]:
    return sorted(path.stem for path in BUILTIN.glob("*.yaml"))


def load_playbook(name_or_path: str | Path) -> Playbook:
    """Return a playbook: one that comes with the package, by its name, or a YAML file's.

    Raises:
        PlaybookError: If there is no such playbook, or its file does not hold the schema; each
            line of the message names file, line and key of one problem.
    """
    return open_playbook(name_or_path)[0]


def open_playbook(name_or_path: str | Path) -> tuple[Playbook, YamlSource]:
    """Return a playbook, with the places of what its file says.

    Raises:
        PlaybookError: As `load`.
    """
    path = _path(name_or_path)
    return _open_builtin(path) if path.parent == BUILTIN else _open(path)


@lru_cache(maxsize=8)
def _open_builtin(path: Path) -> tuple[Playbook, YamlSource]:
    return _open(path)


def _open(path: Path) -> tuple[Playbook, YamlSource]:
    content, queries, source = _understood_file(path)
    return _build(content, queries), source


def _understood_file(path: Path) -> tuple[PlaybookFile, Queries, YamlSource]:
    return _understood(_read(path), str(path), path.parent, (path.resolve(),))


def resolve_playbook(name_or_path: str | Path) -> PlaybookFile:
    """Return what a playbook's file holds, with what it takes from the one it extends.

    Raises:
        PlaybookError: As `load`.
    """
    return _understood_file(_path(name_or_path))[0]


def playbook_text(name_or_path: str | Path) -> str:
    """Return the YAML of a playbook, as its file has it.

    Raises:
        PlaybookError: If there is no such playbook, or its file cannot be read.
    """
    return _read(_path(name_or_path))


def _path(name_or_path: str | Path) -> Path:
    names = builtin_names()
    if isinstance(name_or_path, str) and name_or_path in names:
        return BUILTIN / f"{name_or_path}.yaml"
    path = Path(name_or_path)
    is_name = len(path.parts) < 2 and path.suffix not in SUFFIXES and not path.exists()
    if isinstance(name_or_path, str) and is_name:
        problem = f"no playbook is called {name_or_path!r}."
        remedy = f"{name_remedy(name_or_path, names)} Or give the path of a YAML file."
        raise PlaybookError(problem, remedy=remedy)
    return path


def parse_playbook(text: str, file: str, *, folder: Path | None = None) -> Playbook:
    """Return the playbook that the YAML `text` holds; errors name it as `file`.

    A path that it extends starts from `folder`; without one, a playbook that comes with the
    package is all that may be extended.

    Raises:
        PlaybookError: If it does not hold the schema.
    """
    content, queries, _ = _understood(text, file, folder, ())
    return _build(content, queries)


def _understood(
    text: str, file: str, folder: Path | None, chain: tuple[Path, ...]
) -> tuple[PlaybookFile, Queries, YamlSource]:
    source = _load_whole(text, file, folder, chain)
    try:
        content = PlaybookFile.model_validate(source.data)
    except ValidationError as error:
        faults = error.errors()
        misspelt = {(*fault["loc"][:-1], similar_key(fault)) for fault in faults}
        for fault in faults:
            if fault["type"] != "missing" or fault["loc"] not in misspelt:
                explain_error(source, fault)
        raise file_error(source.problems, file) from error
    queries = dict(_queries(source, content))
    check_file(source, content)
    if source.problems:
        raise file_error(source.problems, file)
    return content, queries, source


def _load_whole(text: str, file: str, folder: Path | None, chain: tuple[Path, ...]) -> YamlSource:
    """Return a file's data on top of all that it extends; `chain` is of files, this one last."""
    source = yaml_source.parse_yaml(text)
    if source.problems:
        raise file_error(source.problems, file)
    name = source.data.get("extends") if isinstance(source.data, dict) else None
    if not isinstance(name, str) or not name.strip():
        return source
    path = _extended(source, name.strip(), folder, chain)
    if path is None:
        raise file_error(source.problems, file)
    base = _read(path)
    _understood(base, str(path), path.parent, (*chain, path.resolve()))
    return merge_playbooks(
        source, _load_whole(base, str(path), path.parent, (*chain, path.resolve()))
    )


def _extended(
    source: YamlSource, name: str, folder: Path | None, chain: tuple[Path, ...]
) -> Path | None:
    """Return the file of the playbook that is extended; None, and a problem, if it may not be."""
    names = builtin_names()
    path = BUILTIN / f"{name}.yaml" if name in names else (folder or Path()) / name
    problem = ""
    if name not in names and len(Path(name).parts) < 2 and Path(name).suffix not in SUFFIXES:
        problem = f"no playbook is called {name!r}. {name_remedy(name, names)}"
    elif name not in names and folder is None:
        problem = "a playbook that is not a file may extend a built-in one only"
    elif not path.is_file():
        problem = f"there is no file {path}"
    if not problem and path.resolve() in chain:
        circle = " → ".join(each.name for each in (*chain, path))
        problem = f"these playbooks extend each other in a circle: {circle}"
    if problem:
        source.problem(("extends",), problem)
    return None if problem else path


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


def _queries(source: YamlSource, content: PlaybookFile) -> Iterator[tuple[yaml_source.Path, Query]]:
    for path, text in _query_texts(content):
        try:
            yield path, parse_query(text, fields=False)
        except QueryError as error:
            place = source.place(path, error.at) if error.at is not None else None
            line, character = place or (source.line(path), None)
            source.problems.append(
                FileProblem(line, source.name(path), error.message, character, error.remedy)
            )


def _query_texts(
    content: BaseModel, path: yaml_source.Path = ()
) -> Iterator[tuple[yaml_source.Path, str]]:
    """Yield the values of query keys, by path."""
    for key, value in content:
        if key in _QUERIES and value:
            yield (*path, key), value
        elif isinstance(value, tuple):
            for n, each in enumerate(value):
                if isinstance(each, BaseModel):
                    yield from _query_texts(each, (*path, key, n))


def _build(content: PlaybookFile, queries: Queries) -> Playbook:
    canonical = json.dumps(
        content.model_dump(mode="json", exclude_defaults=True, exclude=_UNHASHED),
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
        payer=content.payer,
        payee=content.payee,
        provisions=tuple(
            Provision(**_values(provision, ("provisions", at), queries))
            for at, provision in enumerate(content.provisions)
        ),
    )


def _values(content: BaseModel, path: yaml_source.Path, queries: Queries) -> dict[str, Any]:
    """Return the values of a mapping of the file, with its queries read and its parts built."""
    values = dict(content)
    for key in _QUERIES & values.keys():
        values[key] = queries.get((*path, key))
    for key, part in _PARTS.items():
        if isinstance(listed := values.get(key), tuple):
            values[key] = tuple(
                part(**_values(each, (*path, key, n), queries)) for n, each in enumerate(listed)
            )
    if isinstance(content, PositionFile) and content.wording is not None:
        edits = tuple(ClauseEdit(**dict(each)) for each in content.wording.edits)
        values["wording"] = Wording(**{**dict(content.wording), "edits": edits})
    if isinstance(content, QuestionFile) and content.answer is None:
        values["answer"] = "one_of" if content.options else "text"
    return values
