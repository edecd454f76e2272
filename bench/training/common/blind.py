"""The contracts from which nothing learns: sixty of CUAD's development half, in whole groups.

They were drawn by seed before the labels of the reader were made. New readings are judged on them.
`load_contracts` is how a recipe reads contracts; a test holds all recipes to it but those that are
older than the draw.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from training.verdicts.sample import load_contracts as load_all_contracts
from training.verdicts.sample import trial_groups

SEED = 20261128
CONTRACTS = 60


def blind_groups(contracts: Iterable[dict[str, Any]]) -> set[str]:
    """Return the groups of the blind set; earlier trials' groups are in no draw."""
    contracts = list(contracts)
    earlier = {group for trial in trial_groups(contracts) for group in trial}
    sizes = Counter(each["group"] for each in contracts if each["group"] not in earlier)
    groups = sorted(sizes)
    random.Random(SEED).shuffle(groups)
    drawn: set[str] = set()
    left = CONTRACTS
    for group in groups:
        if sizes[group] <= left:
            drawn.add(group)
            left -= sizes[group]
    return drawn


def load_contracts(data: Path) -> list[dict[str, Any]]:
    """Read the annotated contracts of CUAD that may be learned from, with their texts."""
    contracts = load_all_contracts(data)
    blind = blind_groups(contracts)
    return [each for each in contracts if each["group"] not in blind]


def load_blind(data: Path) -> list[dict[str, Any]]:
    """Read the contracts that only trials and measurements read."""
    contracts = load_all_contracts(data)
    blind = blind_groups(contracts)
    return [each for each in contracts if each["group"] in blind]
