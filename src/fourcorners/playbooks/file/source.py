"""Read a playbook file as plain data, with the place of every key and value.

Only what a playbook needs of YAML is read: mappings, lists and text. Every scalar is text as it is
written, so `no` is not false, `version: 1.10` is not 1.1, and the key `yes` is a word.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import yaml

from fourcorners.errors import name_remedy

Data: TypeAlias = "str | list[Data] | dict[str, Data] | None"
Path: TypeAlias = tuple[str | int, ...]

MAX_DEPTH = 12  # levels of YAML; a playbook has five
_PLAIN = "tag:yaml.org,2002:"
_KNOWN_TAGS = frozenset(
    _PLAIN + name
    for name in "map seq str int float bool null timestamp merge value".split()  # noqa: SIM905
)
_QUOTE_IT = (
    "Put a text that holds quotes, brackets, a colon or a # between single quotes, "
    "or indented under the key with >- after it."
)


@dataclass(frozen=True, slots=True)
class FileProblem:
    """Something wrong with the file: where, what, and what to do about it.

    `line` and `character` count from 1; the character is given where it is known exactly.
    """

    line: int
    path: str
    what: str
    character: int | None = None
    remedy: str = ""


@dataclass(slots=True)
class YamlSource:
    """A file's data; `nodes` and `keys` give the places of the value and the key of each path."""

    text: str
    data: Data = None
    nodes: dict[Path, yaml.Node] = field(default_factory=dict)
    keys: dict[Path, yaml.Node] = field(default_factory=dict)
    problems: list[FileProblem] = field(default_factory=list)

    def line(self, path: Path) -> int:
        """Return the line, from 1, of the key or item at `path`, or of what holds it."""
        for end in range(len(path), -1, -1):
            node = self.keys.get(path[:end]) or self.nodes.get(path[:end])
            if node:
                return int(node.start_mark.line) + 1
        return 1

    def name(self, path: Path) -> str:
        """Return `path` for people: an item goes by its id, or by its number from 1."""
        words = ""
        for end, part in enumerate(path, start=1):
            if isinstance(part, str):
                words += f".{part}"
            else:
                node = self.nodes.get((*path[:end], "id"))
                scalar = node.value if isinstance(node, yaml.ScalarNode) and node.value else ""
                words += f".{scalar}" if scalar else f"#{part + 1}"
        return words.lstrip(".")

    def problem(self, path: Path, what: str, remedy: str = "") -> None:
        self.problems.append(FileProblem(self.line(path), self.name(path), what, remedy=remedy))

    def place(self, path: Path, at: int) -> tuple[int, int] | None:
        """Return line and character, from 1, of the character at index `at` of the text at `path`.

        None where escapes make the value differ from what is written.
        """
        node = self.nodes.get(path)
        if not isinstance(node, yaml.ScalarNode):
            return None
        wanted = sum(not char.isspace() for char in node.value.lstrip()[:at])
        spots = list(_spots(node, self.text))
        written = "".join(self.text[spot] for spot in spots)
        if not spots or written != "".join(node.value.split()):
            return None
        index = spots[wanted] if wanted < len(spots) else spots[-1] + 1
        return self.text.count("\n", 0, index) + 1, index - self.text.rfind("\n", 0, index)


def _spots(node: yaml.ScalarNode, text: str) -> Iterator[int]:
    """Yield the places in the file of the characters of a scalar that are not white space."""
    index, end = node.start_mark.index, node.end_mark.index
    if node.style in ("|", ">"):
        index = text.find("\n", index, end) + 1 or end
    elif node.style in ("'", '"'):
        index, end = index + 1, end - 1
    while index < end:
        if (node.style == '"' and text[index] == "\\") or (
            node.style == "'" and text.startswith("''", index)
        ):
            index += 1
        if not text[index].isspace():
            yield index
        index += 1


class _Refused(yaml.MarkedYAMLError):
    """YAML that a playbook must not use."""

    def __init__(self, problem: str, event: yaml.Event) -> None:
        super().__init__(problem=problem)
        self.problem_mark = event.start_mark  # type: ignore[assignment]


_NOT_TEXT = yaml.reader.Reader.NON_PRINTABLE
_C_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same grammar, ten times faster


def parse_yaml(text: str) -> YamlSource:
    """Return the data of the YAML `text`; its errors are in `problems`."""
    source = YamlSource(text)
    try:
        root = _compose(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, character = (mark.line + 1, mark.column + 1) if mark else (1, None)
        what = error.problem or error.context or "this is not YAML"
        remedy = _QUOTE_IT if isinstance(error, yaml.parser.ParserError) else ""
        source.problems.append(FileProblem(line, "", what, character, remedy))
        return source
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        what = _not_allowed(text[error.position])
        source.problems.append(FileProblem(line, "", what))
        return source
    if root is None:
        source.problems.append(FileProblem(1, "", "the file is empty"))
    else:
        source.data = _data(source, root, ())
    return source


def _not_allowed(character: str) -> str:
    return f"the character U+{ord(character):04X} is not allowed in YAML"


def _compose(text: str) -> yaml.Node | None:
    """Return the nodes; refuse aliases, which can inflate a small file, and deep nesting."""
    try:
        return _composed(text, _C_LOADER)
    except yaml.YAMLError:
        return _composed(text, yaml.SafeLoader)  # whose messages say what was expected


def _composed(text: str, loader: type[yaml.SafeLoader]) -> yaml.Node | None:
    depth = 0
    for event in yaml.parse(text, loader):
        if isinstance(event, yaml.AliasEvent):
            raise _Refused(f"the alias *{event.anchor} is not supported: write it out", event)
        if isinstance(event, yaml.ScalarEvent) and (found := _NOT_TEXT.search(event.value)):
            raise _Refused(_not_allowed(found.group()), event)  # it was escaped
        depth += isinstance(event, yaml.CollectionStartEvent)
        if depth > MAX_DEPTH:
            raise _Refused(f"this is nested more than {MAX_DEPTH} levels deep", event)
        depth -= isinstance(event, yaml.CollectionEndEvent)
    node: yaml.Node | None = yaml.compose(text, loader)
    return node


def _data(source: YamlSource, node: yaml.Node, path: Path) -> Data:
    source.nodes[path] = node
    if node.tag not in _KNOWN_TAGS:
        source.problem(path, f"the tag {node.tag} is not supported")
    if isinstance(node, yaml.SequenceNode):
        return [_data(source, item, (*path, n)) for n, item in enumerate(node.value)]
    if isinstance(node, yaml.MappingNode):
        return _mapping(source, node, path)
    return None if node.tag == f"{_PLAIN}null" else str(node.value)


def _mapping(source: YamlSource, node: yaml.MappingNode, path: Path) -> dict[str, Data]:
    data: dict[str, Data] = {}
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            source.problems.append(FileProblem(line, source.name(path), "a key must be a word"))
            continue
        inner = (*path, str(key.value))
        if key.value in data:
            what = f"this key occurs twice: first in line {source.line(inner)}"
            source.problems.append(FileProblem(line, source.name(inner), what))
            continue
        source.keys[inner] = key
        data[key.value] = _data(source, value, inner)
    return data


INHERITED_KEYS = ("language", "description")


def merge_playbooks(source: YamlSource, base: YamlSource) -> YamlSource:
    """Return the data of `source` merged onto the resolved playbook of `base`.

    A provision of a known id changes that one key by key (a key with nothing after it takes the
    value away); others are added at the end. Every place is one of the extending file: what comes
    from the base is at the key `extends`. Errors are added to its problems.
    """
    own = source.data if isinstance(source.data, dict) else {}
    below = base.data if isinstance(base.data, dict) else {}
    known = {_id(each): each for each in _items(below) if isinstance(each, dict)}
    dropped = _dropped_provisions(source, own, list(known))
    whole = YamlSource(source.text, problems=source.problems)
    for of, into in ((source.nodes, whole.nodes), (source.keys, whole.keys)):
        into |= {path: node for path, node in of.items() if path[:1] != _LIST or len(path) == 1}
    changes: dict[str, int] = {}
    added: list[int] = []
    for at, each in enumerate(_items(own)):
        name = _id(each)
        if name in known and name not in changes:
            changes[name] = at
        else:
            added.append(at)
    for name in dropped & changes.keys():
        where = (*_LIST, changes[name], "id")
        source.problem(where, f"{name!r} is changed here and left out by the key 'drop'")
    provisions: list[Data] = []
    for name, provision in known.items():
        if name in dropped and name not in changes:
            continue
        _replace_position(whole, source, len(provisions), name)
        if name in changes:
            _move(whole, source, changes[name], len(provisions))
            provisions.append(_apply_change(provision, _items(own)[changes[name]]))
        else:
            provisions.append(provision)
    for at in added:
        _move(whole, source, at, len(provisions))
        provisions.append(_items(own)[at])
    whole.data = {key: below[key] for key in INHERITED_KEYS if key in below}
    whole.data |= {key: value for key, value in own.items() if key not in ("extends", "drop")}
    if isinstance(own.get("provisions", []), list):
        whole.data["provisions"] = provisions
    return whole


_LIST: Path = ("provisions",)


def _items(data: dict[str, Data]) -> list[Data]:
    listed = data.get("provisions")
    return listed if isinstance(listed, list) else []


def _id(item: Data) -> str:
    value = item.get("id") if isinstance(item, dict) else None
    return value.strip() if isinstance(value, str) else ""


def _apply_change(provision: dict[str, Data], change: Data) -> Data:
    both = {**provision, **change} if isinstance(change, dict) else provision
    return {key: value for key, value in both.items() if value is not None}


def _dropped_provisions(source: YamlSource, own: dict[str, Data], known: list[str]) -> set[str]:
    if "drop" not in own:
        return set()
    listed = own["drop"]
    if not isinstance(listed, list):
        source.problem(("drop",), "this must be a list of ids, each after a hyphen")
        return set()
    for at, each in enumerate(listed):
        if each in known:
            continue
        offer = name_remedy(str(each), known)
        source.problem(("drop", at), f"the extended playbook has no provision {each!r}. {offer}")
    return {each for each in listed if isinstance(each, str)}


def _replace_position(whole: YamlSource, source: YamlSource, at: int, name: str) -> None:
    """Let errors about a provision of the base point at the key `extends`."""
    key = source.keys[("extends",)]
    mark = key.start_mark
    whole.nodes[(*_LIST, at)] = key
    whole.nodes[(*_LIST, at, "id")] = yaml.ScalarNode("tag:yaml.org,2002:str", name, mark, mark)


def _move(whole: YamlSource, source: YamlSource, start: int, end: int) -> None:
    for of, into in ((source.nodes, whole.nodes), (source.keys, whole.keys)):
        for path, node in _nodes_below(of, (*_LIST, start)):
            into[(*_LIST, end, *path)] = node


def _nodes_below(nodes: dict[Path, yaml.Node], path: Path) -> Iterator[tuple[Path, yaml.Node]]:
    for each, node in nodes.items():
        if each[: len(path)] == path:
            yield each[len(path) :], node
