"""`fourcorners bench answers judge`, `ballot` and `agreement`: which reports are better."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fourcorners.cli import options
from fourcorners.cli.model_port import of_model
from fourcorners.cli.options import argument, option
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError
from fourcorners.text.invisible_characters import single_line
from fourcorners.work_folder import replace_text
from fourcorners_bench.commands.runner import ExchangeOptions, Output, measurement

if TYPE_CHECKING:
    from collections import Counter

    from fourcorners_bench.answers.votes import Key, Winner

RunArgument = Annotated[Path, argument("RUN", "What --run-out wrote.")]


@measurement("record", "plots")
def judge(
    output: Output,
    run: RunArgument,
    against: Annotated[Path | None, argument("OTHER", "A second system's.")] = None,
    by: Annotated[
        str,
        option(
            "--judge MODEL", "The model that judges.", default="the settings' model for judging"
        ),
    ] = "",
    samples: Annotated[
        int, option("--samples N", "Of each score; the mean.", least=1, most=20)
    ] = 1,
    *,
    exchanges: ExchangeOptions,
    library: options.Keep = None,
) -> None:
    """Have a named model score reports by nine criteria, as G-Eval does.

    It sees the question and the report, and not who made it. Of two runs it scores both.
    """
    from fourcorners.library.llm_store import library_port
    from fourcorners.settings import Settings
    from fourcorners_bench.answers import judging
    from fourcorners_bench.answers import run_files as answer_runs
    from fourcorners_bench.answers.judging import load_criteria
    from fourcorners_bench.record import Record

    runs = [answer_runs.read_reports(path) for path in (run, against) if path is not None]
    run_record = Record(
        "answers, judged",
        {
            "runs": [str(run), *([str(against)] if against else [])],
            "samples": samples,
            "paper": load_criteria().source,
        },
    )
    llm = of_model(Settings.load().llm, by, exchanges.replay, exchanges.record)
    with (
        console.bench_library(library) as store,
        console.progress_steps() as step,
        library_port(store, llm, "bench judge") as port,
    ):
        found = [
            judging.judge_reports(each.values(), port, samples=samples, on_progress=step)
            for each in runs
        ]
    run_record.models["judge"] = found[0].judge
    run_record.measures["judged"] = [each.to_json() for each in found]
    output.finish(run_record, judging.judge_table(found))
    if failed := sum(each.failed for each in found):
        console.err().print(f"{console.count_noun(failed, 'score')} never came.")


def ballot(
    run: RunArgument,
    against: Annotated[Path, argument("OTHER", "A second system's.")],
    out: Annotated[Path, option("--out -o FILE", "The page to write.")] = Path("ballot.html"),
    seed: Annotated[int, option("--seed N", "The seed of the order.")] = 0,
) -> None:
    """Write a page on which people say which of two reports is better, without knowing whose.

    It needs no network and saves the votes as a file. A key next to the page (ballot.key.json) says
    which report is whose, and stays with you.
    """
    from fourcorners_bench.answers import run_files as answer_runs
    from fourcorners_bench.answers import votes
    from fourcorners_bench.answers.votes import ballot_page

    key_out = out.with_suffix(".key.json")
    console.require_place(out, key_out)
    pairs, key = votes.pair_reports(
        answer_runs.read_reports(run), answer_runs.read_reports(against), seed=seed
    )
    replace_text(out, ballot_page(pairs, key))
    replace_text(key_out, key.to_json() + "\n")
    pair_count = console.count_noun(len(pairs), "question")
    console.print_line(f"{pair_count} in {out}. Keep {key_out} to yourself.")


@measurement("record", "plots")
def agreement(
    output: Output,
    files: Annotated[list[Path], argument("VOTES", "What people saved on the ballot.")],
    key: Annotated[Path, option("--key FILE", "The ballot's key.")],
    judged: Annotated[
        Path | None,
        option(
            "--judged FILE", "What `judge --json` wrote of the same two runs, in the same order."
        ),
    ] = None,
    without: Annotated[
        list[str] | None,
        option("--without CRITERION", "Leave a criterion out. May be given again."),
    ] = None,
    reasons: Annotated[bool, option("--reasons", "List why people voted as they did.")] = False,
) -> None:
    """Count people's votes, and say how far a judge agrees with them.

    A judge's scores that differ by less than 1% count as neither, and people's “not sure” does not
    count. Compared are distributions, as in the appendix of PAKTON's paper.
    """
    from fourcorners_bench.answers import agreement as agreeing
    from fourcorners_bench.answers import votes
    from fourcorners_bench.answers.judging import load_criteria
    from fourcorners_bench.record import Record

    opened = votes.Key.read(key)
    given = [vote for path in files for vote in votes.read_votes(path, opened)]
    if unknown := set(without or ()) - {each.id for each in load_criteria().items}:
        raise ConfigError(
            f"there is no criterion {min(unknown)!r}.",
            remedy=f"There are: {', '.join(each.id for each in load_criteria().items)}.",
        )
    people = votes.count_votes(given, opened)
    record = Record("answers, agreement", {"votes": list(map(str, files)), "key": str(key)})
    record.settings["systems"] = list(opened.systems)
    record.settings["without"] = list(without or ())
    record.measures["people"] = {
        name: [round(each, 2) for each in votes.winner_shares(counts)]
        for name, counts in people.items()
    }
    record.measures["reasons"] = [
        {"question": each.question, "criterion": each.criterion, "reason": each.reason}
        for each in given
        if each.reason
    ]
    out = console.stdout_console()
    if reasons:
        for each in given:
            if each.reason:
                won = votes.winner(each, opened)
                console.print_line(
                    (f"{each.question}, {each.criterion}: ", "bold"),
                    f"{votes.winner_name(won, opened)}: {single_line(each.reason)}",
                )
    if judged is None:
        for name, counts in people.items():
            shares = " / ".join(f"{each:.0f}" for each in votes.winner_shares(counts))
            out.print(f"{name}: {shares} ({' / '.join((*opened.systems, 'neither'))})")
        output.finish(record)
        return
    found = agreeing.measure_agreement(_scored(judged, opened), people, without=without or ())
    record.measures["agreement"] = found.to_json()
    output.finish(record)
    out.print(agreeing.criteria_table(found, opened.systems), crop=False)
    out.print()
    out.print(agreeing.share_table(found, opened.systems), crop=False)


def _scored(path: Path, key: Key) -> dict[str, Counter[Winner]]:
    """Return a judge's scores of two runs as votes."""
    from fourcorners_bench.answers.votes import votes_from_scores

    try:
        first, second = json.loads(path.read_text(encoding="utf-8"))["measures"]["judged"]
        found = votes_from_scores(first["scores"], second["scores"])
        named = (str(first["by"]), str(second["by"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(
            f"{path} holds no scores of two runs ({error!r}).",
            remedy="Give what `fourcorners bench answers judge RUN OTHER --json FILE` wrote.",
        ) from None
    if named[0] != named[1] and named != key.systems:
        raise ConfigError(
            f"{path} judges {named[0]} and {named[1]}; the ballot has {' and '.join(key.systems)}.",
            remedy="Judge the ballot's two runs in the same order.",
        )
    return found
