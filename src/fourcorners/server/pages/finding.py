"""One finding, what people say of it, and the columns that reviewers ask for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response
from pydantic import BaseModel

from fourcorners.errors import ConfigError
from fourcorners.operations import playbooks
from fourcorners.operations.access import Access
from fourcorners.operations.findings import AnnotationRequest, annotate, findings_at
from fourcorners.operations.principal import Role
from fourcorners.playbooks.playbook import Provision
from fourcorners.reports.excerpt import Excerpt, cut_excerpt
from fourcorners.reports.grid import (
    REVIEW_WORDS,
    SEVERITY_WORDS,
    STATE_WORDS,
    ocr_note,
    page_range,
    quote_place,
)
from fourcorners.research.columns.store import column_versions, playbook_for
from fourcorners.review import store
from fourcorners.review.amendments import apply_amendments
from fourcorners.review.finding import (
    Author,
    CellState,
    Evidence,
    Finding,
    ReviewState,
    Severity,
)
from fourcorners.review.people import review_actions
from fourcorners.review.risk.answers import SILENT
from fourcorners.review.suspicion import describe_left_out
from fourcorners.server import columns as column_actions
from fourcorners.server.context import Context, RequestContext
from fourcorners.server.grid.dates import dated_grid, open_grid
from fourcorners.server.grid.matrix import STATES
from fourcorners.server.grid.query import Grid, GridQuery, select_cells
from fourcorners.server.grid.windows import cell_view, next_open_cell
from fourcorners.server.links import linked_span, quote_href
from fourcorners.text.invisible_characters import show_invisible
from fourcorners.text.quote import Quote
from fourcorners.text.span import Span

router = APIRouter()
_Name = Annotated[str, Form(max_length=500)]
_Id = Annotated[str, Query(max_length=40)]
_Word = Annotated[str, Query(max_length=200)]
_Question = Annotated[str, Form(max_length=4_000)]
_Way = Annotated[str, Form(max_length=10)]
_MOST_QUOTES = 8  # shown at first; the rest is counted
_AROUND = 160  # characters that are shown before a clause, and after it
# A line that was cut by the width of the paper, not ended: what follows is the same paragraph.
_CUT = re.compile(r"(?<![\n.;:])[^\S\n]*\n(?=[^\s(§•])")


@router.get("/reviews/cell")
def show(context: Context, wanted: Grid, d: _Id, v: _Word) -> Response:
    with context.access() as access:
        return _show_document(context, access, wanted.collection, wanted.playbook, d, v)


@router.get("/reviews/cell/next")
def show_next(context: Context, wanted: Grid, d: _Id, v: _Word) -> Response:
    """Go to the next finding that nobody has checked, from one on; at the end, to the grid."""
    with open_grid(context, wanted) as (_, matrix):
        fit = select_cells(matrix, wanted)
        ids = [matrix.rows[row].id for row in fit.rows.tolist()]
        row, column = ids.index(d) if d in ids else -1, matrix.column(v)
        place = next_open_cell(matrix, wanted, fit, row, -1 if column is None else column)
        cell = place and {"d": ids[place[0]], "v": matrix.provisions[place[1]]}
    grid = wanted.to_query()
    return context.redirect(
        f"/reviews/cell?{grid}&{urlencode(cell)}" if cell else f"/reviews/grid?{grid}"
    )


class _AnnotationForm(BaseModel):
    """What the form for an `AnnotationRequest` sends.

    Attributes:
        at: The contract's words that are its value, as `start-end`.
        words: What was seen there.
    """

    c: str
    p: str
    d: str
    v: str
    says: str = ""
    value: str = ""
    comment: str = ""
    to: str = ""
    question: str = ""
    answer: str = ""
    severity: str = ""
    at: str = ""
    words: str = ""


@router.post("/reviews/mark")
def mark(context: Context, form: Annotated[_AnnotationForm, Form()]) -> Response:
    """Keep what someone says of a finding."""
    c, p, d, v = form.c, form.p, form.d, form.v
    with context.access() as access:
        library = access.library_of(d, Role.REVIEWER)
        access.require(Role.READER, c)
        whole = playbooks.load_playbook(library, p)
        book = playbook_for(library, c, whole, v)
        if book is not whole:  # it is of this review alone, not of every one with the contract
            access.require(Role.REVIEWER, c)
        provision = book.provision(v).id
        state = form.says or None
        asked = AnnotationRequest.from_fields(
            document=d,
            provision=provision,
            state=state,
            value=form.value if state in (None, ReviewState.CORRECTED) else "",
            place=_selected_span(form.at, form.words, access.text(d)) if form.at else None,
            answers={form.question: form.answer} if form.question else {},
            severity=form.severity or None,
            comment=form.comment,
            assignee=form.to,
        )
        annotate(access, asked, book)
        if context.is_partial:
            return _show_document(context, access, c, p, d, v)
    cell = urlencode({"d": d, "v": provision})
    return context.redirect(f"/reviews/cell?{GridQuery(c, p).to_query()}&{cell}")


@router.post("/reviews/columns")
def add(
    context: Context, c: _Name, p: _Name, question: _Question = "", model: _Way = ""
) -> Response:
    """Ask a question of every contract of a review, and go back to its grid, to the new column."""
    column = column_actions.add_column(context, c, p, question, with_model=bool(model)).column
    grid = _grid(column.collection, column.playbook)
    return context.redirect(f"{grid}#column-{column.provision}")


@router.get("/reviews/columns/{column}")
def show_column(context: Context, column: str) -> Response:
    """Show a column: what is asked, how far it is, and what was asked before."""
    found = column_actions.find_column(context, column)
    with open_grid(context, GridQuery(found.collection, found.playbook)) as (library, matrix):
        place = matrix.column(found.provision)
        cells = [] if place is None else matrix.state[:, place].tolist()
        earlier = column_versions(library, found.id)[:-1]
    standing = column_actions.list_columns(context, found.collection, found.playbook)
    only = GridQuery(found.collection, found.playbook, sort=found.provision, descending=True)
    return context.page(
        "column.html.j2",
        column=found,
        book=matrix.playbook,
        counts=[
            (state, STATE_WORDS[state] if state else "Not filled yet", cells.count(number))
            for number, state in enumerate(STATES)
            if cells.count(number)
        ],
        documents=len(matrix.rows),
        missing=cells.count(0),
        earlier=earlier,
        task=next((each.task for each in standing if each.column.id == found.id), None),
        grid=_grid(found.collection, found.playbook),
        only=f"/reviews/grid?{only.to_query()}",
        has_model=column_actions.has_model(context),
        model=context.state.settings.llm.model,
        may_mark=context.principal.may(Role.REVIEWER, found.collection),
    )


@router.post("/reviews/columns/{column}/ask")
def change(context: Context, column: str, question: _Question = "", model: _Way = "") -> Response:
    column_actions.update_column(context, column, question, with_model=bool(model))
    return context.redirect(f"/reviews/columns/{column}")


@router.post("/reviews/columns/{column}/fill")
def fill(context: Context, column: str) -> Response:
    column_actions.fill_column(context, column_actions.find_column(context, column, Role.REVIEWER))
    return context.redirect(f"/reviews/columns/{column}")


@router.post("/reviews/columns/{column}/remove")
def remove(context: Context, column: str) -> Response:
    gone = column_actions.remove_column(context, column)
    return context.redirect(_grid(gone.collection, gone.playbook))


def _selected_span(at: str, words: str, text: str) -> Span:
    """Return the place of words that were selected in a contract.

    Raises:
        ConfigError: If the words there are not those that were seen.
    """
    place = linked_span(at, "", text)
    if place is None or "".join(show_invisible(place.text_in(text)).split()) != "".join(
        show_invisible(words).split()
    ):
        raise ConfigError("the text here has changed.", remedy="Select the words again.")
    return place


def _show_document(
    context: RequestContext, access: Access, c: str, p: str, d: str, v: str
) -> Response:
    library = access.library_for(c, Role.READER)
    book = playbooks.load_playbook(library, p)
    of_column = playbook_for(library, c, book, v)
    provision = of_column.provision(v)
    access.library_of(d, Role.READER)
    view: dict[str, object] = {
        "provision": provision,
        "document": d,
        "called": access.titles([d])[d],
    }
    cells = store.load_cells(library, of_column, [provision.id], d).get(d, {})
    finding = cells.get(provision.id)
    if finding is not None:
        (finding,) = findings_at(library, of_column, apply_amendments(library, [finding]))
        view |= _panel(finding, provision, access.text(d))
        view["left_out"] = describe_left_out(library.document(d), library.exclusions(d))
        view["amending"] = access.titles(each.document for each in finding.amendments)
    matrix = dated_grid(context.state.connection_pool, access, c, book)
    cell = cell_view(library, matrix, d, provision.id)
    here = urlencode({"d": d, "v": provision.id})
    template = "_finding.html.j2" if context.is_partial else "finding.html.j2"
    return context.page(
        template,
        c=c,
        book=book,
        view=view,
        cell=cell,
        finding=finding,
        back=_grid(c, book.id),
        next_href=f"/reviews/cell/next?{GridQuery(c, book.id).to_query()}&{here}",
        state_words=STATE_WORDS,
        severity_words=SEVERITY_WORDS,
        review_words=REVIEW_WORDS,
        may_mark=context.principal.may(Role.REVIEWER, c),
    )


def _question_forms(finding: Finding, provision: Provision) -> dict[str, dict[str, object]]:
    """Return, for each question that a person may answer, what may be chosen and what is now."""
    given = {each.id: each for each in finding.answers}
    forms: dict[str, dict[str, object]] = {}
    for each in provision.questions:
        answer = given.get(each.id)
        options = {"yes": "Yes", "no": "No"} if each.answer == "yes_no" else dict(each.options)
        options = {key: label or key.replace("_", " ") for key, label in options.items()}
        now = answer.value if answer else ""
        if answer and answer.author is Author.PERSON and not now:
            now = SILENT
        forms[each.id] = {"options": options, "now": now, "kind": each.answer}
    return forms


def _panel(finding: Finding, provision: Provision, text: str) -> dict[str, object]:
    """Return what is shown of a finding besides itself."""
    ranked = sorted(finding.evidence, key=lambda each: -each.score)
    place, document = finding.place, finding.document
    answered = [each for each in finding.answers if not each.is_open]
    return {
        "answered": answered,
        "left_open": [each for each in finding.answers if each.is_open],
        "places": {quote: _place(quote, finding) for quote in _answer_quotes(finding)},
        # Why nothing is quoted, by the search; where a rule makes it grave, why it matters.
        "searched_only": finding.state is CellState.NOT_FOUND and finding.severity is Severity.NONE,
        "evidence": [_in_context(document, text, each) for each in ranked[:_MOST_QUOTES]],
        "more": max(0, len(ranked) - _MOST_QUOTES),
        "near": _in_context(document, text, finding.nearest) if finding.nearest else None,
        "proposed": [
            _in_context(document, text, each)
            for each in (finding.proposed.evidence if finding.proposed else ())[:_MOST_QUOTES]
            if each not in finding.evidence
        ],
        "questions": _question_forms(finding, provision),
        "assigned": review_actions.assignee(finding.remarks),
        "value_href": quote_href(document, place, finding.value) if place else "",
    }


def _answer_quotes(finding: Finding) -> Iterator[Quote]:
    for each in finding.answers:
        yield from (*each.quotes, *each.against_quotes)
    if finding.position:
        yield from finding.position.quotes


def _place(quote: Quote, finding: Finding) -> str:
    """Return where a quote is, by the evidence whose clause holds it; empty if none does."""
    if quote.span is None:
        return ""
    around = [each for each in finding.evidence if each.clause.contains(quote.span)]
    if not around:
        return ""
    best = min(around, key=lambda each: len(each.clause))
    return ", ".join(filter(None, (" › ".join(best.path[-2:]), page_range(best.pages))))


def _join_lines(cut: Excerpt) -> Excerpt:
    """Return an excerpt with less around it, and paragraphs not broken as lines on paper were."""
    runs = tuple(replace(run, words=_CUT.sub(" ", run.words)) for run in cut.runs)
    before, after = _CUT.sub(" ", cut.before), _CUT.sub(" ", cut.after)
    if len(before) > _AROUND:
        before = before[-_AROUND:].partition(" ")[2]
    if len(after) > _AROUND:
        after = after[:_AROUND].rpartition(" ")[0]
    return replace(cut, before=before, runs=runs, after=after)


def _in_context(document: str, text: str, evidence: Evidence) -> dict[str, object]:
    """Return a quote in its clause."""
    span = evidence.quote.span
    excerpt = cut_excerpt(text, evidence.clause, {0: [span] if span else []})
    return {
        "evidence": evidence,
        "excerpt": _join_lines(excerpt),
        "where": ", ".join(filter(None, (page_range(evidence.pages), ocr_note(evidence.ocr)))),
        "checked": quote_place(evidence.quote),
        "href": quote_href(document, span, evidence.quote.words) if span else "",
    }


def _grid(collection: str, playbook: str) -> str:
    return f"/reviews/grid?{GridQuery(collection, playbook).to_query()}"
