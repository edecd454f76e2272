"""Hold the names of the code to the field's words: the glossary, and plain ones of `words.yaml`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

WORDS = Path(__file__).with_name("words.yaml")
GLOSSARY = Path(__file__).resolve().parent.parent / "docs" / "glossary.md"
DATA_SETS = {"cuad", "acord", "contractnli", "legalbench"}
PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
TERM = re.compile(r"^\| \*\*(.+?)\*\*", re.MULTILINE)
REMEDY = (
    "Use a word of docs/glossary.md, or add one: a term of the field there, a plain word of "
    "programming or law to scripts/words.yaml."
)


@dataclass(frozen=True)
class Name:
    """A name and where it is; whether a function has it, and whether only a module sees it."""

    place: str
    name: str
    function: bool = False
    is_inner: bool = False


@dataclass(frozen=True)
class Vocabulary:
    """The words that names may use, those that no function is named by alone, those for no name."""

    allowed: set[str]
    not_functions: set[str]
    no_names: set[str]


def public_names(place: str, tree: ast.Module) -> Iterator[Name]:
    """Yield the public names of a module: its own, its classes, functions and fields."""
    stem = Path(place).stem
    if stem != "__init__":
        yield Name(place, stem)
    stack: list[tuple[ast.AST, str]] = [(tree, "")]
    while stack:
        node, within = stack.pop()
        for each in ast.iter_child_nodes(node):
            where = f"{place}:{getattr(each, 'lineno', 0)}"
            if isinstance(each, ast.ClassDef) and not each.name.startswith("_"):
                yield Name(where, each.name)
                stack.append((each, each.name))
            elif isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
                if not each.name.startswith(("_", "visit_")):
                    plain = not any(_is_property(one) for one in each.decorator_list)
                    yield Name(where, each.name, function=plain)
            elif within and isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
                yield Name(where, each.target.id)


def nested_functions(place: str, tree: ast.Module) -> Iterator[Name]:
    """Yield the functions that other functions define, which are named as public ones are."""
    for outer in ast.walk(tree):
        if not isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        stack: list[ast.AST] = [*outer.body]
        while stack:
            node = stack.pop()
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                if not node.name.startswith("_"):
                    yield Name(f"{place}:{node.lineno}", node.name, function=True)
            elif not isinstance(node, ast.ClassDef):  # whose methods a library may name
                stack.extend(ast.iter_child_nodes(node))


def inner_names(place: str, tree: ast.Module) -> Iterator[Name]:
    """Yield the names that only the module sees: of private functions, parameters and variables."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if node.name.startswith("_") and not node.name.startswith("__"):
                is_function = not isinstance(node, ast.ClassDef)
                yield Name(f"{place}:{node.lineno}", node.name, is_function, is_inner=True)
        elif isinstance(node, ast.arg):
            yield Name(f"{place}:{node.lineno}", node.arg, is_inner=True)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield Name(f"{place}:{node.lineno}", node.id, is_inner=True)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield Name(f"{place}:{node.lineno}", node.attr, is_inner=True)


def strange_aliases(place: str, tree: ast.Module) -> Iterator[str]:
    """Yield imports from the package whose name shares no beginning with what is imported.

    The names of data sets may stand for the modules that load them.
    """
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom):
            continue
        if not (node.module or "").startswith("fourcorners"):
            continue
        for each in node.names:
            if each.asname is None or each.asname in DATA_SETS:
                continue
            original = {word[:4] for word in words_of(f"{node.module}.{each.name}")}
            if not {word[:4] for word in words_of(each.asname)} & original:
                yield f"{place}:{node.lineno}: {each.asname} (stands for {each.name})"


def _is_property(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Name) and "property" in decorator.id


def words_of(name: str) -> list[str]:
    """Return the words that a name is put together from, in lower case."""
    return [word.lower() for word in PARTS.findall(name)]


def vocabulary() -> Vocabulary:
    """Read the words of the glossary and of `words.yaml`."""
    lists = yaml.safe_load(WORDS.read_text("utf-8"))
    terms = {word for term in TERM.findall(GLOSSARY.read_text("utf-8")) for word in words_of(term)}
    allowed = terms | {word for group in lists["allowed"].values() for word in group.split()}
    return Vocabulary(allowed, set(lists["not_functions"].split()), set(lists["no_names"].split()))


def strangers(names: Iterable[Name]) -> list[str]:
    """Return each name that is not of the glossary, with its place and the word that is not."""
    words_allowed = vocabulary()
    out: dict[str, None] = {}
    for each in names:
        words = words_of(each.name)
        wrong = [word for word in words if word in words_allowed.no_names]
        if not each.is_inner:
            wrong += [word for word in words if not _is_allowed(word, words_allowed.allowed)]
        if each.function and len(words) == 1 and words[0] in words_allowed.not_functions:
            wrong = words
        if wrong:
            out[f"{each.place}: {each.name} ({', '.join(dict.fromkeys(wrong))})"] = None
    return list(out)


def reject_names(wrong: Sequence[str], distribution: str) -> list[str]:
    """Return inner names without those that `words.yaml` accepts, and what it lists needlessly."""
    accepted = yaml.safe_load(WORDS.read_text("utf-8"))["accepted"].get(distribution, {})
    listed = [f"{file} {name}" for file, names in accepted.items() for name in names.split()]
    found = {f"{line.partition(':')[0]} {line.split()[1]}": line for line in wrong}
    unused = [f"scripts/words.yaml: {each} (is gone)" for each in listed if each not in found]
    return [line for each, line in found.items() if each not in listed] + unused


def _is_allowed(word: str, allowed: set[str]) -> bool:
    if word in allowed or word.isdigit() or len(word) == 1:
        return True
    stems = [word[:-1]] if word.endswith("s") else []
    stems += [word[:-2]] if word.endswith("es") else []
    stems += [word[:-3] + "y"] if word.endswith("ies") else []
    return any(stem in allowed for stem in stems)
