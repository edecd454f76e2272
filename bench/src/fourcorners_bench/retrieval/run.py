"""The retrieval benchmark: questions answered from a library, as any user's would be."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.errors import ConfigError, ModelError
from fourcorners.library.store import Library
from fourcorners.models.reranker.protocol import Reranker
from fourcorners.search.filters import Filters
from fourcorners.search.scope import QuestionScope, route_question
from fourcorners.settings import Settings
from fourcorners.text.span import Span
from fourcorners_bench.record import Json, OnProgress, with_progress
from fourcorners_bench.retrieval.chunks import OUTLINE
from fourcorners_bench.retrieval.corpus import CorpusLibrary, fill_library, rechunk
from fourcorners_bench.retrieval.loader import MAX_SNIPPETS, Answer, Question, QuestionSet, Snippet
from fourcorners_bench.retrieval.model_steps import ModelSteps
from fourcorners_bench.retrieval.profiles import (
    DEFAULT,
    Pipeline,
    find_pipeline,
    rank_passages,
)

if TYPE_CHECKING:
    from fourcorners.models.encoder.protocol import Encoder
    from fourcorners.search.concepts import Concept

_BLOCK = 16  # questions handed to a process at once


class ContractScope(StrEnum):
    """What a pipeline knows of the contract that a question is about."""

    QUESTION = "question"
    """The whole question: which contract it names is for the router to find."""
    GIVEN = "given"
    """The contract, and the question without the words that name it."""
    WHOLE = "whole"
    """The whole question, to be answered from the whole corpus."""


@dataclass(frozen=True, slots=True)
class RoutedQuestion:
    right: bool
    """Whether the contract that answers was thought the likeliest."""
    is_certain: bool
    """Whether the likeliest alone was searched."""


@dataclass(frozen=True, slots=True)
class Retriever:
    """Answers the questions of a set by one profile.

    Attributes:
        library: Where contracts are named, and searched by default.
        chunks: Where the chunks of the pipeline are, for a pipeline.
        how: The pipeline; None is what a user gets by default.
        concepts: What is known of kinds of clauses, for the default.
        steps: What a language model does, for a pipeline that has it do something.
    """

    library: Library
    chunks: Library
    corpus: CorpusLibrary
    how: Pipeline | None
    scope: ContractScope
    encoder: Encoder | None
    concepts: Sequence[Concept] = ()
    reranker: Reranker | None = None
    steps: ModelSteps | None = None
    limit: int = MAX_SNIPPETS

    def answer(self, question: Question) -> tuple[Answer, RoutedQuestion | None]:
        """Return what is found for a question; for `RoutedQuestion` alone its answers are read.

        Of a file that could not be read nothing is found.
        """
        if question.file_path in self.corpus.unread:
            return Answer(question.query, ()), None
        scope, routed = self._scope(question)
        found = self._default(scope) if self.how is None else self._piped(scope, self.how)
        paths = self.corpus.paths
        if self.scope is ContractScope.GIVEN:  # of two files with the same words, the one named
            paths = paths | {self.corpus.documents[question.file_path]: question.file_path}
        snippets = tuple(Snippet(paths[document], span, score) for document, span, score in found)
        return Answer(question.query, snippets[: self.limit]), routed

    def _scope(self, question: Question) -> tuple[QuestionScope, RoutedQuestion | None]:
        right = self.corpus.documents[question.file_path]
        if self.scope is ContractScope.GIVEN:
            return QuestionScope(question.question, "", ((right, 1.0),), is_certain=True), None
        if self.scope is ContractScope.WHOLE:
            return QuestionScope(question.query), None
        scope = route_question(
            self.library, question.query, Filters(collection=self.corpus.collection)
        )
        named = scope.documents[0][0] if scope.documents else None
        return scope, RoutedQuestion(named == right, scope.is_certain)

    def _default(self, scope: QuestionScope) -> list[tuple[str, Span, float]]:
        from fourcorners.search.sentences.retrieve import SentenceRanking, retrieve_snippets

        found = retrieve_snippets(
            self.library,
            scope,
            encoder=self.encoder,
            concepts=self.concepts,
            filters=Filters(collection=self.corpus.collection),
            limit=self.limit,
            ranking=SentenceRanking(reranker=self.reranker),
        )
        if found.failure:  # figures without it would be another profile's
            raise ModelError(found.failure)
        return [(each.document, each.span, each.score) for each in found.snippets]

    def _piped(self, scope: QuestionScope, how: Pipeline) -> list[tuple[str, Span, float]]:
        named = [document for document, _ in scope.documents]
        filters = Filters(collection=self.corpus.collection)
        if named:
            filters = Filters(documents=tuple(named[:1] if scope.is_certain else named))
        asked = f"{scope.naming} {scope.question}".strip() if not named else scope.question
        if self.steps is not None and how.rewrites:
            asked = self.steps.rewrite(asked)
        vector = self.encoder.encode([asked])[0] if self.encoder is not None else None
        ranked = rank_passages(
            self.chunks, asked, vector, filters, how, limit=self.limit, reranker=self.reranker
        )
        found = [(document, passage.span, score) for document, passage, score in ranked]
        if self.steps is None or not how.filters:
            return found
        return self.steps.filter(scope.question, found, self._words)

    def _words(self, document: str, span: Span) -> str:
        return span.text_in(self.chunks.text(document))


@dataclass(frozen=True, slots=True)
class RetrievalRun:
    part: QuestionSet
    answers: list[Answer]
    routed: list[RoutedQuestion]
    seconds: float
    unread: Mapping[str, str]
    """Files of the corpus that could not be read, with the reason."""


@dataclass(frozen=True, slots=True)
class Retrieval:
    """How questions are answered.

    Attributes:
        encoder: Without one only words count.
        make_encoder: Makes the same encoder in another process. Without it, or with a reranker or
            a language model, one process answers.
    """

    profile: str = DEFAULT
    given: ContractScope = ContractScope.QUESTION
    encoder: Encoder | None = None
    make_encoder: Callable[[], Encoder] | None = None
    reranker: Reranker | None = None
    steps: ModelSteps | None = None


def run_retrieval(
    library: Library,
    sets: Sequence[QuestionSet],
    data: Path,
    asked: Retrieval,
    *,
    settings: Settings,
    on_progress: OnProgress | None = None,
) -> list[RetrievalRun]:
    """Fill the library with the corpora of sets, and answer their questions by a profile.

    Every question is asked of the corpora of all sets. Chunks that are not the library's own are
    kept in files next to it.

    Raises:
        ConfigError: If there is no such profile, or it needs a model that is not there.
    """
    from fourcorners.playbooks.concepts import default_concepts

    how = find_pipeline(asked.profile, asked.reranker)
    if how is not None and how.rewrites and asked.steps is None:
        raise ConfigError(f"the profile {asked.profile!r} needs a language model.")
    if how is not None and asked.encoder is None and not how.lexical:
        raise ConfigError(f"the profile {asked.profile!r} needs an encoder.")
    filled = fill_library(
        library, sets, data, encoder=asked.encoder, settings=settings, on_progress=on_progress
    )
    path = library.path
    if how is not None and how.chunks != OUTLINE:
        dense = asked.encoder if how.dense else None
        path = rechunk(library, filled, how.chunks, encoder=dense, on_progress=on_progress)
    concepts = default_concepts(asked.encoder) if how is None else ()
    make = partial(Retriever, corpus=filled, how=how, scope=asked.given, concepts=concepts)
    needs_encoder = how is None or how.dense
    alone = asked.reranker is not None or asked.steps is not None
    if settings.jobs > 1 and asked.make_encoder is not None and not alone:
        make_encoder = asked.make_encoder if needs_encoder else None
        begin = partial(_begin, library.path, path, make, make_encoder)
        return _asked_by_many(begin, sets, settings.jobs, filled.unread, on_progress)
    with Library.open(path) as chunks:
        retriever = make(
            library,
            chunks,
            encoder=asked.encoder if needs_encoder else None,
            reranker=asked.reranker,
            steps=asked.steps,
        )
        runs = [
            _build_run(part, map(retriever.answer, part.questions), filled.unread, on_progress)
            for part in sets
        ]
    if asked.steps is not None:
        asked.steps.require_answers()
    return runs


_mine: list[Retriever] = []  # of a process that answers


def _begin(
    library: Path,
    chunks: Path,
    make: Callable[..., Retriever],
    make_encoder: Callable[[], Encoder] | None,
) -> None:
    opened = (Library.open(path, create=False) for path in (library, chunks))
    _mine.append(make(*opened, encoder=make_encoder() if make_encoder else None))


def _answer(question: Question) -> tuple[Answer, RoutedQuestion | None]:
    return _mine[0].answer(question)


def _asked_by_many(
    begin: Callable[[], None],
    sets: Sequence[QuestionSet],
    jobs: int,
    unread: Mapping[str, str],
    on_progress: OnProgress | None,
) -> list[RetrievalRun]:
    """Ask in several processes; questions of one contract mostly go to the same."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=begin)
    try:
        return [
            _build_run(
                part, pool.map(_answer, part.questions, chunksize=_BLOCK), unread, on_progress
            )
            for part in sets
        ]
    finally:
        pool.shutdown(cancel_futures=True)


def _build_run(
    part: QuestionSet,
    answers: Iterable[tuple[Answer, RoutedQuestion | None]],
    unread: Mapping[str, str],
    on_progress: OnProgress | None,
) -> RetrievalRun:
    began = time.perf_counter()
    steps = with_progress(part.questions, f"Asking {part.name}", on_progress)
    found = [each for each, _ in zip(answers, steps, strict=True)]
    routed = [where for _, where in found if where is not None]
    seconds = time.perf_counter() - began
    return RetrievalRun(part, [answer for answer, _ in found], routed, seconds, unread)


def weights_hash() -> dict[str, Json]:
    """Return the hash of the weights by which the default profile ranks, and how they were made."""
    from fourcorners.search.sentences.weights import FILE

    content = FILE.read_bytes()
    return {
        "sha256": sha256(content).hexdigest(),
        "provenance": str(json.loads(content)["provenance"]),
    }
