"""Measure the house: how much there is, how it is laid out, and whether its names are the field's.

`python scripts/house.py` prints the rule of each count and then a table of all distributions,
`--json` the same for a program, `--root DIR` of another checkout by the same rules. `--check` ends
with an error where a bound is broken; the budgets are in `budgets.yaml`, and to raise one needs a
decision record that says what was removed elsewhere. `--names` lists the names outside the
glossary.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import grimp
import yaml

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts.counts import COUNTS, Distribution
from scripts.names import (
    REMEDY,
    inner_names,
    nested_functions,
    public_names,
    reject_names,
    strange_aliases,
    strangers,
)

ROOT = Path(__file__).resolve().parent.parent
BUDGETS = Path(__file__).with_name("budgets.yaml")
FOLDER = 20  # modules that a folder may hold
CONSTANT = re.compile(r"^_?[A-Z][A-Z0-9_]*$")


def distributions(root: Path) -> list[Distribution]:
    """Return what the workspace at `root` holds; one from before the bench was apart has less."""
    found = [
        Distribution("fourcorners", "fourcorners", (root / "src/fourcorners",)),
        Distribution(
            "fourcorners-bench", "fourcorners_bench", (root / "bench/src/fourcorners_bench",)
        ),
        Distribution("experiments", "", (root / "bench/benchmarks", root / "bench/training")),
    ]
    return [each for each in found if each.folders[0].is_dir()]


def circles(package: str) -> list[str]:
    """Return pairs of modules that import each other."""
    graph = grimp.build_graph(package, cache_dir=None)
    pairs = set()
    for module in graph.modules:
        for other in graph.find_modules_directly_imported_by(module):
            if module < other and module in graph.find_modules_directly_imported_by(other):
                pairs.add(f"{module} <-> {other}")
    return sorted(pairs)


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


def names_outside(distribution: Distribution) -> list[str]:
    """Return the names of a distribution that are not of the glossary."""
    folder = distribution.folders[0] if distribution.package else distribution.folders[0].parent
    places = [
        (str(module.path.relative_to(folder)), module.tree) for module in distribution.modules
    ]
    public = [
        name
        for place, tree in places
        for name in public_names(place, tree)
        if not name.name.startswith("_")
    ]
    inner = strangers(name for place, tree in places for name in inner_names(place, tree))
    nested = {name for place, tree in places for name in nested_functions(place, tree)}
    inner = reject_names([*inner, *strangers(sorted(nested, key=str))], distribution.name)
    if not distribution.package:
        return inner
    aliases = [alias for place, tree in places for alias in strange_aliases(place, tree)]
    return [*strangers(public), *inner, *aliases]


def faults(distribution: Distribution, root: Path) -> Iterator[str]:
    """Yield what is laid out against the rules, whatever the budgets say."""
    yield from circles(distribution.package)
    folders = Counter(
        each.path.parent for each in distribution.modules if each.path.stem != "__init__"
    )
    for folder, count in folders.items():
        if count > FOLDER:
            yield f"{folder.relative_to(root)} holds {count} modules, {FOLDER} at most"
    for module in distribution.modules:
        for place in unexplained(module.path.relative_to(root), module.tree, module.text):
            yield f"{place} does not say where it comes from"


def over_budget(distribution: Distribution, figures: dict[str, float]) -> Iterator[str]:
    """Yield the counts that are over the budget of their distribution."""
    budget = yaml.safe_load(BUDGETS.read_text("utf-8"))[distribution.name]
    for name, most in budget.items():
        if figures[name] > most:
            yield f"{distribution.name}: {figures[name]:,} {name}, {most:,} at most"


def seconds_of_help() -> float:
    """Return the median CPU seconds that `--help` takes, of five."""
    times = []
    command = [sys.executable, "-m", "fourcorners.cli.main", "--help"]
    for _ in range(5):
        before = os.times()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        after = os.times()
        times.append(
            after.children_user
            + after.children_system
            - before.children_user
            - before.children_system
        )
    return sorted(times)[2]


def main() -> None:
    """Print the figures; with `--check`, end with an error where a bound is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--check", action="store_true", help="an error where a bound is broken")
    parser.add_argument("--names", action="store_true", help="list the names outside the glossary")
    parser.add_argument("--root", type=Path, default=ROOT, help="another checkout")
    options = parser.parse_args()
    root = options.root.resolve()
    sys.path[:0] = [str(root / "src"), str(root / "bench/src")]
    found = distributions(root)
    if options.names:
        print("\n".join(line for each in found for line in names_outside(each)))
        return
    figures = {each.name: {count.name: count.take(each) for count in COUNTS} for each in found}
    if options.check:
        packages = [each for each in found if each.package]
        wrong = [line for each in found for line in names_outside(each)]
        broken = [line for each in packages for line in faults(each, root)]
        broken += [line for each in found for line in over_budget(each, figures[each.name])]
        for line in (*wrong, *broken):
            print(line, file=sys.stderr)
        if wrong:
            print(f"These words are not for names. {REMEDY}", file=sys.stderr)
        sys.exit(bool(wrong or broken))
    help_seconds = round(seconds_of_help(), 2)
    if options.json:
        print(json.dumps({**figures, "CPU seconds of --help": help_seconds}, indent=2))
        return
    for count in COUNTS:
        print(f"{count.name}: {count.rule}")
    print()
    print(f"{'':<32}" + "".join(f"{each.name:>20}" for each in found))
    for count in COUNTS:
        row = "".join(f"{figures[each.name][count.name]:>20,}" for each in found)
        print(f"{count.name:<32}{row}")
    print(f"\nCPU seconds of --help: {help_seconds}")


if __name__ == "__main__":
    main()
