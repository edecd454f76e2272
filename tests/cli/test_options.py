"""Options that a command takes as the fields of a dataclass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer
from typer.testing import CliRunner

from fourcorners.cli.options import argument, option, spread


@dataclass(frozen=True)
class Asked:
    query: Annotated[str, argument("QUERY", "What.")]
    limit: Annotated[int, option("--limit -n N", "How many.", least=1)] = 10
    names: Annotated[list[str] | None, option("--in NAME", "Where.")] = None


def test_fields_are_options_and_other_parameters_stay() -> None:
    seen: list[tuple[Asked, bool]] = []

    def find(asked: Asked, as_json: Annotated[bool, option("--json", "JSON.")] = False) -> None:
        """Find things."""
        seen.append((asked, as_json))

    app = typer.Typer()
    app.command()(spread(find))
    runner = CliRunner()
    assert runner.invoke(app, ["grain", "-n", "3", "--in", "a", "--in", "b"]).exit_code == 0
    assert runner.invoke(app, ["oats", "--json"]).exit_code == 0
    assert seen == [(Asked("grain", 3, ["a", "b"]), False), (Asked("oats"), True)]
    assert runner.invoke(app, ["grain", "-n", "0"]).exit_code == 2
    assert runner.invoke(app, []).exit_code == 2
    told = runner.invoke(app, ["--help"]).output
    assert "Find things." in told
    assert "--limit" in told
