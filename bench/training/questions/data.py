"""Questions, and sentences that do and do not answer: what the reader learns relevance from.

Questions that were written to contracts of CUAD, with the sentences that they need
(`lay_questions.jsonl`: places alone, no words of a contract); CUAD's annotations and ContractNLI's
hypotheses with their evidence, asked for in everyday words (`lay_kinds.yaml`). Sentences that do
not answer are those which the search puts first, for these are what the reader will be shown.

Judged on, and never learned from, are the questions to contracts of the fold that the encoder has
not learned from. Other lessons of the reader (labels, statements) are of some of these contracts.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import NDArray

from fourcorners.library.store import Library
from fourcorners.models.clause_reader.reader import ClauseReader
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.playbooks.concepts import default_concepts
from fourcorners.research.answerability.clause_kinds import clause_opinions
from fourcorners.research.answerability.search import concepts_in_focus
from fourcorners.research.context import ResearchContext, build_context
from fourcorners.research.rewriting import add_legal_terms
from fourcorners.search.concepts import Concept, recognise_concepts
from fourcorners.search.sentences.answer_scores import sentence_in_context
from fourcorners.search.sentences.signals import signals
from fourcorners.search.sentences.units import ExampleVectors, SentenceIndex
from fourcorners.search.sentences.weights import default_weights
from fourcorners.text.span import Span
from fourcorners_bench.answers import removal
from fourcorners_bench.extraction import loader as cuad
from fourcorners_bench.extraction.loader import AnnotatedContract
from fourcorners_bench.extraction.run import document_id
from training.common.blind import load_contracts
from training.encoder.data import FOLDS, HELD_FOLD
from training.verdicts.data import JUDGED_FOLD, group_folds

HERE = Path(__file__).parent
QUESTIONS, KINDS = HERE / "lay_questions.jsonl", HERE / "lay_kinds.yaml"
POOL = 24  # sentences that the search puts first: what is judged
DEEP = 30  # of them, those that wrong ones are drawn from
ASKED = 7  # kinds of clause that each contract of CUAD is asked for, where it has so many
HYPOTHESES = 1_200  # lessons that are made of ContractNLI's
IN_WORDS = 0.3  # of them, those that put the hypothesis itself as a question
KINDS_ASKED = 2  # kinds of clause that a held-out contract has, and has not, and is asked for
OF_KIND, OF_REMOVAL = "kind", "removal"
"""Of a question: it asks for a kind of clause; or is of the removal test."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to a contract, and the places of the words that it needs."""

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
    also: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    rest: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Judged:
    """A question that is judged on, with the sentences that the search puts first.

    Attributes:
        contract: The name of what it is put to.
        question: As the reader is asked it.
        grades: Of each sentence: 1 if it is needed, a half if it may be quoted, else 0.
        odds: Log-odds of each by the search.
        lengths: Characters of each.
        missed: Needed sentences that are not among them.
        known: Whether a known kind of clause is asked for.
        margin: How far a review is above its limit for that kind, in log-odds; None if it judges
            none that is asked for.
    """

    contract: str
    question: str
    kind: str
    texts: tuple[str, ...] = field(repr=False)
    grades: NDArray[np.float64] = field(repr=False)
    odds: NDArray[np.float64] = field(repr=False)
    lengths: NDArray[np.float64] = field(repr=False)
    missed: int
    known: bool
    margin: float | None


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


def places(units: SentenceIndex, spans: Sequence[Span]) -> list[int]:
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
        asked: The question in the contract's own words, as it is read.
        order: All sentences, the likeliest first.
        chances: Of each.
        meant: The known kinds of clause that are asked for.
    """

    units: SentenceIndex
    asked: str
    order: list[int]
    chances: NDArray[np.float64]
    meant: list[tuple[Concept, float]]


def searched(scene: ResearchContext, document: str, question: str) -> Searched:
    """Search a contract for a question."""
    units = scene.units(document)
    asked = scene.scope(question).question or question
    worded = add_legal_terms(asked)
    encoder = scene.encoder
    if encoder is None:
        raise SystemExit("the library has no vectors.")
    examples = scene.library.memory.get_or_make("example vectors", ExampleVectors)
    meant = [
        (examples.add_to(concept, encoder), weight)
        for concept, weight in recognise_concepts(worded, concepts_in_focus(worded, scene.concepts))
    ]
    rows = signals(units, worded, encoder.encode([worded])[0], meant)
    chances = (default_weights().known if meant else default_weights().unknown).probabilities(rows)
    order = np.argsort(-chances, kind="stable").tolist()
    return Searched(units, asked, order, chances, meant)


def lesson(scene: ResearchContext, document: str, asked: Asked) -> Lesson:
    """Return a written question with the sentences of its contract."""
    found = searched(scene, document, asked.question)
    needed = places(found.units, asked.needed)
    also = [at for at in places(found.units, asked.also) if at not in needed]
    near = [at for at in places(found.units, asked.near) if at not in (*needed, *also)]
    rest = [at for at in found.order[:DEEP] if at not in (*needed, *also, *near)]

    def sentences(own: Sequence[int]) -> tuple[str, ...]:
        return tuple(sentence_in_context(found.units, at) for at in own)

    return Lesson(
        (found.asked, asked.question),
        sentences(needed),
        sentences(also),
        sentences(near),
        sentences(rest),
    )


def judged_on(scene: ResearchContext, document: str, asked: Asked, reader: ClauseReader) -> Judged:
    """Return a question with all sentences that the reader would be shown.

    `reader` is a clause reader that has not learned from the contract.
    """
    found = searched(scene, document, asked.question)
    units = found.units
    needed, also = places(units, asked.needed), places(units, asked.also)
    pool = found.order[:POOL]
    sure = np.clip(found.chances[pool], 1e-6, 1 - 1e-6)
    opinions = clause_opinions(scene.library, document, found.meant, reader=reader)
    return Judged(
        asked.contract,
        found.asked,
        asked.kind,
        tuple(sentence_in_context(units, at) for at in pool),
        np.array([1.0 if at in needed else 0.5 if at in also else 0.0 for at in pool]),
        np.log(sure / (1 - sure)),
        np.array([float(len(units.units[at].span)) for at in pool]),
        len(set(needed) - set(pool)),
        bool(found.meant),
        opinions.margin if opinions else None,
    )


def of_kinds(
    scene: ResearchContext,
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
        found = searched(scene, document, question)
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
                rest=tuple(sentence_in_context(units, at) for at in rest),
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
        asked = str(random.choice(list(wordings[name])))
        if random.random() < IN_WORDS:
            asked = f"Is it so that {statement[name][:1].lower()}{statement[name][1:].rstrip('.')}?"
        other = str(random.choice([each for each in every if each != name]))
        evidence = {*spans.get((name, 0), ()), *spans.get((name, 1), ())}
        wrong = [str(one) for one in random.choice(spans[other, 0], 2)]
        wrong += [str(one) for one in random.choice(spans[name, 2], 2)]
        yield Lesson(
            (asked,),
            tuple(str(one) for one in random.choice(own, 2)),
            rest=tuple(each for each in wrong if each not in evidence),
        )


def texts(data: Path) -> dict[str, tuple[str, bool]]:
    """Return the text of each contract of CUAD by its name, and whether its fold is held out."""
    contracts = cuad.load_cuad(data / "cuad")
    return {
        contract.name.removesuffix(".txt"): (contract.text, fold == HELD_FOLD)
        for contract, fold in zip(contracts, cuad.assign_folds(contracts, k=FOLDS), strict=True)
    }


def gather(data: Path, library: Path, encoder: Encoder) -> list[Lesson]:
    """Return what is learned from: of no blind contract, and of none that is judged on."""
    wordings = yaml.safe_load(KINDS.read_text("utf-8"))
    random = np.random.default_rng(0)
    folds = group_folds()
    groups = {each["name"]: each["group"] for each in load_contracts(data / "cuad")}
    learned: list[Lesson] = []
    for scene, document, contract, asked in _scenes(data, library, encoder, held=False):
        group = groups.get(contract.name)
        if group is not None and folds.get(group) != JUDGED_FOLD:
            learned += [lesson(scene, document, one) for one in asked]
            learned += of_kinds(scene, document, contract, wordings["cuad"], random)
    learned += of_hypotheses(data / "contractnli", wordings["contractnli"], random, HYPOTHESES)
    return learned


def gather_judged(
    data: Path, library: Path, encoder: Encoder, reader: ClauseReader
) -> list[Judged]:
    """Return what is judged on: written questions, and kinds of clause that are there or not."""
    wordings = yaml.safe_load(KINDS.read_text("utf-8"))["cuad"]
    random = np.random.default_rng(0)
    judged: list[Judged] = []
    for scene, document, contract, asked in _scenes(data, library, encoder, held=True):
        judged += [judged_on(scene, document, one, reader) for one in asked]
        there = [kind for kind in wordings if contract.annotations.get(kind)]
        lacking = [kind for kind in wordings if not contract.annotations.get(kind)]
        for kind in (
            *random.permutation(there)[:KINDS_ASKED],
            *random.permutation(lacking)[:KINDS_ASKED],
        ):
            question = str(random.choice(list(wordings[kind])))
            spans = tuple(contract.annotations.get(kind, ()))
            name = contract.name.removesuffix(".txt")
            of_kind = Asked(name, question, OF_KIND, "", spans, (), ())
            judged.append(judged_on(scene, document, of_kind, reader))
    return judged


def _scenes(
    data: Path, library: Path, encoder: Encoder, *, held: bool
) -> Iterator[tuple[ResearchContext, str, AnnotatedContract, list[Asked]]]:
    """Yield each contract of the fold that is held out, or of the others, with its questions."""
    by_contract: dict[str, list[Asked]] = {}
    for each in read_questions():
        by_contract.setdefault(each.contract, []).append(each)
    known = default_concepts(encoder)
    contracts = cuad.load_cuad(data / "cuad")
    with Library.open(library, create=False) as store:
        for contract, fold in zip(contracts, cuad.assign_folds(contracts, k=FOLDS), strict=True):
            if (fold == HELD_FOLD) is held:
                document = document_id(contract.text)
                scene = build_context(store, [document], encoder=encoder, concepts=known)
                asked = by_contract.get(contract.name.removesuffix(".txt"), [])
                yield scene, document, contract, asked


def gather_removal(
    data: Path, library: Path, encoder: Encoder, reader: ClauseReader
) -> list[Judged]:
    """Return the cases of the removal test: contracts that answer, and copies that do not.

    `library` keeps them, and is made where it is not.
    """
    known = default_concepts(encoder)
    judged: list[Judged] = []
    with Library.open(library) as store, removal.RemovalLibrary(store, data, encoder) as cases:
        for case in removal.draw_cases(data, held=True, count=sys.maxsize):
            for document, spans in (
                (cases.add_original(case), case.spans),
                (cases.add_redacted(case), ()),
            ):
                scene = build_context(store, [document], encoder=encoder, concepts=known)
                asked = Asked(
                    Path(case.file_path).stem, case.question, OF_REMOVAL, "", spans, (), ()
                )
                judged.append(judged_on(scene, document, asked, reader))
    return judged
