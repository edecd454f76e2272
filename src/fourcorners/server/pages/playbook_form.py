"""A playbook as a form: another view of the same text, in which each field is one of its values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import get_args

from fourcorners.errors import ConfigError, PlaybookError
from fourcorners.playbooks.file.edits import add_item, remove_item, set_value
from fourcorners.playbooks.file.source import Data, Path, parse_yaml
from fourcorners.playbooks.load import builtin_names, load_playbook
from fourcorners.playbooks.playbook import Level, Playbook, PositionKind, When
from fourcorners.playbooks.write import provision_id

FIELD = "f:"
"""What the names of fields begin with; the path of the value follows, with dots."""


@dataclass(frozen=True, slots=True)
class FormField:
    """A value of the file.

    Attributes:
        name: Of the field; it tells the path of the value.
        value: As the file has it; empty if it does not.
        inherited: What holds where the file says nothing.
        kind: `line`, `text`, `query` or `choice`, of `choices`.
    """

    name: str
    label: str
    value: str
    kind: str = "line"
    hint: str = ""
    choices: tuple[str, ...] = ()
    inherited: str = ""


@dataclass(frozen=True, slots=True)
class FormItem:
    """An item of a list, such as a question; `path` names it where it is taken out."""

    path: str
    title: str
    fields: tuple[FormField, ...]


@dataclass(frozen=True, slots=True)
class FormList:
    """A list of a provision, such as its questions; `path` names it where one is added."""

    path: str
    heading: str
    one: str
    items: tuple[FormItem, ...]


@dataclass(frozen=True, slots=True)
class FormProvision:
    path: str
    id: str
    name: str
    fields: tuple[FormField, ...]
    lists: tuple[FormList, ...]


@dataclass(frozen=True, slots=True)
class PlaybookForm:
    """The form.

    Attributes:
        inherited: The provisions of the playbook that this one extends and does not change.
    """

    fields: tuple[FormField, ...]
    provisions: tuple[FormProvision, ...]
    inherited: tuple[tuple[str, str], ...]
    extends: str


# The values of items that the form shows: key, label, kind, and what a new item begins with.
_LISTS: Mapping[str, tuple[str, str, tuple[tuple[str, str, str, str], ...]]] = {
    "questions": ("Questions", "question", (
        ("question", "Question", "line", "What should a reader know?"),
        ("guidance", "What to consider", "text", ""),
    )),
    "severity": ("Severity", "rule", (
        ("when", "When the clause is", "when", "found"),
        ("severity", "Severity", "severity", "medium"),
        ("because", "Reason", "text", "Say why it matters."),
        ("recommend", "What to do", "text", ""),
    )),
    "positions": ("House positions", "position", (
        ("kind", "Kind", "position", "preferred"),
        ("text", "Position", "text", "Say what the house wants."),
        ("example", "Wording that meets it", "text", ""),
        ("recommend", "What to do", "text", ""),
    )),
}  # fmt: skip
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "when": get_args(When),
    "severity": get_args(Level),
    "position": get_args(PositionKind),
}
_PROVISION = (
    ("name", "Name", "line", "The heading of its column."),
    ("definition", "Definition", "text", "What the clause does, and what it is not."),
    ("query", "Search terms", "query", "A query: the clause’s words."),
    ("avoid", "Look-alikes to leave out", "query", ""),
    ("instructions", "Instructions for a language model", "text", ""),
)
_NEW = {"name": "New provision", "definition": "Say what the clause does.", "query": "clause"}


def playbook_form(text: str) -> PlaybookForm | None:
    """Return the form of a playbook's text; None where the YAML cannot be read."""
    source = parse_yaml(text)
    if source.problems or not isinstance(source.data, dict):
        return None
    data = source.data
    base = _base(_word(data, "extends"))
    own = [each for each in _items(data, "provisions") if isinstance(each, dict)]
    changed = {_word(each, "id") for each in own} | {str(e) for e in _items(data, "drop")}
    below = {each.id: each.name for each in base.provisions} if base else {}
    return PlaybookForm(
        fields=(
            FormField(_name(("name",)), "Name", _word(data, "name")),
            FormField(_name(("description",)), "Description", _word(data, "description"), "text"),
            FormField(_name(("version",)), "Version", _word(data, "version")),
        ),
        provisions=tuple(
            _provision(("provisions", at), each, base)
            for at, each in enumerate(_items(data, "provisions"))
            if isinstance(each, dict)
        ),
        inherited=tuple((key, name) for key, name in below.items() if key not in changed),
        extends=_word(data, "extends"),
    )


def apply_form(text: str, drawn: str, fields: Mapping[str, str], action: str = "") -> str:
    """Return a text with what was changed in a form, and with what its button does.

    Args:
        text: The YAML, which may have been edited next to the form.
        drawn: The YAML that the form was drawn from: a field that still has its value there was
            not changed.
        fields: The fields of the form, by name.
        action: `add:PATH`, `remove:PATH`, `change:ID` or `drop:ID`; empty for none.

    Raises:
        PlaybookError: If the text cannot be changed so.
    """
    before = {each.name: each.value for each in _all_fields(playbook_form(drawn))}
    for name, given in fields.items():
        value = _flat(given.replace("\r\n", "\n"))
        if name in before and value != _flat(before[name]):
            text = set_value(text, _path(name), value)
    verb, _, place = action.partition(":")
    if verb == "add":
        text = _add(text, _path(place))
    elif verb == "remove":
        text = remove_item(text, _path(place))
    elif verb == "change":
        text = add_item(text, ("provisions",), {"id": place})
    elif verb == "drop":
        text = add_item(text, ("drop",), place)
    elif verb:
        raise ConfigError("the form has no such button.")
    return text


def _add(text: str, path: Path) -> str:
    if path == ("provisions",):
        return add_item(text, path, {"id": _free_id(text, "new-provision"), **_NEW})
    kind = str(path[-1])
    if kind not in _LISTS:
        raise ConfigError("the form has no such button.")
    item = {key: start for key, _, _, start in _LISTS[kind][2] if start}
    if kind == "questions":
        item = {"id": _free_id(text, "question"), **item}
    return add_item(text, path, item)


def _free_id(text: str, name: str) -> str:
    number, tried = 1, provision_id(name)
    while f"id: {tried}\n" in f"{text}\n":
        number += 1
        tried = f"{name}-{number}"
    return tried


def _provision(path: Path, data: dict[str, Data], base: Playbook | None) -> FormProvision:
    identifier = _word(data, "id")
    below = next((e for e in base.provisions if e.id == identifier), None) if base else None
    inherited = {
        "name": below.name, "definition": below.definition, "query": str(below.query),
        "instructions": below.instructions,
    } if below else {}  # fmt: skip
    return FormProvision(
        path=_dotted_path(path),
        id=identifier,
        name=_word(data, "name") or inherited.get("name", "") or identifier,
        fields=tuple(
            FormField(
                _name((*path, key)), label, _word(data, key), kind, hint,
                inherited=inherited.get(key, ""),
            )
            for key, label, kind, hint in _PROVISION
        ),
        lists=tuple(_list((*path, key), data) for key in _LISTS),
    )  # fmt: skip


def _list(path: Path, data: dict[str, Data]) -> FormList:
    key = str(path[-1])
    heading, one, shown = _LISTS[key]
    return FormList(
        _dotted_path(path),
        heading,
        one,
        tuple(
            FormItem(
                _dotted_path((*path, at)),
                _word(each, "id") or f"{one} {at + 1}",
                tuple(
                    FormField(
                        _name((*path, at, name)), label, _word(each, name),
                        "choice" if kind in _CHOICES else kind,
                        choices=_CHOICES.get(kind, ()),
                    )
                    for name, label, kind, _ in shown
                ),
            )
            for at, each in enumerate(_items(data, key))
            if isinstance(each, dict)
        ),
    )  # fmt: skip


def _all_fields(form: PlaybookForm | None) -> Iterator[FormField]:
    if form is None:
        return
    yield from form.fields
    for provision in form.provisions:
        yield from provision.fields
        for each in provision.lists:
            for item in each.items:
                yield from item.fields


def _base(name: str) -> Playbook | None:
    try:
        return load_playbook(name) if name in builtin_names() else None
    except PlaybookError:
        return None


def _items(data: Data, key: str) -> list[Data]:
    listed = data.get(key) if isinstance(data, dict) else None
    return listed if isinstance(listed, list) else []


def _word(data: Data, key: str) -> str:
    value = data.get(key) if isinstance(data, dict) else None
    return value if isinstance(value, str) else ""


def _flat(value: str) -> str:
    return "\n".join(line.rstrip() for line in value.split("\n")).strip()


def _dotted_path(path: Path) -> str:
    return ".".join(map(str, path))


def _name(path: Path) -> str:
    return f"{FIELD}{_dotted_path(path)}"


def _path(name: str) -> Path:
    parts = name.removeprefix(FIELD).split(".")
    return tuple(int(each) if each.isascii() and each.isdigit() else each for each in parts)
