from __future__ import annotations

from pathlib import Path

import pytest

from fourcorners.errors import ConfigError, PlaybookError
from fourcorners.playbooks import load_playbook
from fourcorners.playbooks.file.checks import find_warnings
from fourcorners.playbooks.load import open_playbook, parse_playbook
from fourcorners.playbooks.write import resolved_yaml, starter_yaml


def test_an_empty_start_shows_every_part_and_raises_no_doubt(tmp_path: Path) -> None:
    text = starter_yaml("Project Larch: supply")
    assert text.startswith("# yaml-language-server: $schema=playbook.schema.json\n")
    path = tmp_path / "mine.yaml"
    path.write_text(text, "utf-8")
    playbook, source = open_playbook(path)
    assert (playbook.id, playbook.name) == ("project-larch-supply", "Project Larch: supply")
    (provision,) = playbook.provisions
    assert provision.questions
    assert provision.severity
    assert provision.positions
    assert find_warnings(playbook, source) == []


def test_a_playbook_is_copied_with_its_comments() -> None:
    copy = parse_playbook(starter_yaml("Mine", taken=["due-diligence"]), "mine.yaml")
    assert copy.provisions == load_playbook("due-diligence").provisions
    assert copy.id == "mine"


def test_provisions_are_copied_by_any_name() -> None:
    text = starter_yaml("Mine", taken=["Anti-Assignment", "Cap On Liability", "assignment"])
    copy = parse_playbook(text, "mine.yaml")
    assert [each.id for each in copy.provisions] == ["assignment", "cap-on-liability"]
    assert copy.provisions[0] == load_playbook("cuad-41").provision("assignment")


def test_a_start_on_top_of_another_is_that_other() -> None:
    text = starter_yaml("House", extends="due-diligence")
    assert (
        parse_playbook(text, "house.yaml").provisions == load_playbook("due-diligence").provisions
    )
    uncommented = text.replace("# provisions:", "provisions:").replace("#   ", "  ")
    uncommented = uncommented.replace("# drop:", "drop:")
    house = parse_playbook(uncommented, "house.yaml")
    assert len(house.provisions) == len(load_playbook("due-diligence").provisions) - 1
    assert [each.kind for each in house.provisions[0].positions] == ["preferred"]


def test_what_is_not_known_is_refused_with_what_there_is() -> None:
    with pytest.raises(PlaybookError, match="no playbook and no provision 'Nonsense'") as caught:
        starter_yaml("Mine", taken=["Nonsense"])
    assert "due-diligence" in caught.value.remedy
    with pytest.raises(ConfigError, match="no name for a playbook"):
        starter_yaml("!!")


def test_in_full_is_the_same_playbook() -> None:
    whole = parse_playbook(resolved_yaml("cuad-41"), "whole.yaml")
    assert whole == load_playbook("cuad-41")
    assert "extends" not in resolved_yaml("cuad-41")
