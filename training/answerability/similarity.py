"""Fit the weights by which near words are shown: `research/answerability/near.json`.

Questions that a contract answers (`near_answers.yaml`, and those of examples/ to one contract) are
put to it; those of `near_answers.yaml` also to contracts beside it, in the words in which their own
contract puts them, for a name would give them away. Logistic regression on standardised signs; the
threshold lets a given share of the answered questions pass, cross-validated by question.

    python -m training.answerability.similarity --contracts examples/dataroom \
        --out src/fourcorners/research/answerability/near.json
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from fourcorners.evaluation.answers.loader import find_entry, load_questions
from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.models import default_encoder
from fourcorners.playbooks.concepts import default_concepts
from fourcorners.research.answerability.search import similarity_features
from fourcorners.research.answerability.similarity import FEATURES
from fourcorners.research.context import ResearchContext, build_context
from fourcorners.research.question import split_question
from fourcorners.settings import Settings
from training.common.logistic import fit_one

HERE = Path(__file__).parent
STRENGTH = 1 / 0.3  # the inverse of the L2 penalty
FOLDS = 10
FILES = ("questions", "questions-held-out", "questions-held-out-3")
PASSING = 0.95
"""Share of the answered questions that are to pass."""
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """Signs of a question put to a contract; `question` keeps its cases in one fold."""

    question: int
    answers: bool
    row: tuple[float, ...]


def cases(library: Library, files: Sequence[Path]) -> Iterator[Case]:
    """Yield the cases, those of known kinds of clause left out."""
    encoder, concepts = default_encoder(), default_concepts()
    entries = library.documents()

    def desk_of(start: str) -> ResearchContext:
        contract = find_entry(entries, start).id
        return build_context(library, [contract], encoder=encoder, concepts=concepts)

    for number, (asked, own, beside) in enumerate(questions(files)):
        desk = desk_of(own)
        for part in split_question(asked):
            scope = desk.scope(part.text)
            told = similarity_features(desk, scope.question, scope)
            if told is None:
                continue
            yield Case(number, True, told.row)
            for each in beside:
                other = desk_of(each)
                seen = similarity_features(other, scope.question, other.scope(scope.question))
                if seen is not None:
                    yield Case(number, False, seen.row)


def questions(files: Sequence[Path]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield each question with the contract that answers it, and those that as a rule do not."""
    content: dict[str, Any] = yaml.safe_load((HERE / "near_answers.yaml").read_text("utf-8"))
    for each in content["questions"]:
        yield each["ask"], each["in"], tuple(each["beside"])
    for path in files:
        for question in load_questions(path):
            if question.needed and len(question.contracts) == 1 and not question.needs_ocr:
                yield question.asked, question.contracts[0], ()


def fit(rows: Array, answers: Array) -> tuple[float, Array]:
    """Return the bias and the weights of signs as they are."""
    middle, spread = rows.mean(0), rows.std(0)
    scaled = np.c_[(rows - middle) / spread, np.ones(len(rows))]
    head = fit_one(scaled, answers, STRENGTH)
    weights = head[:-1] / spread
    return float(head[-1] - weights @ middle), weights


def main() -> None:
    """Fit, print what passes out of fold, and write the file."""
    told = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    told.add_argument("--contracts", type=Path, required=True, help="the example contracts")
    told.add_argument("--out", type=Path, required=True)
    told.add_argument("--passing", type=float, default=PASSING)
    given = told.parse_args()
    files = [given.contracts.parent / f"{name}.yaml" for name in FILES]
    with tempfile.TemporaryDirectory() as folder, Library.open(Path(folder) / "room.db") as library:
        report = add_files(
            library,
            [given.contracts],
            collection="near",
            encoder=default_encoder(),
            settings=Settings.load(),
        )
        if report.failed:
            sys.exit(f"{report.failed[0].path}: {report.failed[0].reason}")
        found = list(cases(library, files))
    rows = np.array([case.row for case in found])
    answers = np.array([case.answers for case in found], float)
    fold = np.array([case.question % FOLDS for case in found])
    chances = np.zeros(len(found))
    for held in range(FOLDS):
        bias, weights = fit(rows[fold != held], answers[fold != held])
        chances[fold == held] = 1 / (1 + np.exp(-(bias + rows[fold == held] @ weights)))
    least = float(np.quantile(chances[answers == 1], 1 - given.passing))
    passed = chances >= least
    counts = (int(answers.sum()), int((1 - answers).sum()))
    print(f"{counts[0]} questions that are answered: {passed[answers == 1].mean():.1%} pass")
    print(f"{counts[1]} put to another contract: {passed[answers == 0].mean():.1%} pass")
    bias, weights = fit(rows, answers)
    content = {
        "provenance": f"training.answerability.similarity over {counts[0]} questions that the "
        f"example contracts answer and {counts[1]} put to another contract; L2 0.3; the threshold "
        f"lets {given.passing:.0%} of the first pass, {FOLDS} folds by question.",
        "bias": round(bias, 4),
        "weights": {name: round(float(w), 4) for name, w in zip(FEATURES, weights, strict=True)},
        "least": round(least, 4),
    }
    given.out.write_text(json.dumps(content, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
