"""What clauses were labelled for is what the playbook asks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from fourcorners.playbooks import load_playbook
from training.verdicts.labels import READERS, THIRD, WHOLE
from training.verdicts.sample import HERE, load_attributes


@pytest.fixture(scope="module")
def guides() -> dict[str, Any]:
    return load_attributes()


def labels() -> Iterator[tuple[str, str, Any]]:
    """Yield provision, attribute and value of every label that a reader gave."""
    for row in map(json.loads, (HERE / "labels.jsonl").read_text("utf-8").splitlines()):
        for reader in {READERS[0], READERS[1], THIRD} & row.keys():
            for name, value in row[reader].items():
                yield row["id"].rpartition("-")[0], name, value


def test_the_playbook_asks_for_every_label(guides: dict[str, Any]) -> None:
    checked = 0
    for provision, name, value in labels():
        if name == "is":
            continue
        attribute = guides[provision]["attributes"][name]
        checked += 1
        if "options" in attribute:
            assert value in {*attribute["options"], "unclear"}, (provision, name)
        elif "span" in attribute:
            assert isinstance(value, list) or value in WHOLE, (provision, name)
        else:
            assert isinstance(value, str), (provision, name)
    assert checked > len(guides)


def test_silence_is_a_label_unless_the_guide_says_that_it_is_not(guides: dict[str, Any]) -> None:
    assignment, control = (
        guides["assignment"]["attributes"],
        guides["change-of-control"]["attributes"],
    )
    assert list(assignment["void"]["options"]) == ["yes", "silent"]
    assert list(assignment["affiliates"]["options"]) == ["yes", "no", "silent"]
    assert list(control["termination"]["options"]) == ["yes", "no"]
    assert control["within"]["value"] == "duration"
    assert control["may_act"]["span"] == "party"
    assert guides["governing-law"]["attributes"]["law"]["span"] == "words"


def test_what_is_left_to_people_is_not_labelled(guides: dict[str, Any]) -> None:
    for provision, guide in guides.items():
        asked = load_playbook("due-diligence").provision(provision).questions
        left = [each.id for each in asked if each.answer == "text" and not each.says]
        assert len(left) <= 2, provision
        assert not {each.replace("-", "_") for each in left} & guide["attributes"].keys()
