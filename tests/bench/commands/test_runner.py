"""What all commands of the benchmarks share: their outputs as options, and where these go."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from fourcorners.errors import ConfigError
from fourcorners_bench.commands.runner import Output, measurement, require_model_options
from fourcorners_bench.commands.score import SCORERS
from fourcorners_bench.results.plan import FOLDERS


def test_outputs_are_options_of_a_command(tmp_path: Path) -> None:
    given: list[tuple[Output, int]] = []

    @measurement("run", "record")
    def command(output: Output, limit: int = 1) -> None:
        """Do it."""
        given.append((output, limit))

    parameters = inspect.signature(command).parameters
    assert list(parameters) == ["limit", "run_out", "record_out"]
    command(limit=2, run_out=tmp_path / "a.jsonl", record_out=None)
    assert given == [(Output(run=tmp_path / "a.jsonl"), 2)]
    with pytest.raises(ConfigError, match="no folder"):
        command(limit=2, run_out=tmp_path / "nowhere" / "a.jsonl", record_out=None)


def test_several_runs_are_numbered(tmp_path: Path) -> None:
    output = Output(run=tmp_path / "run.jsonl")
    assert output.numbered(1) == output
    assert output.numbered(2).run == tmp_path / "run.2.jsonl"
    assert Output().numbered(2) == Output()


def test_options_of_a_model_need_a_model() -> None:
    require_model_options(True, ["gpt"], "")
    require_model_options(False, ["", None], "")
    with pytest.raises(ConfigError, match="none is asked"):
        require_model_options(False, ["", "gpt"], "Name one.")


def test_whatever_is_recognised_as_a_run_can_be_scored() -> None:
    assert SCORERS.keys() == {*FOLDERS, "families", "statements"}  # the last two score a file
