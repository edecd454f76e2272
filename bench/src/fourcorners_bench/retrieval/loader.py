"""LegalBench-RAG: questions about contracts, with the characters that answer them.

Pipitone and Houir Alami, "LegalBench-RAG: A Benchmark for Retrieval-Augmented Generation in the
Legal Domain" (2024). A folder holds `benchmarks/NAME.json` and the texts under `corpus/`; offsets
are those of the files read as UTF-8 with newlines untouched.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from fourcorners.errors import ConfigError
from fourcorners.text.span import Span
from fourcorners_bench.run_files import Place, Rounded, at_most, read_answers

MAX_SNIPPETS = 64  # of one question that are scored
MINI_SIZE = 194
"""Questions of each set in LegalBench-RAG-mini (section 3.3.2)."""
MINI_SUFFIX = "-mini"
ASKS = "; "
"""The text between the description of the contract and the question (section 3.1.3)."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """A place in a file of the corpus; `score` is how well a system thinks that it answers."""

    file_path: str
    span: Place
    score: Rounded = 0.0


@dataclass(frozen=True, slots=True)
class Question:
    """A question of a benchmark, with the places that answer it."""

    query: str
    answers: tuple[Snippet, ...]
    tags: tuple[str, ...] = ()

    @property
    def file_path(self) -> str:
        """Return the file that answers; in LegalBench-RAG it is always one (section 3.5)."""
        return self.answers[0].file_path

    @property
    def question(self) -> str:
        return self.query.rpartition(ASKS)[2]

    @property
    def description(self) -> str:
        """Return the words that name the contract."""
        return self.query.rpartition(ASKS)[0].removeprefix("Consider ")


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """One of the benchmark's sets.

    `corpus` are the paths of its files, relative to the folder `corpus`, sorted.
    """

    name: str
    questions: tuple[Question, ...] = field(repr=False)
    corpus: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Answer:
    """What was retrieved for a question: the best first."""

    query: str
    snippets: Annotated[tuple[Snippet, ...], at_most(MAX_SNIPPETS)]


def set_names(data: Path) -> list[str]:
    """Return the names of the sets that a folder holds.

    Raises:
        ConfigError: If it holds none.
    """
    found = sorted(path.stem for path in (data / "benchmarks").glob("*.json"))
    if not found:
        raise ConfigError(
            f"{data} holds no benchmarks/NAME.json.",
            remedy="Give the folder of LegalBench-RAG with --data, or make one with "
            "`fourcorners bench build`.",
        )
    return found


def load_set(data: Path, name: str) -> QuestionSet:
    """Read one set.

    Raises:
        ConfigError: If it is not there, or is not of LegalBench-RAG's form.
    """
    path = data / "benchmarks" / f"{name}.json"
    if name not in set_names(data):
        raise ConfigError(
            f"{data} has no benchmark {name!r}.", remedy=f"It has: {', '.join(set_names(data))}."
        )
    try:
        questions = tuple(
            _question(test) for test in json.loads(path.read_text(encoding="utf-8"))["tests"]
        )
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path} is not of LegalBench-RAG's form ({error!r}).") from error
    corpus = {one.file_path for question in questions for one in question.answers}
    corpus |= {
        file.relative_to(data / "corpus").as_posix()
        for file in (data / "corpus" / name).rglob("*.txt")
    }
    return QuestionSet(name, questions, tuple(sorted(corpus)))


def _question(test: Mapping[str, Any]) -> Question:
    answers = tuple(
        Snippet(one["file_path"], Span(one["span"][0], one["span"][1])) for one in test["snippets"]
    )
    if not answers:
        raise ValueError(f"the question {test['query']!r} has no answer")
    return Question(test["query"], answers, tuple(test.get("tags") or ()))


def corpus_text(data: Path, file_path: str) -> str:
    """Return the text of a file of the corpus.

    Raises:
        ConfigError: If it is not there, or is no UTF-8.
    """
    path = data / "corpus" / file_path
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 ({error}).") from error


def mini_set(whole: QuestionSet, size: int = MINI_SIZE) -> QuestionSet:
    """Return LegalBench-RAG-mini's part of a set: `size` questions on the fewest documents.

    Questions are ordered by a random number that is drawn for each document, with its file
    path as the seed, as the benchmark's own program does; the corpus is what they ask about.
    """
    ordered = sorted(
        whole.questions,
        key=lambda question: random.Random(question.file_path).random(),  # noqa: S311
    )
    chosen = tuple(ordered[:size])
    corpus = {one.file_path for question in chosen for one in question.answers}
    return QuestionSet(f"{whole.name}{MINI_SUFFIX}", chosen, tuple(sorted(corpus)))


def sample_set(whole: QuestionSet, size: int | None, seed: int) -> QuestionSet:
    """Return a set with `size` of its questions, drawn by `seed`; the corpus stays whole."""
    if size is None or size >= len(whole.questions):
        return whole
    drawn = random.Random(seed).sample(range(len(whole.questions)), size)  # noqa: S311
    return replace(whole, questions=tuple(whole.questions[at] for at in sorted(drawn)))


def read_run(path: Path) -> list[Answer]:
    return read_answers(path, Answer, "a line of a retrieval run")


def match_run(
    sets: Sequence[QuestionSet], run: Sequence[Answer], *, partial: bool = False
) -> list[tuple[QuestionSet, list[Answer]]]:
    """Return the sets that a run answers, each with its answers in the order of its questions.

    Where a query occurs more than once, answers are in the benchmark's order. With `partial`, a run
    may leave questions out; they are then left out of the set.

    Raises:
        ConfigError: If a query is of no set, or a question of a set that was begun has no line: a
            missing line is not an answer.
    """
    waiting: dict[str, list[Answer]] = {}
    for answer in run:
        waiting.setdefault(answer.query, []).append(answer)
    for answers in waiting.values():
        answers.reverse()
    found: list[tuple[QuestionSet, list[Answer]]] = []
    for each in sets:
        got = [(one, waiting[one.query].pop()) for one in each.questions if waiting.get(one.query)]
        if not got:
            continue
        missing = len(each.questions) - len(got)
        if missing and not partial:
            raise ConfigError(
                f"the run has no line for {missing} of the {len(each.questions)} questions of "
                f"{each.name}.",
                remedy="Answer them all, or score the part that is there with --limit.",
            )
        questions = tuple(question for question, _ in got)
        found.append((replace(each, questions=questions), [answer for _, answer in got]))
    unknown = [query for query, answers in waiting.items() if answers]
    if unknown:
        raise ConfigError(f"the run answers what no benchmark asks: {unknown[0]!r}.")
    return found
