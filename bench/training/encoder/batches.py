"""The batches that the encoder learns from: texts, and which of them belong together.

Four kinds: questions and sentences of CUAD, ACORD's graded clauses, ContractNLI's hypotheses and
evidence, and what contracts say of themselves (headings and bodies, terms and definitions).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fourcorners.models.encoder.protocol import Encoder
from fourcorners_bench.extraction.loader import CATEGORIES
from fourcorners_bench.extraction.run import document_id
from fourcorners_bench.precedents.loader import AcordQuery, Format
from training.encoder.data import (
    HELD_FOLD,
    Contract,
    Flags,
    Hypotheses,
    Precedents,
    digest,
    judged_texts,
    mine,
    phrasings,
    read_contracts,
    read_hypotheses,
    read_precedents,
    usable,
    without_held,
)

TEMPLATES = ("{} clause", "Clauses on {}", "What does the contract say about {}?", "{}")
KINDS = ("cuad", "acord", "contractnli", "contracts")
SHARES = (0.52, 0.18, 0.14, 0.16)
LONGEST_PASSAGE = 620  # characters: about 128 tokens, so that the answer is not cut off


@dataclass(frozen=True, slots=True)
class Batch:
    """Questions and texts.

    Attributes:
        match: For each question and text 1 where they belong together, 0 where not, -1 where that
            is not known; for graded lists the stars less one.
        alike: For each two texts whether they are of one kind, or None.
    """

    kind: str
    questions: list[str]
    texts: list[str]
    match: NDArray[np.int8]
    alike: Flags | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Lessons:
    """All that is learned from.

    Attributes:
        hard: For each contract, category and rank a passage without an answer, or -1.
        places: For each category the contracts and sentences that answer.
        ranked: For each query of ACORD the clauses without stars, the most similar first.
        facts: Counts and hashes for the card.
    """

    contracts: list[Contract] = field(repr=False)
    wordings: list[dict[str, list[str]]]
    fine: list[Flags] = field(repr=False)
    hard: list[NDArray[np.int64]] = field(repr=False)
    places: list[list[tuple[int, int]]] = field(repr=False)
    graded: list[tuple[AcordQuery, dict[str, int]]] = field(repr=False)
    ranked: list[list[str]] = field(repr=False)
    clauses: dict[str, str] = field(repr=False)
    hypotheses: Hypotheses = field(repr=False)
    facts: dict[str, object] = field(repr=False)


def gather(data: Path, library: Path, encoder: Encoder) -> tuple[Lessons, Precedents]:
    """Read everything; hard negatives are what `encoder` takes for near.

    It encodes each passage that is learned from: some minutes.
    """
    questions = json.loads((data / "legalbench-rag/questions.json").read_text("utf-8"))
    contracts = read_contracts(data / "cuad", library)
    precedents = read_precedents(data / "acord", encoder)
    judged = judged_texts(contracts, precedents, data / "contractnli")
    learned = [each for each in contracts if each.fold != HELD_FOLD]
    fine = [usable(each, judged) for each in learned]
    wordings = phrasings(questions["cuad"])
    asked = np.stack([encoder.encode(each["question"])[0] for each in wordings])
    hard = [
        mine(each, encoder.encode([each.passage(at) for at in range(len(each.passages))]), asked)
        for each in learned
    ]
    places: list[list[tuple[int, int]]] = [[] for _ in CATEGORIES]
    for at, contract in enumerate(learned):
        for sentence, kind in np.argwhere(contract.labels & fine[at][:, None]).tolist():
            places[kind].append((at, sentence))
    graded = without_held(precedents, judged)
    clauses = dict(precedents.clauses)
    ranked = nearest_without_stars(graded, clauses, encoder)
    hypotheses = read_hypotheses(data / "contractnli", questions["contractnli"], judged)
    facts: dict[str, object] = {
        "learned_from": " ".join(document_id(each.text) for each in learned),
        "cuad": {
            "contracts_learned_from": len(learned),
            "contracts_held_out": len(contracts) - len(learned),
            "sentences_sha256": digest(
                [each.sentence(int(at)) for each, own in zip(learned, fine, strict=True)
                 for at in np.flatnonzero(own)]
            ),
        },
        "acord": {
            "queries_learned_from": len(graded),
            "queries_held_out": ", ".join(asked.id for asked in precedents.held),
            "clauses_sha256": digest([clauses[c] for c in {c for _, own in graded for c in own}]),
        },
        "contractnli": {
            "texts": len(hypotheses.texts),
            "texts_sha256": digest(hypotheses.texts),
        },
        "leakage": {
            "rule": "dropped: over 20% of a text's runs of eight words are in judged texts",
            "seen": judged.seen,
            "dropped": judged.dropped,
        },
    }  # fmt: skip
    lessons = Lessons(
        learned, wordings, fine, hard, places, graded, ranked, clauses, hypotheses, facts
    )
    return lessons, precedents


def nearest_without_stars(
    graded: Sequence[tuple[AcordQuery, dict[str, int]]], clauses: dict[str, str], encoder: Encoder
) -> list[list[str]]:
    """Return for each query the clauses without stars, those first that are most like it."""
    ids = sorted({clause for _, own in graded for clause in own})
    vectors = dict(zip(ids, encoder.encode([clauses[each] for each in ids]), strict=True))
    found = []
    for asked, own in graded:
        query = encoder.encode([asked.wording(Format.LONG)])[0]
        zeros = [clause for clause, score in own.items() if score == 0]
        nearness = np.array([vectors[clause] @ query for clause in zeros])
        found.append([zeros[at] for at in np.argsort(-nearness, kind="stable")])
    return found


class Drawing:
    """Draws batches; the same random numbers give the same batch."""

    def __init__(self, lessons: Lessons) -> None:
        self.lessons = lessons
        counts = np.array([len(each) for each in lessons.places])
        self.shares = np.sqrt(counts) / np.sqrt(counts).sum()
        per = np.array([min(len(each.headed), 30) + 1e-9 for each in lessons.contracts])
        self._tellers = per / per.sum()
        evidence = lessons.hypotheses.evidence
        self._evidence = [np.flatnonzero(evidence[:, kind]) for kind in range(evidence.shape[1])]

    def wording(self, kind: int, random: np.random.Generator) -> str:
        """Return a category in one of its wordings."""
        forms = self.lessons.wordings[kind]
        draw = random.random()
        if draw < 0.4:
            return str(random.choice(forms["question"]))
        if draw < 0.6:
            return str(random.choice(forms["definition"]))
        name = str(random.choice(forms["name"]))
        return str(random.choice(TEMPLATES)).format(name)

    def as_text(
        self, at: int, sentence: int, random: np.random.Generator
    ) -> tuple[str, Flags, Flags]:
        """Return a sentence in one of its forms, with what it answers and touches."""
        contract = self.lessons.contracts[at]
        draw = random.random()
        passage = int(contract.sentences[sentence, 2])
        start, end, _ = contract.passages[passage]
        if draw < 0.4 and end - start <= LONGEST_PASSAGE:
            return self._as_passage(at, passage)
        words = contract.sentence(sentence) if draw > 0.7 else contract.under_headings(sentence)
        return words, contract.labels[sentence], contract.touched[sentence]

    def _as_passage(self, at: int, passage: int) -> tuple[str, Flags, Flags]:
        contract = self.lessons.contracts[at]
        own = contract.sentences[:, 2] == passage
        return contract.passage(passage), contract.labels[own].any(0), contract.touched[own].any(0)

    def near_miss(self, at: int, kind: int, random: np.random.Generator) -> int | None:
        """Return a sentence of a contract that is near to a question and does not answer it."""
        near = self.lessons.hard[at][kind]
        passage = int(random.choice(near))
        contract = self.lessons.contracts[at]
        own = np.flatnonzero((contract.sentences[:, 2] == passage) & self.lessons.fine[at])
        return int(random.choice(own)) if passage >= 0 and len(own) else None

    def clauses_of(self, random: np.random.Generator, kinds: int = 10, each: int = 3) -> Batch:
        """Draw sentences of some categories, and hard ones of the same contracts."""
        drawn: dict[tuple[int, int], None] = {}
        for kind in random.choice(len(CATEGORIES), kinds, replace=False, p=self.shares):
            places = self.lessons.places[kind]
            picked = random.choice(len(places), min(each, len(places)), replace=False)
            for at, sentence in (places[one] for one in picked.tolist()):
                drawn[at, sentence] = None
                near = self.near_miss(at, int(kind), random)
                if near is not None:
                    drawn[at, near] = None
        forms = [self.as_text(at, sentence, random) for at, sentence in drawn]
        answers = np.stack([each for _, each, _ in forms])
        touched = np.stack([each for _, _, each in forms])
        match = np.where(answers, 1, np.where(touched, -1, 0)).astype(np.int8)
        return Batch(
            "cuad",
            [self.wording(kind, random) for kind in range(len(CATEGORIES))],
            [words for words, _, _ in forms],
            match.T,
            (answers.astype(int) @ answers.T.astype(int)) > 0,
        )

    def graded(self, random: np.random.Generator, queries: int = 4) -> Batch:
        """Draw queries of ACORD, in one of their wordings, with clauses of each grade."""
        lessons = self.lessons
        picked = random.choice(len(lessons.graded), queries, replace=False).tolist()
        clauses: dict[str, None] = {}
        for at in picked:
            own = lessons.graded[at][1]
            for grades, many in (((2, 3, 4), 3), ((1,), 2)):
                of = [clause for clause, score in own.items() if score in grades]
                clauses.update(dict.fromkeys(random.permutation(of)[:many].tolist()))
            near = lessons.ranked[at]
            clauses.update(dict.fromkeys(random.permutation(near[:40])[:2].tolist()))
            clauses.update(dict.fromkeys(random.permutation(near[40:])[:1].tolist()))
        forms = list(Format)
        match = [[lessons.graded[at][1].get(clause, -1) for clause in clauses] for at in picked]
        return Batch(
            "acord",
            [
                lessons.graded[at][0].wording(forms[int(random.integers(len(forms)))])
                for at in picked
            ],
            [lessons.clauses[clause] for clause in clauses],
            np.array(match, np.int8),
        )

    def evidence(self, random: np.random.Generator, kinds: int = 10, each: int = 4) -> Batch:
        """Draw evidence for some hypotheses, and spans of documents that do not speak of them."""
        all_of = self.lessons.hypotheses
        drawn: dict[int, None] = {}
        for kind in random.choice(len(all_of.wordings), kinds, replace=False).tolist():
            drawn.update(dict.fromkeys(random.choice(self._evidence[kind], each).tolist()))
            drawn.update(dict.fromkeys(random.choice(all_of.near[kind], 2).tolist()))
        rows = list(drawn)
        match = all_of.evidence[rows].T.astype(np.int8)
        # What is evidence for nothing is known to be none only for the hypothesis it came with.
        for column, row in enumerate(rows):
            if not all_of.evidence[row].any():
                for kind in range(len(match)):
                    match[kind, column] = 0 if row in all_of.near[kind] else -1
        return Batch(
            "contractnli",
            [str(random.choice(each)) for each in all_of.wordings],
            [all_of.texts[row] for row in rows],
            match,
            (all_of.evidence[rows].astype(int) @ all_of.evidence[rows].T.astype(int)) > 0,
        )

    def told(self, random: np.random.Generator, contracts: int = 3, each: int = 8) -> Batch:
        """Draw headings with bodies and terms with definitions, several of each contract."""
        pairs: list[tuple[str, str, str]] = []
        for at in random.choice(len(self._tellers), contracts, replace=False, p=self._tellers):
            contract = self.lessons.contracts[at]
            for source, form, most in (
                (contract.headed, "{}", each),
                (contract.terms, 'definition of "{}"', each // 2),
            ):
                for one in random.permutation(len(source))[:most].tolist():
                    name, body = source[one]
                    pairs.append((name.casefold(), form.format(name.capitalize()), body))
        names = [name for name, _, _ in pairs]
        match = [[1 if at == other else -1 if name == names[other] else 0
                  for other in range(len(names))] for at, name in enumerate(names)]  # fmt: skip
        return Batch(
            "contracts",
            [question for _, question, _ in pairs],
            [body for _, _, body in pairs],
            np.array(match, np.int8),
        )

    def draw(self, random: np.random.Generator) -> Batch:
        """Draw a batch of one of the four kinds."""
        kinds = (self.clauses_of, self.graded, self.evidence, self.told)
        return kinds[int(random.choice(len(kinds), p=SHARES))](random)
