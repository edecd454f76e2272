"""A finding as its panel shows it: quotes in their context, and what other contracts change."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fourcorners.library.store import Library
from fourcorners.playbooks.playbook import Playbook, Provision
from fourcorners.reports.excerpt import Excerpt, cut_excerpt
from fourcorners.reports.grid import ocr_note, page_range, quote_place
from fourcorners.review import store
from fourcorners.review.finding import Evidence, Finding
from fourcorners.review.people.review_actions import assignee
from fourcorners.server.auth.access import Access
from fourcorners.server.auth.principal import Role
from fourcorners.server.links import quote_href
from fourcorners.text.span import Span

_MOST_READ = 300  # contracts whose cells are read for what they change in this one
_MOST_QUOTES = 8  # shown at first; the rest is counted
_AROUND = 160  # characters that are shown before a clause, and after it
# A line that was cut by the width of the paper, not ended: what follows is the same paragraph.
_CUT = re.compile(r"(?<![\n.;:])[^\S\n]*\n(?=[^\s(§•])")


@dataclass(frozen=True, slots=True)
class QuoteView:
    """Words of a contract with the way to them."""

    words: str
    href: str


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """A quote in its clause."""

    excerpt: Excerpt
    path: tuple[str, ...]
    where: str
    checked: str
    score: float
    href: str


@dataclass(frozen=True, slots=True)
class Panel:
    """All that a panel shows of a cell; `finding` is None where it was not reviewed."""

    provision: Provision
    document: str
    title: str
    name: str
    finding: Finding | None
    evidence: tuple[EvidenceView, ...] = ()
    more: int = 0
    near: EvidenceView | None = None
    assigned: str = ""
    value_href: str = ""
    text: str = ""

    def quote_of(self, words: str, span: Span | None) -> QuoteView:
        """Return words of this contract with the way to them."""
        return QuoteView(words, quote_href(self.document, span, words) if span else "")


def finding_panel(
    access: Access, collection: str, playbook: Playbook, document: str, provision: str
) -> Panel:
    """Return what is shown of a cell.

    Raises:
        NotFound: If they may not know of the document.
        ConfigError: If the playbook has no such provision.
    """
    wanted = playbook.provision(provision)
    library = access.library_of(document, Role.READER)
    entry = access.visible(document).entry
    found = (
        store.load_cells(library, playbook, [wanted.id], document).get(document, {}).get(wanted.id)
    )
    if found is None:
        return Panel(wanted, document, entry.title, entry.name, None)
    text = access.text(document)
    visible = [each.id for each in access.documents(collection)]
    finding = _amended(library, playbook, found, visible)
    best = finding.searched.best if finding.searched and not finding.evidence else None
    ranked = sorted(finding.evidence, key=lambda each: -each.score)
    shown = [_view(document, text, each) for each in ranked[:_MOST_QUOTES]]
    return Panel(
        provision=wanted,
        document=document,
        title=entry.title,
        name=entry.name,
        finding=finding,
        evidence=tuple(shown),
        more=max(0, len(ranked) - _MOST_QUOTES),
        near=_view(document, text, best) if best and best.quote.span else None,
        assigned=assignee(finding.remarks),
        value_href=quote_href(document, finding.place, finding.value) if finding.place else "",
        text=text,
    )


def _amended(
    library: Library, playbook: Playbook, finding: Finding, visible: Sequence[str]
) -> Finding:
    """Return the finding with what other contracts of the collection change in it."""
    if len(visible) > _MOST_READ or finding.document not in visible:
        return finding
    cells = store.load_cells(library, playbook, [finding.provision])
    row = [cells[each][finding.provision] for each in visible if each in cells]
    from fourcorners.review.amendments import apply_amendments

    changed = apply_amendments(library, row)
    return next(each for each in changed if each.document == finding.document)


def _flowing(cut: Excerpt) -> Excerpt:
    """Return an excerpt with less around it, and paragraphs not broken as lines on paper were."""
    runs = tuple(replace(run, words=_CUT.sub(" ", run.words)) for run in cut.runs)
    before, after = _CUT.sub(" ", cut.before), _CUT.sub(" ", cut.after)
    if len(before) > _AROUND:
        before = before[-_AROUND:].partition(" ")[2]
    if len(after) > _AROUND:
        after = after[:_AROUND].rpartition(" ")[0]
    return replace(cut, before=before, runs=runs, after=after)


def _view(document: str, text: str, evidence: Evidence) -> EvidenceView:
    span = evidence.quote.span
    return EvidenceView(
        excerpt=_flowing(cut_excerpt(text, evidence.clause, {0: [span] if span else []})),
        path=evidence.path,
        where=", ".join(filter(None, (page_range(evidence.pages), ocr_note(evidence.ocr)))),
        checked=quote_place(evidence.quote),
        score=evidence.score,
        href=quote_href(document, span, evidence.quote.words) if span else "",
    )
