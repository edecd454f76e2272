"""`fourcorners llm check`: which language model each role has, and whether it answers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from fourcorners.cli import options
from fourcorners.cli.output import console
from fourcorners.errors import FourcornersError
from fourcorners.text.invisible_characters import single_line

if TYPE_CHECKING:
    from fourcorners.llm import Port, Reply, Role
    from fourcorners.llm.configure import RolePlan

FAILED = 1  # exit code: a model is configured that does not answer

app = typer.Typer(
    no_args_is_help=True,
    help="Say which language models are configured, and try them.",
    rich_markup_mode=None,
)


@app.callback()
def _options() -> None:
    """Say which language models are configured, and try them."""


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
