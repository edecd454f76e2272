"""Who is to look at a finding: said in a comment that begins with `@Name:`, kept as any remark."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fourcorners.errors import ConfigError
from fourcorners.library.store import Library
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review.finding import Annotation, Author, Finding
from fourcorners.review.people import review_actions as states

_TO = re.compile(r"@(?P<name>[^:\n@]{1,120}):")


def assign_finding(
    library: Library,
    playbook: Playbook,
    document: str,
    provision: str,
    *,
    to: str,
    by: str,
    why: str,
) -> Finding:
    """Ask someone to look at a cell, and return the finding as it stands then.

    Raises:
        ConfigError: If the name is none, or the cell was not reviewed.
    """
    name = " ".join(to.split())
    if not _TO.fullmatch(f"@{name}:"):
        raise ConfigError(
            "who is to look at it? A name has up to 120 characters, without a colon.",
            remedy="Give a name.",
        )
    comment = f"@{name}: {why.strip() or 'please look at this.'}"
    return states.annotate_finding(library, playbook, document, provision, by=by, comment=comment)


def assignee(remarks: Iterable[Annotation]) -> str:
    """Return who is to look at it by the remarks, the oldest first; empty if nobody, or done.

    It is done as soon as anybody gives the finding a state.
    """
    name = ""
    for remark in remarks:
        if remark.author is not Author.PERSON:
            continue
        if remark.state is not None:
            name = ""
        found = _TO.match(remark.comment)
        if found:
            name = " ".join(found["name"].split())
    return name
