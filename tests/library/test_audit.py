from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import apsw
import pytest

from fourcorners.library.store import Library

Make = Callable[..., Any]

DROP = "DROP TRIGGER audit_refuses_update; DROP TRIGGER audit_refuses_delete; "


@pytest.fixture
def trailed(library: Library, make: Make) -> Library:
    """A library with four audit entries."""
    parts = make()
    parts.add(library, "Larch")
    parts.add(library, "Oak")
    library.record("review", {"playbook": "due diligence", "cells": 17})
    library.remove(parts.document.id)
    return library


def test_the_trail_tells_what_was_done(trailed: Library) -> None:
    entries = list(trailed.audit_trail())
    assert [entry.event for entry in entries] == ["add", "add", "review", "remove"]
    assert [entry.seq for entry in entries] == [1, 2, 3, 4]
    assert json.loads(entries[2].detail) == {"playbook": "due diligence", "cells": 17}
    assert all(later.previous == entry.hash for entry, later in pairwise(entries))
    assert trailed.check() == []


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE audit SET event = 'x' WHERE seq = 2",
        "DELETE FROM audit WHERE seq = 4",
        "INSERT OR REPLACE INTO audit VALUES (2, '', 'x', '{}', '', '')",
        "INSERT INTO audit VALUES (9, '', 'x', '{}', '', '')",
    ],
)
def test_the_file_refuses_changes_to_the_trail(trailed: Library, change: str) -> None:
    with pytest.raises(apsw.ConstraintError, match="append-only"):
        trailed.execute(change)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("UPDATE audit SET detail = '{}' WHERE seq = 2", "audit entry 2 was changed"),
        ("UPDATE audit SET at = '2001-01-01' WHERE seq = 4", "audit entry 4 was changed"),
        ("UPDATE audit SET previous = hash WHERE seq = 3", "audit entry 3 does not follow"),
        ("DELETE FROM audit WHERE seq = 2", "audit entry 2 is missing"),
        ("DELETE FROM audit WHERE seq = 4", "the end of the audit trail is missing"),
        ("DELETE FROM audit", "the end of the audit trail is missing"),
    ],
)
def test_tampering_shows(trailed: Library, change: str, told: str) -> None:
    trailed.execute(DROP + change)
    assert any(fault.startswith(told) for fault in trailed.check()), trailed.check()


def test_an_entry_of_a_failed_transaction_leaves_no_gap(trailed: Library) -> None:
    def stop() -> None:
        with trailed.transaction():
            trailed.record("review", {})
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stop()
    assert trailed.record("export", {}).seq == 5
    assert trailed.check() == []


def test_a_kept_hash_proves_what_came_before_it(trailed: Library) -> None:
    entries = list(trailed.audit_trail())
    head = entries[-1].hash
    verdict = trailed.audit_verdict(head)
    assert (verdict.entries, verdict.head, verdict.faults, verdict.proven) == (4, head, (), 4)
    trailed.record("review", {"cells": 1})
    assert trailed.audit_verdict(head).proven == 4
    assert trailed.audit_verdict(entries[1].hash).proven == 2
    assert trailed.audit_verdict("0" * 64).proven is None
    assert trailed.audit_verdict().proven is None


def test_a_chain_written_anew_fits_itself_and_no_kept_hash(trailed: Library) -> None:
    entries = list(trailed.audit_trail())
    trailed.execute(DROP)
    trailed.execute("DELETE FROM audit")
    trailed.execute("DELETE FROM meta WHERE key = 'audit_head'")
    for entry in entries:
        changed = {"event": entry.event} if entry.seq == 2 else json.loads(entry.detail)
        trailed.record(entry.event, changed)
    verdict = trailed.audit_verdict(entries[-1].hash)
    assert verdict.faults == ()
    assert verdict.proven is None


@pytest.mark.parametrize(
    ("change", "first"),
    [
        ("UPDATE audit SET detail = '{}' WHERE seq = 2", 2),
        ("UPDATE audit SET detail = '{}' WHERE seq IN (2, 4)", 2),
        ("DELETE FROM audit WHERE seq = 3", 3),
        ("DELETE FROM audit WHERE seq = 4", 4),
    ],
)
def test_the_first_broken_entry_is_named_and_proves_nothing_after_it(
    trailed: Library, change: str, first: int
) -> None:
    entries = list(trailed.audit_trail())
    trailed.execute(DROP + change)
    verdict = trailed.audit_verdict(entries[-1].hash)
    assert verdict.faults[0].seq == first
    assert verdict.proven is None
    assert trailed.audit_verdict(entries[0].hash).proven == 1
