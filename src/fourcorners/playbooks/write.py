"""Writing what was learned into a playbook file: readable, and to be edited by hand."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from fourcorners.playbooks.file.schema import PlaybookFile, ProvisionFile
from fourcorners.playbooks.learning.learn import LearnedQuery
from fourcorners.playbooks.load import load_playbook, parse_playbook, resolve_playbook
from fourcorners.playbooks.playbook import Playbook, Provision

_NOT_IN_ID = re.compile(r"[^a-z0-9]+")
_LINE = 96  # characters of a line of YAML


def provision_id(name: str) -> str:
    """Return a provision's name as an id: lower-case words joined by hyphens."""
    return _NOT_IN_ID.sub("-", name.casefold()).strip("-")[:80].strip("-") or "provision"


def match_provision(playbook: Playbook | None, name: str) -> Provision | None:
    """Return the playbook's provision of this id, name or alias, if it has one."""
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
    import yaml

    known = resolve_playbook(playbook) if playbook is not None else None
    held = load_playbook(playbook) if playbook is not None else None
    entries = {each.id: each for each in known.provisions} if known else {}
    for provision, each in learned.items():
        own = match_provision(held, provision)
        if own is None:
            entries[provision_id(provision)] = _made(provision, each)
            continue
        entry = entries[own.id]
        change: dict[str, object] = {"learned": each.query}
        if not entry.examples:
            change["examples"] = each.examples
        entries[own.id] = entry.model_copy(update=change)
    if known is None:
        whole = PlaybookFile.model_validate(
            {
                "id": provision_id(name),
                "name": name,
                "version": "1",
                "provisions": tuple(entries.values()),
            }
        )
    else:
        whole = known.model_copy(update={"provisions": tuple(entries.values())})
    content = whole.model_dump(mode="json", exclude_defaults=True)
    text: str = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=_LINE)
    parse_playbook(text, name)
    return text


def _made(provision: str, learned: LearnedQuery) -> ProvisionFile:
    return ProvisionFile.model_validate(
        {
            "id": provision_id(provision),
            "name": provision,
            "definition": f"Clauses such as those that the clause bank holds of {provision}.",
            "query": learned.query,
            "learned": learned.query,
            "examples": learned.examples,
        }
    )
