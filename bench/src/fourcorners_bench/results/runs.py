"""What became of the steps: the files of a page of results, and `results.json` that lists them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from fourcorners.errors import ConfigError
from fourcorners.version import __version__
from fourcorners.work_folder import replace_text
from fourcorners_bench.measures.named_record import NamedRecord
from fourcorners_bench.plotters import PLOTTERS, plot_records

RESULTS = "results.json"


@dataclass(frozen=True, slots=True)
class Result:
    """One run on the page; paths are relative to the page's folder.

    Attributes:
        command: How it is made again.
        seconds: Of the clock; None for a run file that came from elsewhere.
        sha256: Of the run file; empty where there is none.
    """

    name: str
    title: str
    command: str
    version: str
    seconds: float | None
    record: str
    tables: str
    run: str = ""
    sha256: str = ""

    def is_whole(self, folder: Path) -> bool:
        """Tell whether its files are there, and the run file is the one that was scored."""
        paths = [folder / name for name in (self.record, self.tables, self.run) if name]
        if not all(path.is_file() for path in paths):
            return False
        return not self.run or file_hash(folder / self.run) == self.sha256

    def read_record(self, folder: Path) -> Mapping[str, Any]:
        found: Mapping[str, Any] = json.loads((folder / self.record).read_text("utf-8"))
        return found


def file_hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read_results(folder: Path) -> dict[str, Result]:
    """Return what a folder's `results.json` lists, by name; nothing where there is none.

    Raises:
        ConfigError: If it is damaged.
    """
    path = folder / RESULTS
    if not path.is_file():
        return {}
    try:
        return {
            each["name"]: Result(**each) for each in json.loads(path.read_text("utf-8"))["runs"]
        }
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(
            f"{path} cannot be read ({error!r}).", remedy="Write the page to another folder."
        ) from None


def write_results(folder: Path, results: Sequence[Result]) -> None:
    content = {"fourcorners": __version__, "runs": [asdict(each) for each in results]}
    text = json.dumps(content, ensure_ascii=False, indent=2)
    replace_text(folder / RESULTS, text + "\n")


def draw_results(folder: Path, results: Sequence[Result]) -> dict[str, list[str]]:
    """Draw all runs of a benchmark in the same plots; return the names of plots by benchmark."""
    drawn: dict[str, list[str]] = {}
    for benchmark, records in _by_benchmark(folder, results).items():
        written = plot_records(folder / "figures", benchmark, records)
        names = [path.stem for path in written if path.suffix == ".svg"]
        drawn[benchmark] = [name for name in names if not name.endswith("-dark")]
    return drawn


def _by_benchmark(folder: Path, results: Sequence[Result]) -> dict[str, list[NamedRecord]]:
    found: dict[str, list[NamedRecord]] = {}
    for each in results:
        record = each.read_record(folder)
        if record["benchmark"] in PLOTTERS:
            named = NamedRecord(each.name, record["measures"], record["settings"])
            found.setdefault(record["benchmark"], []).append(named)
    return found
