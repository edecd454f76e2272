"""What the reader of answers learns from: questions, and sentences that do and do not answer.

Three kinds. Questions that were written to contracts of CUAD, with the sentences that they need
(`lay_questions.jsonl`: places alone, no words of a contract); CUAD's annotations, asked for in
everyday words (`lay_kinds.yaml`); and ContractNLI's hypotheses with their evidence. Sentences that
do not answer are those which the search puts first, for these are what the reader will be shown.

Judged on, and never learned from, are questions to contracts of the fold that the encoder has not
learned from either.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import NDArray

from fourcorners.evaluation.extraction import loader as cuad
from fourcorners.evaluation.extraction.loader import AnnotatedContract
from fourcorners.evaluation.extraction.run import document_id
from fourcorners.library.store import Library
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.playbooks.concepts import default_concepts
from fourcorners.research.answerability.search import concepts_in_focus
from fourcorners.research.context import ResearchContext, build_context
from fourcorners.search.concepts import recognise_concepts
from fourcorners.search.sentences.answer_scores import sentence_in_context
from fourcorners.search.sentences.signals import signals
from fourcorners.search.sentences.units import PreparedDocument, document_cache
from fourcorners.search.sentences.weights import default_weights
from fourcorners.text.span import Span
from training.encoder.data import FOLDS, HELD_FOLD
from training.entailment.data import read

HERE = Path(__file__).parent
QUESTIONS, KINDS = HERE / "lay_questions.jsonl", HERE / "lay_kinds.yaml"
POOL = 48  # sentences that the search puts first: what is judged
DEEP = 30  # of them, those that wrong ones are drawn from
ASKED = 7  # kinds of clause that each contract of CUAD is asked for, where it has so many
HYPOTHESES = 1_200  # lessons that are made of ContractNLI's


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to a contract, and where the words stand that it needs."""

    contract: str
    question: str
    kind: str
    verdict: str
    needed: tuple[Span, ...]
    also: tuple[Span, ...]
    near: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Lesson:
    """A question with sentences: those that answer, those that may, and the rest, best first.

    Attributes:
        questions: Ways to put it, the first in the contract's own words.
        near: Sentences that look like an answer and are none.
    """

    questions: tuple[str, ...]
    answers: tuple[str, ...]
    also: tuple[str, ...]
    near: tuple[str, ...]
    rest: tuple[str, ...]
    source: str = ""


@dataclass(frozen=True, slots=True)
class Marked:
    """A span of a confidentiality agreement, and what it says of each of ContractNLI's hypotheses.

    Attributes:
        says: For each 0 where it is no evidence, 1 where it entails it, 2 where it contradicts it.
    """

    text: str
    says: NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Judged:
    """A question that is judged on, with the sentences that the search puts first.

    Attributes:
        grades: Of each sentence: 1 if it is needed, a half if it may be quoted, else 0.
        odds: Log-odds of each by the search.
        lengths: Characters of each.
        missed: Needed sentences that are not among them.
        known: Whether a known kind of clause is asked for.
    """

    question: str
    kind: str
    texts: tuple[str, ...] = field(repr=False)
    grades: NDArray[np.float64] = field(repr=False)
    odds: NDArray[np.float64] = field(repr=False)
    lengths: NDArray[np.float64] = field(repr=False)
    missed: int
    known: bool


def read_questions(path: Path = QUESTIONS) -> list[Asked]:
    """Return the questions that were written to contracts of CUAD."""
    found = []
    for line in path.read_text("utf-8").splitlines():
        record = json.loads(line)
        spans = {
            name: tuple(Span(*each) for each in record.get(name, ()))
            for name in ("needed", "also", "near")
        }
        verdict = record.get("ruling", "")
        found.append(Asked(record["in"], record["ask"], record["kind"], verdict, **spans))
    return found


def places(units: PreparedDocument, spans: Sequence[Span]) -> list[int]:
    """Return the sentences that spans cover for the greater part, or that hold them."""
    found = []
    for at, unit in enumerate(units.units):
        for span in spans:
            both = min(unit.span.end, span.end) - max(unit.span.start, span.start)
            if both > 0 and both >= 0.5 * min(len(unit.span), len(span)):
                found.append(at)
                break
    return found


@dataclass(frozen=True, slots=True)
class Searched:
    """A contract searched for a question, as a report does before anything is read.

    Attributes:
        asked: The question in the contract's own words.
        order: All sentences, the likeliest first.
        chances: Of each.
        known: Whether a known kind of clause is asked for.
    """

    units: PreparedDocument
    asked: str
    order: list[int]
    chances: NDArray[np.float64]
    known: bool


def searched(desk: ResearchContext, document: str, question: str) -> Searched:
    """Search a contract for a question."""
    units = document_cache(desk.library).get(desk.library, document)
    asked = desk.scope(question).question or question
    encoder = desk.encoder
    if encoder is None:
        raise SystemExit("the library has no vectors.")
    shelf = document_cache(desk.library)
    meant = [
        (shelf.with_examples(concept, encoder), weight)
        for concept, weight in recognise_concepts(asked, concepts_in_focus(asked, desk.concepts))
    ]
    rows = signals(units, asked, encoder.encode([asked])[0], meant)
    chances = (default_weights().known if meant else default_weights().unknown).probabilities(rows)
    order = np.argsort(-chances, kind="stable").tolist()
    return Searched(units, asked, order, chances, bool(meant))


def lesson(desk: ResearchContext, document: str, asked: Asked) -> Lesson:
    """Return a written question with the sentences of its contract."""
    found = searched(desk, document, asked.question)
    needed = places(found.units, asked.needed)
    also = [at for at in places(found.units, asked.also) if at not in needed]
    near = [at for at in places(found.units, asked.near) if at not in (*needed, *also)]
    rest = [at for at in found.order[:DEEP] if at not in (*needed, *also, *near)]
    return Lesson(
        (found.asked, asked.question),
        *(
            tuple(sentence_in_context(found.units, at) for at in each)
            for each in (needed, also, near, rest)
        ),
        "written",
    )


def judged_on(desk: ResearchContext, document: str, asked: Asked) -> Judged:
    """Return a written question with all sentences that the reader would be shown."""
    found = searched(desk, document, asked.question)
    units = found.units
    needed, also = places(units, asked.needed), places(units, asked.also)
    pool = found.order[:POOL]
    sure = np.clip(found.chances[pool], 1e-6, 1 - 1e-6)
    return Judged(
        found.asked,
        asked.kind,
        tuple(sentence_in_context(units, at) for at in pool),
        np.array([1.0 if at in needed else 0.5 if at in also else 0.0 for at in pool]),
        np.log(sure / (1 - sure)),
        np.array([float(len(units.units[at].span)) for at in pool]),
        len(set(needed) - set(pool)),
        found.known,
    )


def of_kinds(
    desk: ResearchContext,
    document: str,
    contract: AnnotatedContract,
    wordings: Mapping[str, Sequence[str]],
    random: np.random.Generator,
) -> Iterator[Lesson]:
    """Yield kinds of clause that a contract has, and two that it lacks, as people ask for them."""
    there = [kind for kind in wordings if contract.annotations.get(kind)]
    lacking = [kind for kind in wordings if not contract.annotations.get(kind)]
    kinds = [str(each) for each in random.permutation(there)[:ASKED]]
    kinds += [str(each) for each in random.permutation(lacking)[:2]]
    for kind in kinds:
        question = str(random.choice(list(wordings[kind])))
        spans = contract.annotations.get(kind, ())
        found = searched(desk, document, question)
        units = found.units
        answers = places(units, spans)
        touched = {
            at
            for at, unit in enumerate(units.units)
            if any(unit.span.overlaps(span) for span in spans)
        }
        rest = [at for at in found.order[:24] if at not in touched]
        if answers or not spans:
            yield Lesson(
                (question,),
                tuple(sentence_in_context(units, at) for at in answers),
                (),
                (),
                tuple(sentence_in_context(units, at) for at in rest),
                source="cuad",
            )


def of_hypotheses(
    data: Path, wordings: Mapping[str, Sequence[str]], random: np.random.Generator, many: int
) -> Iterator[Lesson]:
    """Yield ContractNLI's hypotheses, as statements and as questions, with evidence for each."""
    dev = json.loads((data / "dev.json").read_text("utf-8"))
    names = {label["hypothesis"]: name for name, label in dev["labels"].items()}
    spans: dict[tuple[str, int], list[str]] = {}
    with (data / "train_spans.csv").open(encoding="utf-8", newline="") as file:
        for record in csv.DictReader(file):
            words = [each.strip() for each in record["concatenated_spans"].split("\n")]
            own = spans.setdefault((names[record["hypothesis"]], int(record["label"])), [])
            own += [each for each in words if len(each) > 24]
    statement = {name: hypothesis for hypothesis, name in names.items()}
    every = sorted(wordings)
    for _ in range(many):
        name = str(random.choice(every))
        label = int(random.random() < 0.4) if spans.get((name, 1)) else 0
        own = spans.get((name, label)) or spans[name, 0]
        label = label if spans.get((name, label)) else 0
        question = str(random.choice(list(wordings[name]))).rstrip("!")
        if random.random() < 0.3:
            question = statement[name]
        other = str(random.choice([each for each in every if each != name]))
        evidence = {*spans.get((name, 0), ()), *spans.get((name, 1), ())}
        wrong = [str(one) for one in random.choice(spans[other, 0], 2)]
        wrong += [str(one) for one in random.choice(spans[name, 2], 2)]
        yield Lesson(
            (question,),
            tuple(str(one) for one in random.choice(own, 2)),
            (),
            (),
            tuple(each for each in wrong if each not in evidence),
            "contractnli",
        )


def texts(data: Path) -> dict[str, tuple[str, bool]]:
    """Return the text of each contract of CUAD by its name, and whether its fold is held out."""
    contracts = cuad.load_cuad(data / "cuad")
    return {
        contract.name.removesuffix(".txt"): (contract.text, fold == HELD_FOLD)
        for contract, fold in zip(contracts, cuad.assign_folds(contracts, k=FOLDS), strict=True)
    }


def marked_spans(data: Path) -> list[Marked]:
    """Return the spans of ContractNLI's training split."""
    documents, _ = read(data)
    return [
        Marked(text, np.where(own, document.labels + 1, 0))
        for document in documents
        if not document.whole
        for text, own in zip(document.spans, document.evidence, strict=True)
    ]


def gather(data: Path, library: Path, encoder: Encoder) -> tuple[list[Lesson], list[Judged]]:
    """Return what is learned from, and what is judged on."""
    by_contract: dict[str, list[Asked]] = {}
    for each in read_questions():
        by_contract.setdefault(each.contract, []).append(each)
    wordings = yaml.safe_load(KINDS.read_text("utf-8"))
    random, known = np.random.default_rng(0), default_concepts(encoder)
    learned: list[Lesson] = []
    judged: list[Judged] = []
    contracts = cuad.load_cuad(data / "cuad")
    with Library.open(library, create=False) as store:
        for contract, fold in zip(contracts, cuad.assign_folds(contracts, k=FOLDS), strict=True):
            name = contract.name.removesuffix(".txt")
            document = document_id(contract.text)
            desk = build_context(store, [document], encoder=encoder, concepts=known)
            if fold == HELD_FOLD:
                judged += [judged_on(desk, document, one) for one in by_contract.get(name, ())]
                continue
            learned += [lesson(desk, document, one) for one in by_contract.get(name, ())]
            learned += of_kinds(desk, document, contract, wordings["cuad"], random)
    learned += of_hypotheses(data / "contractnli", wordings["contractnli"], random, HYPOTHESES)
    return learned, judged
