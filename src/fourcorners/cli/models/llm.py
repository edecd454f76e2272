"""`fourcorners llm check`: which language model each role has, and whether it answers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from fourcorners.cli.output.console import Json, JsonOption

if TYPE_CHECKING:
    from rich.console import Console

    from fourcorners.errors import FourcornersError
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

    roles: tuple[Role, ...]
    plan: RolePlan
    reply: Reply[str] | None
    error: FourcornersError | None
    seconds: float


@app.command("check")
def check(as_json: JsonOption = False) -> None:
    """Show each role's model, and ask each one tiny question.

    This is the only command that calls a model to see whether it answers. The exit code is 0 if
    each that is configured does, or none is; 1 if one does not; 2 if the settings are not enough.
    """
    from fourcorners.cli.output import console
    from fourcorners.llm.configure import open_port, role_plans
    from fourcorners.settings import Settings

    settings = Settings.load().llm
    planned = role_plans(settings)
    shared: dict[RolePlan, list[Role]] = {}
    for role, plan in planned.items():
        shared.setdefault(plan, []).append(role)
    tried = []
    if planned:
        with open_port(settings.model_copy(update={"cache": False})) as port:
            for plan, roles in shared.items():
                tried.append(_tried(port, plan, tuple(roles)))
    if as_json:
        console.print_json(_value(tried))
    else:
        _print(console.stdout_console(), tried)
    if any(each.error is not None for each in tried):
        raise typer.Exit(FAILED)


def _tried(port: Port, plan: RolePlan, roles: tuple[Role, ...]) -> _Tried:
    from fourcorners.errors import FourcornersError

    began = time.monotonic()
    try:
        reply = port.ask("check", {}, role=roles[0])
    except FourcornersError as error:
        return _Tried(roles, plan, None, error, time.monotonic() - began)
    return _Tried(roles, plan, reply, None, reply.seconds)


def _value(tried: Sequence[_Tried]) -> Json:
    from fourcorners.net import redact_url

    return {
        "models": [
            {
                "roles": [role.value for role in each.roles],
                "model": each.plan.name,
                "url": redact_url(each.plan.url),
                "key": each.plan.key_from,
                "answers": each.reply is not None,
                "answer": each.reply.text if each.reply else "",
                "error": each.error.message if each.error else "",
                "remedy": each.error.remedy if each.error else "",
                "seconds": round(each.seconds, 3),
                "tokens_in": each.reply.tokens_in if each.reply else 0,
                "tokens_out": each.reply.tokens_out if each.reply else 0,
                "cost": each.reply.cost if each.reply else None,
            }
            for each in tried
        ]
    }


def _print(out: Console, tried: Sequence[_Tried]) -> None:
    from rich.text import Text

    from fourcorners.cli.output.console import print_indented
    from fourcorners.llm.port.port import NOT_CONFIGURED
    from fourcorners.net import redact_url
    from fourcorners.text.invisible_characters import single_line

    if not tried:
        out.print("No language model is configured: nothing is ever called.")
        out.print(Text(NOT_CONFIGURED, "dim"), soft_wrap=True)
    for each in tried:
        roles = ", ".join(role.value for role in each.roles)
        key = f"key from {each.plan.key_from}" if each.plan.key_from else "no key"
        mark = ("✓ ", "green") if each.reply else ("✗ ", "red")
        head = Text.assemble(mark, (single_line(each.plan.name), "bold"), f"  for {roles}")
        out.print(head, soft_wrap=True)
        print_indented(out, Text(f"{single_line(redact_url(each.plan.url))}, {key}", "dim"), 2)
        if each.reply:
            reply = each.reply
            cost = "price not known" if reply.cost is None else f"cost {reply.cost:.6f}"
            told = f"{each.seconds:.2f} s, {reply.tokens_in} tokens in, {reply.tokens_out} out, "
            print_indented(out, Text(f"{told}{cost}: {single_line(reply.text)}"), 2)
        if each.error:
            words = Text.assemble(
                single_line(each.error.message), " ", (single_line(each.error.remedy), "dim")
            )
            print_indented(out, words, 2)
