"""Nothing learns from the blind contracts."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path

from training.common.blind import CONTRACTS, load_blind, load_contracts
from training.lessons.clauses import CLAUSES
from training.lessons.left_out import LIST, family_key, is_left_out
from training.lessons.readings import load_families
from training.verdicts.sample import load_contracts as load_all_contracts
from training.verdicts.sample import trial_groups

TRAINING = Path(__file__).parents[3] / "bench/training"
EARLIER = TRAINING / "questions/families.jsonl"
READS = re.compile(
    r"annotations\.jsonl|[\"']contracts[\"']|legalbench|load_contracts|AnnotatedContract"
    r"|extraction\.loader|retrieval\.loader"
)
OLDER = {  # recipes that are older than the draw, by their present names; no new one may be added
    "clause_reader",
    "encoder",
    "extraction",
    "passages",
    "questions",
    "retrieval",
    "statements",
    "values",
    "verdicts",
    "words",
}


def test_recipes_read_contracts_without_the_blind_ones() -> None:
    from_blind = re.compile(r"from training\.common\.blind import [^\n]*load_contracts")
    readers = set()
    for path in TRAINING.rglob("*.py"):
        text = from_blind.sub("", path.read_text("utf-8"))
        room = path.relative_to(TRAINING).parts[0]
        is_own = path.name == "blind.py"
        if not is_own and READS.search(text.replace("load_contracts(", "")):
            readers.add(room)
        assert room in OLDER or "load_blind" not in text or is_own, path
    assert readers <= OLDER


def test_sixty_contracts_are_blind_with_all_of_their_groups(corpus: Path) -> None:
    everything = load_all_contracts(corpus / "cuad")
    blind = load_blind(corpus / "cuad")
    learned = load_contracts(corpus / "cuad")

    assert len(blind) == CONTRACTS
    assert len(learned) + len(blind) == len(everything)
    groups = {each["group"] for each in blind}
    assert groups.isdisjoint(each["group"] for each in learned)
    assert groups.isdisjoint(group for trial in trial_groups(everything) for group in trial)
    names = "\n".join(sorted(each["name"] for each in blind))
    assert sha256(names.encode()).hexdigest()[:16] == "8722956fa69d4a85"


def test_no_lesson_is_of_a_blind_contract(corpus: Path) -> None:
    blind = {each["name"] for each in load_blind(corpus / "cuad")}
    lessons = [json.loads(line) for line in CLAUSES.read_text("utf-8").splitlines()]
    assert len(lessons) > 1_900
    assert not blind & {each["name"] for each in lessons}


def test_each_family_left_out_is_one_of_those_that_are_read() -> None:
    earlier = EARLIER.read_text("utf-8").splitlines()
    families = [*load_families(), *map(json.loads, earlier)]
    listed = LIST.read_text("utf-8").split()
    assert len(listed) == len(set(listed))
    assert set(listed) <= {family_key(each) for each in families}
    assert 0.09 < sum(is_left_out(each) for each in families) / len(families) < 0.11
