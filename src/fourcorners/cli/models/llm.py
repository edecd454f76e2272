"""`fourcorners llm`: which model each role has, whether it answers, and what calls cost."""

from __future__ import annotations

import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated

import typer

from fourcorners.cli import options
from fourcorners.cli.options import option
from fourcorners.cli.output import console
from fourcorners.errors import ConfigError, FourcornersError
from fourcorners.text.invisible_characters import single_line

if TYPE_CHECKING:
    from fourcorners.llm import Port, Reply, Role
    from fourcorners.llm.configure import RolePlan
    from fourcorners.llm.ledger import Call, Spending

FAILED = 1  # exit code: a model is configured that does not answer

app = typer.Typer(
    no_args_is_help=True,
    help="Show, try and account for the language models.",
    rich_markup_mode=None,
)


@app.callback()
def _options() -> None:
    """Show, try and account for the language models."""


@dataclass(frozen=True, slots=True)
class _Tried:
    """One model's answer to a tiny question, for the roles that share it."""

    roles: list[Role]
    plan: RolePlan
    reply: Reply[str] | None
    error: FourcornersError | None
    seconds: float


@app.command("check")
def check(as_json: options.Json = False) -> None:
    """Show each role's model, and ask each one tiny question.

    This is the only command that calls a model to see whether it answers. The exit code is 0 if
    each that is configured does, or none is; 1 if one does not; 2 if the settings are not enough.
    """
    from fourcorners.llm.configure import open_port, role_plans
    from fourcorners.settings import Settings

    settings = Settings.load().llm
    shared: dict[RolePlan, list[Role]] = {}
    for role, plan in role_plans(settings).items():
        shared.setdefault(plan, []).append(role)
    tried = []
    if shared:
        with open_port(settings.model_copy(update={"cache": False})) as port:
            tried = [_tried(port, plan, roles) for plan, roles in shared.items()]
    if as_json:
        console.print_json({"models": [_value(each) for each in tried]})
    else:
        _print(tried)
    if any(each.error is not None for each in tried):
        raise typer.Exit(FAILED)


@app.command("calls")
def calls(
    job: Annotated[
        str | None, option("--job NAME", "Each call of the runs whose names begin so.")
    ] = None,
    limit: Annotated[
        int, option("--limit N", "How many runs, the latest first; 0 for all.", least=0)
    ] = 20,
    library: options.Library = None,
    as_json: options.Json = False,
) -> None:
    """List what language models were asked from the library, run by run, and what it cost.

    A run is one question, one review or one other command. With `--job` its calls are listed one
    by one: role, model, tokens, cost, time, and whether the cache answered.
    """
    from fourcorners.library.llm_store import LibraryLedger

    with console.open_library(library) as held:
        made = LibraryLedger(held).calls()
    if job is not None:
        made = [each for each in made if each.job.startswith(job)]
        if not made:
            raise ConfigError(
                f"no call was made by a run {job!r}.", remedy="List the runs: fourcorners llm calls"
            )
    runs = _runs(made, limit)
    if as_json:
        console.print_json(_ledger_value(runs, made, with_calls=job is not None))
        return
    _print_ledger(runs, made, with_calls=job is not None)


@app.command("serve")
def serve(
    model: Annotated[Path, typer.Argument(metavar="FILE", help="The model, as a GGUF file.")],
    port: Annotated[int, option("--port N", "The port.", least=0, most=65_535)] = 8089,
    context: Annotated[int, option("--context N", "Tokens it reads at once.", least=512)] = 16_384,
    threads: Annotated[
        int | None, option("--threads N", "Cores at work.", least=1, default="all")
    ] = None,
) -> None:
    """Serve a language model that lies on this machine, to this machine alone.

    Nothing is fetched: the file has to be there. While it runs, `model = "local:NAME"` under [llm]
    asks it, from the same machine. Ctrl-C stops it.
    """
    from fourcorners.llm.local import serve_model

    with (
        suppress(KeyboardInterrupt),
        serve_model(model, port=port, context=context, threads=threads) as served,
    ):
        console.print_line(("✓ ", "green"), (served.name, "bold"), f"  {served.url}")
        console.print_text("Name it in fourcorners.toml; Ctrl-C stops it:")
        for line in served.settings:
            console.print_indented(2, line)
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        Event().wait()


@dataclass(frozen=True, slots=True)
class _RunCalls:
    """The calls of one run, the first one first."""

    job: str
    calls: list[Call]

    @property
    def spending(self) -> Spending:
        from fourcorners.llm.ledger import total_spending

        return total_spending(self.calls)


def _runs(made: Sequence[Call], limit: int) -> list[_RunCalls]:
    """Return calls by the runs that made them: the run whose last call is the latest first."""
    by_job: dict[str, list[Call]] = {}
    for each in made:
        by_job.setdefault(each.job, []).append(each)
    runs = sorted(
        (_RunCalls(job, listed) for job, listed in by_job.items()),
        key=lambda run: run.calls[-1].at,
        reverse=True,
    )
    return runs[:limit] if limit else runs


_SUM = "calls cached tokens_in tokens_out cost unpriced seconds"


def _ledger_value(
    runs: Sequence[_RunCalls], made: Sequence[Call], *, with_calls: bool
) -> dict[str, object]:
    from fourcorners.llm.ledger import total_spending

    listed = []
    for run in runs:
        value: dict[str, object] = {
            "job": run.job,
            "from": run.calls[0].at,
            "to": run.calls[-1].at,
            "models": sorted({each.model for each in run.calls}),
            **console.attributes(run.spending, _SUM),
        }
        if with_calls:
            value["each"] = [_call_value(each) for each in run.calls]
        listed.append(value)
    return {"runs": listed, "total": console.attributes(total_spending(made), _SUM)}


def _call_value(call: Call) -> dict[str, object]:
    names = "at tag model tokens_in tokens_out cost seconds measured outcome"
    return {
        "role": call.role.value,
        "prompt": str(call.prompt),
        "cached": call.outcome == "cached",
        **console.attributes(call, names),
    }


def _print_ledger(runs: Sequence[_RunCalls], made: Sequence[Call], *, with_calls: bool) -> None:
    from fourcorners.llm.ledger import total_spending

    if not made:
        console.print_text("No language model was ever asked from this library.")
        return
    heads = ("Run", "Calls", "Cached", "Tokens in", "Out", "Cost", "Seconds")
    if with_calls:
        for run in runs:
            rows = [_call_row(each) for each in run.calls]
            title = single_line(run.job)
            console.print_tables(console.plain_table(_CALL_HEADS, rows, title=title))
    rows = [(single_line(run.job), *_sum_cells(run.spending)) for run in runs]
    rows.append(("Total", *_sum_cells(total_spending(made))))
    console.print_tables(console.plain_table(heads, rows))
    hidden = len({each.job for each in made}) - len(runs)
    if hidden:
        console.print_line((f"{console.count_noun(hidden, 'earlier run')}: --limit 0", "dim"))


_CALL_HEADS = ("Call", "Model", "Outcome", "Tokens in", "Out", "Cost", "Seconds")


def _call_row(call: Call) -> tuple[str, ...]:
    estimated = "" if call.measured else " (estimated)"
    return (
        single_line(call.tag or f"{call.role.value}, {call.prompt.name}"),
        single_line(call.model),
        single_line(call.outcome),
        f"{call.tokens_in:,}{estimated}",
        f"{call.tokens_out:,}",
        "not known" if call.cost is None else f"{call.cost:.4f}",
        f"{call.seconds:.1f}",
    )


def _sum_cells(spent: Spending) -> tuple[str, ...]:
    unpriced = f" + {spent.unpriced} of unknown price" if spent.unpriced else ""
    return (
        f"{spent.calls:,}",
        f"{spent.cached:,}",
        f"{spent.tokens_in:,}",
        f"{spent.tokens_out:,}",
        f"{spent.cost:.4f}{unpriced}",
        f"{spent.seconds:.1f}",
    )


def _tried(port: Port, plan: RolePlan, roles: list[Role]) -> _Tried:
    began = time.monotonic()
    try:
        reply = port.ask("check", {}, role=roles[0])
    except FourcornersError as error:
        return _Tried(roles, plan, None, error, time.monotonic() - began)
    return _Tried(roles, plan, reply, None, reply.seconds)


def _value(tried: _Tried) -> dict[str, object]:
    from fourcorners.net import redact_url

    reply, error = tried.reply, tried.error
    return {
        "roles": tried.roles,
        "model": tried.plan.name,
        "url": redact_url(tried.plan.url),
        "key": tried.plan.key_from,
        "answers": reply is not None,
        "answer": reply.text if reply else "",
        "error": error.message if error else "",
        "remedy": error.remedy if error else "",
        "seconds": round(tried.seconds, 3),
        "tokens_in": reply.tokens_in if reply else 0,
        "tokens_out": reply.tokens_out if reply else 0,
        "cost": reply.cost if reply else None,
    }


def _print(tried: Sequence[_Tried]) -> None:
    from fourcorners.llm.port.port import NOT_CONFIGURED
    from fourcorners.net import redact_url

    if not tried:
        console.print_text("No language model is configured: nothing is ever called.")
        console.print_line((NOT_CONFIGURED, "dim"))
    for each in tried:
        reply, error = each.reply, each.error
        roles = ", ".join(role.value for role in each.roles)
        key = f"key from {each.plan.key_from}" if each.plan.key_from else "no key"
        mark = ("✓ ", "green") if reply else ("✗ ", "red")
        console.print_line(mark, (single_line(each.plan.name), "bold"), f"  for {roles}")
        console.print_indented(2, (f"{single_line(redact_url(each.plan.url))}, {key}", "dim"))
        if reply:
            cost = "price not known" if reply.cost is None else f"cost {reply.cost:.6f}"
            line = f"{each.seconds:.2f} s, {reply.tokens_in} tokens in, {reply.tokens_out} out, "
            console.print_indented(2, f"{line}{cost}: {single_line(reply.text)}")
        if error:
            remedy = (single_line(error.remedy), "dim")
            console.print_indented(2, single_line(error.message), " ", remedy)
