"""The schedule of consents and notices: who must agree to the deal or be notified."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from fourcorners.outline.card.card import Fact, Party
from fourcorners.reports.chapters.material import Entry, ReportMaterial, key_place
from fourcorners.reports.chapters.red_flags import contract_places
from fourcorners.reports.tree import Block, Paragraph, Run, Section, Table, Tone, body, row
from fourcorners.review.finding import CellState, ReviewedDocument
from fourcorners.review.parties import party_value
from fourcorners.text.invisible_characters import single_line
from fourcorners.text.span import Span
from fourcorners.text.values.periods import find_durations

_CONSENTS: Final = {
    "effect": ("consent", "consent_reasonable"),
    "consent": ("yes",),
    "notice": ("yes",),
    "deemed-assignment": ("yes",),
}
_CHANGES: Final = ("assignment", "change-of-control")
_BOUND: Final = ("restricted", "whose")  # the answers that say whose transfer or change it is
_NEAR: Final = 160  # characters behind a party's name in which its address is written
_CONSENT: Final = r"(?:consent|approval|permission|agreement\s+in\s+writing|written\s+agreement)"
_OTHER: Final = re.compile(
    rf"\b{_CONSENT}(?:\s+in\s+writing)?\s+(?:of|from|by)\s+(?:each\s+of\s+)?the\s+others?\b"
    rf"|\bothers?(?:\s+(?:party|side))?[’']s?\s+(?:[\w-]+\s+){{0,4}}?{_CONSENT}\b",
    re.IGNORECASE,
)
# Of the words before a period: where their part of the sentence begins, whether they ask for a
# consent or a notice, and what limits it.
_PART_END: Final = re.compile(r"[.;:]\s|,\s+(?:and|or|but)\b")
_ASKS: Final = re.compile(r"\b(?:notif|notice|inform|consent|approv|permission)", re.IGNORECASE)
_OTHER_NOTICE: Final = re.compile(r"\b(?:terminat|renew)", re.IGNORECASE)
_LIMIT: Final = re.compile(
    r"\b(?:within|at\s+least|(?:no|not)\s+(?:less|later|fewer|more)\s+than)\s+$", re.IGNORECASE
)
_NOTICE: Final = re.compile(r"[’']?\s+(?:(?:prior|written|advance)\s+){0,2}notice\b", re.IGNORECASE)


def notice_schedule(material: ReportMaterial) -> list[Section]:
    """Return the schedule of who must agree to the deal or be notified, with what is not sure.

    Below the table are the contracts that are read for a party that needs nothing.
    """
    due = [
        (entry, _agreeing_parties(entry))
        for entry in sorted(material.entries, key=lambda each: each.cell.row)
        if entry.cell.head.id in _CHANGES and _is_due(entry)
    ]
    rows = [
        row(
            material.document_link(entry.cell.row),
            (body(entry.cell.head.name), *_what_is_due(entry)),
            tuple(_lines(entry.cell.document, agreeing)),
            key_place(entry.finding),
            _deadline(entry),
        )
        for entry, agreeing in due
        if agreeing is not None
    ]
    heads = ("Contract", "What for", "Who agrees or is notified", "Clause", "Deadline")
    table = Table("Consents and notices", heads, tuple(rows), (0.24, 0.22, 0.28, 0.12, 0.14))
    intro = body(
        "Whose consent a transfer or a change of control needs and who must be notified. An "
        "address is the one that the contract gives with the party’s name: check its notice clause."
    )
    blocks: list[Block] = [intro, *([table] if rows else [])]
    if theirs := [entry for entry, agreeing in due if agreeing is None]:
        lead = "By the words found, only the other side needs a consent or gives a notice in "
        blocks.append(body(lead, *contract_places(material, theirs, len(theirs)), "."))
    section = Section("schedule_consents", "Consents and notices", tuple(blocks), schedule=True)
    return [section] if due else []


def _is_due(entry: Entry) -> bool:
    if entry.finding.state is not CellState.FOUND:
        return False
    asked = [each for each in entry.finding.answers if each.id in _CONSENTS]
    return any(each.is_open or each.value in _CONSENTS[each.id] for each in asked)


def _what_is_due(entry: Entry) -> Iterator[Paragraph]:
    answers = [
        each.statement or each.answer
        for each in entry.finding.answers
        if each.id in _CONSENTS and each.value in _CONSENTS[each.id]
    ]
    if answers:
        yield body("; ".join(dict.fromkeys(answers)))
    else:
        yield body(Run("To be read", Tone.TO_READ))


def _agreeing_parties(entry: Entry) -> list[Fact[Party]] | None:
    """Return whose consent the words require; None if our side needs nobody's.

    Where the words name nobody, all parties but ours are returned.
    """
    document = entry.cell.document
    ours = {each.casefold() for each in document.read_for}
    parties = document.card.parties
    others = [each for each in parties if each.value.name.casefold() not in ours]
    bound = {each.value for each in entry.finding.answers if each.id in _BOUND and each.value}
    is_theirs = bound and bound <= {party_value(each.value) for each in others}
    if ours and is_theirs and len(others) < len(parties):
        return None
    words = " ".join(single_line(each.quote.words) for each in entry.finding.evidence)
    named = [each for each in parties if _must_agree(each.value, words)]
    if not named or _OTHER.search(words):
        return others
    required = [each for each in named if each in others]
    return required or (others if bound and not is_theirs else None)


def _must_agree(party: Party, words: str) -> bool:
    """Return whether words require a party's consent, or a notice to it."""
    called = "|".join(re.escape(each) for each in {party.short, party.role, party.name} if each)
    if not called:
        return False
    name = rf"(?:the\s+)?(?:{called})(?!\w)"
    required = (
        rf"\b{_CONSENT}(?:\s+in\s+writing)?\s+(?:of|from|by)\s+(?:[^.;]{{0,40}}?\b(?:and|or)\s+)?{name}",
        rf"\b{name}[’']s?\s+(?:[\w-]+,?\s+){{0,4}}?{_CONSENT}\b",
        rf"\b(?:unless|until|if|where)\s+{name}\s+(?:\w+\s+){{0,2}}?(?:agree|consent|approve)[sd]?\b",
        rf"\b(?:notify|notifies|inform|informs|notice\s+to|notification\s+to)\s+{name}",
    )
    return any(re.search(each, words, re.IGNORECASE) for each in required)


def _lines(document: ReviewedDocument, parties: list[Fact[Party]]) -> Iterator[Paragraph]:
    """Yield parties with the words behind their names."""
    for party in parties:
        beyond = document.text[party.span.end : party.span.end + _NEAR].partition("(")[0]
        address = single_line(beyond.partition("\n\n")[0])
        is_address = address.startswith(",") and any(map(str.isdigit, address))
        near = f": “{address.strip(' ,;')}”" if is_address else ""
        yield body(Run(single_line(party.value.name)), Run(near, Tone.QUIET))
    if not parties:
        yield body("The parties were not identified.")


def _deadline(entry: Entry) -> str:
    within = next((a for a in entry.finding.answers if a.id == "within" and a.answer), None)
    if within:
        return within.statement or within.answer
    finding = entry.finding
    quotes = [each.quote for each in finding.evidence] or [
        each.quote for each in finding.amendments
    ]
    written = [each for quote in quotes if quote.verified for each in _written_limits(quote.words)]
    return "; ".join(f"“{each}”" for each in dict.fromkeys(written)) or "Not answered"


def _written_limits(words: str) -> Iterator[str]:
    """Yield the periods that words give for a consent or a notice, as they are written."""
    for period in find_durations(words, Span(0, len(words))):
        before = _PART_END.split(words[: period.span.start])[-1]
        notice = _NOTICE.match(words, period.span.end)
        if _OTHER_NOTICE.search(before) or not (notice or _ASKS.search(before)):
            continue
        lead = _LIMIT.search(before)
        start = period.span.start - (len(lead.group()) if lead else 0)
        yield single_line(words[start : notice.end() if notice else period.span.end])
