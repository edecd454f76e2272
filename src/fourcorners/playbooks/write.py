"""Writing playbook files: one to start from, with comments, and one with what was learned."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
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

_NOT_IN_ID = re.compile(r"[^a-z0-9]+")
_LINE = 96  # characters of a line of YAML


def provision_id(name: str) -> str:
    return _NOT_IN_ID.sub("-", name.casefold()).strip("-")[:80].strip("-") or "provision"


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


SCHEMA_LINE = "# yaml-language-server: $schema={schema}\n"
_WIDTH = 96  # characters of a line of YAML
_CATALOGUE = "cuad-41"
_EMPTY = """\
provisions:
  # Each provision is a column of the grid. Only id, name, definition and query are required.
  - id: late-delivery
    name: Late delivery
    aliases: [Delay]
    definition: >-
      What follows when goods or services come after the agreed date. Late payment is something
      else.
    # The clause's words: each part with its reach (~ words apart) and its weight (^).
    query: '["late delivery"~5^5, "week delay"~4^4, "liquidated damages delay"~15^5]'
    avoid: '["late payment"~3]'
    # Clauses in your own words: the search by meaning starts from them.
    examples:
      - For each week of delay the Supplier pays one percent of the price of the late goods.
    # applies_to: [Supply, Manufacturing]   # the types of contract that have it; all if left out
    # except_for: [Lease, Loan]   # the types of contract that never have it
    questions:
      - id: ceiling
        question: Is there a ceiling?
        # Wording that makes the answer likely yes, or likely no, or cuts the other way.
        yes: '["not exceed"~3, maximum, "up to"]'
        no: '["without limit"~2, "no limit"~1]'
        against: '["other remedies"~4, "further damages"~4]'
      - id: rate
        question: What does a week of delay cost?
        answer: amount   # or yes_no, date, duration, party, text
    severity:
      # The first rule that holds decides.
      - when: found
        matching: '["sole remedy"~4, "exclusive remedy"~3]'
        severity: high
        because: Damages for delay are the only remedy.
        recommend: Ask for a right to terminate after a long delay.
      - when: found
        severity: low
        because: Delay has a price.
    positions:
      # What the house prefers, accepts and refuses; the first whose wording holds is taken.
      - kind: unacceptable
        text: Delay has no consequence.
        matching: '["not liable delay"~8]'
        recommend: Ask for damages of at least half a percent a week.
      - kind: preferred
        text: One percent a week, with a right to terminate.
        matching: '["terminate delay"~25]'
        example: The Customer may terminate if a delay lasts longer than eight weeks.
"""
_CHANGES = """\
# A provision of the same id is changed key by key; a key with nothing after it is taken away.
# provisions:
#   - id: {first}
#     positions:
#       - kind: preferred
#         text: What the house wants.
#         matching: '["words of the clause"~8]'
# drop: [{last}]
"""


def starter_yaml(
    name: str, *, taken: Sequence[str] = (), extends: str = "", schema: str = "playbook.schema.json"
) -> str:
    """Return the YAML of a new playbook, with comments for its author.

    Raises:
        PlaybookError: If what is to be copied or extended is not known.
    """
    plain = " ".join(name.split())
    if not re.search(r"[a-z0-9]", plain.casefold()):
        raise ConfigError(f"{name!r} is no name for a playbook.", remedy="Give it a letter.")
    head = (
        f"{SCHEMA_LINE.format(schema=schema)}id: {provision_id(plain)}\nname: {_scalar(plain)}\n"
        'version: "1"   # your own; change it when the content changes\n'
    )
    if extends:
        head += f"extends: {_scalar(extends)}   # a built-in playbook, or a path from this file\n"
    else:
        head += "language: en\n"
    if taken:
        return head + _copied(taken)
    if not extends:
        return head + _EMPTY
    base = load_playbook(extends) if extends in builtin_names() else None
    ids = [each.id for each in base.provisions] if base else ["assignment", "insurance"]
    return head + _CHANGES.format(first=ids[0], last=ids[-1])


def _copied(taken: Sequence[str]) -> str:
    if (
        len(taken) == 1
        and taken[0] in builtin_names()
        and "extends:" not in playbook_text(taken[0])
    ):
        text = playbook_text(taken[0])
        return text[text.index("provisions:\n") :]  # with its comments
    provisions: dict[str, ProvisionFile] = {}
    for name in taken:
        for each in _provisions(name):
            provisions.setdefault(each.id, each)
    return _dumped(provisions.values())


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


def _dumped(provisions: Iterable[ProvisionFile]) -> str:
    import yaml

    listed = [each.model_dump(mode="json", exclude_defaults=True) for each in provisions]
    text: str = yaml.safe_dump(
        {"provisions": listed}, sort_keys=False, allow_unicode=True, width=_WIDTH
    )
    return text


def _scalar(text: str) -> str:
    """Return a text as YAML: quoted where it must be."""
    plain = re.fullmatch(r"[\w][\w ./&-]*", text) is not None
    return text if plain else "'" + text.replace("'", "''") + "'"


def resolved_yaml(name_or_path: str) -> str:
    """Return the YAML of a playbook with all that it takes from those it extends.

    Raises:
        PlaybookError: If there is no such playbook, or it does not hold the schema.
    """
    import yaml

    content: PlaybookFile = resolve_playbook(name_or_path)
    whole = content.model_dump(mode="json", exclude_defaults=True)
    text: str = yaml.safe_dump(whole, sort_keys=False, allow_unicode=True, width=_WIDTH)
    parse_playbook(text, name_or_path)
    return text
