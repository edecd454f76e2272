"""`fourcorners bench retrieval` and `bench build`: LegalBench-RAG, run and made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from fourcorners.cli import options
from fourcorners.cli.model_port import open_model_port
from fourcorners.cli.options import argument, option, spread
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError
from fourcorners.text.invisible_characters import single_line
from fourcorners_bench.commands.runner import (
    ModelOptions,
    Output,
    Scoring,
    measurement,
    report_unread,
    require_model_options,
)

if TYPE_CHECKING:
    from rich.table import Table

    from fourcorners_bench.record import Record
    from fourcorners_bench.retrieval.loader import Answer, QuestionSet


@dataclass(frozen=True, slots=True)
class _Questions:
    """Which questions are asked."""

    data: options.Data
    benchmark: Annotated[
        list[str] | None,
        option(
            "--benchmark NAME",
            "A set, such as cuad. May be given again.",
            default="all that DIR holds",
        ),
    ] = None
    mini: Annotated[bool, option("--mini", "LegalBench-RAG-mini's 194 questions of each set.")] = (
        False
    )
    limit: Annotated[
        int | None, option("--limit N", "N questions of each set, drawn by the seed.", least=1)
    ] = None
    seed: Annotated[int, option("--seed N", "The seed of --limit and of the intervals.")] = 0

    def sets(self) -> list[QuestionSet]:
        """Return the sets of questions, whole."""
        from fourcorners_bench.retrieval import loader as legalbench

        names = self.benchmark or legalbench.set_names(self.data)
        sets = [legalbench.load_set(self.data, name) for name in names]
        return [legalbench.mini_set(each) for each in sets] if self.mini else sets


@dataclass(frozen=True, slots=True)
class _Search:
    """How the contract is known, and the passages are found."""

    profile: Annotated[
        str,
        option(
            "--profile NAME",
            "default (also full), hybrid, bm25, dense, naive, rcts, rcts-hybrid, "
            "naive-rerank, rcts-rerank, views, pakton-1, pakton-2. With a language model: "
            "pakton-1-rewritten, pakton-1-filtered, pakton-2-rewritten, pakton-2-filtered.",
        ),
    ] = "default"
    scope: Annotated[
        Literal["question", "given", "whole"],
        option(
            "--scope WHAT",
            "question: the contract is found by the words that name it; given: it is known, "
            "and those words are cut; whole: the corpus is searched for all the words.",
        ),
    ] = "question"


@dataclass(frozen=True, slots=True)
class _Statistics:
    """What is counted instead."""

    statistics: Annotated[
        bool, option("--statistics", "Count what the sets hold, and ask nothing.")
    ] = False
    alike: Annotated[
        int | None,
        option("--alike N", "With --statistics: the N pairs of most alike descriptions.", least=1),
    ] = None


@measurement()
def retrieval(
    output: Output,
    asked: _Questions,
    search: _Search,
    counted: _Statistics,
    jobs: options.Jobs = None,
    library: options.Keep = None,
    *,
    model: ModelOptions,
) -> None:
    """Answer LegalBench-RAG's questions, and score what is found.

    A run's corpus is that of all its sets, as in the benchmark's own program: it is added whole
    first, whatever the limit, in minutes; keep it with --library for the next run.
    """
    from fourcorners.models import default_encoder, default_reranker, shipped_reranker
    from fourcorners.settings import Settings
    from fourcorners_bench.record import Record
    from fourcorners_bench.retrieval import loader as legalbench
    from fourcorners_bench.retrieval import report as retrieval_report
    from fourcorners_bench.retrieval import run as retrieving
    from fourcorners_bench.retrieval.model_steps import FILTER_ROLE, REWRITE_ROLE, ModelSteps
    from fourcorners_bench.retrieval.profiles import RERANKED, find_pipeline, profile_notes

    settings = Settings.load(jobs=jobs)
    if counted.statistics:
        _report_statistics(asked, counted.alike, output)
        return
    reranker = default_reranker(settings.reranker, threads=settings.jobs)
    if reranker is None and search.profile in RERANKED:
        reranker = shipped_reranker()
    how = find_pipeline(search.profile, reranker)
    sets = [legalbench.sample_set(each, asked.limit, asked.seed) for each in asked.sets()]
    encoder = default_encoder(settings.encoder, threads=settings.jobs)
    record = Record(
        "retrieval",
        {
            "data": str(asked.data),
            "benchmarks": [each.name for each in sets],
            "corpus": sum(len(each.corpus) for each in sets),
            "profile": search.profile,
            "scope": search.scope,
            "mini": asked.mini,
            "limit": asked.limit,
            "seed": asked.seed,
            "jobs": settings.jobs,
        },
    )
    asks = how is not None and how.rewrites
    remedy = "Name a profile that asks one, such as pakton-1-filtered."
    require_model_options(asks, astuple(model), remedy)
    roles = [REWRITE_ROLE, *([FILTER_ROLE] if how is not None and how.filters else [])]
    llm = model.configure(settings.llm)
    with (
        console.bench_library(library) as store,
        open_model_port(store, roles if asks else (), settings=llm, job="bench retrieval") as port,
        console.progress_steps() as step,
    ):
        steps = ModelSteps(port, filters=FILTER_ROLE in roles) if port else None
        runs = retrieving.run_retrieval(
            store,
            sets,
            asked.data,
            retrieving.Retrieval(
                profile=search.profile,
                given=retrieving.ContractScope(search.scope),
                encoder=encoder,
                make_encoder=partial(default_encoder, settings.encoder, threads=1),
                reranker=reranker,
                steps=steps,
            ),
            settings=settings,
            on_progress=step,
        )
    output.write_run(answer for run in runs for answer in run.answers)
    report_unread(record, runs[0].unread if runs else {})
    record.models["encoder"] = encoder.name if how is None or how.dense else None
    record.models["reranker"] = reranker.name if reranker else None
    notes = profile_notes(search.profile, reranker)
    if how is None:
        weights = retrieving.weights_hash()
        record.models["weights"] = weights
        notes = [f"Sentences are weighed as follows: {weights['provenance']}"]
    if steps is not None:
        record.models.update(steps.models)
        record.settings["asked"] = steps.to_json()
        notes += steps.notes()
    record.settings["notes"] = notes
    for note in notes:
        console.err().print(note)
    record.measures["routing"] = {
        run.part.name: retrieval_report.routing_measures(run.routed) for run in runs if run.routed
    }
    record.measures["seconds_a_question"] = {
        run.part.name: round(run.seconds / max(1, len(run.answers)), 4) for run in runs
    }
    answered = [(run.part, run.answers) for run in runs]
    output.finish(record, *_score(answered, record, seed=asked.seed), spaced=True)
    for run in runs:
        if run.routed:
            console.print_text(retrieval_report.routing_line(run.part.name, run.routed))


def _report_statistics(asked: _Questions, alike: int | None, output: Output) -> None:
    """Print what the sets hold with the paper's counts, and record it."""
    from fourcorners.models import default_encoder
    from fourcorners_bench.record import Record, json_figures
    from fourcorners_bench.retrieval import statistics

    sets = asked.sets()
    record = Record("retrieval, statistics", {"data": str(asked.data), "mini": asked.mini})
    counted = statistics.count_sets(sets, asked.data)
    record.measures["sets"] = [each.to_json() for each in counted]
    tables = [statistics.statistics_table(counted)]
    if alike is not None:
        encoder = default_encoder()
        pairs = statistics.most_alike(sets, encoder, alike)
        record.models["encoder"] = encoder.name
        record.measures["alike"] = json_figures(pairs)
        tables.append(statistics.alike_table(pairs))
    record.write(output.record)
    console.print_tables(*tables)


def score_run(asked: Scoring, record: Record) -> Sequence[Table]:
    """Score a run file of the retrieval benchmark; with a limit, its first lines alone."""
    from fourcorners_bench.retrieval import loader as legalbench
    from fourcorners_bench.retrieval.unseen import questions_unseen

    answers = legalbench.read_run(asked.run)[: asked.limit]
    sets = [legalbench.load_set(asked.data, name) for name in legalbench.set_names(asked.data)]
    answered = legalbench.match_run(sets, answers, partial=asked.limit is not None)
    return _score(questions_unseen(answered, asked.data, asked.unseen_by), record)


def _score(
    answered: Sequence[tuple[QuestionSet, Sequence[Answer]]], record: Record, *, seed: int = 0
) -> Sequence[Table]:
    """Put the figures of each set on record, and return its tables with the papers'."""
    from fourcorners_bench.retrieval import report as retrieval_report
    from fourcorners_bench.retrieval.score import mean_of_sets, resample_scores

    drawn = [
        resample_scores(part.name, part.questions, answers, seed=seed) for part, answers in answered
    ]
    scores = [each.scores() for each in drawn]
    if len(drawn) > 1:
        scores.append(mean_of_sets(drawn).scores())
    record.measures["sets"] = {each.name: each.to_json() for each in scores}
    return [
        table
        for each in scores
        for table in (
            retrieval_report.retrieval_table(each),
            *retrieval_report.published_tables(each),
        )
    ]


@dataclass(frozen=True, slots=True)
class _Sources:
    """What a benchmark is made from."""

    cuad: Annotated[Path | None, option("--cuad DIR", "The folder of CUAD.")] = None
    contractnli: Annotated[
        Path | None, option("--contractnli FILE", "A split of ContractNLI, as JSON.")
    ] = None
    maud: Annotated[
        Path | None, option("--maud DIR", "MAUD: main.csv, and its texts in contracts.")
    ] = None
    privacy_qa: Annotated[
        Path | None, option("--privacy-qa FILE", "PrivacyQA's table of annotations.")
    ] = None


@dataclass(frozen=True, slots=True)
class _Descriptions:
    """How documents are described."""

    descriptions: Annotated[
        Path | None,
        option(
            "--descriptions FILE",
            "JSON: for each set, file name and description of the document.",
            default="by title and parties",
        ),
    ] = None
    describe: Annotated[
        bool,
        option(
            "--describe",
            "Have the language model describe documents by file name, beginning and end; parties "
            "that are not there are refused.",
        ),
    ] = False
    alike: Annotated[
        float | None,
        option(
            "--alike COSINE",
            "Leave out documents with a description whose vector is at least so like another's, "
            "such as .95.",
        ),
    ] = None


@spread
def build(
    out: Annotated[Path, argument("DIR", "Where benchmarks and corpus are written.")],
    questions: Annotated[
        Path, option("--questions FILE", "JSON: for each set, category and question.")
    ],
    sources: _Sources,
    described: _Descriptions,
    model: ModelOptions,
    library: options.Keep = None,
) -> None:
    """Make a benchmark such as LegalBench-RAG from its source data.

    What cannot be distinguished, placed or described is left out, and counted.
    """
    from fourcorners.models import default_encoder
    from fourcorners.settings import Settings
    from fourcorners_bench.retrieval import build as building
    from fourcorners_bench.retrieval import describe
    from fourcorners_bench.retrieval.statistics import too_alike

    given = {name: path for name, path in asdict(sources).items() if path is not None}
    if not given:
        raise ConfigError("there is nothing to build from.", remedy="Give --cuad or another.")
    if described.describe and described.descriptions is not None:
        raise ConfigError("--describe and --descriptions both describe.", remedy="Give one.")
    require_model_options(described.describe, (*astuple(model), library), "Add --describe.")
    far: building.TooAlike | None = None
    if (least := described.alike) is not None:
        if not 0 < least <= 1:
            raise ConfigError("--alike is a cosine above 0, at most 1.")
        encoder = default_encoder()
        far = partial(too_alike, encoder=encoder, least=least)
    roles = [describe.ROLE] if described.describe else []
    llm = model.configure(Settings.load().llm) if roles else None
    with (
        console.bench_library(library) as store,
        open_model_port(store, roles, settings=llm, job="bench build") as port,
    ):
        describer = describe.DescriptionModel(port) if port else None
        for name, source in given.items():
            built = building.build_set(
                name,
                source,
                asked=building.load_mapping(questions, name),
                described=building.load_mapping(described.descriptions, name)
                if described.descriptions
                else None,
                describe=describer.describe if describer else None,
                too_alike=far,
            )
            building.write_set(built, out)
            left = "; ".join(f"{reason}: {count}" for reason, count in built.left_out.items())
            console.print_text(
                f"{name}: {len(built.questions):,} questions of {len(built.texts):,} documents."
                + (f" Left out: {left}." if left else "")
            )
            for file_name, reason in built.unread.items():
                console.print_note(f"{single_line(file_name)} was not read: {reason}.")
        if describer is not None:
            console.print_text(
                f"{describer.call_count:,} questions to the model: {describer.failed:,} without an "
                f"answer, {describer.refused:,} answers not of the form."
            )
