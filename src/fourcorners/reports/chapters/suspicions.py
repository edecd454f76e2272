"""What in the contracts is meant for a machine, or kept from a reader's eyes, for Schedule B."""

from __future__ import annotations

from collections.abc import Iterator

from fourcorners.reports.chapters.material import ReportMaterial
from fourcorners.reports.tree import Run, Section, Table, body, row
from fourcorners.text.invisible_characters import single_line

_HEAD = "Words to mistrust"


def suspicion_sections(material: ReportMaterial) -> Iterator[Section]:
    rows = [
        row(Run(material.short_name(document), link=f"document_{index}"), single_line(each))
        for index, document in enumerate(material.review.documents)
        for each in document.suspicions
    ]
    if not rows:
        return
    said = body(
        "Someone may have meant to mislead a review of these contracts: they hold words addressed "
        "to a machine, words that no reader sees, or letters that look like others. No finding "
        "follows from an order in a contract, but a person should read these contracts."
    )
    table = Table(_HEAD, ("Contract", "What it holds"), tuple(rows), (0.35, 0.65))
    yield Section("open_suspicious", _HEAD, (said, table))
