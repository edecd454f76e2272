"""Mark-ups as the server keeps them: what was proposed to one person, and what they decided.

There is one for each person, contract and playbook. It goes with its contract.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import Field, TypeAdapter

from fourcorners.library.audit import utc_now
from fourcorners.library.database import as_string
from fourcorners.library.store import Library
from fourcorners.redline.decisions import Decision, change_id
from fourcorners.redline.open_points import Target
from fourcorners.redline.proposal import Redline
from fourcorners.value import Flag, Value

MAX_WORDS = 50_000
"""Characters of an edited change, at most."""


class MarkupRequest(Value):
    """What a mark-up is to be made by, and for whom."""

    playbook: str = Field(
        default="due-diligence", max_length=500, description="Several are separated by commas."
    )
    party: str = Field(max_length=500, examples=["Birch Retail Limited"])
    target: Target = Field(default="smallest", description="The position to reach.")
    bank: str = Field(default="", max_length=120, description="A clause bank to draft from.")
    decided: tuple[str, ...] = Field(
        default=(), description="Ids of open points, whose clauses you decided to change."
    )
    reviewer: str = Field(
        default="",
        max_length=120,
        description="Your name in Word: the tracked changes of others are answered, too.",
    )


class DecisionRequest(Value):
    """What a person says of a change."""

    playbook: str = Field(default="", max_length=500, description="Empty for the one used last.")
    state: Literal["accepted", "edited", "rejected", "open"]
    words: str = Field(
        default="", max_length=MAX_WORDS, description="Of an edited change: its place."
    )
    bank: str = Field(default="", max_length=120, description="Take the words from this bank.")
    clause: str = Field(default="", max_length=12, description="The id of the clause there.")
    expired: Flag = Field(default=False, description="Use the clause although it has expired.")


@dataclass(frozen=True, slots=True)
class Proposal:
    """Proposed changes of a contract, with what was asked.

    Attributes:
        is_word: Whether its original is a Word file that is kept.
    """

    request: MarkupRequest
    redline: Redline
    is_word: bool


@dataclass(frozen=True, slots=True)
class Markup:
    """A proposal with what was decided of it, by the ids of changes."""

    playbook: str
    proposal: Proposal
    decisions: Mapping[str, Decision]
    at: str

    @property
    def redline(self) -> Redline:
        return self.proposal.redline


_PROPOSAL = TypeAdapter(Proposal)
_DECISION = TypeAdapter(Decision)


def save_proposal(
    library: Library, document: str, playbook: str, person: str, made: Proposal
) -> None:
    """Keep a proposal in place of the one before; decisions stay with changes that are the same."""
    proposed = json.dumps([change_id(each) for each in made.redline.changes])
    with library.transaction():
        rows = library.execute(
            "INSERT INTO server_markups(document, playbook, person, at, markup) "
            "VALUES (?, ?, ?, ?, ?) ON CONFLICT (document, playbook, person) "
            "DO UPDATE SET at = excluded.at, markup = excluded.markup RETURNING row",
            (document, playbook, person, utc_now(), _PROPOSAL.dump_json(made).decode()),
        )
        library.execute(
            "DELETE FROM server_decisions WHERE markup = ? "
            "AND change NOT IN (SELECT value FROM json_each(?))",
            (rows[0][0], proposed),
        )


def save_decision(
    library: Library,
    document: str,
    playbook: str,
    person: str,
    change: str,
    decision: Decision | None,
) -> None:
    """Keep what a person decides of a change of theirs; None takes it back."""
    with library.transaction():
        rows = library.execute(
            "SELECT row FROM server_markups WHERE document = ? AND playbook = ? AND person = ?",
            (document, playbook, person),
        )
        for (row,) in rows:
            library.execute(
                "DELETE FROM server_decisions WHERE markup = ? AND change = ?", (row, change)
            )
            if decision is not None:
                value = _DECISION.dump_json(decision).decode()
                library.execute(
                    "INSERT INTO server_decisions VALUES (?, ?, ?)", (row, change, value)
                )


def find_markup(library: Library, document: str, playbook: str, person: str) -> Markup | None:
    """Return a person's mark-up of a contract by a playbook; by any, the last, if it is empty."""
    rows = library.execute(
        "SELECT row, playbook, at, markup FROM server_markups WHERE document = ? AND person = ? "
        "AND (? = '' OR playbook = ?) ORDER BY at DESC, row DESC LIMIT 1",
        (document, person, playbook, playbook),
    )
    if not rows:
        return None
    row, name, at, proposal = rows[0]
    decided = library.execute(
        "SELECT change, decision FROM server_decisions WHERE markup = ?", (row,)
    )
    return Markup(
        as_string(name),
        _PROPOSAL.validate_json(as_string(proposal)),
        {as_string(each): _DECISION.validate_json(as_string(value)) for each, value in decided},
        as_string(at),
    )
