"""Writing playbook files: one to start from, with comments, and one with what was learned."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import chain, count
from pathlib import Path

from fourcorners.errors import ConfigError, PlaybookError
from fourcorners.playbooks.file.schema import PlaybookFile, ProvisionFile
from fourcorners.playbooks.learning.learn import LearnedQuery
from fourcorners.playbooks.load import (
    builtin_names,
    load_playbook,
    parse_playbook,
    playbook_text,
    resolve_playbook,
)
from fourcorners.playbooks.playbook import Playbook, Provision

_SUCH = "Clauses such as those that the clause bank holds of"
_NOT_IN_ID = re.compile(r"[^a-z0-9]+")


def provision_id(name: str) -> str:
    return _NOT_IN_ID.sub("-", name.casefold()).strip("-")[:80].strip("-") or "provision"


def unused_id(stem: str, taken: Collection[str]) -> str:
    numbered = (f"{stem}-{number}" for number in count(2))
    return next(each for each in chain((stem,), numbered) if each not in taken)


def match_provision(playbook: Playbook | None, name: str) -> Provision | None:
    wanted = " ".join(name.split()).casefold()
    for provision in playbook.provisions if playbook else ():
        names = (provision.id, provision.name, *provision.aliases)
        if wanted in {each.casefold() for each in names}:
            return provision
    return None


def learned_yaml(
    learned: Mapping[str, LearnedQuery], playbook: str | Path | None, name: str
) -> str:
    """Return the YAML of a playbook with what was learned.

    Into `playbook` (a name or a file; its comments are lost) go the mined queries, and examples
    where a provision has none; a provision that it lacks is added. Without it a playbook is made,
    whose queries are those that were mined.

    Raises:
        PlaybookError: If the playbook cannot be read.
    """
    known = resolve_playbook(playbook) if playbook is not None else None
    held = load_playbook(playbook) if playbook is not None else None
    entries = {each.id: each for each in known.provisions} if known else {}
    for provision, each in learned.items():
        own = match_provision(held, provision)
        if own is None:
            entries[provision_id(provision)] = ProvisionFile.model_validate(
                {
                    "id": provision_id(provision),
                    "name": provision,
                    "definition": f"{_SUCH} {provision}.",
                    "query": each.query,
                    "learned": each.query,
                    "examples": each.examples,
                }
            )
            continue
        entry = entries[own.id]
        change: dict[str, object] = {"learned": each.query}
        if not entry.examples:
            change["examples"] = each.examples
        entries[own.id] = entry.model_copy(update=change)
    listed = tuple(entries.values())
    made = {"id": provision_id(name), "name": name, "version": "1", "provisions": listed}
    whole = (
        known.model_copy(update={"provisions": listed})
        if known
        else PlaybookFile.model_validate(made)
    )
    text = _yaml(whole.model_dump(mode="json", exclude_defaults=True))
    parse_playbook(text, name)
    return text


def _yaml(content: object) -> str:
    import yaml

    text: str = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=96)
    return text


SCHEMA_LINE = "# yaml-language-server: $schema=playbook.schema.json\n"
_CATALOGUE = "cuad-41"


def starter_yaml(name: str, *, taken: Sequence[str] = (), extends: str = "") -> str:
    """Return the YAML of a new playbook, with comments for its author.

    Raises:
        PlaybookError: If what is to be copied or extended is not known.
    """
    plain = " ".join(name.split())
    if not _NOT_IN_ID.sub("", plain.casefold()):
        raise ConfigError(f"{name!r} is no name for a playbook.", remedy="Give it a letter.")
    head = (
        f"{SCHEMA_LINE}id: {provision_id(plain)}\nname: {_scalar(plain)}\n"
        'version: "1"   # your own; change it when the content changes\n'
    )
    if extends:
        head += f"extends: {_scalar(extends)}   # a built-in playbook, or a path from this file\n"
    else:
        head += "language: en\n"
    if taken:
        return head + _copied(taken)
    if not extends:
        return head + _template("starter.yaml")
    base = load_playbook(extends) if extends in builtin_names() else None
    ids = [each.id for each in base.provisions] if base else ["assignment", "insurance"]
    return head + _template("starter-extending.yaml").format(first=ids[0], last=ids[-1])


def _template(file: str) -> str:
    return Path(__file__).with_name(file).read_text("utf-8")


def _copied(taken: Sequence[str]) -> str:
    text = playbook_text(taken[0]) if taken[0] in builtin_names() else "extends:"
    if len(taken) == 1 and "extends:" not in text:
        return text[text.index("provisions:\n") :]  # with its comments
    provisions: dict[str, ProvisionFile] = {}
    for name in taken:
        for each in _provisions(name):
            provisions.setdefault(each.id, each)
    listed = [each.model_dump(mode="json", exclude_defaults=True) for each in provisions.values()]
    return _yaml({"provisions": listed})


def _provisions(name: str) -> list[ProvisionFile]:
    if name in builtin_names() or name.endswith((".yaml", ".yml")):
        return list(resolve_playbook(name).provisions)
    for book in (_CATALOGUE, *builtin_names()):
        try:
            wanted = load_playbook(book).provision(name).id
        except ConfigError:
            continue
        return [each for each in resolve_playbook(book).provisions if each.id == wanted]
    known = ", ".join(each.name for each in load_playbook(_CATALOGUE).provisions)
    raise PlaybookError(
        f"there is no playbook and no provision {name!r}.",
        remedy=f"Playbooks: {', '.join(builtin_names())}. Provisions: {known}.",
    )


def _scalar(text: str) -> str:
    """Return a text as YAML: quoted where it must be."""
    plain = re.fullmatch(r"[\w][\w ./&-]*", text) is not None
    return text if plain else "'" + text.replace("'", "''") + "'"


def resolved_yaml(name_or_path: str) -> str:
    """Return the YAML of a playbook with all that it takes from those it extends.

    Raises:
        PlaybookError: If there is no such playbook, or it does not hold the schema.
    """
    text = _yaml(resolve_playbook(name_or_path).model_dump(mode="json", exclude_defaults=True))
    parse_playbook(text, name_or_path)
    return text
