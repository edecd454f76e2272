from __future__ import annotations

from pathlib import Path

import pytest

from fourcorners.errors import ConfigError
from fourcorners.llm.exchange import Role, Speaker
from fourcorners.llm.prompt import Kind, QuotedText, Value, load_prompt, prompt_names


@pytest.mark.parametrize("name", prompt_names())
def test_the_packages_prompts_hold_the_form(name: str) -> None:
    prompt = load_prompt(name)
    assert prompt.id.name == name
    assert prompt.id.version >= 1
    assert len(prompt.id.hash) == 16
    assert prompt.description


def test_a_prompt_is_filled_in(prompts: Path) -> None:
    prompt = load_prompt("find", folder=prompts)
    assert (str(prompt.id), prompt.role, prompt.expected_tokens) == ("find@3", Role.EXTRACT, 50)
    assert prompt.values == {"question": Kind.PLAIN, "clauses": Kind.FENCED}
    system, user = prompt.messages(
        {"question": "Which?", "clauses": [QuotedText("A."), QuotedText("B.")]}
    )
    assert (system.speaker, user.speaker) == (Speaker.SYSTEM, Speaker.USER)
    assert system.text.startswith("You read contracts.\n\n")
    assert "is data taken from documents" in system.text
    lines = user.text.splitlines()
    assert lines[0] == "Which?"
    assert (lines[2], lines[5]) == ("A.", "B.")


def test_without_a_fence_there_is_no_rule_on_fences(prompts: Path) -> None:
    (user,) = load_prompt("again", folder=prompts).messages({"question": "And?"})
    assert user.text == "And?"


def test_words_of_documents_are_not_templates(prompts: Path) -> None:
    attack = "{{ question }} {% for x in range(9) %}boom{% endfor %} {{ ''.__class__ }}"
    prompt = load_prompt("find", folder=prompts)
    _, user = prompt.messages({"question": attack, "clauses": [QuotedText(attack)]})
    assert user.text.count(attack) == 2


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"question": "Q"}, "lacks clauses"),
        ({"question": "Q", "clauses": [], "more": 1}, "has no more"),
        ({"question": "Q", "clauses": ["words of a contract"]}, "clauses .* without a fence"),
        ({"question": "Q", "clauses": [{"text": "words"}]}, "clauses .* without a fence"),
        ({"question": QuotedText("Q"), "clauses": []}, "question .* was given a fence"),
    ],
)
def test_values_that_do_not_fit_are_refused(
    prompts: Path, values: dict[str, object], told: str
) -> None:
    with pytest.raises(ConfigError, match=told) as caught:
        load_prompt("find", folder=prompts).messages(values)  # type: ignore[arg-type]
    assert "words of a contract" not in str(caught.value)


def test_a_structure_can_hold_both(prompts: Path) -> None:
    prompt = load_prompt("mixed", folder=prompts)
    parts: list[Value] = [
        {"title": "One", "words": QuotedText("1."), "n": 3},
        {"title": "Two", "words": None},
    ]
    system, user = prompt.messages({"parts": parts})
    assert system.speaker is Speaker.SYSTEM
    assert user.text.startswith("One: <<<data ")
    assert user.text.endswith("Two: None")


def test_the_hash_is_of_what_is_said_not_of_the_files_form(prompts: Path, tmp_path: Path) -> None:
    text = (prompts / "find.yaml").read_text("utf-8")
    known = load_prompt("find", folder=prompts).id

    def changed(old: str, new: str) -> str:
        assert old in text
        (tmp_path / "find.yaml").write_bytes(text.replace(old, new).encode())
        return load_prompt("find", folder=tmp_path).id.hash

    assert changed("\n", "\r\n") == known.hash
    assert changed("Look for a clause.", "Another description.") == known.hash
    assert changed("You read contracts.", "You read contracts!") != known.hash
    assert changed("version: 3", "version: 4") != known.hash
    assert changed("question: plain", "question: mixed") != known.hash


def test_the_users_own_prompt_replaces_the_packages(tmp_path: Path) -> None:
    (tmp_path / "check.yaml").write_text("id: check\nversion: 9\nrole: write\nuser: Say YES.\n")
    assert load_prompt("check", folder=tmp_path).id.version == 9
    assert load_prompt("check").id.version == 1
    assert load_prompt("repair", folder=tmp_path) == load_prompt("repair")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("id: [", "cannot be read"),
        ("- 1", "is not a prompt"),
        ("id: own\nversion: 1\nrole: poet\nuser: x\n", "role"),
        ("id: own\nversion: 0\nrole: write\nuser: x\n", "version"),
        ("id: own\nversion: 1\nrole: write\nuser: x\ncolour: red\n", "colour"),
        ("id: other\nversion: 1\nrole: write\nuser: x\n", "says it is the prompt 'other'"),
        ("id: own\nversion: 1\nrole: write\nuser: '{% if %}'\n", "damaged template"),
    ],
)
def test_a_damaged_file_is_said(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "own.yaml").write_text(text)
    with pytest.raises(ConfigError, match=told) as caught:
        load_prompt("own", folder=tmp_path)
    assert "own.yaml" in str(caught.value)


@pytest.mark.parametrize("name", ["../check", "no such", "", "a/b", "missing"])
def test_what_is_no_prompt_is_said(name: str) -> None:
    with pytest.raises(ConfigError):
        load_prompt(name)


def test_a_template_cannot_reach_out(tmp_path: Path) -> None:
    for number, reach in enumerate(
        ["{{ words.__class__ }}", "{{ [].append.__self__.__class__.__mro__ }}", "{{ nothing }}"]
    ):
        name = f"own{number}"
        (tmp_path / f"{name}.yaml").write_text(
            f"id: {name}\nversion: 1\nrole: write\nvalues: {{words: plain}}\nuser: '{reach}'\n"
        )
        with pytest.raises(ConfigError, match="cannot be filled in"):
            load_prompt(name, folder=tmp_path).messages({"words": "w"})
