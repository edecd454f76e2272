"""What the clause reader learns from: CUAD's sentences, as a review cuts them, and their labels."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from fourcorners.library.contract import Contract
from fourcorners.library.store import Library
from fourcorners.models.clause_reader.features import (
    PARTS,
    SCALES,
    Sentences,
    Vocabulary,
    feature_parts,
    fold_words,
)
from fourcorners.models.clause_reader.reader import Layout, build_layout
from fourcorners.models.registry import DEFAULT_ENCODER, load_encoder
from fourcorners.playbooks.load import load_playbook
from fourcorners.playbooks.playbook import Extent, Provision, card_facts
from fourcorners.review.extract.scoring import PreparedProvision, score_segments
from fourcorners.review.run import prepare_provisions
from fourcorners.text.span import Span
from fourcorners.text.tokenization import WordIndex
from fourcorners_bench.extraction.loader import (
    CATEGORIES,
    CATEGORY_PROVISIONS,
    PLAYBOOKS,
    AnnotatedContract,
)
from fourcorners_bench.extraction.run import document_id

FEWEST = {  # contracts that must contain a word, or words in a row, for it to count
    "own": 3,
    "pairs": 4,
    "triples": 6,
    "before": 5,
    "after": 5,
    "headings": 3,
    "place": 1,
}
SAME = 0.5  # of the shorter of sentence and annotation: then the whole sentence counts
LEAST = 0.15  # share of a sentence below which an annotation only touches it


@dataclass(frozen=True, slots=True)
class Read:
    """One contract, ready: `query` holds the signs of the playbook's queries a category."""

    spans: NDArray[np.int64]
    headings: tuple[tuple[Span, ...], ...]
    vectors: NDArray[np.float32]
    where: Layout
    query: NDArray[np.float16]
    facts: tuple[tuple[tuple[Span, float], ...], ...]

    def sentences(self, text: str) -> Sentences:
        """Return the sentences as the reader takes them."""
        spans = [Span(int(start), int(end)) for start, end in self.spans]
        return Sentences(text, WordIndex(text), spans, self.headings)


def _provisions_asked() -> dict[tuple[str, str], Provision]:
    """Return the provisions of the built-in playbooks."""
    return {(name, each.id): each for name in PLAYBOOKS for each in load_playbook(name).provisions}


def provisions() -> list[PreparedProvision]:
    """Return the built-in provision of each category, in the order of `CATEGORIES`."""
    encoder = load_encoder(DEFAULT_ENCODER)
    by_id = {
        (name, each.provision.id): each
        for name in PLAYBOOKS
        for each in prepare_provisions(load_playbook(name), encoder)
    }
    return [by_id[CATEGORY_PROVISIONS[category]] for category in CATEGORIES]


def read_all(contracts: Sequence[AnnotatedContract], library: Path, cache: Path) -> list[Read]:
    """Read the contracts from a library.

    What is read is kept in `cache`, under what it was read from: another text, other passages,
    other vectors or other queries are read again.

    Raises:
        SystemExit: If the library's vectors are not of the encoder that ships.
    """
    asked: list[PreparedProvision] = []
    found = []
    queries = [each for _, each in sorted(_provisions_asked().items())]
    query_text = "\n".join(f"{each.query}\n{each.avoid or ''}" for each in queries)
    with Library.open(library, create=False) as store:
        made_by = store.encoder.name if store.encoder is not None else "no encoder"
        wanted = load_encoder(DEFAULT_ENCODER).name
        if made_by != wanted:
            raise SystemExit(
                f"{library} holds vectors of {made_by}; the reader needs {wanted}. "
                "Add the contracts to a new library."
            )
        for contract in contracts:
            name = document_id(contract.text)
            passages, vectors = store.passages(name), store.vectors(document=name).matrix
            digest = hashlib.sha256(f"{query_text}{[each.span for each in passages]}".encode())
            digest.update(b"" if vectors is None else vectors.tobytes())
            cached = cache / "read" / f"{name}-{digest.hexdigest()[:12]}.pickle"
            if not cached.exists():
                asked = asked or provisions()
                reading = Contract.build(
                    store.document(name), store.outline(name), store.card(name), passages, vectors
                )
                cached.parent.mkdir(parents=True, exist_ok=True)
                cached.with_suffix(".part").write_bytes(pickle.dumps(_read(reading, asked)))
                cached.with_suffix(".part").rename(cached)
            found.append(pickle.loads(cached.read_bytes()))  # noqa: S301 - our own cache
    return found


def _read(reading: Contract, asked: Sequence[PreparedProvision]) -> Read:
    spans = [segment.span for segment in reading.sentences]
    places = tuple(reading.headings[segment.passage] for segment in reading.sentences)
    passages = np.array([segment.passage for segment in reading.sentences], np.int64)
    sentences = Sentences(reading.text, reading.index, spans, places)
    if reading.vectors is None:
        raise SystemExit(f"{reading.document.name}: the library holds no vectors.")
    return Read(
        np.array([(span.start, span.end) for span in spans], np.int64).reshape(-1, 2),
        places,
        reading.vectors,
        build_layout(sentences, passages),
        np.stack([score_segments(reading, each) for each in asked]).astype(np.float16),
        tuple(
            tuple(card_facts(reading.card, each.provision.card))
            if each.provision.extent is Extent.FACT
            else ()
            for each in asked
        ),
    )


def labels(contract: AnnotatedContract, spans: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return for each sentence and category the share that is annotated.

    A sentence that is mostly annotated, or holds most of an annotation, counts whole.
    """
    found = np.zeros((len(spans), len(CATEGORIES)), np.float32)
    sizes = spans[:, 1] - spans[:, 0]
    for kind, category in enumerate(CATEGORIES):
        for mark in contract.annotations[category]:
            both = np.minimum(spans[:, 1], mark.end) - np.maximum(spans[:, 0], mark.start)
            share = np.maximum(both, 0) / sizes
            share = np.where(both >= SAME * np.minimum(sizes, len(mark)), 1.0, share)
            found[:, kind] = np.maximum(found[:, kind], share)
    found[found < LEAST] = 0.0
    return found


@dataclass(frozen=True, slots=True)
class Counted:
    """The words of all sentences: for each part which of its codes each sentence holds."""

    words: tuple[str, ...]
    codes: dict[str, NDArray[np.int64]]
    held: dict[str, sp.csr_matrix]

    def weighed(
        self, learned: NDArray[np.int64], document: NDArray[np.int64]
    ) -> tuple[sp.csr_matrix, dict[str, NDArray[np.bool_]], NDArray[np.float32]]:
        """Return rows of all sentences, which codes count, and their rarity.

        Both are counted in the sentences `learned` alone. The last column is the constant.
        """
        blocks, cached, rarity = [], {}, []
        for part in PARTS:
            held = self.held[part]
            many = np.asarray(held[learned].sum(0)).ravel()
            contracts = _contracts(held[learned], document[learned])
            cached[part] = contracts >= FEWEST[part]
            rare = np.log((len(learned) + 1) / (many[cached[part]] + 1)) + 1
            rare = rare.astype(np.float16).astype(np.float32)  # as it is stored
            block = held[:, np.flatnonzero(cached[part])] @ sp.diags(rare)
            size = np.sqrt(np.asarray(block.multiply(block).sum(1)).ravel())
            size[size == 0] = 1
            blocks.append(sp.diags((SCALES[part] / size).astype(np.float32)) @ block)
            rarity.append(rare)
        blocks.append(sp.csr_matrix(np.ones((blocks[0].shape[0], 1), np.float32)))
        rows = sp.hstack(blocks, format="csr").astype(np.float32)
        return rows, cached, np.concatenate(rarity)


def _contracts(held: sp.csr_matrix, document: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the contracts that hold each code."""
    entries = held.tocoo()
    seen = np.unique(entries.col.astype(np.int64) * 100_000 + document[entries.row])
    return np.bincount(seen // 100_000, minlength=held.shape[1])


def count_words(contracts: Sequence[AnnotatedContract], reads: Sequence[Read]) -> Counted:
    """Collect the words of all sentences; codes in too few contracts to count are left out."""
    number: dict[str, int] = {}
    rows: dict[str, list[NDArray[np.int64]]] = {part: [] for part in PARTS}
    codes: dict[str, list[NDArray[np.int64]]] = {part: [] for part in PARTS}
    owner: dict[str, list[NDArray[np.int64]]] = {part: [] for part in PARTS}
    total = 0
    for at, (contract, each) in enumerate(zip(contracts, reads, strict=True)):
        sentences = each.sentences(contract.text)
        tokens = fold_words(sentences.index)
        for token in tokens:
            number.setdefault(token, len(number))
        found = feature_parts(sentences, np.array([number[token] for token in tokens], np.int64))
        for part, (row, code) in found.items():
            rows[part].append(row + total)
            codes[part].append(code)
            owner[part].append(np.full(len(row), at))
        total += len(each.spans)
    cached, held = {}, {}
    for part in PARTS:
        row, document = np.concatenate(rows[part]), np.concatenate(owner[part])
        known, column = np.unique(np.concatenate(codes[part]), return_inverse=True)
        seen = np.unique(column.astype(np.int64) * 100_000 + document)
        enough = np.bincount(seen // 100_000, minlength=len(known)) >= FEWEST[part]
        new = np.cumsum(enough) - 1
        use = enough[column]
        held[part] = sp.csr_matrix(
            (np.ones(int(use.sum()), np.float32), (row[use], new[column[use]])),
            shape=(total, int(enough.sum())),
        )
        cached[part] = known[enough]
    return Counted(tuple(number), cached, held)


def vocabulary(
    counted: Counted, cached: dict[str, NDArray[np.bool_]], rarity: NDArray[np.float32]
) -> Vocabulary:
    """Return the vocabulary of the codes that are kept; words are numbered as counted."""
    return Vocabulary(
        {word: at for at, word in enumerate(counted.words)},
        {part: counted.codes[part][cached[part]] for part in PARTS},
        rarity,
    )
