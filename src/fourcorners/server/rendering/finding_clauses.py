"""The clauses that a finding quotes, each shown once, with the answers that rest on it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from fourcorners.outline.clause import skip_heading
from fourcorners.outline.tree import Outline
from fourcorners.reports.excerpt import Excerpt, cut_excerpt
from fourcorners.reports.grid import ocr_note, page_range
from fourcorners.review.finding import Evidence, Finding, RiskAnswer
from fourcorners.server.links import quote_href
from fourcorners.text.quote import Quote
from fourcorners.text.span import Span

MOST_CLAUSES = 8  # shown at first; the rest is counted
_AROUND = 160  # characters that are shown before a clause, and after it
# A line that was cut by the width of the paper, not ended: what follows is the same paragraph.
_CUT = re.compile(r"(?<![\n.;:])[^\S\n]*\n(?=[^\s(§•])")
_BREAK = re.compile(r"(?<=\n)|[^\S\n]*(?:\n|$)")  # after the end of a paragraph
_NUMBER = re.compile(r"[\d(][\w.()]*")


@dataclass(frozen=True, slots=True)
class QuotedClause:
    """A clause as a finding shows it.

    Attributes:
        number: Its place among those that are shown, from 1.
        excerpt: Its words without its number and heading.
        where: Its pages, and how surely text recognition read it.
        href: The address of the words in the contract; empty if they are not verified.
        answers: What the answers that rest on it say.
    """

    number: int
    path: tuple[str, ...]
    excerpt: Excerpt
    where: str
    href: str
    answers: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What an answer calls it that rests on it."""
        found = _NUMBER.match(self.path[-1]) if self.path else None
        if found:
            return f"clause {found[0].rstrip('.')}"
        return self.path[-1] if self.path else f"passage {self.number}"


@dataclass(slots=True)
class _Group:
    best: Evidence
    clause: Span
    path: tuple[str, ...]
    quotes: list[Span] = field(default_factory=list)

    def add(self, each: Evidence) -> None:
        if len(each.clause) > len(self.clause):
            self.path = each.path
        both = self.clause, each.clause
        self.clause = Span(min(one.start for one in both), max(one.end for one in both))
        if each.quote.span:
            self.quotes.append(each.quote.span)


def quoted_clauses(
    finding: Finding, outline: Outline, text: str
) -> tuple[list[QuotedClause], dict[Quote, QuotedClause]]:
    """Return the clauses that a finding quotes, the likeliest first, and where each quote is.

    Words that only an answer quotes follow as passages, if no clause holds them.
    """
    groups: list[_Group] = []
    for each in sorted(finding.evidence, key=lambda each: -each.score)[:MOST_CLAUSES]:
        _collect(groups, each)
    for quote in dict.fromkeys(_answer_quotes(finding)):
        if quote.span is not None:
            node = outline.node_at(quote.span.start)
            path = outline.path(node, text) if node else ()
            _collect(groups, Evidence(quote, quote.span, path, None, 0.0))
    places: dict[Quote, QuotedClause] = {}
    shown = []
    for number, group in enumerate(groups, 1):
        quotes = [q for q in _answer_quotes(finding) if q.span and group.clause.contains(q.span)]
        rests = [e for e in finding.answers if {*quotes} & {*e.quotes}]
        clause = _clause(finding.document, text, group, number, rests)
        places |= dict.fromkeys(quotes, clause)
        shown.append(clause)
    return shown, places


def show_passage(
    document: str, text: str, evidence: Evidence, *, near: bool = False
) -> QuotedClause:
    """Return one quote in its clause; `near` if it is not a match, and so no evidence."""
    group = _Group(evidence, evidence.clause, evidence.path)
    group.add(evidence)
    shown = _clause(document, text, group, 1, ())
    span = evidence.quote.span
    if near and span:
        return replace(shown, href=quote_href(document, span, evidence.quote.words, near=True))
    return shown


def _collect(groups: list[_Group], each: Evidence) -> None:
    """Add a quote to the group whose clause it touches, or to a new one."""
    group = next((group for group in groups if group.clause.overlaps(each.clause)), None)
    if group is None:
        group = _Group(each, each.clause, each.path)
        groups.append(group)
    group.add(each)


def _clause(
    document: str, text: str, group: _Group, number: int, answers: Iterable[RiskAnswer]
) -> QuotedClause:
    best, clause = group.best, group.clause
    lead = skip_heading(clause.text_in(text), group.path)
    excerpt = cut_excerpt(
        text,
        Span(clause.start + lead, clause.end),
        {0: [Span(max(each.start, clause.start + lead), each.end) for each in group.quotes]},
    )
    span = best.quote.span
    return QuotedClause(
        number,
        group.path,
        _shorten(excerpt, text),
        ", ".join(filter(None, (page_range(best.pages), ocr_note(best.ocr)))),
        quote_href(document, span, best.quote.words) if span else "",
        tuple(dict.fromkeys(each.statement or each.answer for each in answers if not each.is_open)),
    )


def _answer_quotes(finding: Finding) -> Iterator[Quote]:
    for each in finding.answers:
        yield from (*each.quotes, *each.against_quotes)
    if finding.position:
        yield from finding.position.quotes


def _shorten(cut: Excerpt, text: str) -> Excerpt:
    """Return an excerpt with less around it, and paragraphs not broken as lines on paper were.

    Nothing is around a whole clause: what precedes and follows it are other clauses.
    """
    runs = tuple(replace(run, words=_CUT.sub(" ", run.words)) for run in cut.runs)
    before, after = _CUT.sub(" ", cut.before), _CUT.sub(" ", cut.after)
    if _BREAK.match(text, cut.span.end):
        before = after = ""
    if len(before) > _AROUND:
        before = before[-_AROUND:].partition(" ")[2]
    if len(after) > _AROUND:
        after = after[:_AROUND].rpartition(" ")[0]
    return replace(cut, before=before, runs=runs, after=after)
