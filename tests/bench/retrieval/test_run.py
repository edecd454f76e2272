"""The retrieval benchmark from the folder to the answers, by every profile and scope."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from fourcorners.errors import ConfigError, LibraryError
from fourcorners.library.store import Library
from fourcorners.llm import Request
from fourcorners.outline.build import build_outline
from fourcorners.outline.tree import View
from fourcorners.search.filters import Filters
from fourcorners.settings import Settings
from fourcorners.text.span import Span
from fourcorners_bench.outline.references import text_document
from fourcorners_bench.retrieval import profiles
from fourcorners_bench.retrieval.chunks import chunk_document
from fourcorners_bench.retrieval.corpus import fill_library, rechunk
from fourcorners_bench.retrieval.loader import QuestionSet, corpus_text, load_set
from fourcorners_bench.retrieval.model_steps import ModelSteps
from fourcorners_bench.retrieval.profiles import (
    PIPELINES,
    PROFILE_NAMES,
    find_pipeline,
    profile_notes,
)
from fourcorners_bench.retrieval.run import ContractScope, Retrieval, RetrievalRun, run_retrieval
from tests.models.fake import HashEncoder
from tests.review import asked as model_asked

SETTINGS = Settings(jobs=1)
ENCODER = HashEncoder(128)
INSURED = "The Supplier shall insure the goods against fire until they are delivered."
PAID = "The Tenant shall pay the rent in advance on the first day of each month."
TEXTS = {
    "s/larch.txt": "SUPPLY AGREEMENT\r\n\r\nThis Supply Agreement is made between Larch Timber "
    "Inc. and Borealis Homes LLC.\r\n\r\n1. Supply. The Supplier sells boards to the Buyer.\r\n\r\n"
    f"2. Insurance. {INSURED}\r\n\r\n3. Law. This Agreement is governed by the laws of Ohio.\r\n",
    "t/lease.txt": "LEASE AGREEMENT\n\nThis Lease Agreement is made between Quarry Estates Ltd. "
    f"and Ninefold Books Inc.\n\n1. Premises. The Landlord lets the shop.\n\n2. Rent. {PAID}\n\n"
    "3. Insurance. The Tenant shall insure the shop against fire and flood.\n",
}
ASKED = {
    "s/larch.txt": (
        (
            "Consider the Supply Agreement between Larch Timber Inc. and Borealis Homes LLC; "
            "Who shall insure the goods against fire?"
        ),
        INSURED,
    ),
    "t/lease.txt": (
        (
            "Consider the Lease Agreement between Quarry Estates Ltd. and Ninefold Books Inc.; "
            "When is the rent to be paid?"
        ),
        PAID,
    ),
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    (folder / "benchmarks").mkdir(parents=True)
    for path, text in TEXTS.items():
        file = folder / "corpus" / path
        file.parent.mkdir(parents=True)
        file.write_bytes(text.encode())
        query, words = ASKED[path]
        start = text.index(words)
        snippet = {"file_path": path, "span": [start, start + len(words)], "answer": words}
        test = {"query": query, "tags": [], "snippets": [snippet]}
        name = file.parent.name
        (folder / "benchmarks" / f"{name}.json").write_text(json.dumps({"tests": [test]}), "utf-8")
    return folder


def sets(data: Path) -> list[QuestionSet]:
    return [load_set(data, name) for name in ("s", "t")]


def asked(data: Path, profile: str, given: ContractScope, **more: object) -> list[RetrievalRun]:
    with Library.open(data.parent / "bench.db") as library:
        return run_retrieval(
            library,
            sets(data),
            data,
            Retrieval(profile, given, ENCODER, **more),  # type: ignore[arg-type]
            settings=SETTINGS,
        )


def rewrite(request: Request) -> dict[str, object]:
    return {"query": request.messages[-1].text.partition("asks of a contract: ")[2].splitlines()[0]}


def mark(request: Request) -> dict[str, object]:
    """Mark the words that were asked for, wherever a passage has them."""
    told = request.messages[-1].text
    words = INSURED if "insure the goods" in told.rpartition("The question: ")[2] else PAID
    passages = re.findall(
        r'<<<data ([0-9a-f]{24}) "passage (\d+)">>>\n(.*?)\n<<<end \1>>>', told, flags=re.S
    )
    return {
        "spans": [{"passage": int(at), "words": words} for _, at, text in passages if words in text]
    }


@pytest.mark.parametrize("given", ContractScope)
@pytest.mark.parametrize(
    "profile", [name for name in PROFILE_NAMES if not name.endswith("-rerank")]
)
def test_every_profile_finds_the_words(data: Path, profile: str, given: ContractScope) -> None:
    port, model = model_asked.port({"rewrite": rewrite, "spans": mark})
    pipeline = PIPELINES.get(profile)
    rewrites, filters = (
        (pipeline.rewrites, pipeline.filters) if pipeline is not None else (False, False)
    )
    with port:
        steps = ModelSteps(port, filters=filters) if rewrites else None
        runs = asked(data, profile, given, steps=steps)
    assert [request.prompt.name for request in model.requests] == [
        *(["rewrite"] if rewrites else []),
        *(["spans"] if filters else []),
    ] * len(TEXTS)
    for each in runs:
        (question,) = each.part.questions
        (answer,) = each.answers
        assert answer.query == question.query
        gold = question.answers[0]
        found = [one for one in answer.snippets if one.span.overlaps(gold.span)]
        assert any(one.file_path == gold.file_path for one in found)
        for one in answer.snippets:
            words = one.span.text_in(corpus_text(data, one.file_path))
            assert words == words.strip() != ""
            assert not filters or words == ASKED[question.file_path][1]
        files = {one.file_path for one in answer.snippets}
        if given is ContractScope.WHOLE:
            assert not each.routed
        else:
            assert files == {question.file_path}
        if given is ContractScope.QUESTION:
            assert [(one.right, one.is_certain) for one in each.routed] == [(True, True)]


def test_a_profile_that_asks_a_model_is_refused_without(data: Path) -> None:
    for profile in (name for name, each in PIPELINES.items() if each.rewrites):
        with pytest.raises(ConfigError, match="needs a language model"):
            asked(data, profile, ContractScope.GIVEN)


def test_several_processes_answer_the_same(data: Path) -> None:
    alone = asked(data, "hybrid", ContractScope.QUESTION)
    with Library.open(data.parent / "bench.db") as library:
        many = run_retrieval(
            library,
            sets(data),
            data,
            Retrieval("hybrid", encoder=ENCODER, make_encoder=partial(HashEncoder, 128)),
            settings=Settings(jobs=2),
        )
    assert [(each.answers, each.routed) for each in many] == [
        (each.answers, each.routed) for each in alone
    ]


def test_the_corpus_is_that_of_all_sets(data: Path) -> None:
    first, _ = asked(data, "bm25", ContractScope.WHOLE)
    assert {one.file_path for one in first.answers[0].snippets} == set(TEXTS)


def test_chunks_are_made_once_and_kept(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Library.open(data.parent / "bench.db") as library:
        shelved = fill_library(library, sets(data), data, encoder=None, settings=SETTINGS)
        path = rechunk(library, shelved, "recursive-500", encoder=ENCODER)
        with Library.open(path) as beside:
            assert beside.stats().documents == len(TEXTS)
            assert beside.stats().vectors == beside.stats().passages > 0

        def fail(*_: object) -> None:
            raise AssertionError("encoded again")

        monkeypatch.setattr(HashEncoder, "encode", fail)
        assert rechunk(library, shelved, "recursive-500", encoder=ENCODER) == path


def test_a_collection_with_other_contracts_is_refused(data: Path) -> None:
    with Library.open(data.parent / "bench.db") as library:
        fill_library(library, sets(data), data, encoder=None, settings=SETTINGS)
        part = sets(data)[0]
        odd = QuestionSet("s t", part.questions, part.corpus)
        with pytest.raises(LibraryError, match="other contracts"):
            fill_library(library, [odd], data, encoder=None, settings=SETTINGS)


def test_an_answer_beyond_the_end_of_its_file_is_told(data: Path) -> None:
    (data / "corpus" / "s" / "larch.txt").write_text("Gone.", "utf-8")
    with (
        Library.open(data.parent / "bench.db") as library,
        pytest.raises(ConfigError, match=r"larch\.txt ends before"),
    ):
        fill_library(library, sets(data), data, encoder=None, settings=SETTINGS)


class Backwards:
    """Puts the longest text last."""

    name = "backwards/1"

    def scores(self, question: str, passages: Sequence[str]) -> NDArray[np.float32]:
        assert question
        return np.array([-float(len(text)) for text in passages], np.float32)


def test_a_reranker_orders_what_was_found(data: Path) -> None:
    each, _ = asked(data, "rcts-rerank", ContractScope.GIVEN, reranker=Backwards())
    lengths = [len(one.span) for one in each.answers[0].snippets]
    assert lengths == sorted(lengths)


def test_a_profile_that_reranks_says_what_it_lacks() -> None:
    with pytest.raises(ConfigError, match="needs a reranker") as raised:
        find_pipeline("naive-rerank")
    assert "'naive'" in raised.value.remedy
    with pytest.raises(ConfigError, match="no profile") as unknown:
        find_pipeline("hybird")
    assert "hybrid" in unknown.value.remedy
    without = "pakton-1 runs without query rewriting and filtering by a language model."
    assert profile_notes("pakton-1") == ["pakton-1 is not reranked.", without]
    reranked = "pakton-1 is reranked by backwards/1."
    assert profile_notes("pakton-1", Backwards()) == [reranked, without]
    assert profile_notes("pakton-1-filtered") == ["pakton-1-filtered is not reranked."]
    assert profile_notes("rcts") == []


def test_weak_words_are_cut_at_the_threshold(data: Path) -> None:
    with Library.open(data.parent / "bench.db") as library:
        fill_library(library, sets(data), data, encoder=None, settings=SETTINGS)
        for least, more in ((0.0, True), (1.0, False)):
            how = profiles.Pipeline("outline", lexical=True, dense=False, min_score=least)
            found = profiles.rank_passages(
                library, "insure against fire", None, Filters(), how, limit=9
            )
            assert (len(found) > 1) is more
            assert found == sorted(found, key=lambda one: -one[2])


def test_the_papers_pipelines_cut_as_they_say() -> None:
    plain = text_document("plain.txt", "word " * 1_000)
    outline = build_outline(plain)
    assert outline.windows
    structural = chunk_document(plain, outline, PIPELINES["pakton-1"].chunks)
    assert max(len(each.span) for each in structural) in range(900, 1_001)
    naive = chunk_document(plain, outline, PIPELINES["naive"].chunks)
    assert naive[0].span == Span(0, 499)
    whole = text_document("supply.txt", TEXTS["s/larch.txt"])
    views = chunk_document(whole, build_outline(whole), PIPELINES["pakton-1"].chunks)
    assert {each.view for each in views} == {View.NODE}
