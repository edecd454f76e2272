"""The red flags on two or three pages: the gravest first, similar ones grouped, no quote cut."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from fourcorners.reports.chapters.finding import amendment_blocks, finding_notes
from fourcorners.reports.chapters.material import (
    GRAVE_SEVERITIES,
    TONES,
    Entry,
    ReportMaterial,
    count_noun,
    count_to_read,
    join_words,
    key_block,
    key_place,
    lines_of,
    own_sentences,
    recommendation,
    sentences_without_dates,
    severity_reason,
    shared_sentences,
    status_runs,
    without_dates,
)
from fourcorners.reports.grid import SEVERITY_WORDS
from fourcorners.reports.tree import (
    Block,
    Paragraph,
    QuoteBlock,
    Row,
    Run,
    Section,
    Table,
    Tone,
    body,
    group,
    row,
)
from fourcorners.review.finding import CellState, Severity
from fourcorners.review.parties import party_value
from fourcorners.search.graph.family import group_families

MOST_FLAGS: Final = 10  # what a partner reads before a meeting
_LINES: Final = 140.0  # of a table on three pages, under the head of the first
# How many contracts of a flag are shown with their words, and how many characters of these in whole
# sentences, 0 for all: the first of these with which the flags fit.
_DETAILS: Final = ((3, 0), (2, 0), (1, 0), (1, 900), (1, 600), (1, 300))
_NAMED: Final = 8  # contracts that a line names one by one
_WIDTHS: Final = (0.23, 0.22, 0.55)
_HEADS: Final = ("Contract", "In short", "The contract’s words, and their clause")


@dataclass(frozen=True, slots=True)
class Flag:
    """Findings of one provision that are flagged for one reason, shown together."""

    entries: tuple[Entry, ...]

    @property
    def severity(self) -> Severity:
        return self.entries[0].severity

    @property
    def is_missing(self) -> bool:
        return self.entries[0].finding.state is CellState.NOT_FOUND

    @property
    def name(self) -> str:
        return self.entries[0].cell.head.name

    @property
    def reason(self) -> str:
        shared = shared_sentences([severity_reason(each.finding) for each in self.entries])
        return sentences_without_dates(shared) or shared


def group_flags(entries: Iterable[Entry]) -> list[Flag]:
    """Return the flags alike together: the gravest first, what is missing after what is there."""
    alike: dict[tuple[int, str, str], list[Entry]] = {}
    for entry in entries:
        reason = without_dates(severity_reason(entry.finding))
        alike.setdefault((entry.cell.column, entry.severity.value, reason), []).append(entry)
    order = list(TONES)
    return sorted(
        (Flag(tuple(_group(each))) for each in alike.values()),
        key=lambda flag: (order.index(flag.severity), flag.is_missing, -len(flag.entries)),
    )


def _group(entries: Iterable[Entry]) -> list[Entry]:
    """Return the findings alike, the most onerous first, those of a family together."""
    given = sorted(entries, key=_ease)
    documents = [each.cell.document for each in given]
    links = {each.id: each.family for each in documents if each.family}
    return group_families(given, links, lambda each: each.cell.document.id)


def _ease(entry: Entry) -> tuple[bool, int, int]:
    """Return the key of a finding among those flagged for one reason: the most onerous is first.

    A flagged clause that binds or serves one party is against our side; then more consequences are
    worse than fewer.
    """
    parties = {party_value(each.value) for each in entry.cell.document.card.parties}
    answers = [each for each in entry.finding.answers if not each.is_open]
    is_one_sided = any(each.value in parties for each in answers)
    return not is_one_sided, -sum(bool(each.statement) for each in answers), entry.number


def flag_blocks(
    material: ReportMaterial, elsewhere: Sequence[Run], *, with_notes: bool
) -> list[Block]:
    """Return the gravest flags with their words, and a line that counts the others.

    `elsewhere` names the place where the others are shown.
    """
    flags = group_flags(material.by_severities(*GRAVE_SEVERITIES))
    blocks: list[Block] = [body(_opening(material, flags))]
    rows, _ = _fitting_rows(material, flags, with_notes=with_notes)
    if rows:
        flat = tuple(each for made in rows for each in made)
        blocks.append(Table("Red flags", _HEADS, flat, _WIDTHS))
    blocks += _left_out(material, flags[len(rows) :], elsewhere)
    return blocks


def quoted_entries(material: ReportMaterial) -> set[int]:
    """Return the numbers of the findings whose words the red flags quote, all of them."""
    flags = group_flags(material.by_severities(*GRAVE_SEVERITIES))
    rows, (shown, most) = _fitting_rows(material, flags, with_notes=False)
    quoted = [each for flag in flags[: len(rows)] for each in flag.entries[:shown]]
    return set() if most else {each.number for each in quoted}


def _fitting_rows(
    material: ReportMaterial, flags: Sequence[Flag], *, with_notes: bool
) -> tuple[list[list[Row]], tuple[int, int]]:
    """Return the rows of the flags that fit, and with which of the details."""
    rows: list[list[Row]] = []
    details = _DETAILS[0]
    for details in _DETAILS:
        rows = [
            _rows(material, n, flag, details, with_notes=with_notes)
            for n, flag in enumerate(flags[:MOST_FLAGS], start=1)
        ]
        if _lines(rows) <= _LINES:
            break
    while len(rows) > 1 and _lines(rows) > _LINES:
        rows.pop()
    return rows, details


def _opening(material: ReportMaterial, flags: Sequence[Flag]) -> str:
    count = len(material.review.documents)
    if not flags:
        return "By the rules of the playbook nothing is of high or medium severity."
    entries = [entry for flag in flags for entry in flag.entries]
    by_severity = Counter(entry.severity for entry in entries)
    grades = [
        f"{by_severity[severity]:,} of {severity.value} severity"
        for severity in GRAVE_SEVERITIES
        if by_severity[severity]
    ]
    if len(grades) == 1 and len(entries) > 1:
        grades = [f"all {grades[0].split(maxsplit=1)[1]}"]
    concerned = len({entry.cell.row for entry in entries})
    groups = f" in {count_noun(len(flags), 'group')}" if len(flags) < len(entries) else ""
    return (
        f"{count_noun(len(entries), 'red flag')}{groups}, {join_words(grades)}, in "
        f"{concerned:,} of {count_noun(count, 'contract')}."
    )


def _lines(rows: Iterable[Iterable[Row]]) -> float:
    return sum(lines_of(each, _WIDTHS) for made in rows for each in made)


def _rows(
    material: ReportMaterial,
    number: int,
    flag: Flag,
    details: tuple[int, int],
    *,
    with_notes: bool,
) -> list[Row]:
    """Return the rows of a flag: why and what to do, then the contracts that it concerns."""
    reason = [
        Run(f"{number}  ", Tone.STRONG),
        Run(SEVERITY_WORDS[flag.severity], TONES[flag.severity]),
        Run(f"  {flag.name}. ", Tone.STRONG),
        Run(flag.reason),
    ]
    steps = dict.fromkeys(filter(None, (recommendation(each.finding) for each in flag.entries)))
    advice = [body(Run("What to do: ", Tone.STRONG), Run(step)) for step in steps]
    rows = [Row(((body(*reason), *advice),), group=True)]
    shown, most = details
    quoted = () if flag.is_missing else flag.entries[:shown]
    rows += [_contract(material, each, flag.reason, most, with_notes=with_notes) for each in quoted]
    if more := flag.entries[len(quoted) :]:
        lead = "Also in " if quoted else "In "
        rows.append(
            group(Run(lead, Tone.STRONG), *_places_in_short(material, more, flag.reason), ".")
        )
    return rows


def _contract(
    material: ReportMaterial, entry: Entry, shared: str, most: int, *, with_notes: bool
) -> Row:
    finding = entry.finding
    value = _in_short(entry, shared)
    short = [*([Run(value)] if value else []), *status_runs(finding)] or [Run("–")]
    notes = finding_notes(finding) if with_notes else ()
    return row(
        (body(Run(material.name(entry.cell.row)), *material.family_runs(entry.cell.row)),),
        (Paragraph(tuple(short), notes=notes),),
        (*key_block(finding, most), *amendment_blocks(material, finding)),
    )


def _in_short(entry: Entry, shared: str) -> str:
    """Return what is a contract's own of its finding: of its reason, else its value."""
    return own_sentences(severity_reason(entry.finding), shared) or entry.cell.headline


def _places_in_short(
    material: ReportMaterial, entries: Sequence[Entry], shared: str
) -> Iterator[Run]:
    """Yield the names of contracts, each with the clause of its finding and what it says."""
    for at, entry in enumerate(entries[:_NAMED]):
        if at:
            yield Run("; ")
        yield from contract_places(material, [entry])
        if value := _in_short(entry, shared).rstrip("."):
            yield Run(f": {value}")
    if len(entries) > _NAMED:
        yield Run(f"; and {len(entries) - _NAMED} more")


def contract_places(
    material: ReportMaterial, entries: Sequence[Entry], most: int = _NAMED
) -> Iterator[Run]:
    """Yield the names of contracts, each with the clause of its finding."""
    for at, entry in enumerate(entries[:most]):
        where = key_place(entry.finding)
        yield Run(("; " if at else "") + material.name(entry.cell.row))
        if where:
            yield Run(f", clause {where}" if where[0].isdigit() else f", {where}", Tone.QUIET)
    if len(entries) > most:
        yield Run(f"; and {len(entries) - most} more")


def _left_out(
    material: ReportMaterial, flags: Sequence[Flag], elsewhere: Sequence[Run]
) -> Iterator[Block]:
    """Yield lines that count what is flagged and not shown, and what a person must read."""
    parts: list[str] = []
    for severity in GRAVE_SEVERITIES:
        names = dict.fromkeys(flag.name for flag in flags if flag.severity is severity)
        count = sum(len(flag.entries) for flag in flags if flag.severity is severity)
        if count:
            flagged = count_noun(count, "flag")
            parts.append(f"{flagged} of {severity.value} severity ({', '.join(names)})")
    if low := material.counts.low:
        parts.append(f"{count_noun(low, 'finding')} of low severity")
    if parts:
        yield body(Run("Not shown here: "), Run(f"{join_words(parts)}. "), *elsewhere)
    if material.to_read:
        yield body(f"Listed below: {count_to_read(material.counts)}.")


def to_read_sections(material: ReportMaterial) -> tuple[Section, ...]:
    """Return the findings to be read, those that could be high first, and the clauses set apart.

    All of them are listed: any may be a red flag.
    """
    return tuple(
        each for each in (_findings_to_read(material), _set_apart(material)) if each.blocks
    )


def _findings_to_read(material: ReportMaterial) -> Section:
    flags = group_flags(material.to_read)
    flags.sort(key=lambda each: -each.entries[0].finding.possible_severity.rank)
    blocks: list[Block] = []
    if flags:
        blocks.append(
            body(
                "Any of these may be a red flag, or graver: a person should read the contract. "
                f"There are {count_to_read(material.counts)}; what could be high comes first."
            )
        )
    for flag in flags:
        places = contract_places(material, flag.entries, len(flag.entries))
        reason = Run(f"{flag.reason} In ")
        blocks.append(body(Run(f"{flag.name}. ", Tone.STRONG), reason, *places, "."))
    return Section("to_read", "To be read", tuple(blocks), numbered=False)


def _set_apart(material: ReportMaterial) -> Section:
    quotes = list(_clauses(material))
    intro = body(
        "These clauses give orders to whoever reviews the contract or sums it up. No finding "
        "follows from them and no language model was given them, but they may hold a term."
    )
    blocks: tuple[Block, ...] = (intro, *quotes) if quotes else ()
    return Section("set_apart", "Clauses set apart", blocks, numbered=False)


def _clauses(material: ReportMaterial) -> Iterator[QuoteBlock]:
    for at, document in enumerate(material.review.documents):
        for clause in document.set_apart:
            source = Run(f"{material.name(at)}, {clause.place}", Tone.QUIET)
            yield QuoteBlock(clause.words, (source,))
