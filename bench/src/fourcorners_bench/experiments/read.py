"""Reading experiments: YAML files with a list of runs, shipped or one's own.

about: one line
all: {…}        what holds of every run
runs:           each with a name, and where it differs
- name: …
"""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from fourcorners.errors import ConfigError
from fourcorners.text.patterns import load_yaml


class Run(BaseModel):
    """One run of an experiment."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str


T = TypeVar("T", bound=Run)


def shipped_experiments(benchmark: str) -> dict[str, Path]:
    """Return the files of the experiments that are shipped, by name."""
    folder = Path(__file__).parent / benchmark
    return {path.stem: path for path in sorted(folder.glob("*.yaml"))}


def read_experiment(benchmark: str, named: str, form: type[T]) -> list[T]:
    """Return the runs of an experiment: a shipped one, one of its runs, or a file of one's own.

    Raises:
        ConfigError: If there is no experiment of that name, or a file does not hold the form.
    """
    shipped = shipped_experiments(benchmark)
    if named in shipped:
        return _read(shipped[named], form)
    if named.endswith((".yaml", ".yml")):
        return _read(Path(named), form)
    runs = [run for path in shipped.values() for run in _read(path, form)]
    if found := [run for run in runs if run.name == named]:
        return found[:1]
    names = dict.fromkeys([*shipped, *(run.name for run in runs)])
    raise ConfigError(
        f"there is no experiment {named!r}.",
        remedy=f"There are: {', '.join(names)}. Or name a YAML file.",
    )


def _read(path: Path, form: type[T]) -> list[T]:
    import yaml

    try:
        content = load_yaml(path.read_text("utf-8"))
        return [form.model_validate({**content.get("all", {}), **run}) for run in content["runs"]]
    except ValidationError as error:
        fault = error.errors(include_input=False)[0]
        why = f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}"
    except (OSError, UnicodeDecodeError, yaml.YAMLError, KeyError, TypeError, AttributeError) as e:
        why = repr(e)
    raise ConfigError(
        f"{path} is no experiment ({why}).", remedy="Write it like those that are shipped."
    )
