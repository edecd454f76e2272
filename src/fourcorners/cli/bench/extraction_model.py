"""`fourcorners bench extraction --with-model`: the law firm's generation experiments."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli.model_options import Profile
from fourcorners.errors import ConfigError

if TYPE_CHECKING:
    from fourcorners.evaluation.extraction.model_run import Experiment


class Order(StrEnum):
    """In which order passages are given."""

    SCORE = "score"
    DOCUMENT = "document"
    DEFINITIONS = "definitions-first"


class System(StrEnum):
    """How much the system's message says."""

    SHORT = "short"
    LONG = "long"


class FollowUp(StrEnum):
    """What the model is told once it has answered."""

    NONE = "none"
    NEUTRAL = "neutral"
    ACCUSING = "accusing"


WithModelOption = Annotated[
    bool,
    typer.Option("--with-model", help="Ask the configured language model; nine provisions only."),
]
GridOption = Annotated[
    bool, typer.Option("--grid", help="All the experiments: the paper's, and each axis alone.")
]
AskingOption = Annotated[
    Profile | None,
    typer.Option(
        "--asking",
        metavar="NAME",
        help="paper: the model extracts from chunks; clauses: it judges proposals.",
        show_default="paper",
    ),
]
PassagesOption = Annotated[
    str | None,
    typer.Option(
        "--passages", metavar="N", help="How many are given, or: whole.", show_default="10"
    ),
]
OrderOption = Annotated[
    Order | None,
    typer.Option(
        "--order",
        metavar="KIND",
        help="Of the passages: score, document or definitions-first.",
        show_default="document",
    ),
]
SystemOption = Annotated[
    System | None,
    typer.Option(
        "--system", metavar="KIND", help="The system prompt: short or long.", show_default="long"
    ),
]
KeywordsOption = Annotated[
    bool | None,
    typer.Option(
        "--keywords/--no-keywords",
        help="Name words that are worth a close look.",
        show_default="by --asking",
    ),
]
FollowUpOption = Annotated[
    FollowUp | None,
    typer.Option(
        "--follow-up",
        metavar="KIND",
        help="What comes after the answer: none, neutral or accusing.",
        show_default="by --asking",
    ),
]
EmotiveOption = Annotated[
    bool, typer.Option("--emotive", help="Tell the model how much depends on it.")
]
BestOfOption = Annotated[
    int,
    typer.Option("--best-of", metavar="N", min=1, max=15, help="Answers, of which most count."),
]
HypotheticalOption = Annotated[
    bool, typer.Option("--hypothetical", help="Search with a clause that the model drafts, too.")
]
ModelOption = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        metavar="NAME",
        help="In place of the settings' model. May be given again.",
        show_default=False,
    ),
]
ReplayOption = Annotated[
    Path | None,
    typer.Option(
        "--replay", metavar="FILE", help="Answer from recorded exchanges; nothing is called."
    ),
]
ExchangesOption = Annotated[
    Path | None,
    typer.Option("--record", metavar="FILE", help="Append all exchanges to this file."),
]
AllLengthsOption = Annotated[
    bool,
    typer.Option("--all-lengths", help="All contracts, not only those of 40 to 60 chunks."),
]


@dataclass(frozen=True, slots=True)
class Axes:
    """What was said of the axes; None for what the profile has."""

    asking: Profile | None = None
    passages: str | None = None
    order: Order | None = None
    system: System | None = None
    keywords: bool | None = None
    follow_up: FollowUp | None = None
    emotive: bool = False
    best_of: int = 1
    hypothetical: bool = False
    model: tuple[str, ...] = ()
    replay: Path | None = None
    record: Path | None = None
    all_lengths: bool = False
    grid: bool = False


def require_model(axes: Axes, *, with_model: bool) -> None:
    """Refuse options that say something of a model where none is asked.

    Raises:
        ConfigError: If there is one, or axes are said beside the whole grid.
    """
    if not with_model and axes != Axes():
        raise ConfigError(
            "options of the language model are given, and none is asked.",
            remedy="Add --with-model.",
        )
    if axes.grid and _experiment_axes(axes) != Axes():
        raise ConfigError("the grid has all axes already.", remedy="Leave out the other options.")


def _experiment_axes(axes: Axes) -> Axes:
    from dataclasses import replace

    return replace(axes, grid=False, model=(), replay=None, record=None, all_lengths=False)


def experiments(axes: Axes) -> list[Experiment]:
    """Return what is to be run.

    Raises:
        ConfigError: If an axis has a value that it cannot have.
    """
    from dataclasses import replace

    from fourcorners.evaluation.extraction.model_run import Experiment, experiments
    from fourcorners.review.prompting import passages as named

    if axes.grid:
        return experiments()
    asking = replace(
        named.PROFILES[named.Profile((axes.asking or Profile.PAPER).value)],
        risks=False,
        emotive=axes.emotive,
        best_of=axes.best_of,
        hypothetical=axes.hypothetical,
    )
    if axes.passages is not None:
        asking = replace(asking, passages=_count(axes.passages))
    if axes.order is not None:
        asking = replace(asking, order=named.PassageOrder(axes.order.value))
    if axes.system is not None:
        asking = replace(asking, system=named.SystemPrompt(axes.system.value))
    if axes.keywords is not None:
        asking = replace(asking, keywords=axes.keywords)
    if axes.follow_up is not None:
        asking = replace(asking, follow_up=named.FollowUp(axes.follow_up.value))
    rows = next((each.paper for each in experiments() if each.asking == asking), ())
    return [Experiment(asking.description, asking, rows)]


def _count(passages: str) -> int | None:
    if passages == "whole":
        return None
    if passages.isdecimal() and int(passages) > 0:
        return int(passages)
    raise ConfigError(
        f"--passages is {passages!r}, which is no number of passages.",
        remedy="Write a number such as 10, or whole.",
    )


def run(
    axes: Axes,
    data: Path,
    record_out: Path | None,
    *,
    limit: int | None,
    jobs: int | None,
    words_only: bool,
    library: Path | None,
) -> None:
    """Run the experiments, and print the figures beside the paper's."""
    from fourcorners.cli.bench.options import bench_library, of_model, progress_bar
    from fourcorners.cli.output import console
    from fourcorners.evaluation.extraction import loader as cuad
    from fourcorners.evaluation.extraction import model_run as asking
    from fourcorners.evaluation.extraction import run as extracting
    from fourcorners.evaluation.record import Record
    from fourcorners.library.llm_store import LibraryCache, LibraryLedger
    from fourcorners.llm import Role, open_port
    from fourcorners.models import default_clause_reader, default_encoder
    from fourcorners.settings import Settings

    settings = Settings.load(jobs=jobs)
    planned = experiments(axes)
    contracts = cuad.load_cuad(data)
    if not axes.all_lengths:
        contracts = asking.filter_by_length(contracts)
    contracts = contracts[:limit]
    if not contracts:
        raise ConfigError(
            "no contract has 40 to 60 chunks.", remedy="Ask for all contracts: --all-lengths."
        )
    record = Record("extraction with a model", {"data": str(data), "limit": limit})
    encoder = None if words_only else default_encoder(threads=settings.jobs)
    record.models.update(
        {
            "encoder": encoder.name if encoder else None,
            "clause_reader": default_clause_reader().name,
        }
    )
    results = []
    with bench_library(library) as store, progress_bar() as step:
        for name in axes.model or ("",):
            llm = of_model(settings.llm, name, axes.replay, axes.record)
            cache, ledger = LibraryCache(store), LibraryLedger(store)
            with open_port(llm, cache=cache, ledger=ledger, job="bench extraction") as port:
                port.role_model(Role.EXTRACT)  # what is not configured is said before the work
                extracting.fill_library(
                    store, contracts, data, encoder=encoder, settings=settings, on_progress=step
                )
                for each in planned:
                    results.append(
                        asking.run_experiment(
                            store, contracts, each, port, encoder=encoder, on_progress=step
                        )
                    )
                    record.measures["experiments"] = [one.to_json() for one in results]
                    record.write(record_out)
    out = console.stdout_console()
    if len(results) == 1:
        out.print(asking.provision_table(results[0]))
    out.print(asking.experiment_table(results))
    models = ", ".join(dict.fromkeys(each.model.partition(" (")[0] for each in results))
    out.print(f"{console.count_noun(len(contracts), 'contract')}; {models}.", markup=False)
