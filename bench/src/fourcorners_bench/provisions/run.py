"""Answering the law firm's scenarios: by plain questions, by playbooks, by learned queries.

| profile | what is asked |
| --- | --- |
| `plain` | one question a provision, as keywords and as vector (the paper's non-optimised) |
| `optimised` | the built-in playbook's own query and examples, without what was mined |
| `learned` | queries mined from the contracts of the other four folds, and their examples |
| `both` | these queries and the built-in playbook's own query and examples |
| `default` | the built-in playbook as it is shipped: its query, its mined query, its examples |

The passages are the paper's chunks, or windows that the program chooses itself. What was learned
here is out of fold; the weights that it is ranked by were fitted on all folds, unless others are
given (`training/passages/train.py` gives those of the other folds).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Literal, TypeAlias

from fourcorners.errors import LibraryError
from fourcorners.library.contract import read_contract
from fourcorners.library.store import Library
from fourcorners.playbooks.learning.learn import (
    Clause,
    Sentence,
    mark_sentences,
)
from fourcorners.playbooks.load import load_playbook
from fourcorners.playbooks.passages.ranking import (
    MAX_LENGTH,
    RankedContract,
    RankingTarget,
    default_weights,
    ranking_signals,
    score_sentences,
    sentence_weights,
    weights_key,
)
from fourcorners.review.prompting.passages import fixed_chunks
from fourcorners.review.prompting.passages import rank_chunks as rank_by_score
from fourcorners.search.query import parse_query
from fourcorners.text.span import Span
from fourcorners.text.stems import content_tokens
from fourcorners.text.tokenization import tokenize
from fourcorners_bench.extraction import loader as cuad
from fourcorners_bench.extraction.loader import (
    CATEGORY_PROVISIONS,
    FOURTEEN_PROVISIONS,
    QUESTIONS,
    AnnotatedContract,
    readable,
)
from fourcorners_bench.extraction.run import find_document
from fourcorners_bench.provisions.directions import DirectionQuery, MarkedPassages, PassageLearner
from fourcorners_bench.provisions.document_search import rank_chunks
from fourcorners_bench.provisions.score import (
    ProvidedPassages,
    Scenario,
)
from fourcorners_bench.provisions.windows import choose_windows
from fourcorners_bench.record import OnProgress, with_progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fourcorners.models.encoder.protocol import Encoder

FOLDS = 5  # of the contracts, by group


Profile: TypeAlias = Literal["default", "both", "learned", "optimised", "plain"]
PassageSource: TypeAlias = Literal["windows", "chunks", "sentences"]


@dataclass(frozen=True, slots=True)
class ProvisionQuery:
    plain: tuple[Sequence[str], NDArray[np.float32]] | None = None
    target: RankingTarget | None = None


@dataclass(frozen=True, slots=True)
class ReturnLimits:
    """What is returned of a contract: which passages, how many at most, how long at most.

    Sentences are as many as fit in the characters that `most` passages make.
    """

    name: str
    passaging: PassageSource
    most: int
    longest: int = MAX_LENGTH


def return_limits(scenario: Scenario, profile: Profile) -> list[ReturnLimits]:
    """Return what to measure: the paper's chunks, our windows, and half as much of both kinds.

    Half as much is half as long, half as many, or the best sentences whatever their number.
    """
    most = scenario.most
    chunks = [
        ReturnLimits("chunks", "chunks", most),
        ReturnLimits("½ as many chunks", "chunks", most // 2),
    ]
    if profile == "plain":
        return chunks
    windows = [
        ReturnLimits("windows", "windows", most),
        ReturnLimits("½ as long", "windows", most, MAX_LENGTH // 2),
        ReturnLimits("½ as many", "windows", most // 2),
        ReturnLimits("½ by sentence", "sentences", most // 2),
    ]
    return windows + chunks


def run_scenario(
    library: Library,
    contracts: Sequence[AnnotatedContract],
    scenario: Scenario,
    profile: Profile,
    *,
    encoder: Encoder,
    seed: int = 0,
    on_progress: OnProgress | None = None,
) -> dict[str, list[ProvidedPassages]]:
    """Answer each contract of the scenario × the 14 provisions, in each of the profile's shapes.

    The `learned` profile learns from all the contracts given, also from those that are too short
    for the scenario. A contract that could not be read has no passages.
    """
    wanted = return_limits(scenario, profile)
    unread = [each.name for each in contracts if each.unread and scenario.includes(each)]
    contracts = readable(contracts)
    asked = _build_query(library, contracts, profile, encoder, seed, on_progress)
    chosen = [at for at, contract in enumerate(contracts) if scenario.includes(contract)]
    run: dict[str, list[ProvidedPassages]] = {
        shape.name: [
            ProvidedPassages(name, provision, ())
            for name in unread
            for provision in FOURTEEN_PROVISIONS
        ]
        for shape in wanted
    }
    for at in with_progress(chosen, "Choosing passages", on_progress):
        contract = contracts[at]
        ready = RankedContract.build(read_contract(library, _stored_document(library, contract)))
        for provision in FOURTEEN_PROVISIONS:
            found = _answers(ready, asked[at][provision], wanted)
            for shape, passages in zip(wanted, found, strict=True):
                run[shape.name].append(ProvidedPassages(contract.name, provision, tuple(passages)))
    return run


def _stored_document(library: Library, contract: AnnotatedContract) -> str:
    document = find_document(library, contract.text)
    if not library.execute("SELECT 1 FROM documents WHERE id = ?", (document,)):
        raise LibraryError(
            f"the library does not hold {contract.name}.",
            remedy="Run the benchmark again: what is done is kept with --library.",
        )
    return document


def _answers(
    contract: RankedContract, asked: ProvisionQuery, wanted: Sequence[ReturnLimits]
) -> Iterator[list[Span]]:
    if asked.plain is not None:
        ranked = _plain(contract, *asked.plain)
        yield from (ranked[: shape.most] for shape in wanted)
        return
    if asked.target is None:
        raise ValueError("nothing is asked")
    weighing = default_weights()[weights_key(contract, asked.target)]
    chance = score_sentences(ranking_signals(contract, asked.target), weighing)
    yield from (select_windows(contract, chance, shape) for shape in wanted)


def select_windows(
    contract: RankedContract,
    chance: NDArray[np.float64],
    shape: ReturnLimits,
    parts: Sequence[Span] | None = None,
) -> list[Span]:
    """Return the passages of a shape, where each sentence has a chance; the best first.

    `parts` are the tiles of the contract for the shape's length, if they are known already.
    """
    parts, worth = sentence_weights(contract, chance, longest=shape.longest, parts=parts)
    if shape.passaging == "chunks":
        return rank_by_score(len(contract.text), parts, worth)[: shape.most]
    if shape.passaging == "sentences":
        return _best_sentences(parts, worth, shape.most * shape.longest)
    windows = choose_windows(parts, worth, most=shape.most, longest=shape.longest)
    return [window.span for window in windows]


def _best_sentences(
    parts: Sequence[Span], worth: NDArray[np.float64], characters: int
) -> list[Span]:
    """Return the parts that are worth most, as far as the characters go."""
    found = []
    for at in sorted(range(len(parts)), key=lambda at: (-float(worth[at]), at)):
        characters -= len(parts[at])
        if characters < 0:
            break
        found.append(parts[at])
    return found


def _plain(
    contract: RankedContract, words: Sequence[str], vector: NDArray[np.float32]
) -> list[Span]:
    """Return the paper's chunks by BM25 and cosine, their ranks fused."""
    chunks = fixed_chunks(len(contract.text))
    cosines = pool_vectors(contract, chunks, vector[None, :])
    return rank_chunks(contract.index, chunks, words, cosines)


def pool_vectors(
    contract: RankedContract, chunks: Sequence[Span], like: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return for each chunk the best cosine of the library's passages in it with any row.

    The encoder reads no more than the first 256 tokens of a text: so the passages speak for the
    chunk that the larger part of them lies in.
    """
    import numpy as np

    best = np.full(len(chunks), -1.0, np.float32)
    if contract.vectors is None:
        return best
    cosines = (contract.vectors @ like.T).max(axis=1)
    starts = np.full(len(contract.headings), len(contract.text), np.int64)
    ends = np.zeros(len(contract.headings), np.int64)
    for span, passage in zip(contract.spans, contract.principal_of.tolist(), strict=True):
        starts[passage] = min(starts[passage], span.start)
        ends[passage] = max(ends[passage], span.end)
    middles = (starts + ends) / 2
    for at, chunk in enumerate(chunks):
        inside = (middles >= chunk.start) & (middles < chunk.end) & (ends > starts)
        best[at] = cosines[inside].max(initial=-1.0)
    return best


def _build_query(
    library: Library,
    contracts: Sequence[AnnotatedContract],
    profile: Profile,
    encoder: Encoder,
    seed: int,
    on_progress: OnProgress | None,
) -> list[Mapping[str, ProvisionQuery]]:
    if profile == "plain":
        vectors = encoder.encode([QUESTIONS[provision] for provision in FOURTEEN_PROVISIONS])
        plain = {
            provision: ProvisionQuery(plain=(_keywords(QUESTIONS[provision]), vector))
            for provision, vector in zip(FOURTEEN_PROVISIONS, vectors, strict=True)
        }
        return [plain] * len(contracts)
    built_in = builtin_targets(encoder)
    if profile in ("learned", "both"):
        fold = cuad.assign_folds(list(contracts), k=FOLDS, seed=seed)
        learner = build_learner(library, contracts, FOURTEEN_PROVISIONS, on_progress=on_progress)
        by_fold = _by_fold(contracts, fold, learner, built_in, profile == "both", on_progress)
        return [by_fold[each] for each in fold]
    if profile == "optimised":
        built_in = {name: replace(each, learned=None) for name, each in built_in.items()}
    return [{name: ProvisionQuery(target=each) for name, each in built_in.items()}] * len(contracts)


def _keywords(question: str) -> list[str]:
    return list(dict.fromkeys(content_tokens(tokenize(question).tokens)))


def builtin_targets(encoder: Encoder) -> dict[str, RankingTarget]:
    """Return what the built-in playbook asks, by the names of the 14 provisions."""
    book = load_playbook("due-diligence")
    found = {}
    for name in FOURTEEN_PROVISIONS:
        provision = book.provision(CATEGORY_PROVISIONS[name][1])
        found[name] = RankingTarget(
            learned=provision.learned,
            query=provision.query,
            avoid=provision.avoid,
            examples=encoder.encode(list(provision.examples) or [provision.definition]),
            fact=provision.card,
        )
    return found


def build_learner(
    library: Library,
    contracts: Sequence[AnnotatedContract],
    categories: Sequence[str],
    *,
    on_progress: OnProgress | None = None,
) -> PassageLearner:
    """Make the annotated contracts ready to learn from.

    The vector of a clause is that of the passage which holds most of it: the library has it.

    Raises:
        LibraryError: If the library lacks a contract, or its vectors.
    """
    import numpy as np

    sentences: list[Sentence] = []
    clauses: list[Clause] = []
    nearest, vectors = [], []
    groups: list[str] = []
    provisions: list[frozenset[str]] = []
    for contract in with_progress(contracts, "Reading annotations", on_progress):
        ready = RankedContract.build(read_contract(library, _stored_document(library, contract)))
        if ready.vectors is None:
            raise LibraryError(
                f"the library holds no vectors of {contract.name}.",
                remedy="Run the benchmark with a separate library: --library FILE.",
            )
        marked = {category: contract.annotations[category] for category in categories}
        own = mark_sentences(contract.text, ready.spans, marked, contract.group)
        sentences += own
        vectors.append(ready.vectors)
        groups += [contract.group] * len(ready.vectors)
        of_passage: list[set[str]] = [set() for _ in ready.vectors]
        for sentence, passage in zip(own, ready.principal_of.tolist(), strict=True):
            of_passage[passage] |= sentence.provisions
        provisions += [frozenset(each) for each in of_passage]
        for category in categories:
            for span in contract.annotations[category]:
                passage = _holder(ready, span)
                if passage is not None:
                    clauses.append(Clause(category, span.text_in(contract.text), contract.group))
                    nearest.append(ready.vectors[passage])
    return PassageLearner(
        sentences,
        clauses,
        vectors=np.stack(nearest) if nearest else None,
        passages=MarkedPassages(np.concatenate(vectors), groups, provisions),
    )


def _holder(contract: RankedContract, span: Span) -> int | None:
    """Return the passage that holds most of a span; None if no sentence of any does."""
    shared: dict[int, int] = {}
    starts = [each.start for each in contract.spans]
    for at in range(max(0, bisect_right(starts, span.start) - 1), bisect_left(starts, span.end)):
        both = contract.spans[at].intersection(span)
        if both:
            passage = int(contract.principal_of[at])
            shared[passage] = shared.get(passage, 0) + len(both)
    return max(shared, key=shared.__getitem__) if shared else None


def with_learned_query(own: RankingTarget, learned: DirectionQuery, *, both: bool) -> RankingTarget:
    """Return what was learned as what is asked: alone, or with the playbook's own."""
    query = parse_query(learned.query)
    if both:
        return replace(own, learned=query, direction=learned.direction)
    return RankingTarget(
        learned=query, examples=learned.centres, direction=learned.direction, fact=own.fact
    )


def _by_fold(
    contracts: Sequence[AnnotatedContract],
    fold: Sequence[int],
    learner: PassageLearner,
    built_in: Mapping[str, RankingTarget],
    both: bool,
    on_progress: OnProgress | None,
) -> list[dict[str, ProvisionQuery]]:
    """Return what each fold is asked: what was learned on the others."""
    groups: list[set[str]] = [set() for _ in range(FOLDS)]
    for contract, held in zip(contracts, fold, strict=True):
        groups[held].add(contract.group)
    found: list[dict[str, ProvisionQuery]] = [{} for _ in range(FOLDS)]
    cells = list(product(range(FOLDS), FOURTEEN_PROVISIONS))
    for held, provision in with_progress(cells, "Learning", on_progress):
        learned = learner.learn(provision, without=groups[held])
        wanted = with_learned_query(built_in[provision], learned, both=both)
        found[held][provision] = ProvisionQuery(target=wanted)
    return found
