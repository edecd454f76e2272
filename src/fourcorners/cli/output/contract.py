"""A contract in the terminal: its card, its outline, its words with quotes highlighted in place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.cli.output import console
from fourcorners.documents.change_marks import find_tracked_changes, name_change_authors
from fourcorners.documents.document import Document
from fourcorners.errors import ConfigError, LibraryError
from fourcorners.outline.card.card import Card
from fourcorners.outline.tree import Outline
from fourcorners.review.finding import CellState, Evidence, Finding, Severity
from fourcorners.text.invisible_characters import shorten, show_invisible, single_line
from fourcorners.text.span import Span, intersect_spans

if TYPE_CHECKING:
    from rich.text import Text

_SUFFIXES = frozenset({".docx", ".doc", ".pdf", ".odt", ".rtf", ".html", ".txt", ".md", ".eml"})
CONTEXT_LENGTH = 240  # characters shown before and after a clause
MAX_LENGTH = 4_000  # characters of a clause that is shown whole
MAX_QUOTE = 300  # characters of the words of an answer
_DATES = (("Dated", "agreement"), ("Effective", "effective"), ("Expires", "end"))
MAX_SEARCHED = 300  # characters shown of what was searched for


def read_contract(contract: str, library: str | None, collection: str | None) -> Document:
    """Return the file at a path, or the document of the library that is meant.

    Raises:
        ConfigError: If it is neither.
    """
    path = Path(contract)
    if not path.is_file():
        try:
            with console.open_library(library) as store:
                return store.document(store.resolve(contract, collection).id)
        except (ConfigError, LibraryError) as error:
            if len(path.parts) < 2 and path.suffix.lower() not in _SUFFIXES:
                raise
            raise ConfigError(
                f"{contract}: there is no such file, and {error.message}", remedy=error.remedy
            ) from error
    from fourcorners.documents.one_file import read_one_file
    from fourcorners.settings import Settings

    return read_one_file(path, Settings.load())


def print_card(document: Document, card: Card) -> None:
    """Print what the contract says of itself, and what a person should know of its reading."""
    for name, value in _card_rows(document, card):
        if value:
            console.print_indented(11, single_line(value), head=name)
    console.print_line(("File       ", "dim"), single_line(document.path))
    for warning in document.warnings:
        console.print_indented(11, (single_line(warning), "yellow"), head="Note")
    console.print_text()


def _card_rows(document: Document, card: Card) -> Iterator[tuple[str, str]]:
    from fourcorners.review.parties import display_name

    yield "Contract", card.title.value if card.title else document.name
    yield "Type", card.type.value if card.type else ""
    yield (
        "Parties",
        "; ".join(
            display_name(party.value) if party.value.is_blank else party.value.name
            for party in card.parties
        ),
    )
    days = (card.agreement_date, card.effective_date, card.expiry_date)
    renewed = " (unless renewed)" if card.renewal else ""
    changes = find_tracked_changes(document)

    def proposed(span: Span) -> str:
        names = name_change_authors(changes, span)
        return f" ({console.proposed_by(names)})" if names else ""

    for (name, kind), fact in zip(_DATES, days, strict=True):
        day = fact.value.isoformat() if fact else card.readings(kind)
        value = card.value(kind)
        how = f" = {value.arithmetic}" if fact and value and value.arithmetic else ""
        until = f"{renewed if kind == 'end' else ''}{proposed(fact.span) if fact else ''}"
        yield name, day and f"{day}{how}{until}"
    law = card.governing_law
    yield "Law", f"{law.value}{proposed(law.span)}" if law else ""
    yield "Amends", card.amends.value if card.amends else ""


def print_outline(document: Document, outline: Outline) -> None:
    """Print the tree: labels and headings, or the first words of what has none."""
    if outline.windows:
        facts = (
            f"No outline that can be trusted (confidence {outline.confidence:.2f}): "
            "this contract is read in sentence-aligned windows."
        )
        console.print_text((facts, "yellow"))
        return
    console.print_text((f"Outline, confidence {outline.confidence:.2f}", "dim"))
    width = min(console.stdout_console().width, console.MAX_WIDTH)
    for node in outline.nodes:
        label = single_line(node.label) or node.kind.value
        head = "  " * len(outline.ancestors(node)) + label + "  "
        room = max(20, width - len(head))
        words = shorten((node.heading or node.span).text_in(document.text), room + len(label))
        first, _, rest = words.partition(" ")
        if rest and label.endswith(first.rstrip(".:")):  # the words repeat the label
            words = rest
        bold, dim = ("bold", "") if node.heading else ("", "dim")
        console.print_line((head, bold), (shorten(words, room), dim))


def print_finding(document: Document, provision: str, finding: Finding, *, whole: bool) -> None:
    """Print each clause with its quotes, or what was searched in vain, or why the cell failed."""
    from fourcorners.reports.grid import STATE_WORDS

    name = (f"{single_line(provision)}: ", "bold")
    if finding.state is CellState.FAILED:
        failed = single_line(f"failed. {finding.error} {finding.remedy}")
        console.print_text(name, (failed, "red"))
        return
    if finding.state is CellState.NOT_APPLICABLE:
        console.print_indented(0, name, single_line(f"not asked. {finding.reason}"))
        return
    found = finding.state is CellState.FOUND
    says = finding.value or finding.headline or STATE_WORDS[finding.state].lower()
    unsaid = finding.severity is Severity.NONE or finding.state is CellState.TO_READ
    grave = "" if unsaid else f" ({finding.severity.words.lower()})"
    console.print_indented(0, name, (single_line(f"{says}{grave}"), "bold" if found else ""))
    for head, text in _judgement(finding):
        console.print_indented(0, (head, "dim"), text)
    searched = finding.searched
    if not found and searched is not None:
        line = f"{searched.passages} passages were searched for {searched.query}"
        console.print_indented(0, (shorten(line, MAX_SEARCHED), "dim"))
        if finding.nearest is not None and (span := finding.nearest.quote.span) is not None:
            console.print_indented(0, ("Closest words (not a match):", "dim"))
            _print_clause(document, span, [finding.nearest], found=False)
    elif whole and found:
        console.print_text()
        print_words(document, _quote_spans(finding.evidence))
    else:
        clauses: dict[Span, list[Evidence]] = {}
        for evidence in finding.evidence:
            clauses.setdefault(evidence.clause, []).append(evidence)
        for clause, several in clauses.items():
            _print_clause(document, clause, several)
    if left := [single_line(each.question) for each in finding.answers if each.is_open]:
        console.print_indented(0, ("Left to you: ", "dim"), " · ".join(left))
    _print_method(finding)


def _judgement(finding: Finding) -> Iterator[tuple[str, str]]:
    """Yield the answers, what follows from them, and what people said, each with a head."""
    from fourcorners.reports.grid import format_annotation

    for each in finding.answers:
        if not each.is_open:
            parts = (each.answer, each.party and f"({each.party})", each.against)
            yield f"{single_line(each.question)} ", single_line(" ".join(filter(None, parts)))
            for quote in each.quotes:
                yield "  ", f"“{shorten(quote.words, MAX_QUOTE)}”"
    if finding.reason:
        yield "Why: ", single_line(finding.reason)
    if finding.recommendation:
        yield "Recommendation: ", single_line(finding.recommendation)
    if finding.position:
        position = f"{finding.position.kind}. {finding.position.text}"
        yield "House position: ", single_line(position)
    for change in finding.amendments:
        effect = change.describe(finding.document)
        yield "", single_line(f"{effect}: “{change.quote.words}”")
        if change.old is not None:
            yield "Before: ", single_line(f"“{change.old.words}”")
    if finding.value:
        whose = "the contract’s words" if finding.place else "a person’s own words"
        yield "Corrected to ", whose
    for remark in finding.remarks:
        yield "Said: ", format_annotation(remark)


def print_words(document: Document, quotes: Sequence[Span] = ()) -> None:
    """Print the whole text: wrapped for a person, in its own lines for a program."""
    out = console.stdout_console()
    whole = highlight_quotes(document.text, Span(0, len(document.text)), quotes)
    if out.is_terminal:
        out.print(whole, width=min(out.width, console.MAX_WIDTH))
    else:
        out.file.write(whole.plain + "\n")


def _quote_spans(evidence: Sequence[Evidence]) -> list[Span]:
    return [each.quote.span for each in evidence if each.quote.span is not None]


def _print_method(finding: Finding) -> None:
    """Print in a last line how the words were found: their scores and places."""
    searched, near = finding.searched, finding.nearest
    closest = [near] if near and searched and near.score < searched.threshold else []
    scores = ", ".join(
        f"{each.score:.2f} at characters {each.quote.span.start}-{each.quote.span.end}"
        for each in (*finding.evidence, *closest)
        if each.quote.span is not None
    )
    if scores and searched:
        line = f"How this was found: {scores}; {searched.threshold:.2f} counts as found"
        console.print_indented(0, (line, "dim"))


def _print_clause(
    document: Document, clause: Span, several: list[Evidence], *, found: bool = True
) -> None:
    from rich.panel import Panel
    from rich.text import Text

    first = several[0]
    where = []
    if pages := first.pages:
        where.append(f"page {pages[0]}" if pages[0] == pages[1] else f"pages {pages[0]}-{pages[1]}")
    if first.path:
        where.append(" › ".join(single_line(step) for step in first.path))
    spans = _quote_spans(several)
    changes = find_tracked_changes(document)
    proposers = {name: None for each in spans for name in name_change_authors(changes, each)}
    if proposers:
        where.append(console.proposed_by(proposers))
    shown = _context_span(document.text, clause, spans) if found else clause
    panel = Panel(
        Text.assemble(
            ("… " if shown.start > 0 else "", "dim"),
            highlight_quotes(document.text, shown, spans if found else [], clause),
            (" …" if shown.end < len(document.text) else "", "dim"),
        ),
        title=Text(", ".join(where), "dim"),
        title_align="left",
        border_style="green" if found else "dim",
    )
    out = console.stdout_console()
    out.print(panel, width=min(out.width, console.MAX_WIDTH + 4))


def _context_span(text: str, clause: Span, quotes: Sequence[Span]) -> Span:
    """Return what to show of and around a clause, in whole lines where they are short.

    Of a very long clause that is the part with the quotes.
    """
    inside = clause
    if len(clause) > MAX_LENGTH and quotes:
        first, last = min(span.start for span in quotes), max(span.end for span in quotes)
        inside = Span(
            max(clause.start, first - CONTEXT_LENGTH), min(clause.end, last + CONTEXT_LENGTH)
        )
    start = max(0, inside.start - CONTEXT_LENGTH)
    if start:
        before = re.search(r"\n\s*|\s+", text[start : inside.start])
        lines = re.search(r"\n\s*", text[start : inside.start])
        start += (lines or before).end() if before else 0
    end = min(len(text), inside.end + CONTEXT_LENGTH)
    if end < len(text):
        line_end, word_end = (text.rfind(mark, inside.end, end) for mark in "\n ")
        end = next((at for at in (line_end, word_end) if at > inside.end), end)
    return Span(start, end).strip(text)


def highlight_quotes(
    text: str,
    span: Span,
    quotes: Sequence[Span],
    clause: Span | None = None,
    *,
    one_line: bool = False,
) -> Text:
    """Return the words of `span`, quotes highlighted, what lies outside the clause dimmed."""
    from rich.text import Text

    shown = Text()
    inside = clause or span
    edges = {span.start, span.end, inside.start, inside.end}
    marked = intersect_spans(quotes, [span])
    edges.update(edge for quote in marked for edge in (quote.start, quote.end))
    points = sorted(edge for edge in edges if span.start <= edge <= span.end)
    for start, end in pairwise(points):
        piece = Span(start, end)
        if any(quote.contains(piece) for quote in marked):
            style = "bold black on yellow"
        else:
            style = "" if inside.contains(piece) else "dim"
        words = show_invisible(piece.text_in(text))
        shown.append(re.sub(r"\s+", " ", words) if one_line else words, style)
    return shown
