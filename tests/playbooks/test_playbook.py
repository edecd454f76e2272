from __future__ import annotations

from pathlib import Path

import pytest

from fourcorners.errors import ConfigError
from fourcorners.playbooks import Playbook, load_playbook


@pytest.fixture(scope="module")
def playbook() -> Playbook:
    return load_playbook(Path(__file__).with_name("small.yaml"))


@pytest.mark.parametrize(
    "name", ["late-delivery", "Late delivery", "LATE  DELIVERY", "delay", "Delay "]
)
def test_a_provision_is_found_by_id_name_or_alias(playbook: Playbook, name: str) -> None:
    assert playbook.provision(name).id == "late-delivery"


def test_an_unknown_provision_offers_a_near_one(playbook: Playbook) -> None:
    with pytest.raises(ConfigError, match="supply-check has no provision 'late delivry'") as caught:
        playbook.provision("late delivry")
    assert caught.value.remedy == "Did you mean: Late delivery?"


@pytest.mark.parametrize("name", ["xyz", "e", ""])  # a letter of many names means none of them
def test_with_no_near_match_all_are_listed(playbook: Playbook, name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        playbook.provision(name)
    assert caught.value.remedy == "It has: Late delivery, Seat of the seller."
