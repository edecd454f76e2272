"""Who may be asked to look at a finding, and who is notified of what is written about it."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence

from fourcorners.errors import ConfigError
from fourcorners.library.database import as_string
from fourcorners.library.store import Library
from fourcorners.library.tokens import fold_name
from fourcorners.operations.access import Access
from fourcorners.operations.notices import Notice, NoticeKind, notify
from fourcorners.operations.principal import Role
from fourcorners.review.annotations import assignee
from fourcorners.review.finding import Annotation, Author

HELD_ROLES = (
    "(SELECT user, collection, role FROM server_roles UNION ALL SELECT user, collection, role "
    "FROM server_oidc_roles WHERE until > ?2 UNION ALL SELECT user, collection, role "
    "FROM server_scim_roles)"
)
"""Who has which role where: by hand, by the groups of a sign-in, by those that SCIM tells of.

Its second parameter is the time now.
"""
_MENTION = re.compile(r"(?<![\w.@+-])@([A-Za-z0-9][A-Za-z0-9._@+-]{0,63})")


def members(library: Library, collection: str) -> list[str]:
    """Return who may read a collection and can sign in, by name; nobody on a local server."""
    rows = library.execute(
        f"SELECT DISTINCT u.name FROM server_users AS u JOIN {HELD_ROLES} AS r "  # noqa: S608 - ours
        "ON r.user = u.name WHERE u.disabled = 0 AND r.collection IN ('', ?1) ORDER BY u.name",
        (fold_name(collection), time.time()),
    )
    return [as_string(name) for (name,) in rows]


def find_member(access: Access, library: Library, collection: str, name: str) -> str:
    """Return the account that is meant by a name; whoever works alone may use any name.

    Raises:
        ConfigError: If no member of the collection is called that.
    """
    wanted = " ".join(name.split())
    if access.principal.local:
        return wanted
    for each in members(library, collection):
        if each.casefold() == wanted.casefold():
            return each
    raise ConfigError(
        f"no member of this collection is called {wanted[:60]!r}.",
        remedy="Choose one of the names that are suggested.",
        field="to",
    )


def mention_warnings(access: Access, collection: str, comment: str) -> list[str]:
    """Return a sentence for each person mentioned who is no member of a collection.

    Whether such a person exists elsewhere is not said.
    """
    if access.principal.local:
        return []
    library = access.library_for(collection, Role.READER)
    known = {each.casefold() for each in members(library, collection)}
    unknown = [
        _bare(each)
        for each in _MENTION.findall(comment)
        if not {each.casefold(), _bare(each).casefold()} & known
    ]
    return [
        f"No member is called {name}; nobody was notified of it." for name in dict.fromkeys(unknown)
    ]


def notify_of_comment(
    library: Library, notice: Notice, comment: str, earlier: Iterable[Annotation]
) -> None:
    """Notify those whom a comment on a finding concerns, each once; call it in its transaction.

    That is who is asked to look at the finding by it, who is mentioned, and who wrote on the
    finding or was asked before. Only members of the collection are.
    """
    if not comment:
        return
    before = list(earlier)
    known = {each.casefold(): each for each in members(library, notice.collection)}
    given = Annotation(notice.by, "", None, "", comment)
    asked = [assignee([given])] if assignee([given]) else []
    wrote = [each.by for each in before if each.author is Author.PERSON]
    wanted: dict[str, NoticeKind] = {}
    for names, kind in (
        (asked, NoticeKind.ASSIGNED),
        (_mentioned(comment), NoticeKind.MENTIONED),
        ([*wrote, assignee(before)], NoticeKind.ANSWERED),
    ):
        for name in names:
            if name.casefold() in known:
                wanted.setdefault(known[name.casefold()], kind)
    for person, kind in wanted.items():
        notify(library, person, notice.model_copy(update={"kind": kind}))


def _mentioned(comment: str) -> Sequence[str]:
    """Return the names after `@`, each also without the punctuation at its end."""
    return [name for each in _MENTION.findall(comment) for name in (each, _bare(each))]


def _bare(name: str) -> str:
    return name.rstrip("._@+-")
