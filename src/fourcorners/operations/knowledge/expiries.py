"""Reminding the owners of bank clauses that these expire soon."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta

from fourcorners.library.store import Library
from fourcorners.operations.notices import Notice, NoticeKind, is_notified, notify
from fourcorners.playbooks.bank.facts import expiring_clauses

REMINDER = timedelta(days=30)
"""How long before a clause expires its owner is notified."""


def notify_owners(library: Library, readers: Iterable[str], today: date) -> int:
    """Notify the owners of clauses that expire soon, once for each day of expiry; return how many.

    `readers` may read the whole library: banks hold words of any collection.
    """
    count = 0
    with library.transaction():
        people = {each.casefold(): each for each in readers}
        for bank, clause, facts in expiring_clauses(library, today, today + REMINDER):
            owner, expires = people.get(facts.owner.casefold()), facts.expires
            if owner is None or expires is None:
                continue
            since = datetime.combine(expires - REMINDER, time(), UTC)
            notice = Notice(
                kind=NoticeKind.EXPIRING, by="Fourcorners", playbook=bank, provision=clause
            )
            if not is_notified(library, owner, notice, since):
                notify(library, owner, notice)
                count += 1
    return count
