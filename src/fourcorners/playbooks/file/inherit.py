"""A playbook on top of another: what it changes, what it drops, what it adds."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

import yaml

from fourcorners.playbooks.file.source import Data, Path, YamlSource

INHERITED_KEYS = ("language", "description")


def merge_playbooks(source: YamlSource, base: YamlSource) -> YamlSource:
    """Return what the file of `source` says on top of the resolved playbook of `base`.

    A provision of a known id changes that one key by key (a key with nothing after it takes the
    value away); others are added at the end. Every place is one of the extending file: what comes
    from the base stands at the key `extends`. What is wrong is noted in its problems.
    """
    own = source.data if isinstance(source.data, dict) else {}
    below = base.data if isinstance(base.data, dict) else {}
    known = {_id(each): each for each in _items(below) if isinstance(each, dict)}
    dropped = _dropped(source, own, list(known))
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
        _stand_in(whole, source, len(provisions), name)
        if name in changes:
            _move(whole, source, changes[name], len(provisions))
            provisions.append(_changed(provision, _items(own)[changes[name]]))
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


def _changed(provision: dict[str, Data], change: Data) -> Data:
    both = {**provision, **change} if isinstance(change, dict) else provision
    return {key: value for key, value in both.items() if value is not None}


def _dropped(source: YamlSource, own: dict[str, Data], known: list[str]) -> set[str]:
    if "drop" not in own:
        return set()
    listed = own["drop"]
    if not isinstance(listed, list):
        source.problem(("drop",), "this must be a list of ids, each after a hyphen")
        return set()
    for at, each in enumerate(listed):
        if each in known:
            continue
        near = get_close_matches(str(each), known, n=1)
        offer = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(known)}"
        source.problem(("drop", at), f"the extended playbook has no provision {each!r}; {offer}")
    return {each for each in listed if isinstance(each, str)}


def _stand_in(whole: YamlSource, source: YamlSource, at: int, name: str) -> None:
    """Let errors about a provision of the base point at the key `extends`."""
    key = source.keys[("extends",)]
    mark = key.start_mark
    whole.nodes[(*_LIST, at)] = key
    whole.nodes[(*_LIST, at, "id")] = yaml.ScalarNode("tag:yaml.org,2002:str", name, mark, mark)


def _move(whole: YamlSource, source: YamlSource, start: int, end: int) -> None:
    for of, into in ((source.nodes, whole.nodes), (source.keys, whole.keys)):
        for path, node in _below(of, (*_LIST, start)):
            into[(*_LIST, end, *path)] = node


def _below(nodes: dict[Path, yaml.Node], path: Path) -> Iterator[tuple[Path, yaml.Node]]:
    for each, node in nodes.items():
        if each[: len(path)] == path:
            yield each[len(path) :], node
