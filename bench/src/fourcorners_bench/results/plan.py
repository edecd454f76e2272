"""What `bench all` runs: commands that anyone can type, each with the figures to put first."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from fourcorners.text.patterns import load_yaml
from fourcorners_bench.record import package_text

FOLDERS = {
    "entailment": "contractnli/dev.json",
    "extraction": "cuad",
    "outline": "cuad",
    "precedents": "acord",
    "provisions": "cuad",
    "retrieval": "legalbench-rag",
    "values": "cuad",
}
"""Where the data of a benchmark lie, below the folder of all."""


@dataclass(frozen=True, slots=True)
class Headline:
    """A figure to put first.

    Attributes:
        label: What it is called.
        path: Where the measures have it.
        bounds: Where they have its interval, if not with it.
    """

    label: str
    path: tuple[str, ...]
    bounds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One command.

    Attributes:
        name: Of its files, and in plots.
        data: Below the folder of all data.
        arguments: The command and its options, without those that say where files are.
        library: The library that it shares with others; empty for none.
        answers: Whether it writes a run file.
    """

    name: str
    title: str
    data: str
    arguments: tuple[str, ...]
    library: str = ""
    answers: bool = True
    headlines: tuple[Headline, ...] = ()

    def command(self, data: Path) -> list[str]:
        """Return the command as it is typed, but for where it writes."""
        first, *rest = self.arguments
        return ["bench", first, "--data", str(data / self.data), *rest]


STEPS = tuple(TypeAdapter(list[Step]).validate_python(load_yaml(package_text("results/plan.yaml"))))
