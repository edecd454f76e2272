"""The words of contracts, for telling a word that a line's end divided from a compound.

`python -m training.words.list DATA/cuad > src/fourcorners/text/words.txt` counts the words of
CUAD's contracts, those of the blind trials apart. A word is on the list that enough contracts
have; a compound is, with its hyphen, where it is not written in one word far more often.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path

from training.verdicts.sample import trial_groups

CONTRACTS = 4  # that have a word; fewer have names and misprints
SHARE = 5  # in one word this many times as often as with a hyphen: then the hyphen is a line's end
WORD = re.compile(r"[a-z]+")
COMPOUND = re.compile(r"(?<![a-z-])[a-z]+-[a-z]+(?![a-z-])")


def main() -> None:
    data = Path(sys.argv[1])
    lines = (data / "annotations.jsonl").read_text("utf-8").splitlines()
    contracts = [json.loads(line) for line in lines]
    held = {group for trial in trial_groups(contracts) for group in trial}
    words: Counter[str] = Counter()
    compounds: Counter[str] = Counter()
    for contract in contracts:
        if contract["group"] not in held:
            text = (data / "contracts" / contract["name"]).read_text("utf-8").lower()
            words.update(set(WORD.findall(text)))
            compounds.update(set(COMPOUND.findall(text)))
    known = {word for word, count in words.items() if count >= CONTRACTS}
    known |= {each for each in compounds if _is_compound(each, compounds, words)}
    print("\n".join(sorted(known)))


def _is_compound(each: str, compounds: Counter[str], words: Counter[str]) -> bool:
    joined = words[each.replace("-", "")]
    return joined >= CONTRACTS and compounds[each] * SHARE > joined


if __name__ == "__main__":
    main()
