"""ContractNLI put to the three agents: a report on each hypothesis, then its label.

As in PAKTON's experiment (2025, appendix G.6) with the cross-document search at its end: the
archivist, the interrogator and the researcher report on the hypothesis from the contract alone, in
five turns at most, and one more question, with the example of each label that is nearest to what
the report quotes, turns the report into one of the labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fourcorners.errors import BudgetExceeded, ConfigError, LlmError
from fourcorners.library.store import Library
from fourcorners.llm import Port, QuotedText
from fourcorners.llm.prompt import Value
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.playbooks.concepts import default_concepts
from fourcorners.research.agents.inquiry import InquirySettings
from fourcorners.research.answer import TURNS, Answer
from fourcorners.research.run import ResearchQuestion, ask, final_answer
from fourcorners.text.span import Span
from fourcorners_bench.answers.plain_rag import answer_from_passages
from fourcorners_bench.answers.run_files import Report
from fourcorners_bench.entailment.exemplars import ExemplarSet
from fourcorners_bench.entailment.loader import JudgedHypothesis, Quote, Split
from fourcorners_bench.entailment.model_run import (
    Attempt,
    EvidenceAnswer,
    PromptedQuestion,
    Setting,
    example_values,
    judge_answer,
    split_questions,
)
from fourcorners_bench.extraction.run import add_document
from fourcorners_bench.outline.references import text_document
from fourcorners_bench.prompts.load import load_prompt
from fourcorners_bench.record import OnProgress, with_progress

COLLECTION = "entailment"
QUESTION = "Does the agreement say, rule out, or leave open the following: {}"


@dataclass(frozen=True, slots=True)
class InquiryAttempts:
    """Attempts by the agents, whose contracts a library holds."""

    library: Library

    def run_attempt(
        self,
        split: Split,
        setting: Setting,
        port: Port,
        exemplars: ExemplarSet,
        *,
        on_progress: OnProgress | None = None,
        encoder: Encoder | None = None,
        number: int = 0,
    ) -> Attempt:
        """Have the agents report on every question of a split once; `number` says which try it is.

        Raises:
            ConfigError: If there is no encoder.
            BudgetExceeded: When the budget has ended; the port may have kept answers so far.
            LlmNotConfigured: If an agent has no model.
        """
        if encoder is None:
            raise ConfigError("the agents need an encoder.")
        how = InquirySettings(turns=TURNS, job=port.job)
        concepts = default_concepts()
        self.library.set_encoder(encoder.name, encoder.dimension)
        answers: list[JudgedHypothesis] = []
        reports: list[Report] = []
        failed = invented = 0
        asked = split_questions(split)
        for one in with_progress(asked, f"{setting.name}, try {number + 1}", on_progress):
            identity = _add_contract(self.library, one, encoder)
            report = final_answer(
                ask(
                    self.library,
                    ResearchQuestion(
                        QUESTION.format(one.hypothesis), contracts=[identity], how=how
                    ),
                    encoder=encoder,
                    concepts=concepts,
                    port=port,
                )
            )
            labelled = _labelled(one, report, port, exemplars, encoder, number)
            answer, wrong = judge_answer(one, labelled)
            failed += labelled is None
            invented += wrong + report.counts.unverified
            answers.append(replace(answer, quotes=_rank_quotes(answer.quotes, report)))
            reports.append(_filed(one, setting.name, report))
        return Attempt(tuple(answers), failed, invented, tuple(reports))


def plain_reports(
    library: Library,
    split: Split,
    port: Port,
    *,
    encoder: Encoder,
    on_progress: OnProgress | None = None,
) -> list[Report]:
    """Have one call for each question report on the nearest chunks: the baseline of the agents."""
    library.set_encoder(encoder.name, encoder.dimension)
    reports = []
    for one in with_progress(split_questions(split), "plain reports", on_progress):
        identity = _add_contract(library, one, encoder)
        question = QUESTION.format(one.hypothesis)
        answer = answer_from_passages(library, question, [identity], port, encoder)
        reports.append(_filed(one, "plain retrieval", answer))
    return reports


def _add_contract(library: Library, asked: PromptedQuestion, encoder: Encoder) -> str:
    document = text_document(f"{asked.document.id}.txt", asked.document.text)
    return add_document(library, document, COLLECTION, encoder.encode)


def _filed(asked: PromptedQuestion, system: str, report: Answer) -> Report:
    return Report(f"{asked.document.id} {asked.key}", f"{system}, {report.made.by}", report)


def _labelled(
    asked: PromptedQuestion,
    report: Answer,
    port: Port,
    exemplars: ExemplarSet,
    encoder: Encoder,
    number: int,
) -> EvidenceAnswer | None:
    quoted = "\n".join(quote_words(report))
    retrieved = exemplars.retrieve(asked.document, asked.hypothesis, quoted, encoder)
    values: dict[str, Value] = {
        "hypothesis": asked.hypothesis,
        "report": [
            QuotedText(report_words(report), "report"),
            QuotedText(quoted, "its verified quotations"),
        ],
        "exemplars": example_values(retrieved),
    }
    try:
        return port.ask(load_prompt("nli_report"), values, EvidenceAnswer, sample=number).value
    except BudgetExceeded:
        raise
    except LlmError:
        return None


def report_words(report: Answer) -> str:
    """Return what a report says, in lines, for a model that reads it."""
    direct = report.answer
    lines = [f"Answer: {direct.ruling_line}."]
    for name, statements in (
        ("", direct.sentences),
        ("Condition: ", direct.conditions),
        ("Other reading: ", direct.readings),
        ("Finding: ", report.findings),
    ):
        lines += [f"{name}{each.text}" for each in statements]
    return "\n".join([*lines, *(f"Open: {gap.what}" for gap in report.gaps)])


def quote_words(report: Answer) -> list[str]:
    return list(dict.fromkeys(words for words, _ in _verified(report)))


def _verified(report: Answer) -> list[tuple[str, Span]]:
    quotes = (each.quote for statement in report.statements for each in statement.quotes)
    return [(quote.words, quote.span) for quote in quotes if quote.span is not None]


def _rank_quotes(chosen: Sequence[Quote], report: Answer) -> tuple[Quote, ...]:
    """Return the quotes that decided the label, then the others of the report."""
    spans = dict.fromkeys([each.span for each in chosen] + [span for _, span in _verified(report)])
    return tuple(Quote(span, 1.0 / rank) for rank, span in enumerate(spans, start=1))
