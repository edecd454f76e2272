from __future__ import annotations

import importlib
import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from fourcorners import models
from fourcorners.cli.main import app
from fourcorners.errors import ConfigError, FourcornersError
from fourcorners.models import registry
from tests.models.fake import HashEncoder
from tests.review.people.test_verdict_learning import labelled

KINDS = {
    "Alpha": "liability cap exceed fees aggregate",
    "Beta": "governed laws courts jurisdiction venue",
    "Gamma": "insurance policy premium coverage insurer",
    "Delta": "confidential disclose secret recipient information",
    "Epsilon": "assign transfer consent successor delegate",
    "Zeta": "terminate notice convenience expiry days",
}


def run(*arguments: str) -> Result:
    """Run a command in this process; what it raises is raised."""
    result = CliRunner().invoke(app, list(arguments))
    if isinstance(result.exception, FourcornersError):
        raise result.exception
    return result


def told(*arguments: str, code: int = 0) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == code, result.output
    return json.loads(result.stdout)


@pytest.fixture
def weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the shipped models, which may be harmed."""
    # Whatever is imported later would know the copy for the rest of this process.
    importlib.import_module("fourcorners.models.entailment.model")
    importlib.import_module("fourcorners.precedents.scoring.score")
    folder = tmp_path / "weights"
    shutil.copytree(registry.WEIGHTS, folder)
    monkeypatch.setattr(registry, "WEIGHTS", folder)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FOURCORNERS_LIBRARY", str(tmp_path / "none.db"))
    return folder


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A library with two banks: one whose words tell its provisions, one whose do not."""
    monkeypatch.setattr(models, "default_encoder", lambda *_, **__: HashEncoder(96))
    dice = random.Random(0)
    for bank, telling in (("deals", True), ("noise", False)):
        rows = []
        for kind, words in KINDS.items():
            for at in range(12):
                own = words if telling else KINDS[dice.choice(sorted(KINDS))]
                said = " ".join([*dice.sample(own.split(), 4), f"{kind[0]}{at}"])
                rows.append({"provision": kind, "text": said, "source": f"source {at % 6}"})
        path = tmp_path / f"{bank}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        run("bank", "import", str(path), "--bank", bank, "--library", str(tmp_path / "l.db"))
    return str(tmp_path / "l.db")


def test_models_are_listed_with_their_sizes_and_scores(weights: Path) -> None:
    found = told("models", "list")
    assert weights.is_dir()
    names = [each["name"] for each in found["models"]]
    assert {
        "clause-reader",
        "entailment",
        "fourcorners-encoder",
        "precedents",
        "reader",
    } <= set(names)
    assert found["shared_bytes"] > 10_000_000  # embeddings, of no model alone
    own = sum(each["bytes"] for each in found["models"])
    assert found["bytes"] == found["shared_bytes"] + own
    assert found["load_seconds"] > 0
    assert found["adapters"] == []
    precedents = next(each for each in found["models"] if each["name"] == "precedents")
    assert precedents["learned_from"] == 51
    assert "models in" in run("models", "list").stdout


def test_a_card_is_printed_whole_with_how_to_see_all_hashes(weights: Path) -> None:
    card = told("models", "list", "precedents")
    assert weights.is_dir()
    assert len(card["learned_from"]) == 51
    text = run("models", "list", "precedents").stdout
    assert "learned_from (51)" in text
    assert "models list precedents --json" in text
    with pytest.raises(ConfigError, match="no model 'nope'"):
        run("models", "list", "nope")


def test_harmed_files_are_told_with_the_remedy(weights: Path) -> None:
    assert {each["whole"] for each in told("models", "verify")} == {True}
    model = weights / "precedents" / "model.npz"
    content = bytearray(model.read_bytes())
    content[-1] ^= 1
    model.write_bytes(content)
    (weights / "entailment" / "heads.npz").unlink()
    shutil.rmtree(weights / "clause-reader")
    found = {each["name"]: each for each in told("models", "verify", code=1)}
    assert {name for name, each in found.items() if each["whole"]} >= {"fourcorners-encoder"}
    for name in ("precedents", "entailment", "clause-reader"):
        assert not found[name]["whole"]
        assert "pip install" in found[name]["remedy"]
    result = run("models", "verify", "precedents")
    assert result.exit_code == 1
    assert "damaged" in result.stdout
    assert run("models", "verify", "fourcorners-encoder").exit_code == 0


def test_an_adapter_that_helps_is_installed_listed_used_and_removed(library: str) -> None:
    done = told("train", "adapter", "--from", "deals", "--name", "house", "--library", library)
    assert done["installed"]["name"] == "house"
    assert "heads" in done["parts"]
    heads = done["scores"]["heads, NDCG@10 on sources held back"]
    assert heads["gain"][1] > 0
    assert done["queries"].keys() == KINDS.keys()
    listed = told("models", "list", "--library", library)["adapters"]
    assert [each["name"] for each in listed] == ["house"]
    assert listed[0]["learned_from"] == 72
    assert told("models", "list", "house", "--library", library)["bank"] == "deals"
    assert {"house": True}.items() <= {
        each["name"]: each["whole"] for each in told("models", "verify", "--library", library)
    }.items()
    asked = ("precedents", "alpha", "--bank", "deals", "--library", library)
    found = told(*asked)
    assert found[0]["adapter"].startswith("house-")
    own = [each["text"].split()[0] in KINDS["Alpha"].split() for each in found]
    assert own.count(True) >= 4  # of five; one shares a dimension with the query by chance
    assert told(*asked, "--no-adapter")[0]["adapter"] is None
    run("models", "remove", "house", "--library", library)
    assert told("models", "list", "--library", library)["adapters"] == []
    with pytest.raises(ConfigError, match="comes with the package"):
        run("models", "remove", "precedents", "--library", library)


def test_an_adapter_that_does_not_help_is_refused(library: str) -> None:
    result = run("train", "adapter", "--from", "noise", "--library", library)
    assert result.exit_code == 1
    assert "Not installed" in result.stderr
    assert told("models", "list", "--library", library)["adapters"] == []
    with pytest.raises(ConfigError, match="a model is called so"):
        run("train", "adapter", "--from", "deals", "--name", "precedents", "--library", library)


def test_verdicts_that_help_are_written_named_by_the_settings_and_undone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [json.dumps(each) for each in labelled(telling=True)]
    rows[5] = "{"
    cases, out = tmp_path / "labels.jsonl", tmp_path / "house"
    cases.write_text("\n".join(rows), "utf-8")
    asked = ("train", "verdicts", "--cases", str(cases), "--out", str(out))
    done = told(*asked)
    assert done["written"] == str(out)
    assert (done["clauses"], done["contracts"]) == (79, 40)
    assert done["left_out"] == [f"{cases}, line 6: it is not JSON."]
    kept = [each for each in done["questions"] if each["kept"]]
    assert [each["question"] for each in kept] == ["assignment.effect"]
    text = run(*asked)
    assert "assignment.effect" in text.stdout
    assert "[verdicts] path =" in text.stdout
    assert "line 6" in text.stderr
    assert "house" not in [each["name"] for each in told("models", "list")["models"]]
    monkeypatch.setenv("FOURCORNERS_VERDICTS_PATH", str(out))
    (own,) = [each for each in told("models", "list")["models"] if each["name"] == "house"]
    assert own["kind"] == "verdict-corrections"
    assert told("models", "list", "house")["data"] == {"clauses": 79, "contracts": 40}
    assert {"house": True}.items() <= {
        each["name"]: each["whole"] for each in told("models", "verify")
    }.items()
    with pytest.raises(ConfigError, match="because the settings name it"):
        run("models", "remove", "house")


def test_verdicts_that_do_not_help_are_refused_with_their_figures(tmp_path: Path) -> None:
    cases, out = tmp_path / "labels.jsonl", tmp_path / "house"
    cases.write_text("\n".join(map(json.dumps, labelled(telling=False))), "utf-8")
    asked = ("train", "verdicts", "--cases", str(cases), "--out", str(out))
    result = run(*asked)
    assert result.exit_code == 1
    assert "Nothing is written" in result.stderr
    assert "assignment.effect" in result.stdout
    assert not out.exists()
    assert told(*asked, code=1)["written"] is None
