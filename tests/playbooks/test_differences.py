"""What differs between two versions of a playbook."""

from __future__ import annotations

from fourcorners.playbooks.differences import compare_texts

OLD = """id: house
name: House style
version: "1"
provisions:
  - id: ending
    name: Ending
    definition: How the contract ends.
    query: end
    examples: [One., Two.]
    questions:
      - id: notice
        question: How long is the notice?
      - id: who
        question: Who may end it?
  - id: fees
    name: Fees
    definition: What is paid.
    query: fee
"""


def shown(after: str) -> list[tuple[str, str, list[tuple[str, str, str]]]]:
    return [
        (each.provision, each.kind, [(f.field, f.before, f.after) for f in each.fields])
        for each in compare_texts(OLD, after)
    ]


def test_the_same_file_with_other_comments_is_the_same() -> None:
    assert shown(f"# ours\n{OLD.replace('version: ', 'version:   ')}") == []


def test_a_changed_value_is_named_by_provision_and_field() -> None:
    after = OLD.replace("How long is", "What is").replace("query: fee", "query: fee   # plain")
    changed = ("questions › notice › question", "How long is the notice?", "What is the notice?")
    assert shown(after) == [("ending", "changed", [changed])]


def test_provisions_come_and_go_and_order_does_not_matter() -> None:
    ending, fees = OLD.split("  - id: fees")
    after = ending.replace("id: ending", "id: closing") + "  - id: fees" + fees
    assert [(key, kind) for key, kind, _ in shown(after)] == [
        ("closing", "added"),
        ("ending", "removed"),
    ]
    head, first = ending.split("provisions:\n")
    assert shown(f"{head}provisions:\n  - id: fees{fees}{first}") == []


def test_an_item_that_goes_is_no_change_of_the_next() -> None:
    after = OLD.replace("      - id: notice\n        question: How long is the notice?\n", "")
    removed = ("questions › notice › question", "How long is the notice?", "")
    assert shown(after) == [("ending", "changed", [removed])]


def test_the_playbooks_name_is_a_change_of_the_playbook() -> None:
    renamed = ("name", "House style", "Ours")
    assert shown(OLD.replace("House style", "Ours")) == [("", "changed", [renamed])]


def test_a_text_that_is_no_playbook_is_shown_whole() -> None:
    assert [kind for _, kind, _ in shown("[")] == ["changed", "removed", "removed"]
