"""Every command line of the documents is a real one, and every real option is documented."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
from pydantic import BaseModel
from typer.core import TyperGroup

from fourcorners.cli.main import app
from fourcorners.settings import PREFIX, Settings

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
COMMANDS_PAGE = ROOT / "docs" / "commands.md"
REWRITE = bool(os.environ.get("REWRITE_GOLDEN"))
PROGRAM: Any = typer.main.get_command(app)


def leaf_commands(group: Any = PROGRAM, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Yield each command with its whole name."""
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from leaf_commands(command, (*path, name))
        if not isinstance(command, TyperGroup) or command.invoke_without_command:
            yield " ".join((*path, name)), command


COMMANDS = dict(leaf_commands())


def lines_of(page: Path) -> Iterator[str]:
    """Yield what a page has people type, from its blocks of code and from its running text."""
    text = page.read_text("utf-8")
    for block in re.findall(r"^```(?:sh|bash|console|text)\n(.*?)^```$", text, re.M | re.S):
        for line in block.replace("\\\n", " ").splitlines():
            if found := re.match(r"(?:\$ )?(fourcorners .+)", line):
                yield found[1]
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    for code in re.findall(r"`(fourcorners [^`]+)`", prose):
        yield " ".join(code.split())


TYPED = sorted({(page.name, line) for page in PAGES for line in lines_of(page)})


def parsed(arguments: list[str]) -> str:
    """Parse a command line to its end, without running it, and return the command's name.

    The name alone is a mention of the command, and not parsed.
    """
    command = PROGRAM
    name: list[str] = []
    context = PROGRAM.make_context("fourcorners", list(arguments), resilient_parsing=True)
    rest = [*context._protected_args, *context.args]
    while isinstance(command, TyperGroup):
        if not rest:
            return " ".join(name)
        if command.invoke_without_command and rest[0].startswith("-"):
            break
        assert rest[0] in command.commands, f"there is no command {rest[0]}"
        name.append(rest[0])
        command, rest = command.commands[rest[0]], rest[1:]
    if rest and "--help" not in rest:
        command.make_context(name[-1], rest).close()
    return " ".join(name)


def test_the_pages_were_read() -> None:
    assert {"README.md", "commands.md", "query-language.md", "playbooks.md"} <= {
        page for page, _ in TYPED
    }
    assert {parsed(shlex.split(line)[1:]) for _, line in TYPED} >= COMMANDS.keys()


@pytest.mark.parametrize(("page", "line"), TYPED)
def test_what_the_pages_have_people_type_is_real(page: str, line: str) -> None:
    assert page
    words = shlex.split(line, comments=True)
    if not {"…", "..."} & set(words):
        parsed(words[1:])


def test_a_wrong_line_would_be_noticed() -> None:
    for wrong in (
        ["serch", "x"],
        ["search", "--nope", "x"],
        ["search", "-n", "1"],
        ["review", "x"],
    ):
        with pytest.raises(
            (AssertionError, Exception), match=r"no command|[Nn]o such|[Mm]iss|[Gg]ot"
        ):
            parsed(wrong)


def test_what_the_makefile_runs_is_real() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8").replace("\\\n", " ")
    ran = re.findall(r"\$\(BIN\)/fourcorners (.+)$", makefile, re.M)
    assert ran
    for line in ran:
        parsed(shlex.split(line.replace("$(DATA)", "data")))


def test_the_targets_that_the_pages_name_are_there() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    for page in PAGES:
        text = page.read_text("utf-8")
        named = re.findall(r"(?:^|`)make ([a-z]+)", text, re.M)
        assert set(named) <= targets, page


def option_table(command: Any) -> str:
    """Return what a command takes, as a table."""
    rows = ["| option | what it says |", "| --- | --- |"]
    for param in command.params:
        if param.param_type_name == "argument":
            name = f"`{param.metavar}`" + (" …" if param.nargs != 1 else "")
        else:
            value = "" if param.is_flag else f" {param.metavar}"
            name = ", ".join(f"`{option}{value}`" for option in param.opts)
        says = param.help.strip()
        if param.required:
            says += " Required."
        elif isinstance(param.show_default, str):
            says += f" Default: {param.show_default}."
        elif (
            param.show_default
            and isinstance(param.default, str | int)
            and not (isinstance(param.default, bool))
        ):
            says += f" Default: `{param.default}`."
        rows.append(f"| {name} | {says.replace('|', '&#124;')} |")
    return "\n".join(rows)


def written(page: str) -> str:
    """Return the page with every table of options as the program has it."""

    def table(found: re.Match[str]) -> str:
        return f"{found[1]}\n{option_table(COMMANDS[found[2]])}\n\n"

    return re.sub(r"(<!-- options: ([a-z ]+) -->)\n.*?(?=^## |\Z)", table, page, flags=re.M | re.S)


def test_the_page_of_the_commands_is_up_to_date() -> None:
    page = COMMANDS_PAGE.read_text("utf-8")
    wanted = written(page)
    if REWRITE:
        COMMANDS_PAGE.write_text(wanted, "utf-8")
        page = wanted
    assert page == wanted, "run this test with REWRITE_GOLDEN=1"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_its_section(name: str) -> None:
    page = COMMANDS_PAGE.read_text("utf-8")
    assert f"\n## {name}\n" in page
    assert f"<!-- options: {name} -->" in page


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_says_what_it_does(name: str) -> None:
    command = COMMANDS[name]
    assert command.help
    for param in command.params:
        assert param.help, param.name
        assert param.help.rstrip().endswith((".", ")")), param.help
        assert param.param_type_name == "argument" or param.is_flag or param.metavar, param.name


def settings_keys(model: type[BaseModel] = Settings, before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each key, with its section if it has one, and its default."""
    for name, about in model.model_fields.items():
        if isinstance(about.default, BaseModel):
            yield from settings_keys(type(about.default), f"{before}{name}.")
        else:
            yield before + name, about.default


@pytest.mark.parametrize(("key", "default"), list(settings_keys()))
def test_every_setting_is_documented(key: str, default: Any) -> None:
    page = COMMANDS_PAGE.read_text("utf-8")
    variable = f"{PREFIX}{key.replace('.', '_').upper()}"
    assert f"| `{key}` | `{variable}` |" in page
    if isinstance(default, int | float):
        row = next(line for line in page.splitlines() if line.startswith(f"| `{key}` "))
        assert f"{default:g}" in row
