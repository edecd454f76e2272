"""Fill the cell of a contract for a question: with its own words, or why nothing was found.

By rules, it is the report of `fourcorners ask` on this contract alone. With a language model, the
model reads what the search proposes and what else is relevant, as in a review; what it says without
words of the contract is not a finding.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from fourcorners.errors import BudgetExceeded, FourcornersError, LibraryError
from fourcorners.library.contract import Contract, read_contract
from fourcorners.library.store import Library
from fourcorners.llm import Port
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.research.answer import Gap, Role, Verdict
from fourcorners.research.columns.store import QuestionColumn, columns_playbook, is_current
from fourcorners.research.context import build_context
from fourcorners.research.offline.extract import PartAnswer, answer_part
from fourcorners.research.question import split_question
from fourcorners.review import store
from fourcorners.review.evidence import evidence_at
from fourcorners.review.finding import (
    CellState,
    Evidence,
    Finding,
    RiskAnswer,
    SearchRecord,
    Severity,
)
from fourcorners.review.prompting.reviewer import ModelReviewer, PromptSettings
from fourcorners.review.set_apart import SetApartWords
from fourcorners.search.concepts import Concept
from fourcorners.text.span import Span
from fourcorners.version import __version__


class ColumnFiller:
    """Fills the cells of one column, by rules, or with a port by the language model.

    Raises:
        LlmNotConfigured: If a model is wanted and a role has none.
    """

    def __init__(
        self,
        library: Library,
        column: QuestionColumn,
        *,
        encoder: Encoder | None,
        concepts: Sequence[Concept],
        port: Port | None = None,
    ) -> None:
        self._library, self._column = library, column
        self._encoder, self._concepts = encoder, tuple(concepts)
        self._book = columns_playbook(column.collection, column.playbook, [column])
        self._asker = (
            None
            if port is None
            else ModelReviewer(port, self._book, PromptSettings(), encoder=encoder)
        )

    @property
    def engine(self) -> str:
        """Return the engine name that identifies stored cells."""
        by = self._encoder.name if self._encoder is not None else "words alone"
        asked = f" {self._asker.name}" if self._asker is not None else ""
        return f"asked {__version__} {by}{asked}"

    def pending_documents(
        self, documents: Sequence[str], *, again: bool = False, only_failed: bool = False
    ) -> list[str]:
        """Return the documents whose cells are to be filled, in their order.

        These are empty, failed, or filled by another engine; with `again` all of them, with
        `only_failed` the failed ones.
        """
        provision = self._column.provision
        if only_failed:
            failed = store.failed_cells(self._library, self._book)
            return [each for each in documents if provision in failed.get(each, ())]
        done = {} if again else store.filled_cells(self._library, self._book.hash, self.engine)
        return [each for each in documents if provision not in done.get(each, ())]

    def fill_all(self, documents: Sequence[str]) -> Iterator[Finding]:
        """Fill and store the cell of each document, and yield it; stop if the column was removed.

        Raises:
            BudgetExceeded: If the budget of the language model is used up; what is filled is kept.
        """
        for document in documents:
            if not is_current(self._library, self._column):
                return
            cell = self.fill(document)
            store.save_findings(self._library, self._book, self.engine, [cell])
            yield cell

    def fill(self, document: str) -> Finding:
        """Return the cell of a contract; a failure gives a failed cell with its reason.

        Raises:
            BudgetExceeded: If the budget of the model is used up: the cell stays empty.
            LibraryError: If the library cannot be used, whatever the contract.
        """
        try:
            reading = read_contract(self._library, document)
            draft = self._by_rules(document, reading)
            if self._asker is not None:
                return self._by_model(self._asker, reading, draft)
            provision = self._book.provision(self._column.provision)
            return SetApartWords(reading).leave_to_read(draft, provision)
        except (BudgetExceeded, LibraryError):
            raise
        except FourcornersError as error:
            return Finding(
                document,
                self._column.provision,
                CellState.FAILED,
                error=error.message,
                remedy=error.remedy,
            )

    def _by_rules(self, document: str, reading: Contract) -> Finding:
        question = self._column.question
        context = build_context(
            self._library,
            [document],
            collection=self._column.collection,
            encoder=self._encoder,
            concepts=self._concepts,
        )
        answered = [answer_part(context, part) for part in split_question(question)]
        found = _evidence(reading, document, answered)
        searched = _searched(reading, document, question, answered)
        cell = Finding(document, self._column.provision, CellState.NOT_FOUND, searched=searched)
        if not found:
            gaps = [gap for each in answered for gap in each.gaps]
            return replace(cell, reason=_explain_absence(gaps, answered))
        answer = RiskAnswer(question, "", id="asked", quotes=(found[0].quote,))  # left to a person
        open_parts = " ".join(
            f"Nothing answers “{each.part.text}”."
            for each in answered
            if each.verdict is Verdict.ABSENT
        )
        return replace(
            cell,
            state=CellState.FOUND,
            evidence=found,
            answers=(answer,),
            reason=open_parts,
            candidates=tuple((e.quote.span, e.score) for e in found if e.quote.span),
        )

    def _by_model(self, asker: ModelReviewer, reading: Contract, draft: Finding) -> Finding:
        best = draft.searched.best if draft.searched else None
        if not draft.candidates and best is not None and best.quote.span is not None:
            draft = replace(draft, candidates=((best.quote.span, best.score),))
        filled = asker.fill(reading, [draft])
        if filled.stopped is not None:
            raise filled.stopped
        cell = filled.cells[0]
        if cell.state is CellState.TO_READ:
            return cell
        # No playbook gives its severity.
        answers = tuple(
            replace(each, statement="" if each.is_open else each.answer) for each in cell.answers
        )
        cell = replace(cell, answers=answers, severity=Severity.NONE, recommendation="")
        if cell.state is not CellState.NOT_FOUND:
            return replace(cell, reason="")
        absence = "The language model found nothing in what it was given to read that answers this."
        if cell.claims:
            absence = (
                "The language model gave words that are not in the contract; they are no evidence."
            )
        return replace(cell, reason=absence)


def _evidence(
    reading: Contract, document: str, answered: Iterable[PartAnswer]
) -> tuple[Evidence, ...]:
    """Return the words of this contract that answer, the likeliest first, each once."""
    found: dict[Span, Evidence] = {}
    for part in answered:
        for statement in part.findings:
            if statement.role is not Role.EVIDENCE:
                continue
            for cited in statement.quotes:
                span = cited.quote.span
                if cited.document == document and span is not None and span not in found:
                    chance = max(cited.score, 0.0)
                    found[span] = evidence_at(reading, span, min(1.0, chance))
    return tuple(sorted(found.values(), key=lambda each: -each.score))


def _searched(
    reading: Contract,
    document: str,
    question: str,
    answered: Sequence[PartAnswer],
) -> SearchRecord:
    sentences = len(reading.sentences)
    judged = max((each.search.best for each in answered), key=lambda each: each.chance)
    near = next(
        (
            snippet
            for each in answered
            for snippet in each.search.snippets
            if snippet.document == document
        ),
        None,
    )
    best = None if near is None else evidence_at(reading, near.span, judged.chance)
    return SearchRecord(question, sentences, judged.threshold, best)


def _explain_absence(gaps: Iterable[Gap], answered: Sequence[PartAnswer]) -> str:
    """Return why a contract was found to say nothing, in sentences."""
    reasons = list(dict.fromkeys(gap.what for gap in gaps if gap.nearest is None or gap.searched))
    searched = "; ".join(dict.fromkeys(each.search.description for each in answered))
    return " ".join([*reasons, f"{searched[:1].upper()}{searched[1:]}."])
