"""What `bench all` runs: commands that anyone can type, each with the figures to put first."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

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


def _scenario(number: int) -> Step:
    return Step(
        f"scenario-{number}",
        f"Passages for 14 provisions, the law firm's scenario {number}, queries out of fold",
        "cuad",
        ("provisions", "--scenario", str(number), "--profile", "both", "--against", "plain"),
        "cuad",
        headlines=(
            Headline("recall", ("windows", "all", "recall"), ("windows", "all", "interval")),
            Headline("recall, plain", ("against plain", "all", "recall")),
        ),
    )


def _retrieval(profile: str, title: str) -> Step:
    return Step(
        profile,
        title,
        "legalbench-rag",
        ("retrieval", "--profile", profile, "--scope", "given", "--mini"),
        "legalbench-rag",
        headlines=tuple(
            Headline(f"{part}: {measure} at {k}", ("sets", part, f"union_{measure}", str(k)))
            for part in ("cuad-mini", "contractnli-mini")
            for measure, k in (("recall", 4), ("recall", 64), ("precision", 1))
        ),
    )


STEPS = (
    Step(
        "extraction",
        "Extraction of CUAD's 41 categories, and the law firm's nine",
        "cuad",
        ("extraction",),
        "cuad",
        headlines=(
            Headline("F1, nine provisions", ("nine", "f1"), ("nine_intervals", "f1")),
            Headline("strict F1", ("nine", "strict_f1"), ("nine_intervals", "strict_f1")),
            Headline(
                "area under precision over recall, 41",
                ("curve", "area"),
                ("curve", "area_interval"),
            ),
        ),
    ),
    *(_scenario(number) for number in (1, 2, 3)),
    _retrieval("default", "Passages, LegalBench-RAG-mini, contract given: what a user gets"),
    _retrieval("views", "… PAKTON's three views of each clause, not reranked"),
    _retrieval("rcts", "… recursive chunks of 500"),
    _retrieval("naive", "… fixed chunks of 500"),
    Step(
        "precedents",
        "Precedents, ACORD's validation split",
        "acord",
        ("precedents", "--split", "valid"),
        "acord",
        headlines=tuple(
            Headline(name.upper().replace("STAR", "star"), ("all", name))
            for name in ("ndcg@5", "ndcg@10", "3-star@5")
        ),
    ),
    Step(
        "entailment",
        "Entailment, ContractNLI's development documents",
        "contractnli/dev.json",
        ("entailment",),
        headlines=(
            Headline("accuracy", ("accuracy",), ("intervals", "accuracy")),
            Headline(
                "F1 of contradiction", ("f1_contradiction",), ("intervals", "f1_contradiction")
            ),
            Headline("mAP of evidence", ("evidence_map",), ("intervals", "evidence_map")),
        ),
    ),
    Step(
        "outline",
        "Outlines of audited contracts",
        "cuad",
        ("outline", "--audited-only"),
        headlines=(
            Headline("top level wholly right", ("all", "top_right"), ("all", "top_right_interval")),
        ),
    ),
    Step(
        "values",
        "Values of contract cards",
        "cuad",
        ("values",),
        headlines=(
            Headline(
                "precision",
                ("values", "all six", "precision"),
                ("values", "all six", "precision_interval"),
            ),
            Headline(
                "recall",
                ("values", "all six", "recall"),
                ("values", "all six", "recall_interval"),
            ),
        ),
    ),
)
