"""Measure the house: how much there is, how it is laid out, and whether its names are the field's.

`python scripts/house.py` prints a table, `--json` the same for a program, `--check` ends with an
error where a bound that CI holds is broken, `--names` lists each name outside the glossary. What is
measured is the package that is imported: `PYTHONPATH=OTHER/src` measures another checkout by the
same rules.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import grimp
import yaml

SOURCE = Path(str(find_spec("fourcorners").origin)).parent
ROOT = SOURCE.parent.parent
WORDS = Path(__file__).with_name("words.yaml")
GLOSSARY = Path(__file__).resolve().parent.parent / "docs" / "glossary.md"
FOLDER = 20  # modules that a folder may hold
WINDOW = 6  # lines that make two places alike
DATA_SETS = {"cuad", "acord", "contractnli", "legalbench"}
PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
TERM = re.compile(r"^\| \*\*(.+?)\*\*", re.MULTILINE)
_REMEDY = (
    "Use a word of docs/glossary.md, or add one: a term of the field there, a plain word of "
    "programming or law to scripts/words.yaml."
)
CONSTANT = re.compile(r"^_?[A-Z][A-Z0-9_]*$")


@dataclass(frozen=True)
class Name:
    """A name and where it stands; whether a function has it, and whether only a module sees it."""

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


def modules() -> Iterator[tuple[Path, ast.Module, str]]:
    """Yield each module of the package with its tree and text."""
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text("utf-8")
        yield path, ast.parse(text), text


def public_names(path: Path, tree: ast.Module) -> Iterator[Name]:
    """Yield the public names of a module: its own, its classes, functions and fields."""
    place = str(path.relative_to(SOURCE))
    if path.stem != "__init__":
        yield Name(place, path.stem)
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


def inner_names(path: Path, tree: ast.Module) -> Iterator[Name]:
    """Yield the names that only the module sees: of private functions, parameters and variables."""
    place = str(path.relative_to(SOURCE))
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


def strange_aliases(path: Path, tree: ast.Module) -> Iterator[str]:
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
                place = f"{path.relative_to(SOURCE)}:{node.lineno}"
                yield f"{place}: {each.asname} (stands for {each.name})"


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
    out = {}
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


def _is_allowed(word: str, allowed: set[str]) -> bool:
    if word in allowed or word.isdigit() or len(word) == 1:
        return True
    stems = [word[:-1]] if word.endswith("s") else []
    stems += [word[:-2]] if word.endswith("es") else []
    stems += [word[:-3] + "y"] if word.endswith("ies") else []
    return any(stem in allowed for stem in stems)


def circles() -> list[str]:
    """Return pairs of modules that import each other."""
    graph = grimp.build_graph("fourcorners", cache_dir=None)
    pairs = set()
    for module in graph.modules:
        for other in graph.find_modules_directly_imported_by(module):
            if module < other and module in graph.find_modules_directly_imported_by(other):
                pairs.add(f"{module} <-> {other}")
    return sorted(pairs)


def repeated(texts: dict[Path, str]) -> int:
    """Return how many pairs of files share a run of lines that say something."""
    seen: dict[int, set[Path]] = defaultdict(set)
    for path, text in texts.items():
        lines = [line.strip() for line in text.splitlines()]
        lines = [
            line
            for line in lines
            if len(line) > 3 and not line.startswith(("#", '"""', "from ", "import "))
        ]
        for at in range(len(lines) - WINDOW + 1):
            seen[hash(tuple(lines[at : at + WINDOW]))].add(path)
    return len({tuple(sorted(paths)) for paths in seen.values() if len(paths) > 1})


def unexplained(path: Path, tree: ast.Module, text: str) -> list[str]:
    """Return the numbers at the top of a module with no word on what they are or come from.

    The word is a comment on the line, one above it, or a string below it.
    """
    lines = text.splitlines()
    found = []
    for at, node in enumerate(tree.body):
        if not isinstance(node, ast.Assign | ast.AnnAssign):
            continue
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        value = node.value
        number = isinstance(value, ast.Constant) and type(value.value) in (int, float)
        if not number or not isinstance(target, ast.Name) or not CONSTANT.match(target.id):
            continue
        below = tree.body[at + 1] if at + 1 < len(tree.body) else None
        is_told = (
            any("#" in line for line in lines[node.lineno - 1 : node.end_lineno])
            or lines[node.lineno - 2].startswith("#")
            or (isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant))
        )
        if not is_told:
            found.append(f"{path}:{node.lineno} {target.id}")
    return found


def seconds_of_help() -> float:
    """Return the median seconds that `--help` takes, of five."""
    times = []
    for _ in range(5):
        start = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "fourcorners.cli.main", "--help"],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        times.append(time.perf_counter() - start)
    return sorted(times)[2]


def measure() -> tuple[dict[str, float], list[str], list[str]]:
    """Return the figures, the names outside the glossary, and what breaks a bound."""
    trees = list(modules())
    names = [
        name
        for path, tree, _ in trees
        for name in public_names(path, tree)
        if not name.name.startswith("_")
    ]
    folders = Counter(path.parent for path, _, _ in trees if path.stem != "__init__")
    wrong = strangers(names)
    inner = strangers(name for path, tree, _ in trees for name in inner_names(path, tree))
    inner += [alias for path, tree, _ in trees for alias in strange_aliases(path, tree)]
    round_trips = circles()
    full = [
        f"{folder.relative_to(ROOT)} holds {count} modules, {FOLDER} at most"
        for folder, count in folders.items()
        if count > FOLDER
    ]
    bare = [
        place
        for path, tree, text in trees
        for place in unexplained(path.relative_to(ROOT), tree, text)
    ]
    figures: dict[str, float] = {
        "modules": len(trees),
        "lines": sum(text.count("\n") for _, _, text in trees),
        "largest folder, modules": max(folders.values()),
        "public names": len(names),
        "names outside the glossary": len(wrong),
        "private names outside the glossary": len(inner),
        "circles": len(round_trips),
        "pairs of files with repeated lines": repeated({path: text for path, _, text in trees}),
        "regular expressions": sum(
            len(re.findall(r"\bre\.compile\(", text)) for _, _, text in trees
        ),
        "numbers without provenance": len(bare),
    }
    return (
        figures,
        [*wrong, *inner],
        [*round_trips, *full, *(f"{place} says not where it comes from" for place in bare)],
    )


def main() -> None:
    """Print the figures; with `--check`, end with an error where a bound is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--check", action="store_true", help="an error where a bound is broken")
    parser.add_argument("--names", action="store_true", help="list the names outside the glossary")
    options = parser.parse_args()
    figures, wrong, broken = measure()
    if options.check:
        for line in (*wrong, *broken):
            print(line, file=sys.stderr)
        if wrong:
            print(f"These words are not for names. {_REMEDY}", file=sys.stderr)
        sys.exit(bool(wrong or broken))
    if options.names:
        print("\n".join(wrong))
        return
    figures["seconds of --help"] = round(seconds_of_help(), 2)
    if options.json:
        print(json.dumps(figures, indent=2))
        return
    for what, figure in figures.items():
        print(f"{what:<38}{figure:>10,}")


if __name__ == "__main__":
    main()
