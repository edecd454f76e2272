"""ContractNLI: does a contract entail or contradict a hypothesis, and which spans show it?

Koreeda and Manning, "ContractNLI: A Dataset for Document-level Natural Language Inference for
Contracts" (2021). A file holds documents with their texts, spans (what may be evidence, as the task
hands it over) and annotations; offsets are those of the text in the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer

from fourcorners.errors import ConfigError
from fourcorners.models.entailment.verdict import Label
from fourcorners.text.span import Span
from fourcorners_bench.run_files import Rounded, at_most, index_lines, read_answers, require_line

MAX_QUOTES = 50  # of one hypothesis that are scored


@dataclass(frozen=True, slots=True)
class Truth:
    """What the annotators say of a hypothesis; `evidence` are places among the spans."""

    label: Label
    evidence: frozenset[int]


@dataclass(frozen=True, slots=True)
class AnnotatedDocument:
    """A document with its annotations, by the key of the hypothesis."""

    id: int
    name: str
    text: str = field(repr=False)
    spans: tuple[Span, ...] = field(repr=False)
    truths: Mapping[str, Truth] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Split:
    """A file of the data set; `hypotheses` are the sentences by their keys."""

    documents: tuple[AnnotatedDocument, ...]
    hypotheses: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Quote:
    """A place in a document's text; `score` is how surely it is evidence."""

    span: Span
    score: float


ScoredQuote = Annotated[
    Quote,
    BeforeValidator(
        lambda each: Quote(Span(*each[:2]), float(each[2])) if isinstance(each, list) else each
    ),
    PlainSerializer(lambda each: [each.span.start, each.span.end, round(each.score, 6)]),
]


@dataclass(frozen=True, slots=True)
class JudgedHypothesis:
    """What was answered for a document and a hypothesis; the best quotes first."""

    document: int
    hypothesis: str
    label: Label
    scores: tuple[Rounded, Rounded, Rounded]
    quotes: Annotated[tuple[ScoredQuote, ...], at_most(MAX_QUOTES)]


def load_split(path: Path, *, limit: int | None = None) -> Split:
    """Read a file of the data set, or its first documents.

    Raises:
        ConfigError: If it cannot be read, or is not of ContractNLI's form.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return Split(
            tuple(_document(each) for each in content["documents"][:limit]),
            {key: str(each["hypothesis"]) for key, each in content["labels"].items()},
        )
    except OSError as error:
        raise ConfigError(
            f"{path}: {error.strerror}.", remedy="Give a file such as dev.json with --data."
        ) from error
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise ConfigError(f"{path} is not of ContractNLI's form ({error!r}).") from error


def sample_questions(split: Split, count: int, *, seed: int = 0) -> Split:
    """Return a split with so many of its questions, drawn by seed from all documents."""
    asked = [(each.id, key) for each in split.documents for key in each.truths]
    chosen = Random(seed).sample(asked, min(count, len(asked)))  # noqa: S311
    drawn = frozenset(chosen)
    documents = (
        replace(
            each, truths={key: one for key, one in each.truths.items() if (each.id, key) in drawn}
        )
        for each in split.documents
    )
    return Split(tuple(each for each in documents if each.truths), split.hypotheses)


def find_split(data: Path, run: Sequence[JudgedHypothesis]) -> Path:
    """Return the file that a run answers: `data`, or the one in that folder with its documents.

    Raises:
        ConfigError: If no file of the folder has them all.
    """
    if not data.is_dir():
        return data
    wanted = {answer.document for answer in run}
    for path in sorted(data.glob("*.json")):
        try:
            held = {document.id for document in load_split(path).documents}
        except ConfigError:  # a folder may hold other files too
            continue
        if wanted <= held:
            return path
    raise ConfigError(
        f"no file in {data} has all documents of the run.", remedy="Give the file with --data."
    )


def _document(record: Mapping[str, Any]) -> AnnotatedDocument:
    text = record["text"]
    spans = tuple(Span(start, end) for start, end in record["spans"])
    if any(span.end > len(text) for span in spans):
        raise ValueError(f"document {record['id']} has a span beyond its end")
    annotations = record["annotation_sets"][0]["annotations"]
    truths = {
        key: Truth(Label(one["choice"]), frozenset(one["spans"]))
        for key, one in annotations.items()
    }
    if any(not 0 <= at < len(spans) for truth in truths.values() for at in truth.evidence):
        raise ValueError(f"document {record['id']} has evidence that is not among its spans")
    return AnnotatedDocument(int(record["id"]), str(record["file_name"]), text, spans, truths)


def read_run(path: Path) -> list[JudgedHypothesis]:
    return read_answers(path, JudgedHypothesis, "a line of an entailment run")


def match_run(
    split: Split, run: Sequence[JudgedHypothesis]
) -> list[tuple[AnnotatedDocument, dict[str, JudgedHypothesis]]]:
    """Return each document with its answers, by the key of the hypothesis.

    Raises:
        ConfigError: If an annotated hypothesis has no line, or more than one, or if a line answers
            what the file does not ask: a missing line is not "not mentioned".
    """
    answers = index_lines(run, lambda line: (line.document, line.hypothesis))
    found = [
        (document, {key: require_line(answers, (document.id, key)) for key in document.truths})
        for document in split.documents
    ]
    if others := answers.keys() - {(each.id, key) for each, held in found for key in held}:
        number, name = min(others)
        raise ConfigError(f"the run answers {name} of document {number}, which is not asked.")
    return found
