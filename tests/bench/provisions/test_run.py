from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fourcorners.errors import LibraryError
from fourcorners.library.contract import read_contract
from fourcorners.library.store import Library
from fourcorners.outline.card.card import Card
from fourcorners.playbooks.learning.mining import QueryTerm
from fourcorners.playbooks.passages.ranking import RankedContract, RankingTarget
from fourcorners.playbooks.playbook import CardField
from fourcorners.review.prompting.passages import fixed_chunks
from fourcorners.search.query import parse_query
from fourcorners.settings import Settings
from fourcorners.text.span import Span
from fourcorners.text.tokenization import WordIndex
from fourcorners_bench.extraction import run as extracting
from fourcorners_bench.extraction.loader import (
    CATEGORIES,
    FOURTEEN_PROVISIONS,
    AnnotatedContract,
)
from fourcorners_bench.provisions.chunking import chunking_table, run_experiment
from fourcorners_bench.provisions.directions import DirectionQuery
from fourcorners_bench.provisions.run import (
    Profile,
    ReturnLimits,
    build_learner,
    pool_vectors,
    return_limits,
    run_scenario,
    select_windows,
    with_learned_query,
)
from fourcorners_bench.provisions.score import (
    SCENARIOS,
    max_passages,
    score_run,
)
from tests.models.fake import HashEncoder

TREES = "Larch Birch Cedar Maple Alder Hazel Rowan Aspen Willow Juniper".split()  # noqa: SIM905


def annotated(number: int) -> AnnotatedContract:
    tree = TREES[number]
    clause = f"{tree} shall keep the grain of load {number} insured against fire and theft."
    daily = f"{tree} shall bring load {number} to the yard before noon on each working day. " * 12
    text = f"CARRIAGE DEED\n\n1. CARRIAGE\n\n{daily}\n\n2. COVER\n\n{clause}\n"
    marked = dict.fromkeys(CATEGORIES, ())
    start = text.index(clause)
    spans = {**marked, "Insurance": (Span(start, start + len(clause)),)}
    return AnnotatedContract(f"{number}.txt", f"g{number}", text, spans)


@pytest.fixture
def contracts() -> list[AnnotatedContract]:
    return [annotated(number) for number in range(10)]


@pytest.fixture
def library(tmp_path: Path, contracts: list[AnnotatedContract]) -> Library:
    (tmp_path / "contracts").mkdir()
    for contract in contracts:
        (tmp_path / "contracts" / contract.name).write_bytes(contract.text.encode("utf-8"))
    store = Library.open(tmp_path / "a.db")
    settings = Settings.load(jobs=1)
    extracting.fill_library(store, contracts, tmp_path, encoder=HashEncoder(), settings=settings)
    return store


def flat(length: int, every: int) -> RankedContract:
    """A contract of sentences of the same length, each a passage of its own."""
    spans = tuple(Span(at, at + every) for at in range(0, length, every))
    vectors = np.eye(len(spans), dtype=np.float32)
    of = np.arange(len(spans))
    none = tuple(() for _ in spans)
    return RankedContract("x" * length, Card(), spans, of, none, WordIndex(""), vectors)


def test_half_the_characters_are_half_in_every_shape() -> None:
    for number in (1, 2, 3):
        scenario = SCENARIOS[number - 1]
        whole, *others = return_limits(scenario, "both")
        assert whole == ReturnLimits("windows", "windows", scenario.most, 3_500)
        for shape in others:
            share = 0.5 if shape.name.startswith("½") else 1.0
            allowed = shape.most * shape.longest / (whole.most * whole.longest)
            assert share * 0.99 < allowed <= share
            assert shape.most <= scenario.most
        assert {shape.passaging for shape in return_limits(scenario, "plain")} == {"chunks"}


def test_windows_and_chunks_hold_the_likeliest_sentences() -> None:
    made = flat(20_000, 100)
    chance = np.full(200, 0.01)
    chance[[30, 150]] = 0.9
    windows = select_windows(made, chance, ReturnLimits("w", "windows", 2, 400))
    assert len(windows) == 2
    assert all(any(window.contains(made.spans[at]) for window in windows) for at in (30, 150))
    assert all(len(window) <= 400 for window in windows)
    chunks = select_windows(made, chance, ReturnLimits("c", "chunks", 2))
    assert set(chunks) <= set(fixed_chunks(20_000))
    assert all(any(chunk.contains(made.spans[at]) for chunk in chunks) for at in (30, 150))


def test_the_best_sentences_fill_the_characters_that_are_allowed() -> None:
    made = flat(21_000, 300)
    chance = np.linspace(0, 1, len(made.spans))
    found = select_windows(made, chance, ReturnLimits("s", "sentences", 2, 500))
    assert found == [made.spans[-1], made.spans[-2], made.spans[-3]]


def test_the_vectors_of_passages_speak_for_the_chunk_they_lie_in() -> None:
    made = flat(10_000, 1_000)
    like = np.eye(10, dtype=np.float32)[[8]]
    chunks = [Span(0, 5_000), Span(5_000, 10_000), Span(4_000, 4_001)]
    assert pool_vectors(made, chunks, like).tolist() == [0, 1, -1]
    assert pool_vectors(replace(made, vectors=None), chunks, like).tolist() == [-1, -1, -1]


def test_what_was_learned_is_asked_alone_or_beside_the_playbook() -> None:
    own = RankingTarget(
        query=parse_query("a"), examples=np.ones((1, 2), np.float32), fact=CardField.TITLE
    )
    centres = np.zeros((2, 2), np.float32)
    learned = DirectionQuery("X", (QueryTerm("fire", 2.0, 3, 1),), ("clause",), centres)
    both = with_learned_query(own, learned, both=True)
    assert (both.query, both.examples, both.fact) == (own.query, own.examples, own.fact)
    assert str(both.learned) == str(parse_query("[fire^2]"))
    alone = with_learned_query(own, learned, both=False)
    assert (alone.query, alone.examples, alone.fact) == (None, centres, CardField.TITLE)


def test_contracts_are_learned_from_with_the_librarys_vectors(
    library: Library, contracts: list[AnnotatedContract]
) -> None:
    learner = build_learner(library, contracts, ("Insurance", "Exclusivity"))
    assert learner.clause_count("Insurance") == 10
    assert learner.groups == [f"g{number}" for number in range(10)]
    found = learner.learn("Insurance", without=frozenset({"g9"}))
    assert found.direction is not None
    ready = RankedContract.build(read_contract(library, extracting.document_id(contracts[9].text)))
    assert ready.vectors is not None
    odds = found.direction.log_odds(ready.vectors)
    held = next(at for at, span in enumerate(ready.spans) if "insured" in span.text_in(ready.text))
    assert int(odds.argmax()) == int(ready.principal_of[held])
    (clause,) = contracts[9].annotations["Insurance"]
    assert set(found.examples) <= {
        contract.annotations["Insurance"][0].text_in(contract.text) for contract in contracts[:9]
    }
    assert clause.text_in(contracts[9].text) not in found.examples


def test_a_contract_that_the_library_lacks_is_named(
    library: Library, contracts: list[AnnotatedContract]
) -> None:
    other = replace(contracts[0], name="other.txt", text="Another deed, signed at noon.")
    with pytest.raises(LibraryError, match=r"does not hold other\.txt"):
        build_learner(library, [other], FOURTEEN_PROVISIONS)


@pytest.mark.parametrize("profile", ["plain", "optimised", "default"])
def test_every_contract_and_provision_is_answered(
    library: Library, contracts: list[AnnotatedContract], profile: Profile
) -> None:
    runs = run_scenario(library, contracts[:2], SCENARIOS[0], profile, encoder=HashEncoder())
    for run in runs.values():
        assert [(line.name, line.provision) for line in run] == [
            (contract.name, provision)
            for contract in contracts[:2]
            for provision in FOURTEEN_PROVISIONS
        ]
        scores = score_run(contracts[:2], run, SCENARIOS[0], most=max_passages(run, SCENARIOS[0]))
        assert sum(each.found for counts in scores.values() for each in counts) == 2


def test_the_chunking_experiment_counts_the_first_chunk_and_equal_characters(
    library: Library, contracts: list[AnnotatedContract]
) -> None:
    marked = [
        replace(
            contract,
            annotations={
                **contract.annotations,
                **dict.fromkeys(FOURTEEN_PROVISIONS, contract.annotations["Insurance"]),
            },
        )
        for contract in contracts
    ]
    figures = run_experiment(library, marked, encoder=HashEncoder())
    assert figures["contracts"] == 10
    strategies = figures["strategies"]
    assert isinstance(strategies, dict)
    assert {name: list(measured) for name, measured in strategies.items()} == {
        "2500-500": ["recall@1", "recall@7"],
        "3500-700": ["recall@1", "recall@5"],
        "4500-900": ["recall@1", "recall@4"],
    }
    assert all(each["all"] == 1.0 for by_k in strategies.values() for each in by_k.values())
    assert len(chunking_table(figures).columns) == 7
