"""Change single values in the text of a playbook file; leave everything else as written.

A form and the YAML are two views of one file. A change in the form is made here in the text,
keeping comments and order, and then read back: a change that does not result exactly is refused.
"""

from __future__ import annotations

import copy
import re
import textwrap
from collections.abc import Mapping

import yaml

from fourcorners.errors import PlaybookError
from fourcorners.playbooks.file.source import Data, Path, YamlSource, parse_yaml

# Words that YAML reads as written: no special signs, no space at an end.
_PLAIN = re.compile(r"[A-Za-z0-9(][^\n:#{}\[\],&*?|>%@`\"'\\]*(?<! )")
_DEEPER = 2  # columns


def set_value(text: str, path: Path, value: str) -> str:
    """Return the text with the value at a path replaced; an empty one removes it.

    Raises:
        PlaybookError: If there is no such place, or the text cannot be changed so.
    """
    source = _read(text)
    data = copy.deepcopy(source.data)
    holder = _find_value(data, path[:-1])
    key = path[-1]
    if isinstance(holder, dict) and isinstance(key, str):
        if value:
            holder[key] = value
        else:
            holder.pop(key, None)
    elif isinstance(holder, list) and isinstance(key, int) and key < len(holder):
        if not value:
            return remove_item(text, path)
        holder[key] = value
    else:
        raise _no_place(source, path)
    node = source.nodes.get(path)
    if value and node is not None and node.tag.endswith(":null"):  # a value that is taken away
        source, node = _read(_remove_key(source, path)), None
    if not value:
        changed = _remove_key(source, path) if node is not None else text
    elif isinstance(node, yaml.ScalarNode):
        changed = _replace_scalar(text, node, value, _indent_of(source, path) + _DEEPER)
    elif node is None:
        changed = _insert_key(source, path, value)
    else:
        raise _no_place(source, path)
    return _verify(source, changed, data, path)


def insert_value(text: str, path: Path, value: Data) -> str:
    """Return the text with a value, such as a whole list, under a key that is not there yet.

    None takes away what the extended playbook has under the key.

    Raises:
        PlaybookError: If there can be no such key, or the text cannot be changed so.
    """
    source = _read(text)
    data = copy.deepcopy(source.data)
    holder = _find_value(data, path[:-1])
    key = path[-1]
    if not isinstance(holder, dict) or not isinstance(key, str) or key in holder:
        raise _no_place(source, path)
    holder[key] = value
    written = ""
    if value is not None:
        block = yaml.safe_dump(value, allow_unicode=True, sort_keys=False, width=96).rstrip("\n")
        written = "\n" + textwrap.indent(block, " " * (_indent_of(source, path) + _DEEPER))
    return _verify(source, _insert_line(source, path, f"{key}:{written}", last=True), data, path)


def add_item(text: str, path: Path, item: Mapping[str, str] | str) -> str:
    """Return the text with another item at the end of a list, which is made if it is not there.

    Raises:
        PlaybookError: If there can be no list, or the text cannot be changed so.
    """
    source = _read(text)
    data = copy.deepcopy(source.data)
    holder = _find_value(data, path[:-1])
    if not isinstance(holder, dict) or not isinstance(path[-1], str):
        raise _no_place(source, path)
    listed = holder.get(path[-1])
    if listed is not None and not isinstance(listed, list):
        raise _no_place(source, path)
    holder[path[-1]] = [*(listed or []), item if isinstance(item, str) else dict(item)]
    node = source.nodes.get(path)
    if isinstance(node, yaml.SequenceNode) and node.value:
        changed = _insert_item(source, node, item)
    else:
        bare = _remove_key(source, path) if node is not None else text
        changed = _insert_list(_read(bare), path, item)
    return _verify(source, changed, data, path)


def remove_item(text: str, path: Path) -> str:
    """Return the text without an item of a list; with the last one the list goes.

    Raises:
        PlaybookError: If there is no such item, or the text cannot be changed so.
    """
    source = _read(text)
    data = copy.deepcopy(source.data)
    holder, whole = _find_value(data, path[:-1]), source.nodes.get(path[:-1])
    place = path[-1]
    if (
        not isinstance(holder, list)
        or not isinstance(whole, yaml.SequenceNode)
        or not isinstance(place, int)
        or place >= len(holder)
    ):
        raise _no_place(source, path)
    if len(holder) == 1:
        above = _find_value(data, path[:-2])
        if not isinstance(above, dict):
            raise _no_place(source, path)
        above.pop(str(path[-2]))
        return _verify(source, _remove_key(source, path[:-1]), data, path)
    holder.pop(place)
    if whole.flow_style:
        raise _in_yaml(source, path)
    lines = text.splitlines(keepends=True)
    start = whole.value[place].start_mark.line
    del lines[start : _last_line(whole.value[place], text) + 1]
    return _verify(source, "".join(lines), data, path)


def _read(text: str) -> YamlSource:
    source = parse_yaml(text)
    if source.problems or not isinstance(source.data, dict):
        raise PlaybookError("the YAML cannot be read.", remedy="Correct it first.")
    return source


def _find_value(data: Data, path: Path) -> Data:
    for part in path:
        if isinstance(data, dict) and isinstance(part, str):
            data = data.get(part)
        elif isinstance(data, list) and isinstance(part, int) and part < len(data):
            data = data[part]
        else:
            return None
    return data


def _verify(source: YamlSource, text: str, data: Data, path: Path) -> str:
    made = parse_yaml(text)
    if made.problems or made.data != data:
        raise _in_yaml(source, path)
    return text


def _scalar(value: str, indent: int) -> str:
    """Return a value as YAML; one of several lines as an indented block."""
    lines = value.split("\n")
    if (
        len(lines) > 1
        and value.strip() == value
        and not any(set(each) & {"\r", "\t"} for each in lines)
    ):
        return "|-\n" + "\n".join(f"{' ' * indent}{each}" if each else "" for each in lines)
    if _PLAIN.fullmatch(value):
        return value
    if value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    return yaml.dump(value, default_style='"', allow_unicode=True, width=1 << 20).rstrip("\n")


def _replace_scalar(text: str, node: yaml.ScalarNode, value: str, indent: int) -> str:
    start, end = node.start_mark.index, node.end_mark.index
    written = text[start:end]
    ending = written[len(written.rstrip()) :] if node.style in ("|", ">") else ""
    return text[:start] + _scalar(value, indent) + ending + text[end:]


def _insert_key(source: YamlSource, path: Path, value: str) -> str:
    indent = _indent_of(source, path)
    return _insert_line(source, path, f"{path[-1]}: {_scalar(value, indent + _DEEPER)}")


def _insert_list(source: YamlSource, path: Path, item: Mapping[str, str] | str) -> str:
    indent = _indent_of(source, path) + _DEEPER
    return _insert_line(source, path, f"{path[-1]}:\n{_item(item, indent)}", last=True)


def _insert_line(source: YamlSource, path: Path, words: str, *, last: bool = False) -> str:
    """Return the text with a key in a mapping: after its first value, or after all of it."""
    mapping = source.nodes.get(path[:-1])
    if not isinstance(mapping, yaml.MappingNode) or not mapping.value or mapping.flow_style:
        raise _in_yaml(source, path)
    value = mapping.value[-1 if last else 0][1]
    lines = source.text.splitlines(keepends=True)
    line = _last_line(value, source.text)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    lines.insert(line + 1, f"{' ' * _indent_of(source, path)}{words}\n")
    return "".join(lines)


def _insert_item(source: YamlSource, node: yaml.SequenceNode, item: Mapping[str, str] | str) -> str:
    if node.flow_style:
        if not isinstance(item, str):
            raise PlaybookError("this list is written in brackets.", remedy="Add to it in YAML.")
        end = node.end_mark.index - 1
        return (
            f"{source.text[:end].rstrip()}, '{item.replace(chr(39), chr(39) * 2)}']"
            + (source.text[end + 1 :])
        )
    lines = source.text.splitlines(keepends=True)
    first = lines[node.value[0].start_mark.line]
    indent = len(first) - len(first.lstrip(" "))
    line = _last_line(node.value[-1], source.text)
    if not lines[line].endswith("\n"):
        lines[line] += "\n"
    lines.insert(line + 1, f"{_item(item, indent)}\n")
    return "".join(lines)


def _item(item: Mapping[str, str] | str, indent: int) -> str:
    if isinstance(item, str):
        return f"{' ' * indent}- {_scalar(item, indent + _DEEPER)}"
    keys = [f"{key}: {_scalar(value, indent + 2 * _DEEPER)}" for key, value in item.items()]
    joint = f"\n{' ' * (indent + _DEEPER)}"
    return f"{' ' * indent}- {joint.join(keys)}"


def _remove_key(source: YamlSource, path: Path) -> str:
    """Return the text without a key and its value."""
    key, node, above = source.keys.get(path), source.nodes[path], source.nodes[path[:-1]]
    if not isinstance(above, yaml.MappingNode) or key is None:
        raise _no_place(source, path)
    if above.flow_style or len(above.value) == 1:
        raise _in_yaml(source, path)
    lines = source.text.splitlines(keepends=True)
    line = key.start_mark.line
    if lines[line][: key.start_mark.column].strip():  # the dash of an item is there
        raise _in_yaml(source, path)
    del lines[line : max(line, _last_line(node, source.text)) + 1]
    return "".join(lines)


def _last_line(node: yaml.Node, text: str) -> int:
    """Return the line, from 0, on which what is written of a node ends."""
    if isinstance(node, yaml.MappingNode) and node.value and not node.flow_style:
        return max(_last_line(each, text) for pair in node.value for each in pair)
    if isinstance(node, yaml.SequenceNode) and node.value and not node.flow_style:
        return max(_last_line(each, text) for each in node.value)
    written = text[node.start_mark.index : node.end_mark.index].rstrip()
    return int(node.start_mark.line) + written.count("\n")


def _indent_of(source: YamlSource, path: Path) -> int:
    """Return the column of the keys of the mapping that a path leads through last."""
    for end in range(len(path) - 1, -1, -1):
        node = source.nodes.get(path[:end])
        if isinstance(node, yaml.MappingNode) and node.value:
            return int(node.value[0][0].start_mark.column)
    return 0


def _no_place(source: YamlSource, path: Path) -> PlaybookError:
    return PlaybookError(
        f"the playbook no longer has {source.name(path)}.", remedy="Load the form again."
    )


def _in_yaml(source: YamlSource, path: Path) -> PlaybookError:
    return PlaybookError(
        f"{source.name(path)} is written in a way that the form cannot change.",
        remedy="Change it in the YAML.",
    )
