"""Count what a distribution holds, each count by a rule that is printed with it."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

import yaml

from scripts.prose import find_dialect, prose_files

WINDOW = 6  # lines that make two definitions alike
MAX_LINES = 400  # of a module
MAX_PARAMETERS = 7  # of a function
SMALL = 60  # lines of a module that may belong to its only importer
TEMPLATES = (".j2", ".html")
PATTERN_CALLS = {
    "compile",
    "search",
    "match",
    "fullmatch",
    "sub",
    "subn",
    "split",
    "findall",
    "finditer",
}
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    path: Path
    text: str
    tree: ast.Module

    @property
    def lines(self) -> int:
        return self.text.count("\n")


@dataclass(frozen=True)
class Distribution:
    """A distribution of the workspace.

    Attributes:
        package: What is imported; empty where `folders` hold scripts.
        folders: Where its files are.
    """

    name: str
    package: str
    folders: tuple[Path, ...]

    @cached_property
    def modules(self) -> list[Module]:
        paths = [path for folder in self.folders for path in sorted(folder.rglob("*.py"))]
        texts = [path.read_text("utf-8") for path in paths]
        return [
            Module(path, text, ast.parse(text)) for path, text in zip(paths, texts, strict=True)
        ]

    def lines_of(self, *suffixes: str) -> int:
        return sum(
            path.read_bytes().count(b"\n")
            for folder in self.folders
            for path in folder.rglob("*")
            if path.suffix in suffixes and "__pycache__" not in path.parts
        )


@dataclass(frozen=True)
class Count:
    """A count of a distribution, and the rule by which it is taken."""

    name: str
    rule: str
    take: Callable[[Distribution], float]


def count_statements(tree: ast.AST) -> int:
    """Return the statements, docstrings left out: to delete one must save nothing."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    return sum(not _is_string(node) for node in nodes)


def _is_string(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def count_parameters(function: Function) -> int:
    """Return how many parameters a function has, `self` and `cls` left out."""
    given = function.args
    names = [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return len(names) - (names[:1] in (["self"], ["cls"]))


def functions_of(distribution: Distribution) -> Iterator[Function]:
    for module in distribution.modules:
        for node in ast.walk(module.tree):
            if isinstance(node, Function):
                yield node


def _wide(distribution: Distribution) -> int:
    return sum(count_parameters(each) > MAX_PARAMETERS for each in functions_of(distribution))


def count_patterns(distribution: Distribution) -> int:
    """Return the regular expressions in code and in `patterns.yaml`."""
    in_code = 0
    for module in distribution.modules:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                called = node.func
                is_re = isinstance(called.value, ast.Name) and called.value.id == "re"
                literal = node.args and isinstance(node.args[0], ast.Constant | ast.JoinedStr)
                in_code += (
                    is_re
                    and called.attr in PATTERN_CALLS
                    and bool(literal or called.attr == "compile")
                )
    in_data = 0
    for folder in distribution.folders:
        for path in folder.rglob("*.yaml"):
            in_data += sum(1 for _ in _patterns_in(yaml.safe_load(path.read_text("utf-8"))))
    return in_code + in_data


def _patterns_in(value: Any) -> Iterator[str]:  # noqa: ANN401 - YAML holds anything
    if isinstance(value, Mapping):
        if isinstance(value.get("pattern"), str):
            yield value["pattern"]
        for each in value.values():
            yield from _patterns_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from _patterns_in(each)


def count_public_names(distribution: Distribution) -> int:
    """Return modules, classes, functions, methods and fields without a leading underscore."""
    found = 0
    for module in distribution.modules:
        found += not module.path.stem.startswith("_")
        stack: list[tuple[ast.AST, bool]] = [(module.tree, False)]
        while stack:
            node, in_class = stack.pop()
            for each in ast.iter_child_nodes(node):
                if isinstance(each, ast.ClassDef) and not each.name.startswith("_"):
                    found += 1
                    stack.append((each, True))
                elif isinstance(each, Function):
                    found += not each.name.startswith("_")
                elif (
                    in_class
                    and isinstance(each, ast.AnnAssign)
                    and isinstance(each.target, ast.Name)
                ):
                    found += not each.target.id.startswith("_")
    return found


def count_repeated_names(distribution: Distribution) -> int:
    """Return the public class names that more than one module defines."""
    places: dict[str, set[Path]] = defaultdict(set)
    for module in distribution.modules:
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].add(module.path)
    return sum(len(paths) > 1 for paths in places.values())


def count_alike(distribution: Distribution) -> int:
    """Return how many pairs of modules share a run of lines that say something."""
    seen: dict[int, set[Path]] = defaultdict(set)
    for module in distribution.modules:
        lines = [line.strip() for line in module.text.splitlines()]
        lines = [
            line
            for line in lines
            if len(line) > 3 and not line.startswith(("#", '"""', "from ", "import "))
        ]
        for at in range(len(lines) - WINDOW + 1):
            seen[hash(tuple(lines[at : at + WINDOW]))].add(module.path)
    return len({tuple(sorted(paths)) for paths in seen.values() if len(paths) > 1})


def commands_of(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - click's
    """Yield each command of a click group that is shown in help, with its whole name."""
    for name, command in group.commands.items():
        nested = getattr(command, "commands", None)
        if nested is not None:
            yield from commands_of(command, (*path, name))
        if not command.hidden and (nested is None or command.invoke_without_command):
            yield " ".join((*path, name)), command


def count_options(commands: Iterable[tuple[str, Any]]) -> int:
    """Return the options of commands, of each command its own; `--help` is left out."""
    return sum(
        each.param_type_name == "option" and each.name != "help"
        for _, command in commands
        for each in command.params
    )


def count_settings(model: Any) -> int:  # noqa: ANN401 - a pydantic model, known when it is loaded
    """Return the settings that an operator may set: the leaves of the tree of sections.

    A section that may have several names, or be missing, counts once.
    """
    total = 0
    for field in model.model_fields.values():
        held = (field.annotation, *get_args(field.annotation))
        section = next((each for each in held if hasattr(each, "model_fields")), None)
        total += count_settings(section) if section is not None else 1
    return total


def read_program(distribution: Distribution) -> list[tuple[str, Any]]:
    """Return the commands that a distribution adds to the program."""
    import typer.main

    from fourcorners.cli.main import app

    bench = {"bench"}
    program: Any = typer.main.get_command(app)
    if distribution.package == "fourcorners":
        program.commands = {n: each for n, each in program.commands.items() if n not in bench}
    elif distribution.package == "fourcorners_bench":
        program.commands = {n: each for n, each in program.commands.items() if n in bench}
    else:
        return []
    return list(commands_of(program))


def _settings(distribution: Distribution) -> int:
    if distribution.package != "fourcorners":
        return 0
    from fourcorners.settings import Settings

    return count_settings(Settings)


def _small(distribution: Distribution) -> int:
    """Return the modules that a single other one imports and that are short."""
    if not distribution.package:
        return 0
    import grimp

    graph = grimp.build_graph(distribution.package, cache_dir=None)
    root = distribution.folders[0].parent
    found = 0
    for module in distribution.modules:
        if module.path.stem == "__init__" or module.lines >= SMALL:
            continue
        name = ".".join(module.path.relative_to(root).with_suffix("").parts)
        found += len(graph.find_modules_that_directly_import(name)) == 1
    return found


COUNTS = (
    Count("modules", "files that end in .py", lambda each: len(each.modules)),
    Count("lines", "lines of those files", lambda each: sum(one.lines for one in each.modules)),
    Count(
        "statements",
        "statements by ast, at any depth, docstrings left out",
        lambda each: sum(count_statements(one.tree) for one in each.modules),
    ),
    Count("template lines", "lines of .j2 and .html files", lambda each: each.lines_of(*TEMPLATES)),
    Count("script lines", "lines of .js files", lambda each: each.lines_of(".js")),
    Count("style lines", "lines of .css files", lambda each: each.lines_of(".css")),
    Count("YAML lines", "lines of .yaml files", lambda each: each.lines_of(".yaml", ".yml")),
    Count("SQL lines", "lines of .sql files", lambda each: each.lines_of(".sql")),
    Count(
        "commands",
        "commands that help shows, a group's own action included",
        lambda each: len(read_program(each)),
    ),
    Count(
        "options",
        "options of each command, --help left out",
        lambda each: count_options(read_program(each)),
    ),
    Count("settings", "leaves of the tree of settings", _settings),
    Count(
        "patterns",
        "regular expressions in code (re.* on a literal) and in YAML (`pattern:`)",
        count_patterns,
    ),
    Count(
        "public names",
        "modules, classes, functions, methods and fields without a leading underscore",
        count_public_names,
    ),
    Count("classes of one name", "public class names in two modules or more", count_repeated_names),
    Count(
        "functions with many parameters",
        f"functions of more than {MAX_PARAMETERS}, self and cls left out",
        _wide,
    ),
    Count(
        "long modules",
        f"modules over {MAX_LINES} lines",
        lambda each: sum(one.lines > MAX_LINES for one in each.modules),
    ),
    Count(
        "small modules of one importer",
        f"modules under {SMALL} lines that one other imports",
        _small,
    ),
    Count(
        "words of the dialect",
        "what `python scripts/prose.py` finds in code, templates and documents",
        lambda each: sum(
            1 for folder in each.folders for path in prose_files(folder) for _ in find_dialect(path)
        ),
    ),
    Count("modules alike", f"pairs that share {WINDOW} lines in a row", count_alike),
)
"""What is counted of each distribution, in the order of the table."""
