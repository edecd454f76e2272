"""A playbook as a form: another view of the same text, in which each field is one of its values."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import get_args

from fourcorners.errors import ConfigError, PlaybookError
from fourcorners.playbooks.file.edits import add_item, insert_value, remove_item, set_value
from fourcorners.playbooks.file.source import Data, Path, parse_yaml
from fourcorners.playbooks.load import builtin_names, open_playbook
from fourcorners.playbooks.playbook import Level, PositionKind, When
from fourcorners.playbooks.write import provision_id, unused_id

FIELD = "f:"
"""What the names of fields begin with; the path of the value follows, with dots."""


@dataclass(frozen=True, slots=True)
class FormField:
    """A value of the file, or what it inherits.

    Attributes:
        name: Of the field; it tells the path of the value.
        value: As the file has it, or as the extended playbook does; empty if neither does.
        kind: `line`, `text`, `query` or `choice`, of `choices`.
        inherited: Whether it is the extended playbook's, which the file leaves as it is.
        replaces: Whether the file has it in the place of the extended playbook's.
    """

    name: str
    label: str
    value: str
    kind: str = "line"
    hint: str = ""
    choices: tuple[str, ...] = ()
    inherited: bool = False
    replaces: bool = False

    @property
    def path(self) -> str:
        return self.name.removeprefix(FIELD)


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
    inherited: bool = False
    replaces: bool = False


@dataclass(frozen=True, slots=True)
class FormProvision:
    """A provision; `changes` tells whether it is one of the extended playbook."""

    path: str
    id: str
    name: str
    fields: tuple[FormField, ...]
    lists: tuple[FormList, ...]
    changes: bool = False


@dataclass(frozen=True, slots=True)
class PlaybookForm:
    """The form.

    Attributes:
        advanced: Fields that few people change.
        inherited: The provisions of the extended playbook that this one leaves as they are, by id.
        dropped: Those that it leaves out: where the file says so, and their names.
    """

    fields: tuple[FormField, ...]
    advanced: tuple[FormField, ...]
    provisions: tuple[FormProvision, ...]
    inherited: tuple[tuple[str, str], ...]
    dropped: tuple[tuple[str, str], ...]
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
    ("avoid", "Excluded look-alikes", "query", ""),
    ("instructions", "Instructions for a language model", "text", ""),
)
_NEW = {"name": "New provision", "definition": "Say what the clause does.", "query": "clause"}


_REQUIRED = ("name", "definition", "query")


def playbook_form(text: str) -> PlaybookForm | None:
    """Return the form of a playbook's text; None where the YAML cannot be read."""
    source = parse_yaml(text)
    if source.problems or not isinstance(source.data, dict):
        return None
    data = source.data
    base = _base(data)
    own = [each for each in _items(data, "provisions") if isinstance(each, dict)]
    dropped = [str(each) for each in _items(data, "drop")]
    changed = {_word(each, "id") for each in own}.union(dropped)
    return PlaybookForm(
        fields=(
            FormField(_name(("name",)), "Name", _word(data, "name")),
            FormField(_name(("description",)), "Description", _word(data, "description"), "text"),
        ),
        advanced=(
            FormField(_name(("id",)), "Identifier", _word(data, "id")),
            FormField(_name(("version",)), "Version", _word(data, "version")),
        ),
        provisions=tuple(
            _provision(("provisions", at), each, base.get(_word(each, "id"), {}))
            for at, each in enumerate(_items(data, "provisions"))
            if isinstance(each, dict)
        ),
        inherited=tuple(
            (key, _word(each, "name")) for key, each in base.items() if key not in changed
        ),
        dropped=tuple(
            (f"drop.{at}", _word(base.get(each), "name") or each) for at, each in enumerate(dropped)
        ),
        extends=_word(data, "extends"),
    )


def apply_form(text: str, drawn: str, fields: Mapping[str, str], action: str = "") -> str:
    """Return a text with what was changed in a form, and with what its button does.

    Args:
        text: The YAML, which may have been edited next to the form.
        drawn: The YAML that the form was drawn from: a field that still has its value there was
            not changed.
        fields: The fields of the form, by name.
        action: `add:PATH`, `remove:PATH`, `inherit:PATH`, `change:ID` or `drop:ID`; empty for none.

    Raises:
        PlaybookError: If the text cannot be changed so.
    """
    before = {each.name: each.value for each in _all_fields(playbook_form(drawn))}
    for name, given in fields.items():
        value = _flat(given.replace("\r\n", "\n"))
        if name in before and value != _flat(before[name]):
            text = _set(text, _path(name), value)
    verb, _, place = action.partition(":")
    if verb == "add":
        text = _add(text, _path(place))
    elif verb == "remove":
        path = _path(place)
        text = remove_item(_with_own_list(text, path), path)
    elif verb == "inherit":
        text = set_value(text, _path(place), "")
    elif verb == "change":
        text = add_item(text, ("provisions",), {"id": place})
    elif verb == "drop":
        text = add_item(text, ("drop",), place)
    elif verb:
        raise ConfigError("the form has no such button.")
    return text


def name_after(text: str, former: str, taken: Collection[str]) -> str:
    """Return the text of a new playbook under an id that its name makes and nothing has.

    An id that the `former` name did not make, was written by hand, and stays.
    """
    data = parse_yaml(text).data
    made, held = provision_id(former), _word(data, "id")
    if held != made and not (held.startswith(f"{made}-") and held[len(made) + 1 :].isdecimal()):
        return text
    wanted = unused_id(provision_id(_word(data, "name")), taken)
    return text if wanted == held else set_value(text, ("id",), wanted)


def _set(text: str, path: Path, value: str) -> str:
    """Return the text with a value; one as the extended playbook has it is left to that."""
    below = _inherited(text, path)
    if len(path) != 3 or path[2] not in below:
        return set_value(_with_own_list(text, path), path, value)
    if value == _flat(_word(below, str(path[2]))) or (not value and path[2] in _REQUIRED):
        return set_value(text, path, "")
    if not value:
        return insert_value(set_value(text, path, ""), path, None)
    return set_value(text, path, value)


def _with_own_list(text: str, path: Path) -> str:
    """Return the text with a copy of an inherited list, where a path leads into one."""
    below = _inherited(text, path)
    key = path[2] if len(path) > 2 else ""
    if key not in _LISTS or key not in below or _has(text, path[:3]):
        return text
    return insert_value(text, path[:3], below[str(key)])


def _has(text: str, path: Path) -> bool:
    return path in parse_yaml(text).nodes


def _inherited(text: str, path: Path) -> Mapping[str, Data]:
    """Return the extended playbook's provision that the one of a path changes; empty if none."""
    data = parse_yaml(text).data
    items = _items(data, "provisions")
    if path[:1] != ("provisions",) or len(path) < 2 or not isinstance(path[1], int):
        return {}
    changed = items[path[1]] if path[1] < len(items) else None
    return _base(data).get(_word(changed, "id"), {})


def _add(text: str, path: Path) -> str:
    if path == ("provisions",):
        return add_item(text, path, {"id": _unused_id(text, "new-provision"), **_NEW})
    kind = str(path[-1])
    if kind not in _LISTS:
        raise ConfigError("the form has no such button.")
    item = {key: start for key, _, _, start in _LISTS[kind][2] if start}
    text = _with_own_list(text, path)
    if kind == "questions":
        item = {"id": _unused_id(text, "question"), **item}
    return add_item(text, path, item)


def _unused_id(text: str, name: str) -> str:
    return unused_id(name, [line.partition("id: ")[2] for line in text.split("\n")])


def _provision(path: Path, data: dict[str, Data], below: Mapping[str, Data]) -> FormProvision:
    identifier = _word(data, "id")
    return FormProvision(
        path=_dotted_path(path),
        id=identifier,
        name=_word({**below, **data}, "name") or identifier,
        fields=tuple(
            FormField(
                _name((*path, key)), label, _word({**below, **data}, key), kind, hint,
                inherited=key in below and key not in data, replaces=key in below and key in data,
            )
            for key, label, kind, hint in _PROVISION
        ),
        lists=tuple(_list((*path, key), data, below) for key in _LISTS),
        changes=bool(below),
    )  # fmt: skip


def _list(path: Path, data: dict[str, Data], below: Mapping[str, Data]) -> FormList:
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
            for at, each in enumerate(_items({**below, **data}, key))
            if isinstance(each, dict)
        ),
        inherited=key in below and key not in data,
        replaces=key in below and key in data,
    )  # fmt: skip


def _all_fields(form: PlaybookForm | None) -> Iterator[FormField]:
    if form is None:
        return
    yield from form.fields
    yield from form.advanced
    for provision in form.provisions:
        yield from provision.fields
        for each in provision.lists:
            for item in each.items:
                yield from item.fields


def _base(data: Data) -> dict[str, dict[str, Data]]:
    """Return the provisions of the playbook that a file extends, by id."""
    name = _word(data, "extends")
    try:
        base = open_playbook(name)[1].data if name in builtin_names() else None
    except PlaybookError:
        return {}
    return {
        _word(each, "id"): each for each in _items(base, "provisions") if isinstance(each, dict)
    }


def _items(data: Data, key: str) -> list[Data]:
    listed = data.get(key) if isinstance(data, dict) else None
    return listed if isinstance(listed, list) else []


def _word(data: Data | Mapping[str, Data], key: str) -> str:
    value = data.get(key) if isinstance(data, Mapping) else None
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
