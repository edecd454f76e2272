"""What is measured besides requests."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from fourcorners.server.telemetry import spans


@dataclass(frozen=True, slots=True)
class Instrument:
    """A metric; Prometheus shows `fourcorners.tasks` as `fourcorners_tasks`.

    Attributes:
        unit: `s` or `By`, which Prometheus appends to the name; empty for a plain number.
        is_counter: Whether it only grows.
    """

    name: str
    description: str
    unit: str = ""
    is_counter: bool = False


INSTRUMENTS = (
    Instrument("fourcorners.library.up", "1 if the library could be read, else 0"),
    Instrument("fourcorners.library.documents", "Documents in the library"),
    Instrument("fourcorners.library.size", "Bytes that the library takes", "By"),
    Instrument("fourcorners.library.failed_reads", "Files on the list of those not read"),
    Instrument("fourcorners.disk.free", "Bytes free where uploads are kept", "By"),
    Instrument("fourcorners.disk.size", "Bytes of that disk", "By"),
    Instrument("fourcorners.memory", "Resident memory of the server and its child processes", "By"),
    Instrument("fourcorners.tasks", "Tasks by kind and state"),
    Instrument("fourcorners.queue.length", "Tasks that wait, by lane"),
    Instrument("fourcorners.queue.age", "How long the oldest of them has waited", "s"),
    Instrument("fourcorners.leases.lost", "Claims of unfinished jobs that ended before their step"),
    Instrument("fourcorners.workshop.deaths", "Times the workshop died", is_counter=True),
    Instrument("fourcorners.audit.unsent", "Audit entries that the collector has not got yet"),
    Instrument("fourcorners.model.calls", "Calls of language models", is_counter=True),
    Instrument("fourcorners.model.tokens", "Tokens sent and received", is_counter=True),
    Instrument("fourcorners.model.cost", "Cost in the currency of the prices", is_counter=True),
)

LABELS: Mapping[str, re.Pattern[str] | None] = {
    "kind": spans.ALLOWED[spans.TASK_KIND],
    "lane": spans.ALLOWED[spans.TASK_KIND],
    "state": spans.ALLOWED[spans.OUTCOME],
    "outcome": spans.ALLOWED[spans.OUTCOME],
    "role": spans.ALLOWED[spans.ROLE],
    "model": spans.ALLOWED[spans.MODEL],
    "process": re.compile("server|children"),
    "direction": re.compile("in|out"),
}
"""The labels of instruments, with the form of each value."""


def allowed_labels(labels: Mapping[str, str]) -> dict[str, str]:
    """Return labels with `-` for each value that has not the form that it must have."""
    cleaned = {}
    for name, value in labels.items():
        form = LABELS[name]
        cleaned[name] = value if form is not None and form.fullmatch(value) else "-"
    return cleaned
