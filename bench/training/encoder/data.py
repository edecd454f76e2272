"""What the encoder learns from and is judged on: contracts, questions, clauses, splits.

Held out, and never learned from: the CUAD contracts of one fold (by `group`), ACORD's queries of
one fold of near-paraphrases and its valid split, with the clauses that have stars for them, and
ContractNLI's development documents. A text that shares more than a fifth of its runs of eight words
with those is dropped as well.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fourcorners.library.store import Library
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.outline.passages.cut import cut_units
from fourcorners.outline.tree import Outline, Passage
from fourcorners.playbooks.load import load_playbook as load_playbook
from fourcorners.text.span import Span
from fourcorners_bench.extraction import loader as cuad
from fourcorners_bench.extraction.loader import (
    CATEGORIES,
    CATEGORY_PROVISIONS,
    PLAYBOOKS,
    AnnotatedContract,
)
from fourcorners_bench.extraction.run import document_id
from fourcorners_bench.precedents.loader import AcordQuery, load_split
from training.common.leakage import Judged

FOLDS = 5
HELD_FOLD = 0  # of CUAD's contracts
HELD_QUERIES = 2  # the fold of ACORD's queries: the first is most of what is on liability
SAME = 0.5  # of the shorter of sentence and annotation: from there on the sentence answers
ALIKE = 0.7  # the cosine from which two queries of a category are near-paraphrases
DEEP = 12  # passages without an answer that lie nearest to a question, for each contract
LONG_ENOUGH = 24  # characters: what is shorter is a label or a date

Array = NDArray[np.float32]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Contract:
    """A contract in pieces.

    Attributes:
        sentences: Start, end and passage of each.
        labels: For each sentence and category whether it answers.
        touched: The same, true also where an annotation only touches the sentence.
        headed: Heading and body of sections, where both are long enough.
        terms: Defined terms with their definitions.
    """

    name: str
    fold: int
    text: str = field(repr=False)
    sentences: NDArray[np.int64] = field(repr=False)
    passages: tuple[tuple[int, int, str], ...] = field(repr=False)
    labels: Flags = field(repr=False)
    touched: Flags = field(repr=False)
    headed: tuple[tuple[str, str], ...] = field(repr=False)
    terms: tuple[tuple[str, str], ...] = field(repr=False)

    def sentence(self, at: int) -> str:
        """Return the words of a sentence."""
        start, end, _ = self.sentences[at]
        return self.text[start:end]

    def under_headings(self, at: int) -> str:
        """Return a sentence with the headings of its passage in front."""
        return in_front(self.passages[self.sentences[at, 2]][2], self.sentence(at))

    def passage(self, at: int) -> str:
        """Return a passage as a library encodes it: its headings, a line's end, its words."""
        start, end, context = self.passages[at]
        return in_front(context, self.text[start:end])


def in_front(context: str, words: str) -> str:
    """Return words below their headings, as `fourcorners.library.ingest` encodes them."""
    return f"{context}\n{words}".lstrip("\n")


def overlaps(
    spans: NDArray[np.int64], annotations: Mapping[str, Sequence[Span]]
) -> tuple[Flags, Flags]:
    """Return for each span and category whether it answers, and whether it is touched at all."""
    answers = np.zeros((len(spans), len(CATEGORIES)), bool)
    touched = np.zeros_like(answers)
    sizes = spans[:, 1] - spans[:, 0]
    for kind, category in enumerate(CATEGORIES):
        for mark in annotations.get(category, ()):
            both = np.minimum(spans[:, 1], mark.end) - np.maximum(spans[:, 0], mark.start)
            touched[:, kind] |= both > 0
            answers[:, kind] |= both >= SAME * np.minimum(sizes, len(mark))
    return answers, touched


def in_pieces(
    contract: AnnotatedContract, fold: int, outline: Outline, passages: Sequence[Passage]
) -> Contract:
    """Cut a contract as a library does, and say what each sentence answers."""
    text = contract.text
    rows = [(unit.span.start, unit.span.end, unit.passage) for unit in cut_units(text, passages)]
    sentences = np.array(rows, np.int64).reshape(-1, 3)
    answers, touched = overlaps(sentences, contract.annotations)
    headed = []
    for node in outline.nodes:
        if node.heading is not None:
            heading = node.heading.text_in(text).strip()
            body = text[node.heading.end : node.span.end].lstrip(" .:;-–—\n\t")[:1000]
            if 3 <= len(heading) <= 90 and len(body) >= 4 * LONG_ENOUGH:
                headed.append((heading, body))
    terms = [
        (term.term, term.definition.text_in(text)[:800])
        for term in outline.terms
        if len(term.definition) > len(term.term) + 2 * LONG_ENOUGH
    ]
    cuts = tuple((each.span.start, each.span.end, each.context) for each in passages)
    return Contract(
        contract.name, fold, text, sentences, cuts, answers, touched, tuple(headed), tuple(terms)
    )


def read_contracts(data: Path, library: Path) -> list[Contract]:
    """Return all contracts of CUAD in pieces, from a library that holds them."""
    contracts = cuad.load_cuad(data)
    found = []
    with Library.open(library, create=False) as store:
        for contract, fold in zip(contracts, cuad.assign_folds(contracts, k=FOLDS), strict=True):
            name = document_id(contract.text)
            found.append(in_pieces(contract, fold, store.outline(name), store.passages(name)))
    return found


def phrasings(questions: Mapping[str, str]) -> list[dict[str, list[str]]]:
    """Return for each category its wordings by kind: question, name, definition."""
    playbooks = {name: load_playbook(name) for name in PLAYBOOKS}
    found = []
    for category in CATEGORIES:
        book, wanted = CATEGORY_PROVISIONS[category]
        provision = next(each for each in playbooks[book].provisions if each.id == wanted)
        names = list(dict.fromkeys([category, provision.name, *provision.aliases]))
        found.append(
            {
                "question": [questions.get(category) or f"What does it say on {category}?"],
                "name": names,
                "definition": [provision.definition.split(": ")[0], provision.definition],
            }
        )
    return found


def mine(contract: Contract, vectors: Array, asked: Array) -> NDArray[np.int64]:
    """Return for each category the nearest passages without an answer, the nearest first.

    Args:
        contract: In pieces.
        vectors: Of its passages.
        asked: Of each category's question.
    """
    marked = np.zeros((len(contract.passages), len(CATEGORIES)), bool)
    np.logical_or.at(marked, contract.sentences[:, 2], contract.touched)
    long_enough = np.array([end - start >= 2 * LONG_ENOUGH for start, end, _ in contract.passages])
    nearness = np.where(marked | ~long_enough[:, None], -2.0, vectors @ asked.T)
    order = np.argsort(-nearness, axis=0, kind="stable")[:DEEP]
    selected = np.take_along_axis(nearness, order, axis=0) > -2.0
    return np.where(selected, order, -1).T


def paraphrases(queries: Sequence[AcordQuery], vectors: Array) -> list[int]:
    """Return a number for each query; near-paraphrases of one category have the same."""
    group = list(range(len(queries)))
    for one in range(len(queries)):
        for other in range(one):
            same = queries[one].category == queries[other].category
            if same and vectors[one] @ vectors[other] > ALIKE and group[one] != group[other]:
                old, new = group[one], group[other]
                group = [new if each == old else each for each in group]
    return group


def folded(group: Sequence[int]) -> list[int]:
    """Give each group a fold: the largest goes to the emptiest."""
    sizes = {each: list(group).count(each) for each in group}
    held, fold = [0] * FOLDS, {}
    for each in sorted(sizes, key=lambda one: (-sizes[one], one)):
        fold[each] = held.index(min(held))
        held[fold[each]] += sizes[each]
    return [fold[each] for each in group]


@dataclass(frozen=True, slots=True)
class Precedents:
    """ACORD, parted. `judged` has for each clause that may be learned from its stars, less one."""

    learned: tuple[AcordQuery, ...]
    held: tuple[AcordQuery, ...]
    valid: tuple[AcordQuery, ...]
    clauses: Mapping[str, str] = field(repr=False)


def read_precedents(data: Path, encoder: Encoder) -> Precedents:
    """Return ACORD with one fold of its train queries held out."""
    train, valid = load_split(data, "train"), load_split(data, "valid")
    vectors = encoder.encode([query.id for query in train.queries])
    fold = folded(paraphrases(train.queries, vectors))
    parted = list(zip(train.queries, fold, strict=True))
    return Precedents(
        tuple(query for query, own in parted if own != HELD_QUERIES),
        tuple(query for query, own in parted if own == HELD_QUERIES),
        valid.queries,
        train.clauses,
    )


def without_held(precedents: Precedents, judged: Judged) -> list[tuple[AcordQuery, dict[str, int]]]:
    """Return the queries to learn from, each with the clauses that may be learned from.

    Clauses with stars for a held query are left out, and so are those that share much with one.
    """
    held = {
        clause
        for query in (*precedents.held, *precedents.valid)
        for clause, score in query.judged.items()
        if score
    }
    asked = sorted({clause for query in precedents.learned for clause in query.judged})
    selected = {
        clause
        for clause in asked
        if judged.lets(precedents.clauses[clause], "acord") and clause not in held
    }
    found = []
    for query in precedents.learned:
        own = {clause: score for clause, score in query.judged.items() if clause in selected}
        if sum(score > 0 for score in own.values()) >= 3:
            found.append((query, own))
    return found


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """ContractNLI's hypotheses with texts that are evidence for them, and texts that are not.

    Attributes:
        wordings: Of each hypothesis: its own and a question.
        texts: All spans.
        evidence: For each text and hypothesis whether it is evidence for or against it.
        near: For each hypothesis texts of documents that do not speak of it.
    """

    wordings: tuple[tuple[str, ...], ...]
    texts: tuple[str, ...] = field(repr=False)
    evidence: Flags = field(repr=False)
    near: tuple[tuple[int, ...], ...] = field(repr=False)


def read_hypotheses(data: Path, questions: Mapping[str, str], judged: Judged) -> Hypotheses:
    """Return the evidence of ContractNLI's train split; `questions` by the hypothesis's id."""
    dev = json.loads((data / "dev.json").read_text("utf-8"))
    ids = {label["hypothesis"]: name for name, label in dev["labels"].items()}
    order = sorted(ids)
    place = {hypothesis: at for at, hypothesis in enumerate(order)}
    rows: dict[str, int] = {}
    evidence: set[tuple[int, int]] = set()
    near: list[set[int]] = [set() for _ in order]
    refused: set[str] = set()
    with (data / "train_spans.csv").open(encoding="utf-8", newline="") as file:
        for record in csv.DictReader(file):
            kind = place[record["hypothesis"]]
            for words in record["concatenated_spans"].split("\n"):
                text = words.strip()
                if len(text) < LONG_ENOUGH or text in refused:
                    continue
                if text not in rows and not judged.lets(text, "contractnli"):
                    refused.add(text)
                    continue
                at = rows.setdefault(text, len(rows))
                if record["label"] == "2":
                    near[kind].add(at)
                else:
                    evidence.add((at, kind))
    flags = np.zeros((len(rows), len(order)), bool)
    for at, kind in evidence:
        flags[at, kind] = True
    return Hypotheses(
        tuple((each, questions.get(ids[each], each)) for each in order),
        tuple(rows),
        flags,
        tuple(
            tuple(sorted(at for at in each if not flags[at, kind]))
            for kind, each in enumerate(near)
        ),
    )


def judged_texts(
    contracts: Sequence[Contract], precedents: Precedents, contractnli: Path
) -> Judged:
    """Return the runs of all that models are judged on."""
    judged = Judged()
    judged.add(each.text for each in contracts if each.fold == HELD_FOLD)
    for query in (*precedents.held, *precedents.valid):
        judged.add(precedents.clauses[clause] for clause, score in query.judged.items() if score)
    dev = json.loads((contractnli / "dev.json").read_text("utf-8"))
    judged.add(document["text"] for document in dev["documents"])
    return judged


def usable(contract: Contract, judged: Judged) -> Flags:
    """Tell which sentences of a contract may be learned from; labelled ones are counted."""
    found = np.zeros(len(contract.sentences), bool)
    for at in range(len(found)):
        source = "cuad, annotated" if contract.labels[at].any() else "cuad, other"
        found[at] = judged.lets(contract.sentence(at), source)
    return found


def digest(texts: Sequence[str]) -> str:
    """Return one hash of texts, whatever their order."""
    each = sorted(hashlib.sha256(text.encode("utf-8")).hexdigest() for text in texts)
    return hashlib.sha256("\n".join(each).encode()).hexdigest()
