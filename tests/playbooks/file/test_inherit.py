from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from fourcorners.errors import PlaybookError
from fourcorners.playbooks import load_playbook
from fourcorners.playbooks.file.schema import json_schema
from fourcorners.playbooks.file.source import parse_yaml
from fourcorners.playbooks.load import parse_playbook, resolve_playbook

BASE = """\
id: base
name: Base
version: '1'
language: de
provisions:
  - id: law
    name: Law
    definition: Which law.
    query: law
    avoid: by-law
    questions: [{id: which, question: Which law applies}]
  - id: term
    name: Term
    definition: How long.
    query: term
"""
HOUSE = """\
id: house
name: House
version: '2'
extends: base.yaml
drop: [term]
provisions:
  - id: fees
    name: Fees
    definition: What it costs.
    query: fee
  - id: law
    definition: Which law, as we see it.
    avoid:
"""
FLAT = """\
id: house
name: House
version: '2'
language: de
provisions:
  - id: law
    name: Law
    definition: Which law, as we see it.
    query: law
    questions: [{id: which, question: Which law applies}]
  - id: fees
    name: Fees
    definition: What it costs.
    query: fee
"""


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text, "utf-8")


def error(path: Path) -> str:
    with pytest.raises(PlaybookError) as caught:
        load_playbook(path)
    return caught.value.message


def test_a_playbook_changes_drops_and_adds_and_is_what_it_says_in_full(tmp_path: Path) -> None:
    write(tmp_path, base=BASE, house=HOUSE)
    house = load_playbook(tmp_path / "house.yaml")
    assert house == parse_playbook(FLAT, "flat.yaml")  # with its hash
    assert [each.id for each in house.provisions] == ["law", "fees"]
    assert house.provision("law").avoid is None
    assert house.provision("law").questions[0].question == "Which law applies"
    content = resolve_playbook(tmp_path / "house.yaml")
    assert (content.extends, content.drop, content.language) == ("", (), "de")


def test_the_hash_follows_the_extended_playbook(tmp_path: Path) -> None:
    write(tmp_path, base=BASE, house=HOUSE)
    before = load_playbook(tmp_path / "house.yaml").hash
    write(tmp_path, base=BASE.replace("Which law applies", "Which law it is"))
    assert load_playbook(tmp_path / "house.yaml").hash != before
    write(tmp_path, base=BASE.replace("How long.", "How very long."))  # of what is dropped
    assert load_playbook(tmp_path / "house.yaml").hash == before


def test_a_chain_is_followed_through_folders(tmp_path: Path) -> None:
    (tmp_path / "firm").mkdir()
    write(tmp_path / "firm", base=BASE, house=HOUSE)
    write(tmp_path, deal="id: deal\nname: Deal\nversion: '1'\nextends: firm/house.yaml\n")
    deal = load_playbook(tmp_path / "deal.yaml")
    assert [each.id for each in deal.provisions] == ["law", "fees"]
    assert (deal.id, deal.version, deal.language) == ("deal", "1", "de")


def test_a_builtin_playbook_is_extended_by_its_name() -> None:
    text = "id: mine\nname: Mine\nversion: '1'\nextends: due-diligence\ndrop: [insurance]\n"
    mine, whole = parse_playbook(text, "mine.yaml"), load_playbook("due-diligence")
    assert mine.provisions == tuple(each for each in whole.provisions if each.id != "insurance")
    assert mine.hash != whole.hash


def test_a_circle_is_refused_with_its_chain(tmp_path: Path) -> None:
    for name, other in (("a", "b"), ("b", "c"), ("c", "a")):
        write(tmp_path, **{name: f"id: x\nname: X\nversion: '1'\nextends: {other}.yaml\n"})
    told = error(tmp_path / "a.yaml")
    assert "a.yaml → b.yaml → c.yaml → a.yaml" in told
    assert "c.yaml, line 4, extends" in told


EXTENDS = "id: mine\nname: Mine\nversion: '1'\nextends: base.yaml\n"


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        (EXTENDS.replace("base.yaml", "due-dilligence"), 4, "Did you mean 'due-diligence'"),
        (EXTENDS.replace("base.yaml", "no.yaml"), 4, "there is no file"),
        (EXTENDS + "drop: [trem]\n", 5, "has no provision 'trem'. Did you mean 'term'"),
        (EXTENDS + "drop: term\n", 5, "must be a list of ids"),
        (
            EXTENDS + "drop: [law]\nprovisions:\n  - id: law\n    name: L\n",
            7,
            "left out by the key",
        ),
        (EXTENDS + "provisions:\n  - id: new\n    name: New\n", 6, "'definition' is missing"),
        (EXTENDS + "provisions:\n  - id: law\n    name:\n", 6, "the key 'name' is missing"),
        (EXTENDS + "provisions:\n  - id: term\n    qury: x\n", 7, "Did you mean 'query'"),
        (EXTENDS + "provisions:\n  - id: term\n    query: '(a'\n", 7, "never closed"),
        (EXTENDS + "provisions:\n  - id: term\n    name: Law\n", 7, "already names"),
        (EXTENDS + "provisions: all\n", 5, "must be a list"),
        (EXTENDS.replace("extends: base.yaml", "drop: [law]") + "provisions: []\n", 5, "empty"),
    ],
)
def test_what_is_wrong_is_told_at_its_line(tmp_path: Path, text: str, line: int, what: str) -> None:
    write(tmp_path, base=BASE, mine=text)
    told = error(tmp_path / "mine.yaml")
    assert f"mine.yaml, line {line}" in told
    assert what in told


def test_a_fault_of_the_base_names_the_base(tmp_path: Path) -> None:
    write(tmp_path, base=BASE.replace("query: law", "query: '(law'"), house=HOUSE)
    told = error(tmp_path / "house.yaml")
    assert "base.yaml, line 9" in told


def test_dropping_needs_something_to_drop_from() -> None:
    with pytest.raises(PlaybookError, match="nothing to drop"):
        parse_playbook(BASE + "drop: [law]\n", "base.yaml")


def test_text_from_nowhere_reads_no_files(tmp_path: Path) -> None:
    write(tmp_path, base=BASE)
    with pytest.raises(PlaybookError, match="may extend a built-in one only"):
        parse_playbook(EXTENDS.replace("base.yaml", str(tmp_path / "base.yaml")), "mine.yaml")


def test_the_schema_asks_less_of_a_playbook_that_extends() -> None:
    validator = jsonschema.Draft202012Validator(json.loads(json_schema()))
    validator.validate({"id": "a", "name": "A", "version": "1", "extends": "due-diligence"})
    change = {"id": "a", "name": "A", "version": "1", "provisions": [{"id": "x", "avoid": None}]}
    validator.validate({**change, "extends": "due-diligence"})
    with pytest.raises(jsonschema.ValidationError):
        validator.validate(change)
    with pytest.raises(jsonschema.ValidationError):
        validator.validate({"id": "a", "name": "A", "version": "1"})
    assert isinstance(parse_yaml(HOUSE).data, dict)
    validator.validate(parse_yaml(HOUSE).data)
