"""The front of the due-diligence report: its cover, and what was read, how and how far."""

from __future__ import annotations

from collections import Counter

from fourcorners.reports.chapters.material import ReportMaterial, count_noun, format_date
from fourcorners.reports.tree import BulletList, FactList, Run, Section, Tone, body, words
from fourcorners.research.columns.store import PREFIX
from fourcorners.review.finding import Author, CellState, ReviewState
from fourcorners.version import __version__

NOTICE = (
    "Made by a program from the contracts named in it, and from nothing else. It is not legal "
    "advice, and no finding in it is a lawyer’s opinion unless it is marked as confirmed or "
    "corrected by a named person."
)
# What the library's own line of the provenance says is a path on somebody's machine.
_PRIVATE = ("Library",)


def status(material: ReportMaterial) -> str:
    cells = list(material.grid.cells())
    total, checked = len(cells), material.checked
    if not checked:
        return f"Draft: no person has checked any of the {total:,} answers."
    again = sum(cell.finding.review is ReviewState.SECOND_LOOK for cell in cells)
    late = f" {count_noun(again, 'needs', 'need')} a second look." if again else ""
    if checked == total:
        return f"All {total:,} answers were checked by a person.{late}"
    return f"{checked:,} of {total:,} answers were checked by a person.{late}"


def cover(material: ReportMaterial, prepared_by: str) -> tuple[tuple[str, str], ...]:
    review = material.review
    found = [cell for cell in material.grid.cells() if cell.finding.state is CellState.FOUND]
    confirmed = sum(
        cell.finding.review in (ReviewState.CONFIRMED, ReviewState.CORRECTED) for cell in found
    )
    return (
        *((("Prepared by", prepared_by),) if prepared_by else ()),
        ("Date of review", format_date(review.created)),
        ("Terms judged as of", format_date(review.as_of)),
        ("Playbook", f"{review.playbook} {review.playbook_version}".strip()),
        ("Contracts", f"{len(review.documents):,} read, {len(review.unread):,} not read"),
        ("Confirmed", f"{confirmed:,} of {count_noun(len(found), 'finding')} by a person"),
    )


def scope(material: ReportMaterial) -> Section:
    parts = (_read, _method, _quotes, _people, _limits)
    sections = tuple(part(material) for part in parts)
    return Section("scope", "Scope, method and limits", sections=sections, new_page=True)


def _read(material: ReportMaterial) -> Section:
    review = material.review
    kinds = Counter(d.card.type.value if d.card.type else "" for d in review.documents)
    without = kinds.pop("", 0)
    named = [f"{name} ({count})" for name, count in sorted(kinds.items())]
    if without:
        named.append(f"of no type the program recognised ({without})")
    sheets = sum(document.page_count for document in review.documents)
    paper = f" of {count_noun(sheets, 'page')} in those formats that have pages" if sheets else ""
    provisions = [head.name for head in review.columns if not head.id.startswith(PREFIX)]
    asked = [head.name for head in review.columns if head.id.startswith(PREFIX)]
    besides = (
        f", and {count_noun(len(asked), 'question')} that people asked besides" if asked else ""
    )
    blocks = [
        body(
            f"This report covers {count_noun(len(review.documents), 'contract')}"
            f"{paper}, read against {count_noun(len(provisions), 'provision')} of the playbook "
            f"“{review.playbook}”{besides}. ",
            Run("Schedule C", link="schedule_documents"),
            " lists them.",
        ),
    ]
    if named:
        blocks.append(body(f"By type: {'; '.join(named)}."))
    images = sum(bool(document.needs_ocr) for document in review.documents)
    if review.unread or images:
        gaps = []
        if review.unread:
            gaps.append(f"{count_noun(len(review.unread), 'file')} could not be read")
        if images:
            line = count_noun(images, "contract has", "contracts have")
            gaps.append(f"{line} pages without text")
        blocks.append(
            body(
                Run(f"{' and '.join(gaps)}: ", Tone.WARNING),
                "nothing in this report speaks of what they say. See ",
                Run("Schedule B", link="schedule_open"),
                ".",
            )
        )
    blocks.append(body(f"The provisions: {', '.join(provisions)}."))
    if asked:
        blocks.append(body(f"Asked besides: {'; '.join(f'“{each}”' for each in asked)}."))
    return Section("scope_read", "What was read", tuple(blocks))


def _method(material: ReportMaterial) -> Section:
    review = material.review
    by = Counter(
        cell.finding.author
        for cell in material.grid.cells()
        if cell.finding.state is CellState.FOUND
    )
    who = {
        Author.RULE: "by rules and local models of the program",
        Author.MODEL: "with a language model",
        Author.PERSON: "by a person",
    }
    made = "; ".join(f"{by[author]:,} {how}" for author, how in who.items() if by[author])
    pairs = [
        ("Playbook", f"{review.playbook} {review.playbook_version}, hash {review.playbook_hash}"),
        ("Written by", f"Fourcorners {__version__}"),
        *((name, value) for name, value in review.provenance if name not in _PRIVATE),
    ]
    return Section(
        "scope_method",
        "How it was read",
        (
            body(
                "Each contract was cut into its clauses and each clause compared with each "
                "provision of the playbook. What answers a provision is quoted in the contract’s "
                "own words with its place; its severity and the recommendation follow from the "
                "playbook’s rules, not from an opinion on the deal."
            ),
            *([body(f"How the findings were made: {made}.")] if made else []),
            body(
                f"Findings are numbered F1 to F{len(material.entries)}, and stand with their "
                "words in ",
                Run("Schedule A", link="schedule_findings"),
                f". {_in_full(material)}",
            )
            if material.entries
            else body("Nothing was found."),
            FactList(tuple((name, words(value)) for name, value in pairs)),
        ),
    )


def _in_full(material: ReportMaterial) -> str:
    doubted = "those that a person commented on, corrected or doubted"
    if not material.is_long:
        return (
            "The chapters by provision tell in full those of high and medium severity, and "
            f"{doubted}."
        )
    return (
        "They are too many to be told twice: the chapters by provision list them, and tell in full "
        f"only {doubted}."
    )


def _quotes(material: ReportMaterial) -> Section:
    counts = material.grid.quotes()
    claims = sum(len(cell.finding.claims) for cell in material.grid.cells())
    doubtful = counts[False] + claims
    return Section(
        "scope_quotes",
        "Quotes",
        (
            body(
                "Every quote was compared with the text of its contract before this report was "
                f"written: {counts[True]:,} verified, {doubtful:,} not verified. What did not "
                "verify is marked as such and counts as evidence for nothing."
            ),
            body(
                "A page is the page of the file. Lines are joined as they were before the page "
                "wrapped them; no word is changed. Characters that show nothing or turn the "
                "direction of writing appear by their names, such as ⟦U+200B⟧."
            ),
        ),
    )


def _people(material: ReportMaterial) -> Section:
    counts = Counter(cell.finding.review for cell in material.grid.cells())
    names = {
        ReviewState.PROPOSED: "Proposed by the program",
        ReviewState.CONFIRMED: "Confirmed by a person",
        ReviewState.CORRECTED: "Corrected by a person",
        ReviewState.REJECTED: "Rejected by a person",
        ReviewState.SECOND_LOOK: "Needs a second look",
    }
    pairs = tuple((name, words(f"{counts[state]:,}")) for state, name in names.items())
    return Section("scope_people", "State of review", (body(status(material)), FactList(pairs)))


def _limits(material: ReportMaterial) -> Section:
    failed = len(material.grid.failures())
    windows = sum(document.windows for document in material.review.documents)
    items = [
        (
            "It states what the contracts say. It does not say what the law makes of it, whether a "
            "term can be enforced, or what the parties have done since."
        ),
        (
            "“Not found” means that no passage was strong enough to count. It does not say that "
            "the contract holds no such term: read the contract where that matters."
        ),
        (
            "Documents that a contract refers to and that were not supplied were not read, nor "
            "were drawings, handwriting, and pages that are images without recognised text."
        ),
        (
            "Words of one contract that another amends are quoted as they stand in each; where the "
            "program saw an amendment, the finding says so, and a person should confirm which "
            "words are in force."
        ),
        (
            "Answers marked as likely rest on the wording alone and are for a person to check; "
            "questions that wording cannot answer are left open and listed in Schedule B."
        ),
    ]
    if windows:
        items.append(
            f"In {count_noun(windows, 'contract')} clauses could not be told apart with "
            "confidence: references to clauses there are to passages."
        )
    if failed:
        items.append(
            f"{count_noun(failed, 'answer')} failed and stand in Schedule B with the reason."
        )
    suspicious = sum(bool(document.suspicions) for document in material.review.documents)
    if suspicious:
        items.append(
            f"{count_noun(suspicious, 'contract holds', 'contracts hold')} words that may be meant "
            "to mislead a review, and cannot be relied on without a person’s reading: "
            "see Schedule B."
        )
    items.append("This report is not legal advice.")
    return Section("scope_limits", "Limits", (BulletList(tuple(words(item) for item in items)),))
