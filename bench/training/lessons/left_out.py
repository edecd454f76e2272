"""The families that nothing learns from: a tenth, on which models are judged.

`python -m training.lessons.left_out` prints them with their settled answers, for `bench families`;
with FILES, it draws some families from new files, to be added to `left_out.txt`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from training.lessons.readings import load_families

LIST = Path(__file__).with_suffix(".txt")
ONE_IN = 10


def family_key(family: Mapping[str, Any]) -> str:
    """Return what a family is listed by: a hash of its first clause."""
    return sha256(family["clauses"][0].encode()).hexdigest()[:12]


@cache
def _known_keys() -> frozenset[str]:
    return frozenset(LIST.read_text("utf-8").split())


def is_left_out(family: Mapping[str, Any]) -> bool:
    return family_key(family) in _known_keys()


def main() -> None:
    if not sys.argv[1:]:
        for family in filter(is_left_out, load_families()):
            print(json.dumps(family, ensure_ascii=False))
    for path in sys.argv[1:]:
        for line in Path(path).read_text("utf-8").splitlines():
            key = family_key(json.loads(line))
            if int(key, 16) % ONE_IN == 0:
                print(key)


if __name__ == "__main__":
    main()
