"""What differs between two versions of a playbook's file: by provision, and by field."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from fourcorners.playbooks.file.source import Data, Path, parse_yaml

Kind = Literal["added", "removed", "changed"]
_WHOLE = "whole"
_NAMES = {"query": "search terms", "avoid": "excluded look-alikes", "positions": "house positions"}


@dataclass(frozen=True, slots=True)
class FieldDifference:
    """A value of the file that differs; empty where a version has none."""

    field: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class PlaybookDifference:
    """A provision that differs; the one without an id is the playbook itself."""

    provision: str
    name: str
    kind: Kind
    fields: tuple[FieldDifference, ...]


def compare_texts(before: str, after: str) -> list[PlaybookDifference]:
    """Return what differs between two texts of a playbook, in the order of the later one.

    Items of a list are matched by their ids, or by their place where they have none.
    """
    old, new = _parts(before), _parts(after)
    found = []
    for key in [*new, *(each for each in old if each not in new)]:
        name, values = new.get(key) or old[key]
        former = old[key][1] if key in old else {}
        values = values if key in new else {}
        fields = tuple(
            FieldDifference(field, former.get(field, ""), values.get(field, ""))
            for field in dict.fromkeys((*values, *former))
            if former.get(field, "") != values.get(field, "")
        )
        if fields or (key in old) != (key in new):
            kind: Kind = "changed" if key in old and key in new else "added"
            found.append(PlaybookDifference(key, name, kind if key in new else "removed", fields))
    return found


def _parts(text: str) -> dict[str, tuple[str, dict[str, str]]]:
    """Return the name and the values of the playbook (`""`) and of each provision, by id."""
    data = parse_yaml(text).data
    if not isinstance(data, dict):
        return {"": ("", {_WHOLE: text})}
    listed = data.get("provisions")
    rest = {key: value for key, value in data.items() if key != "provisions"}
    parts = {"": (str(data.get("name") or ""), dict(_values(rest, ())))}
    for at, each in enumerate(listed if isinstance(listed, list) else []):
        key = _key(each, at)
        name = each.get("name") if isinstance(each, dict) else None
        parts[key] = (str(name or key), dict(_values(each, ())))
    return parts


def _values(data: Data, path: Path) -> Iterator[tuple[str, str]]:
    if isinstance(data, dict):
        for key, each in data.items():
            if key != "id" or len(path) == 0:
                yield from _values(each, (*path, _NAMES.get(key, key.replace("_", " "))))
    elif isinstance(data, list) and any(isinstance(each, dict | list) for each in data):
        for at, each in enumerate(data):
            yield from _values(each, (*path, _key(each, at)))
    else:
        words = "\n".join(map(str, data)) if isinstance(data, list) else data or ""
        yield " › ".join(map(str, path)), words


def _key(item: Data, at: int) -> str:
    name = item.get("id") if isinstance(item, dict) else None
    return name if isinstance(name, str) and name else str(at + 1)
