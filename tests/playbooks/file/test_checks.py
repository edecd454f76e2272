from __future__ import annotations

from pathlib import Path

import pytest

from fourcorners.playbooks.file.checks import find_warnings
from fourcorners.playbooks.load import open_playbook

HEAD = """\
id: mine
name: Mine
version: '1'
provisions:
  - id: delay
    name: Delay
    definition: What follows when goods come late.
    query: '["late delivery"~5^4, delay^2]'
    examples: [The Supplier pays for each week of delay.]
"""


def told(folder: Path, text: str) -> list[tuple[int, str, str]]:
    path = folder / "mine.yaml"
    path.write_text(text, "utf-8")
    return [(each.line, each.path, each.what) for each in find_warnings(*open_playbook(path))]


def test_a_sound_playbook_raises_no_doubt(tmp_path: Path) -> None:
    assert told(tmp_path, HEAD) == []


@pytest.mark.parametrize(
    ("more", "line", "key", "what"),
    [
        ("    aliases: [Late, DELAY]\n", 10, "delay.aliases#2", "names this provision already"),
        ("    aliases: [Late, late]\n", 10, "delay.aliases#2", "names this provision already"),
        ("    avoid: week\n", 9, "delay.examples#1", "this example contains what is to be avoided"),
        ("    applies_to: [Suply]\n", 10, "delay.applies_to#1", "Did you mean 'Supply'"),
        ("    except_for: [Suply]\n", 10, "delay.except_for#1", "Did you mean 'Supply'"),
        (
            "    questions: [{id: a, question: How much, answer: amount, says: at most}]\n",
            10,
            "delay.questions.a.says",
            "no {} in place of the answer",
        ),
        (
            "    questions: [{id: a, question: Is it, answer: yes_no, says: 'so {}'}]\n",
            10,
            "delay.questions.a.says",
            "each option says how a cell tells it",
        ),
        (
            (
                "    questions:\n      - {id: a, question: Which, options: {b: '', c: '', d: ''}}\n"
                "    severity:\n"
                "      - {when: found, severity: high, because: A., answers: {a: [b, c]}}\n"
                "      - {when: not_found, severity: low, because: A.}\n"
                "      - {when: found, severity: low, because: B., answers: {a: [b]}}\n"
            ),
            15,
            "delay.severity#3",
            "never reached",
        ),
        (
            (
                "    questions:\n      - {id: a, question: Which, options: {b: '', c: '', d: ''}}\n"
                "      - {id: e, question: Is it, answer: yes_no}\n"
                "    positions:\n      - {kind: preferred, text: T., answers: {a: [b]}}\n"
                "      - {kind: fallback, text: T., answers: {a: [b], e: [no]}}\n"
            ),
            15,
            "delay.positions#2",
            "never reached",
        ),
        (
            "  - id: term\n    name: Term\n    definition: D.\n    query: term\n",
            10,
            "term",
            "there is no example",
        ),
        (
            (
                "  - id: term\n    name: Term\n    definition: D.\n    query: term\n"
                "    examples: [It pays for delay.]\n"
            ),
            13,
            "term.query",
            "matches none of the provision's own examples",
        ),
        (
            (
                "  - id: term\n    name: Term\n    definition: D.\n    query: term\n"
                "    examples: [Its term., The delay.]\n"
            ),
            14,
            "term.examples#2",
            "does not match this example, but that of delay does",
        ),
        (
            (
                "  - id: term\n    name: Term\n    definition: D.\n    query: term\n"
                "    examples: [A term of delay in late delivery.]\n"
            ),
            14,
            "term.examples#1",
            "looks more like delay",
        ),
        (
            (
                "  - id: term\n    name: Tеrm\n    definition: D.\n    query: term\n"
                "    examples: [Its term.]\n"
            ),
            11,
            "term.name",
            "mixes letters of two scripts",
        ),
    ],
)
def test_what_is_doubtful_is_told_at_its_line(
    tmp_path: Path, more: str, line: int, key: str, what: str
) -> None:
    found = told(tmp_path, HEAD + more)
    assert any(
        (at, path) == (line, f"provisions.{key}") and what in said for at, path, said in found
    ), found


def test_rules_that_pass_over_a_side_leave_something_to_later_ones(tmp_path: Path) -> None:
    more = (
        "    questions:\n      - {id: a, question: Is it, answer: yes_no}\n"
        "      - {id: who, question: Who, answer: party}\n"
        "    severity:\n"
        "      - {when: found, severity: high, because: A., answers: {a: [yes]}, burdens: who}\n"
        "      - {when: found, severity: low, because: B., answers: {a: [yes]}}\n"
    )
    assert told(tmp_path, HEAD + more) == []


def test_what_is_inherited_is_its_authors_affair(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(HEAD + "    aliases: [Delay]\n", "utf-8")
    house = "id: house\nname: House\nversion: '1'\nextends: base.yaml\n"
    assert told(tmp_path, house) == []
    (doubt,) = told(tmp_path, house + "provisions:\n  - id: delay\n    aliases: [DELAY]\n")
    assert doubt[:2] == (7, "provisions.delay.aliases#1")
