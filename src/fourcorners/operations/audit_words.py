"""Entries of the audit trail as people read them: events in words, and what each is of."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from fourcorners.library.entries import AuditEntry, Entry
from fourcorners.operations.knowledge.titles import PlaybookTitles

EVENTS: Mapping[str, str] = {
    "add": "Document added",
    "answer read": "Answer read",
    "arrivals not reviewed": "Automatic review turned off",
    "arrivals reviewed": "Automatic review turned on",
    "ask": "Question asked",
    "bank-import": "Clauses added to a bank",
    "bank-rate": "Clause rated",
    "bucket": "Bucket chosen",
    "cancel": "Work stopped",
    "cancel task": "Task stopped",
    "collection created": "Collection created",
    "collection deleted": "Collection deleted",
    "collection renamed": "Collection renamed",
    "compared": "Versions compared",
    "contracts deleted": "Contracts deleted",
    "dates": "Dates listed",
    "define": "Definition looked up",
    "delete damaged": "Damaged part repaired",
    "deletion proved": "Deletion proved",
    "download": "File downloaded",
    "encoder": "Search model set",
    "export": "Report exported",
    "failures dismissed": "Unread files dismissed",
    "findings": "Findings listed",
    "findings marked": "Findings reviewed together",
    "findings restored": "Review of findings undone",
    "help asked": "Help requested",
    "hold placed": "Legal hold placed",
    "hold released": "Legal hold released",
    "obligations": "Obligations listed",
    "parties": "Parties changed",
    "password link": "Link for a new password created",
    "playbook": "Playbook saved",
    "precedents": "Precedents searched",
    "read": "Document opened",
    "read for": "Client changed",
    "redline": "Mark-up proposed",
    "redline decided": "Mark-up decided",
    "remark": "Finding reviewed",
    "remove": "Document deleted",
    "restored": "Backup restored",
    "retention": "Retention rule changed",
    "role": "Role changed",
    "search": "Search",
    "tags": "Tags changed",
    "taken out": "Document removed",
    "task": "Task started",
    "token dropped": "API token revoked",
    "user added": "Person added",
    "user disabled": "Person disabled",
    "user enabled": "Person enabled",
    "user removed": "Person removed",
}
"""What events are called, by their names in the trail; others are called by these names."""

_TASKS: Mapping[str, str] = {
    "add": "Upload started",
    "ask": "Question started",
    "column": "Column started",
    "health": "Document check started",
    "markup": "Mark-up started",
    "obligations": "List of obligations started",
    "review": "Review started",
}
# Of the details: for programs, or in a column of their own.
_HIDDEN = frozenset(
    {"author", "by", "collection", "document", "fingerprint", "first_remark", "hash", "job"}
    | {"kind", "last_remark", "passages", "path", "remark", "said_at", "sha256", "task"}
)
_PLAIN = frozenset(
    {"change", "host", "name", "names", "part", "playbook", "provision", "role", "says"}
    | {"state", "tags", "through", "user", "why"}
)


@dataclass(frozen=True, slots=True)
class AuditLine:
    """An entry of the trail.

    Attributes:
        event: In words.
        document: Its name while it is there, else its id; empty where the entry is of none.
        document_id: The id of a document that is still there.
        details: Everything else, in a few words.
    """

    number: int
    at: str
    event: str
    by: str
    collection: str
    document: str
    document_id: str
    details: str
    hash: str


def audit_line(
    entry: AuditEntry, documents: Mapping[str, Entry], titles: PlaybookTitles
) -> AuditLine:
    """Return an entry in words; `documents` are those that are there, by id."""
    values = {name: str(value) for name, value in json.loads(entry.detail).items()}
    known = documents.get(values.get("document", ""))
    words = EVENTS.get(entry.event) or entry.event[:1].upper() + entry.event[1:]
    if entry.event == "task":
        words = _TASKS.get(values.get("kind", ""), words)
    collection = values.get("collection") or (known.collection if known else "")
    if playbook := values.get("playbook", ""):
        values["playbook"] = titles.playbook(collection, playbook)
    return AuditLine(
        number=entry.seq,
        at=entry.at,
        event=words,
        by=values.get("by", ""),
        collection=collection,
        document=known.name if known else values.get("document", ""),
        document_id=known.id if known else "",
        details="; ".join(
            _detail(name, values[name])
            for name in sorted(values, key=lambda name: name != "user")
            if values[name] and name not in _HIDDEN and not _is_author(name, values)
        ),
        hash=entry.hash,
    )


def _is_author(name: str, values: Mapping[str, str]) -> bool:
    return name == "user" and values["user"] == values.get("by")


def _detail(name: str, value: str) -> str:
    plain = value.replace("_", " ") if name in ("state", "says") else value
    return plain if name in _PLAIN else f"{name.replace('_', ' ')}: {plain}"
