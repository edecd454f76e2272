"""What one contract costs: every step is timed, and the nearest contracts are taken."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fourcorners.errors import ConfigError, ModelError
from fourcorners.models.registry import WEIGHTS, model_folders
from fourcorners.models.session import EMBEDDINGS, TOKENIZER
from fourcorners_bench.performance import cost as costing
from fourcorners_bench.performance import loading
from tests.conftest import Program

LEASE = """MILL LEASE

1. Rent. The "Tenant" means the miller, who pays the rent under Section 2 on the first of a month.

2. Term. The lease runs for one year from the day on which both of the parties sign it.
"""
STEPS = [
    "vectors of passages",
    "clause reader",
    "entailment",
    "vectors of clauses",
    "precedents",
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "cuad" / "contracts"
    folder.mkdir(parents=True)
    for count in (1, 2, 4, 9):
        (folder / f"{count}.txt").write_text(LEASE * count)
    return folder.parent


def test_the_contracts_nearest_to_a_length_are_read(data: Path, tmp_path: Path) -> None:
    found = costing.texts_nearest(data, 2 * len(LEASE) + 9, 3)
    assert [path.stem for path in found] == ["2", "1", "4"]
    with pytest.raises(ConfigError, match="no texts"):
        costing.texts_nearest(tmp_path, 9, 3)


def test_the_command_measures_every_step_on_so_many_cores(program: Program, data: Path) -> None:
    told = program(
        *("bench", "cost", "--data", str(data), "--contracts", "1", "--threads", "1"),
        *("--characters", "900", "--json", "cost.json"),
    )
    assert "all models loaded" in told.out
    record = json.loads((program.folder / "cost.json").read_text())
    figures = record["measures"]
    assert list(figures["step_seconds"]) == STEPS
    for clock in ("wall", "cpu"):
        steps = sum(each[clock] for each in figures["step_seconds"].values())
        assert figures["seconds"][clock] == pytest.approx(steps, abs=0.01)
        assert figures["load_seconds"][clock] > 0
    assert figures["characters"] == 4 * len(LEASE)
    assert figures["read"]["sentences"] >= figures["read"]["passages"] > 0
    assert set(figures["loaded_seconds"]) == {"libraries", *record["models"]}
    assert {path.name for path in model_folders()} == set(record["models"])


def test_the_weights_are_counted_to_the_byte() -> None:
    folders = sum(len(each.read_bytes()) for path in model_folders() for each in path.iterdir())
    shared = sum(len((WEIGHTS / name).read_bytes()) for name in (TOKENIZER, EMBEDDINGS))
    assert costing.weights_bytes() == folders + shared


def test_what_cannot_be_loaded_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "__name__", "fourcorners_bench.no_such_module")
    with pytest.raises(ModelError, match="no_such_module"):
        loading.loading_seconds(1)
