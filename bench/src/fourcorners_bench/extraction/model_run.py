"""The law firm's generation experiments: extraction with a language model, an axis at a time.

Nine provisions, by the paper's rule, on its kind of contracts (40 to 60 chunks) unless all are
asked for. An answer with invented words counts against precision, as in the paper; what was
extracted of a contract whose cell failed is nothing, and the failures are counted separately.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import mean
from typing import TYPE_CHECKING

from fourcorners.errors import ConfigError
from fourcorners.library.contract import Contract, read_contract
from fourcorners.library.store import Library
from fourcorners.llm import Port, Spending
from fourcorners.models.registry import default_clause_reader
from fourcorners.playbooks.load import load_playbook
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review.extract.cells import extract_findings
from fourcorners.review.extract.reader import ProvisionReader
from fourcorners.review.extract.scoring import default_calibration
from fourcorners.review.finding import CellState, Finding
from fourcorners.review.prompting.passages import fixed_chunks
from fourcorners.review.prompting.settings import PromptProfile
from fourcorners.review.run import prepare_provisions
from fourcorners.text.span import covered_length, intersect_spans
from fourcorners_bench.extraction.experiments import Experiment, ExperimentReviewer
from fourcorners_bench.extraction.loader import (
    CATEGORY_PROVISIONS,
    NINE_PROVISIONS,
    RELATED,
    AnnotatedContract,
    paper_figures,
)
from fourcorners_bench.extraction.run import find_document
from fourcorners_bench.extraction.score import Counts, add_counts, count_provision, macro_means
from fourcorners_bench.measures.model_calls import spending_figures, spending_since
from fourcorners_bench.measures.statistics import bootstrap_interval
from fourcorners_bench.measures.tables import figure_table
from fourcorners_bench.record import Json, OnProgress, json_figures, with_progress

if TYPE_CHECKING:
    from rich.table import Table

    from fourcorners.models.encoder.protocol import Encoder
    from fourcorners.settings import LlmSettings

PAPER_PARAMETERS = {"temperature": 0.0, "seed": 0, "max_tokens": 2_000}
"""Of the paper's model calls; it says of the seed that it is constant."""


@dataclass(frozen=True, slots=True)
class Result:
    """What an experiment came to.

    Attributes:
        by_contract: Counts by the paper's rule, an answer with invented words counted against.
        lenient: The same over all contracts, where invented words cost nothing: they are never
            shown as evidence.
        invented: Answers with words that are not in the contract, after they were asked again.
        misleading: Answers that quote nothing of the provision or of one related to it.
        failed: Answers that never came.
    """

    experiment: Experiment
    model: str
    by_contract: Mapping[str, Mapping[str, Counts]]
    lenient: Mapping[str, Counts]
    answers: int = 0
    invented: int = 0
    misleading: int = 0
    failed: int = 0
    spent: Spending = field(default_factory=Spending)

    @property
    def provisions(self) -> dict[str, Counts]:
        return add_counts(self.by_contract.values(), NINE_PROVISIONS)

    def interval(self, figure: Callable[[Mapping[str, Counts]], float]) -> tuple[float, float]:
        """Return the 95% interval of a figure over contracts."""
        return bootstrap_interval(
            list(self.by_contract.values()),
            lambda drawn: figure(add_counts(drawn, NINE_PROVISIONS)),
            samples=400,
        )

    def to_json(self) -> dict[str, Json]:
        return {
            "name": self.experiment.name,
            "model": self.model,
            "settings": None if self.experiment.local else self.experiment.settings,
            "nine": json_figures(macro_means(self.provisions, NINE_PROVISIONS)),
            "nine_intervals": json_figures(
                {"f1": self.interval(mean_f1), "accuracy": self.interval(mean_accuracy)}
            ),
            "nine_lenient_f1": round(macro_means(self.lenient, NINE_PROVISIONS)["f1"], 4),
            "provisions": {
                name: json_figures(
                    {
                        "samples": each.samples,
                        "accuracy": each.accuracy,
                        "f1": each.f1(),
                        "precision": each.precision(),
                        "recall": each.recall,
                    }
                )
                for name, each in self.provisions.items()
            },
            "answers": self.answers,
            "invented": self.invented,
            "misleading": self.misleading,
            "failed": self.failed,
            **spending_figures(self.spent),
            "accuracy": round(mean_accuracy(self.provisions), 4),
            "paper": {row: paper_figures()[row]["Mean"] for row in self.experiment.paper},
        }


def filter_by_length(
    contracts: Sequence[AnnotatedContract], planned: Sequence[Experiment]
) -> list[AnnotatedContract]:
    """Return the contracts of the lengths that experiments ask for.

    Raises:
        ConfigError: If there are none, or experiments ask for different lengths.
    """
    lengths = {each.chunks for each in planned}
    if len(lengths) > 1:
        raise ConfigError(
            "the experiments are of contracts of different lengths.", remedy="Run each by itself."
        )
    (chunks,) = lengths
    if chunks is None:
        return list(contracts)
    least, most = chunks
    found = [each for each in contracts if least <= len(fixed_chunks(len(each.text))) <= most]
    if not found:
        raise ConfigError(
            f"no contract has {least} to {most} chunks.",
            remedy="Write an experiment without `chunks`, which asks all contracts.",
        )
    return found


def paper_parameters(llm: LlmSettings) -> LlmSettings:
    """Return settings with the paper's parameters where they say none of their own."""
    own = llm.model_fields_set
    return llm.model_copy(
        update={name: value for name, value in PAPER_PARAMETERS.items() if name not in own}
    )


def nine_provisions() -> Playbook:
    book = load_playbook("due-diligence")
    wanted = {CATEGORY_PROVISIONS[name][1] for name in NINE_PROVISIONS}
    return replace(book, provisions=tuple(p for p in book.provisions if p.id in wanted))


def run_experiment(
    library: Library,
    contracts: Sequence[AnnotatedContract],
    experiment: Experiment,
    port: Port,
    *,
    encoder: Encoder | None,
    on_progress: OnProgress | None = None,
) -> Result:
    """Ask the nine provisions of each contract, and score the answers.

    Raises:
        BudgetExceeded: When the budget has ended; answers so far are kept where the port keeps any.
    """
    book = nine_provisions()
    asker = ExperimentReviewer(port, book, experiment, encoder=encoder)
    drafted = _Drafted(book, encoder, experiment.profile)
    before = port.ledger.job_spending(port.job)
    by_id = {CATEGORY_PROVISIONS[name][1]: name for name in NINE_PROVISIONS}
    result = Result(
        experiment,
        f"{asker.model_names} ({experiment.description})",
        {},
        {name: Counts() for name in NINE_PROVISIONS},
    )
    for contract in with_progress(contracts, experiment.name, on_progress):
        if contract.unread:
            result = _without_text(result, contract)
            continue
        reading = read_contract(library, find_document(library, contract.text))
        filled = asker.fill(reading, drafted.principal_of(reading))
        if filled.stopped is not None:
            raise filled.stopped
        for finding in filled.cells:
            result = _with(result, contract, by_id[finding.provision], finding)
    return replace(result, spent=spending_since(before, port.ledger.job_spending(port.job)))


def run_local(
    library: Library,
    contracts: Sequence[AnnotatedContract],
    experiment: Experiment,
    _: Port,
    *,
    encoder: Encoder | None,
    on_progress: OnProgress | None = None,
) -> Result:
    """Extract the nine provisions by the local reader alone, as a review without a model does."""
    drafted = _Drafted(nine_provisions(), encoder, PromptProfile.CLAUSES)
    by_id = {CATEGORY_PROVISIONS[name][1]: name for name in NINE_PROVISIONS}
    none = {name: Counts() for name in NINE_PROVISIONS}
    result = Result(experiment, default_clause_reader().name, {}, none)
    for contract in with_progress(contracts, experiment.name, on_progress):
        if contract.unread:
            result = _without_text(result, contract)
            continue
        reading = read_contract(library, find_document(library, contract.text))
        for finding in drafted.principal_of(reading):
            shown = finding if finding.state is CellState.FOUND else replace(finding, evidence=())
            result = _with(result, contract, by_id[finding.provision], shown)
    return result


def _without_text(result: Result, contract: AnnotatedContract) -> Result:
    for name in NINE_PROVISIONS:
        finding = Finding(contract.name, CATEGORY_PROVISIONS[name][1], CellState.NOT_FOUND)
        result = _with(result, contract, name, finding)
    return result


class _Drafted:
    """What the model judges: the local reader's drafts, or nothing where it is to extract."""

    def __init__(self, playbook: Playbook, encoder: Encoder | None, profile: PromptProfile) -> None:
        reader = default_clause_reader()
        self._playbook, self._profile = playbook, profile
        self._prepared = (
            prepare_provisions(playbook, encoder) if profile is PromptProfile.CLAUSES else ()
        )
        self._judge = ProvisionReader(
            reader, encoder is not None and encoder.name == reader.encoder
        )

    def principal_of(self, reading: Contract) -> list[Finding]:
        if self._profile is PromptProfile.CLAUSES:
            return extract_findings(reading, self._prepared, default_calibration(), self._judge)
        return [
            Finding(reading.id, each.id, CellState.NOT_FOUND) for each in self._playbook.provisions
        ]


def _with(result: Result, contract: AnnotatedContract, name: str, finding: Finding) -> Result:
    quotes = [each.quote.span for each in finding.evidence if each.quote.span]
    lenient = count_provision(contract, name, quotes)
    counts = _against(lenient) if finding.claims else lenient
    related = [
        span for each in (name, *RELATED.get(name, ())) for span in contract.annotations[each]
    ]
    is_misleading = bool(quotes) and not covered_length(intersect_spans(quotes, related))
    held = {**result.by_contract.get(contract.name, {}), name: counts}
    return replace(
        result,
        by_contract={**result.by_contract, contract.name: held},
        lenient={**result.lenient, name: result.lenient[name] + lenient},
        answers=result.answers + 1,
        invented=result.invented + bool(finding.claims),
        misleading=result.misleading + is_misleading,
        failed=result.failed + (finding.state is CellState.FAILED),
    )


def _against(counts: Counts) -> Counts:
    """Count an answer that holds invented words as the paper does: it is a false positive."""
    return replace(
        counts,
        true_positives=0,
        true_negatives=0,
        forgiven=0,
        false_positives=max(1, counts.true_positives + counts.false_positives + counts.forgiven),
    )


def experiment_table(results: Sequence[Result]) -> Table:
    """Return the mean figures of each configuration with the paper's."""
    heads = ("F1", "95%", "lenient", "acc.", "prec.", "recall", "F1 in the paper")
    title = "Nine provisions with a language model"
    shown = figure_table(title, "Configuration", *heads, wrap_words=True)
    for each in results:
        means = macro_means(each.provisions, NINE_PROVISIONS)
        shown.add_row(
            each.experiment.name,
            f"{means['f1']:.3f}",
            "–".join(f"{bound:.2f}" for bound in each.interval(mean_f1)),
            f"{macro_means(each.lenient, NINE_PROVISIONS)['f1']:.3f}",
            f"{mean_accuracy(each.provisions):.3f}",
            f"{means['precision']:.3f}",
            f"{means['recall']:.3f}",
            "\n".join(_papers(each.experiment)),
        )
    return shown


def effort_table(results: Sequence[Result]) -> Table:
    """Return what each configuration invented, and what it took."""
    heads = ("inv.", "misl.", "failed", "calls", "cost")
    title = "What went wrong, and what it took"
    shown = figure_table(title, "Configuration", *heads, wrap_words=True)
    for each in results:
        spent = each.spent
        shown.add_row(
            each.experiment.name,
            str(each.invented),
            str(each.misleading),
            str(each.failed),
            f"{spent.calls + spent.cached:,}",
            "?" if spent.unpriced else f"{spent.cost:,.2f}",
        )
    return shown


def _papers(experiment: Experiment) -> Iterator[str]:
    for row in experiment.paper:
        model = next((name for name in ("GPT4-32K", "GPT4-Turbo") if name in row), "tool")
        yield f"{paper_figures()[row]['Mean']:.2f} {model}"


def mean_f1(provisions: Mapping[str, Counts]) -> float:
    return macro_means(provisions, NINE_PROVISIONS)["f1"]


def mean_accuracy(provisions: Mapping[str, Counts]) -> float:
    """Return the mean over the nine provisions of the share of samples that came out right."""
    return mean(provisions[name].accuracy for name in NINE_PROVISIONS)


def provision_table(result: Result) -> Table:
    """Return a configuration's rows of the paper's appendix 2."""
    title = f"{result.experiment.name}: {result.model.partition(' (')[0]}"
    heads = ("samples", "acc.", "F1", "prec.", "recall")
    shown = figure_table(title, "Provision", *heads, wrap_figures=True)
    shown.add_column("F1 in the paper")
    for name in NINE_PROVISIONS:
        counts = result.provisions[name]
        rows = [paper_figures()[row].get(name) for row in result.experiment.paper]
        figures = (counts.f1(), counts.precision(), counts.recall)
        shown.add_row(
            name,
            f"{counts.samples:,}",
            f"{counts.accuracy:.3f}",
            *("–" if counts.is_empty else f"{value:.3f}" for value in figures),
            "; ".join(f"{value:.2f}" for value in rows if value is not None),
        )
    return shown
