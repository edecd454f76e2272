"""One finding, what people say of it, and the columns that reviewers ask for."""

from __future__ import annotations

from itertools import zip_longest
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel

from fourcorners.errors import ConfigError
from fourcorners.operations.access import Access
from fourcorners.operations.knowledge import playbooks
from fourcorners.operations.members import members, mention_warnings
from fourcorners.operations.principal import Role
from fourcorners.operations.reviewing.findings import AnnotationRequest, annotate, findings_at
from fourcorners.playbooks.playbook import Provision
from fourcorners.reports.grid import (
    REVIEW_WORDS,
    SEVERITY_WORDS,
    STATE_WORDS,
    quote_place,
)
from fourcorners.research.columns.store import playbook_for
from fourcorners.review import store
from fourcorners.review.amendments import apply_amendments
from fourcorners.review.annotations import assignee
from fourcorners.review.finding import (
    Author,
    CellState,
    Finding,
    ReviewState,
    Severity,
)
from fourcorners.review.risk.answers import SILENT, answer_words
from fourcorners.review.severity import possible_high_words
from fourcorners.review.store import cell_words
from fourcorners.review.suspicion import describe_left_out
from fourcorners.server.context import Context, RequestContext
from fourcorners.server.grid.dates import dated_grid, open_grid
from fourcorners.server.grid.query import Grid, GridQuery, select_cells
from fourcorners.server.grid.windows import cell_view, next_open_cell
from fourcorners.server.links import linked_span, quote_href
from fourcorners.server.rendering.finding_clauses import (
    MOST_CLAUSES,
    quoted_clauses,
    show_passage,
)
from fourcorners.text.invisible_characters import show_invisible
from fourcorners.text.span import Span

router = APIRouter()
_Id = Annotated[str, Query(max_length=40)]
_Word = Annotated[str, Query(max_length=200)]


@router.get("/reviews/cell")
def show(context: Context, wanted: Grid, d: _Id, v: _Word) -> Response:
    with context.access() as access:
        return _show_document(context, access, wanted.collection, wanted.playbook, d, v)


@router.get("/reviews/cell/words")
def show_words(context: Context, wanted: Grid, d: _Id, v: _Word) -> Response:
    """Return all that a cell of the grid shows in short."""
    with context.access() as access:
        library = access.library_for(wanted.collection, Role.READER)
        access.library_of(d, Role.READER)
        book = playbooks.load_playbook(access, wanted.playbook, wanted.collection)
        book = playbook_for(library, wanted.collection, book, v)
        finding = store.load_cells(library, book, [v], d).get(d, {}).get(v)
    shown = [] if finding is None else [finding.headline, finding.value or cell_words(finding)]
    return JSONResponse([show_invisible(each) for each in shown if each])


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
    """What the form for an `AnnotationRequest` sends, with what its fields held before.

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
    value_was: str = ""
    comment: str = ""
    to: str = ""
    question: list[str] = []
    answer: list[str] = []
    was: list[str] = []
    severity: str = ""
    severity_was: str = ""
    at: str = ""
    words: str = ""

    @property
    def answers(self) -> dict[str, str]:
        """The answers that were changed, by their questions."""
        given = zip_longest(self.question, self.answer, self.was, fillvalue="")
        return {question: answer for question, answer, was in given if answer not in ("", was)}

    @property
    def typed_answers(self) -> dict[str, str]:
        return dict(zip(self.question, self.answer, strict=False))

    @property
    def new_severity(self) -> str | None:
        return self.severity if self.severity not in ("", self.severity_was) else None

    @property
    def new_value(self) -> str:
        """The wording, if it was changed and not only its lines."""
        is_same = self.value.split() == self.value_was.split()
        return "" if is_same or self.says not in ("", ReviewState.CORRECTED) else self.value


@router.post("/reviews/mark")
def mark(context: Context, form: Annotated[_AnnotationForm, Form()]) -> Response:
    """Keep what someone says of a finding."""
    c, p, d, v = form.c, form.p, form.d, form.v
    with context.access() as access:
        library = access.library_of(d, Role.REVIEWER)
        access.require(Role.READER, c)
        whole = playbooks.load_playbook(access, p, c)
        book = playbook_for(library, c, whole, v)
        if book is not whole:  # it is of this review alone, not of every one with the contract
            access.require(Role.REVIEWER, c)
        provision = book.provision(v).id
        try:
            asked = AnnotationRequest.from_fields(
                playbook=p,
                document=d,
                provision=provision,
                state=form.says or None,
                value=form.new_value,
                place=_selected_span(form.at, form.words, access.text(d)) if form.at else None,
                answers=form.answers,
                severity=form.new_severity,
                comment=form.comment,
                assignee=form.to,
            )
            annotate(access, asked, book)
        except ConfigError as error:
            if context.is_partial:
                raise
            return _show_document(context, access, c, p, d, v, refused=(form, error))
        if context.is_partial:
            return _show_document(context, access, c, p, d, v)
    cell = urlencode({"d": d, "v": provision, "marked": "yes"})
    return context.redirect(f"/reviews/cell?{GridQuery(c, p).to_query()}&{cell}")


def _selected_span(at: str, words: str, text: str) -> Span:
    """Return the place of words that were selected in a contract.

    Raises:
        ConfigError: If the words there are not those that were seen.
    """
    place = linked_span(at, "", text)
    if place is None or "".join(show_invisible(place.text_in(text)).split()) != "".join(
        show_invisible(words).split()
    ):
        raise ConfigError("the text has changed.", remedy="Select the words again.")
    return place


def _show_document(
    context: RequestContext,
    access: Access,
    c: str,
    p: str,
    d: str,
    v: str,
    *,
    refused: tuple[_AnnotationForm, ConfigError] | None = None,
) -> Response:
    """Show a finding; where what was said of it is refused, with the reason and what was typed."""
    library = access.library_for(c, Role.READER)
    book = playbooks.load_playbook(access, p, c)
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
        view |= _panel(access, finding, provision)
        view["left_out"] = describe_left_out(library.document(d), library.exclusions(d))
        view["warnings"] = _mention_warnings(context, access, c, finding)
        view["amending"] = access.titles(each.document for each in finding.amendments)
    matrix = dated_grid(context.state.connection_pool, access, c, book)
    cell = cell_view(library, matrix, d, provision.id)
    here = urlencode({"d": d, "v": provision.id})
    todo = context.request.query_params.get("todo", "")  # its place in the list of things to do
    template = "_finding.html.j2" if context.is_partial else "finding.html.j2"
    return context.page(
        template,
        c=c,
        book=book,
        view=view,
        cell=cell,
        finding=finding,
        possible_high=possible_high_words(finding) if finding else "",
        back=_grid(c, book.id),
        next_href=f"/to-do/next?{todo}"
        if todo
        else f"/reviews/cell/next?{GridQuery(c, book.id).to_query()}&{here}",
        state_words=STATE_WORDS,
        severity_words=SEVERITY_WORDS,
        review_words=REVIEW_WORDS,
        may_mark=context.principal.may(Role.REVIEWER, c),
        people=members(library, c),
        typed=refused[0] if refused else None,
        problem=refused[1] if refused else None,
    )


def _mention_warnings(
    context: RequestContext, access: Access, collection: str, finding: Finding
) -> list[str]:
    """Return whom a comment that was made just now did not reach."""
    is_new = context.request.method == "POST" or "marked" in context.request.query_params
    last = finding.remarks[-1] if is_new and finding.remarks else None
    if last is None or last.by != context.principal.name:
        return []
    return mention_warnings(access, collection, last.comment)


def _question_forms(finding: Finding, provision: Provision) -> dict[str, dict[str, object]]:
    """Return, for each question that a person may answer, what may be chosen and what is now."""
    given = {each.id: each for each in finding.answers}
    forms: dict[str, dict[str, object]] = {}
    for each in provision.questions:
        answer = given.get(each.id)
        options = {"yes": "Yes", "no": "No"} if each.answer == "yes_no" else dict(each.options)
        options = {key: label or key.replace("_", " ") for key, label in options.items()}
        now = answer.value if answer else ""
        if now and each.answer in ("date", "duration"):
            now = answer_words(each, now)
        if answer and answer.author is Author.PERSON and not now:
            now = SILENT
        forms[each.id] = {"options": options, "now": now, "kind": each.answer}
    return forms


def _panel(access: Access, finding: Finding, provision: Provision) -> dict[str, object]:
    """Return what is shown of a finding besides itself."""
    place, document = finding.place, finding.document
    text = access.text(document)
    clauses, places = quoted_clauses(finding, access.outline(document), text)
    ranked = sorted(finding.evidence, key=lambda each: -each.score)
    nearest = finding.nearest
    return {
        "answered": [each for each in finding.answers if not each.is_open],
        "left_open": [each for each in finding.answers if each.is_open],
        # Why nothing is quoted, by the search; where a rule makes it grave, why it matters.
        "searched_only": finding.state is CellState.NOT_FOUND and finding.severity is Severity.NONE,
        "clauses": clauses,
        "places": places,
        "quoted": [(each, quote_place(each.quote)) for each in ranked[:MOST_CLAUSES]],
        "more": max(0, len(ranked) - MOST_CLAUSES),
        "near": show_passage(document, text, nearest, near=True) if nearest else None,
        "proposed": [
            show_passage(document, text, each)
            for each in (finding.proposed.evidence if finding.proposed else ())[:MOST_CLAUSES]
            if each not in finding.evidence
        ],
        "questions": _question_forms(finding, provision),
        "assigned": assignee(finding.remarks),
        "value_href": quote_href(document, place, finding.value) if place else "",
    }


def _grid(collection: str, playbook: str) -> str:
    return f"/reviews/grid?{GridQuery(collection, playbook).to_query()}"
