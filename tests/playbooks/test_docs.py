from __future__ import annotations

import re
from pathlib import Path

import pytest

from fourcorners.errors import PlaybookError
from fourcorners.playbooks import CardField, Extent, load_playbook
from fourcorners.playbooks.file.schema import MODELS
from fourcorners.playbooks.load import parse_playbook
from fourcorners.review.people.cases import read_cases

GUIDE = (Path(__file__).parents[2] / "docs" / "playbooks.md").read_text("utf-8")
NAME = "distribution.yaml"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", GUIDE, re.M | re.S)


def refused(text: str) -> str:
    with pytest.raises(PlaybookError) as caught:
        parse_playbook(text, NAME)
    return caught.value.message + "\n"


@pytest.fixture
def example() -> str:
    text, _ = blocks("yaml")
    return text


def test_the_house_position_loads_on_top_of_the_builtin() -> None:
    house, whole = parse_playbook(blocks("yaml")[1], "house.yaml"), load_playbook("due-diligence")
    assert len(house.provisions) == len(whole.provisions)  # one less, one more
    assert [each.kind for each in house.provision("cap-on-liability").positions] == [
        "preferred",
        "unacceptable",
    ]


def test_the_example_loads(example: str) -> None:
    playbook = parse_playbook(example, NAME)
    assert [provision.id for provision in playbook.provisions] == ["minimum-purchase", "territory"]


def test_the_cases_of_the_guide_are_read(tmp_path: Path) -> None:
    path = tmp_path / "cases.yaml"
    path.write_text(blocks("text")[0], "utf-8")
    first, second = read_cases(path)
    assert (first.found, first.answers) == (True, {"termination": "Yes"})
    assert second.text.startswith("The parties are glad")


def test_the_mistakes_are_told_as_the_guide_says(example: str) -> None:
    _, keys, query = blocks("text")
    misspelt = example.replace("name: Minimum", "nmae: Minimum", 1)
    assert refused(misspelt.replace("severity: high", "severity: hihg")) == keys
    assert refused(example.replace("OR sell)", "OR sell")) == query


def test_the_python_runs(
    example: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(NAME).write_text(example, "utf-8")
    exec("\n".join(blocks("python")), {})  # noqa: S102 - the guide's own code
    printed = capsys.readouterr().out
    assert load_playbook(NAME).hash[:12] in printed
    assert "A duty to buy at least" in printed
    assert Path("playbook.schema.json").stat().st_size > 1_000


@pytest.mark.parametrize(
    "key", sorted({key for model in MODELS.values() for key in model.model_fields})
)
def test_every_key_is_explained(key: str) -> None:
    assert f"`{key}`" in GUIDE


@pytest.mark.parametrize("value", [*Extent, *CardField])
def test_every_choice_is_explained(value: str) -> None:
    assert f"`{value}`" in GUIDE
