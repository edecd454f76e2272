"""A contract in the terminal: its card, its outline, its words with quotes highlighted in place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from fourcorners.documents.document import Document
from fourcorners.outline.card.card import Card
from fourcorners.outline.tree import Outline
from fourcorners.review.finding import CellState, Evidence, Finding, Severity
from fourcorners.text.span import Span, intersect_spans

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

CONTEXT_LENGTH = 240  # characters shown before and after a clause
MAX_LENGTH = 4_000  # characters of a clause that is shown whole
MAX_SEARCHED = 300  # characters shown of what was searched for


def print_card(out: Console, document: Document, card: Card) -> None:
    """Print what the contract says of itself, and what a person should know of its reading."""
    from rich.text import Text

    from fourcorners.cli.output.console import print_indented
    from fourcorners.text.invisible_characters import single_line

    for name, value in _card_rows(document, card):
        if value:
            print_indented(out, Text(single_line(value)), 11, name)
    out.print(Text.assemble(("File       ", "dim"), single_line(document.path)), soft_wrap=True)
    for warning in document.warnings:
        print_indented(out, Text(single_line(warning), "yellow"), 11, "Note")
    out.print()


def _card_rows(document: Document, card: Card) -> Iterator[tuple[str, str]]:
    yield "Contract", card.title.value if card.title else document.name
    yield "Type", card.type.value if card.type else ""
    yield "Parties", "; ".join(party.value.name for party in card.parties)
    yield "Dated", card.agreement_date.value.isoformat() if card.agreement_date else ""
    yield "Effective", card.effective_date.value.isoformat() if card.effective_date else ""
    yield "Expires", card.expiry_date.value.isoformat() if card.expiry_date else ""
    yield "Law", card.governing_law.value if card.governing_law else ""
    yield "Amends", card.amends.value if card.amends else ""


def print_outline(out: Console, document: Document, outline: Outline) -> None:
    """Print the tree: labels and headings, or the first words of what has none."""
    from rich.text import Text

    from fourcorners.cli.output.console import MAX_WIDTH
    from fourcorners.text.invisible_characters import shorten, single_line

    if outline.windows:
        out.print(
            Text(
                f"No outline that can be trusted (confidence {outline.confidence:.2f}): "
                "this contract is read in sentence-aligned windows.",
                "yellow",
            )
        )
        return
    out.print(Text(f"Outline, confidence {outline.confidence:.2f}", "dim"))
    for node in outline.nodes:
        label = single_line(node.label) or node.kind.value
        head = "  " * len(outline.ancestors(node)) + label + "  "
        room = max(20, min(out.width, MAX_WIDTH) - len(head))
        words = shorten((node.heading or node.span).text_in(document.text), room + len(label))
        first, _, rest = words.partition(" ")
        if rest and label.endswith(first.rstrip(".:")):  # the label stands there already
            words = rest
        out.print(
            Text.assemble(
                (head, "bold" if node.heading else ""),
                (shorten(words, room), "" if node.heading else "dim"),
            ),
            soft_wrap=True,
        )


def print_finding(
    out: Console, document: Document, provision: str, finding: Finding, *, whole: bool
) -> None:
    """Print each clause with its quotes, or what was searched in vain, or why the cell failed."""
    from rich.text import Text

    from fourcorners.cli.output.console import print_indented
    from fourcorners.text.invisible_characters import single_line

    name = (f"{single_line(provision)}: ", "bold")
    if finding.state is CellState.FAILED:
        out.print(
            Text.assemble(name, (single_line(f"failed. {finding.error} {finding.remedy}"), "red"))
        )
        return
    if finding.state is CellState.NOT_APPLICABLE:
        print_indented(out, Text.assemble(name, single_line(f"not asked. {finding.reason}")), 0)
        return
    found = finding.state is CellState.FOUND
    state = "found" if found else "not found"
    if finding.severity is not Severity.NONE:
        state += f", {finding.severity.value}"
    said = Text.assemble(name, single_line(f"{state}. {finding.reason}"))
    print_indented(out, said, 0)
    _print_judgement(out, finding)
    _print_people(out, finding)
    if not found:
        _print_absence(out, document, finding)
    elif whole:
        out.print()
        print_words(out, document, quote_spans(finding))
    else:
        clauses: dict[Span, list[Evidence]] = {}
        for evidence in finding.evidence:
            clauses.setdefault(evidence.clause, []).append(evidence)
        for clause, several in clauses.items():
            _print_clause(out, document, clause, several)


def _print_people(out: Console, finding: Finding) -> None:
    """Print what people said of a finding, and what they put in its place."""
    from rich.text import Text

    from fourcorners.cli.output.console import print_indented
    from fourcorners.reports.grid import format_annotation
    from fourcorners.text.invisible_characters import single_line

    if finding.value:
        whose = "in the contract’s words" if finding.place else "in a person’s own words"
        said = Text.assemble((f"Corrected, {whose}: ", "dim"), single_line(finding.value))
        print_indented(out, said, 0)
    for each in finding.remarks:
        print_indented(out, Text.assemble(("Said: ", "dim"), format_annotation(each)), 0)


def _print_judgement(out: Console, finding: Finding) -> None:
    """Print what the playbook makes of a finding: recommendation, position, risk answers."""
    from rich.text import Text

    from fourcorners.cli.output.console import print_indented
    from fourcorners.text.invisible_characters import single_line

    if finding.recommendation:
        said = Text.assemble(("Recommendation: ", "dim"), single_line(finding.recommendation))
        print_indented(out, said, 0)
    if finding.position:
        said = Text.assemble(
            ("House position: ", "dim"),
            single_line(f"{finding.position.kind}. {finding.position.text}"),
        )
        print_indented(out, said, 0)
    for each in finding.answers:
        parts = (each.answer, each.party and f"({each.party})", each.reason, each.against)
        answer = single_line(" ".join(part for part in parts if part)) or "left to a person"
        print_indented(out, Text.assemble((f"{single_line(each.question)} ", "dim"), answer), 0)
    for change in finding.amendments:
        effect = "replaces these words" if change.replaces else "changes the clause"
        said = Text.assemble(
            ("Amended: ", "dim"), single_line(f"{change.name} {effect}: {change.quote.words}")
        )
        print_indented(out, said, 0)


def print_words(out: Console, document: Document, quotes: Sequence[Span] = ()) -> None:
    """Print the whole text: wrapped for a person, in its own lines for a program."""
    from fourcorners.cli.output.console import MAX_WIDTH

    whole = highlight_quotes(document.text, Span(0, len(document.text)), quotes)
    if out.is_terminal:
        out.print(whole, width=min(out.width, MAX_WIDTH))
    else:
        out.file.write(whole.plain + "\n")


def quote_spans(finding: Finding) -> list[Span]:
    """Return where the quotes of a finding stand."""
    return [each.quote.span for each in finding.evidence if each.quote.span is not None]


def _print_absence(out: Console, document: Document, finding: Finding) -> None:
    from rich.text import Text

    from fourcorners.cli.output.console import print_indented
    from fourcorners.text.invisible_characters import shorten

    searched = finding.searched
    if searched is None:
        return
    told = f"{searched.passages} passages were searched for {searched.query}"
    print_indented(out, Text(shorten(told, MAX_SEARCHED), "dim"), 0)
    if searched.best is not None and (span := searched.best.quote.span) is not None:
        told = (
            f"The nearest words scored {searched.best.score:.2f}, below the "
            f"{searched.threshold:.2f} that counts. They are not a find:"
        )
        print_indented(out, Text(told, "dim"), 0)
        _print_clause(out, document, span, [searched.best], found=False)


def _print_clause(
    out: Console, document: Document, clause: Span, several: list[Evidence], *, found: bool = True
) -> None:
    from rich.panel import Panel
    from rich.text import Text

    from fourcorners.cli.output.console import MAX_WIDTH
    from fourcorners.text.invisible_characters import single_line

    first = several[0]
    where = []
    if pages := first.pages:
        where.append(f"page {pages[0]}" if pages[0] == pages[1] else f"pages {pages[0]}-{pages[1]}")
    if first.path:
        where.append(" › ".join(single_line(step) for step in first.path))
    spans = [each.quote.span for each in several if each.quote.span is not None]
    shown = context_span(document.text, clause, spans) if found else clause
    words = highlight_quotes(document.text, shown, spans if found else [], clause)
    places = ", ".join(f"{each.start}-{each.end}" for each in spans)
    panel = Panel(
        Text.assemble(
            ("… " if shown.start > 0 else "", "dim"),
            words,
            (" …" if shown.end < len(document.text) else "", "dim"),
        ),
        title=_plain(", ".join(where)),
        title_align="left",
        subtitle=_plain(f"characters {places}, score {max(each.score for each in several):.2f}"),
        subtitle_align="right",
        border_style="green" if found else "dim",
    )
    out.print(panel, width=min(out.width, MAX_WIDTH + 4))


def context_span(text: str, clause: Span, quotes: Sequence[Span]) -> Span:
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


def _plain(words: str) -> Text:
    from rich.text import Text

    return Text(words, "dim")


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

    from fourcorners.text.invisible_characters import show_invisible

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
