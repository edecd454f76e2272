"""The removal test: a question that a contract answers, and the same contract without the answer.

Each case is a question of LegalBench-RAG with the words that experts marked as its answer. It is
asked of the contract as it is, and of a copy out of which every sentence that holds a marked word
was cut. A report should answer the first, and say of the second that it is not there.

A copy that still answers is no case, and experts leave some answers unmarked: contracts state a
licence or a limit of liability more than once. So a case is drawn only if `leftovers` finds the
marked answer and no other in the contract, by separate words and not by what reports are made
with. Left out so are contracts that say a thing twice, of which a copy tells nothing, and answers
so unlike others that no list of words can tell whether one more is left.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.documents.read import read_document
from fourcorners.errors import ConfigError
from fourcorners.library.store import Library
from fourcorners.research.answer import Answer, Verdict
from fourcorners.research.run import ResearchQuestion, ask, final_answer
from fourcorners.text.span import Span, merge_spans
from fourcorners_bench.answers import leftovers
from fourcorners_bench.answers.leftovers import ContractSentences
from fourcorners_bench.extraction import loader as cuad
from fourcorners_bench.extraction.run import add_document
from fourcorners_bench.record import OnProgress, with_progress
from fourcorners_bench.retrieval.loader import Question, corpus_text, load_set

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fourcorners.models.encoder.protocol import Encoder
    from fourcorners.search.concepts import Concept

COLLECTION = "removal"
FOLDS, HELD = 5, 0
"""The contracts of this fold are measured on, which the encoder has not learned from.

How it is judged whether anything answers was fitted on other questions to contracts of this fold
(`training/questions/judge.py`).
"""


@dataclass(frozen=True, slots=True)
class RemovalCase:
    """A question, its contract's file, and the marked words that answer it.

    Attributes:
        cut: The whole sentences that hold them.
        shows: Whether words of such answers find it.
        others: How many other sentences may answer, too.
    """

    question: str
    category: str
    file_path: str
    spans: tuple[Span, ...]
    cut: tuple[Span, ...]
    shows: bool
    others: int


@dataclass(frozen=True, slots=True)
class RemovalOutcome:
    """What the reports on a case said.

    Attributes:
        answered: Whether the contract as it is was said to answer.
        right: Whether a quote of that report shares words with what was marked.
        denied: Whether the copy was said not to answer.
    """

    case: RemovalCase
    answered: bool
    right: bool
    denied: bool
    standing: str
    removed: str


def find_data(data: Path) -> tuple[Path, Path | None]:
    """Return the folder of LegalBench-RAG and that of CUAD, if it is there, for the groups.

    Raises:
        ConfigError: If the folder holds neither.
    """
    folder = data if (data / "benchmarks").is_dir() else data / "legalbench-rag"
    if not (folder / "benchmarks").is_dir():
        raise ConfigError(
            f"{data} holds no benchmarks/NAME.json.",
            remedy="Give the folder of LegalBench-RAG with --data, or the one that holds it.",
        )
    beside = folder.parent / "cuad"
    return folder, beside if (beside / "annotations.jsonl").is_file() else None


def draw_cases(
    data: Path, *, held: bool, count: int, seed: int = 0, every: bool = False
) -> list[RemovalCase]:
    """Draw cases: of the contracts that are measured on, or of the others.

    No contract gives two cases of one category; without CUAD's groups all are measured on.

    With `held`, of the contracts of fold `HELD`, else of the others; with `every`, also those whose
    copy may still answer. They are drawn in an order by `seed`.
    """
    folder, beside = find_data(data)
    fold = _folds(beside) if beside else {}
    questions = [
        question
        for question in load_set(folder, "cuad").questions
        if (fold.get(Path(question.file_path).name, HELD) == HELD) is held
    ]
    questions.sort(key=lambda each: sha256(f"{seed}\n{each.query}".encode()).hexdigest())
    texts: dict[str, ContractSentences] = {}
    found: list[RemovalCase] = []
    drawn: set[tuple[str, str]] = set()
    for question in questions:
        place = (question.file_path, _category(question))
        if len(found) == count or place in drawn:
            continue
        drawn.add(place)
        if question.file_path not in texts:
            texts[question.file_path] = ContractSentences(corpus_text(folder, question.file_path))
        case = _case(question, texts[question.file_path])
        if every or (case.shows and not case.others):
            found.append(case)
    return found


def _folds(folder: Path) -> Mapping[str, int]:
    contracts = cuad.load_cuad(folder, keep_unread=True)
    return {
        contract.name: fold
        for contract, fold in zip(contracts, cuad.assign_folds(contracts, k=FOLDS), strict=True)
    }


def _category(question: Question) -> str:
    return question.tags[0] if question.tags else ""


def _case(question: Question, text: ContractSentences) -> RemovalCase:
    spans = tuple(merge_spans(each.span for each in question.answers))
    cut = tuple(text.overlapping_sentences(spans))
    category = _category(question)
    others = len(leftovers.find_remaining_answers(text, cut, category))
    shows = leftovers.is_visible(text, cut, category)
    return RemovalCase(question.question, category, question.file_path, spans, cut, shows, others)


def remove_spans(text: str, spans: Sequence[Span]) -> str:
    pieces, start = [], 0
    for span in merge_spans(spans):
        pieces.append(text[start : span.start])
        start = span.end
    return "".join([*pieces, text[start:]])


class RemovalLibrary:
    """The contracts and their copies in a library; vectors of the same words are made once."""

    def __init__(self, library: Library, data: Path, encoder: Encoder) -> None:
        self._library, self._data, self._encoder = library, find_data(data)[0], encoder
        self._vectors: dict[str, NDArray[np.float32]] = {}
        library.set_encoder(encoder.name, encoder.dimension)
        self._scratch = tempfile.TemporaryDirectory(prefix="fourcorners-")

    def __enter__(self) -> RemovalLibrary:
        return self

    def __exit__(self, *_: object) -> None:
        self._scratch.cleanup()

    def add_original(self, case: RemovalCase) -> str:
        """Add the contract as it is, and return its id."""
        return self.add(corpus_text(self._data, case.file_path))

    def add_redacted(self, case: RemovalCase) -> str:
        """Add the copy without the answer, and return its id."""
        return self.add(remove_spans(corpus_text(self._data, case.file_path), case.cut))

    def add(self, text: str) -> str:
        """Add a contract by its text, and return its id."""
        path = Path(self._scratch.name) / f"{sha256(text.encode('utf-8')).hexdigest()[:16]}.txt"
        path.write_bytes(text.encode("utf-8"))
        return add_document(self._library, read_document(path), COLLECTION, self._encode)

    def _encode(self, texts: list[str]) -> NDArray[np.float32]:
        import numpy as np

        new = [each for each in dict.fromkeys(texts) if each not in self._vectors]
        if new:
            self._vectors.update(zip(new, self._encoder.encode(new), strict=True))
        return np.stack([self._vectors[each] for each in texts])


def run_removal(
    library: Library,
    data: Path,
    drawn: Sequence[RemovalCase],
    *,
    encoder: Encoder,
    concepts: Sequence[Concept],
    on_progress: OnProgress | None = None,
) -> Iterator[RemovalOutcome]:
    """Ask each case's question of the contract and of the copy, and yield what was said."""
    by_contract = sorted(drawn, key=lambda case: case.file_path)
    with RemovalLibrary(library, data, encoder) as libraries:
        for case in with_progress(by_contract, "Asking", on_progress):
            documents = (libraries.add_original(case), libraries.add_redacted(case))
            standing, removed = (
                final_answer(
                    ask(
                        library,
                        ResearchQuestion(case.question, contracts=[each]),
                        encoder=encoder,
                        concepts=concepts,
                    )
                )
                for each in documents
            )
            yield _outcome(case, standing, removed)


def _outcome(case: RemovalCase, standing: Answer, removed: Answer) -> RemovalOutcome:
    quoted = [
        cited.quote.span
        for statement in standing.findings
        for cited in statement.quotes
        if cited.quote.span is not None
    ]
    return RemovalOutcome(
        case=case,
        answered=standing.answer.ruling is not Verdict.ABSENT,
        right=any(span.overlaps(marked) for span in quoted for marked in case.spans),
        denied=removed.answer.ruling is Verdict.ABSENT,
        standing=standing.answer.ruling.value,
        removed=removed.answer.ruling.value,
    )


def outcome_line(outcome: RemovalOutcome) -> str:
    case = outcome.case
    return json.dumps(
        {
            "question": case.question,
            "category": case.category,
            "file_path": case.file_path,
            "standing": outcome.standing,
            "right": outcome.right,
            "removed": outcome.removed,
        },
        ensure_ascii=False,
    )


def removal_measures(outcomes: Sequence[RemovalOutcome]) -> dict[str, float | int]:
    """Return the shares of the cases: answered, with the right words, and said not to be there."""
    count = len(outcomes)
    shares = {
        name: sum(bool(getattr(each, name)) for each in outcomes) / max(1, count)
        for name in ("answered", "right", "denied")
    }
    return {"cases": count, **shares}
