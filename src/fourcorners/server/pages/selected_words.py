"""Words that someone selected in a contract: where in a review they may be put."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from fourcorners.errors import ConfigError
from fourcorners.operations import playbooks
from fourcorners.operations.access import Access
from fourcorners.operations.principal import Role
from fourcorners.playbooks.playbook import Playbook
from fourcorners.reports.grid import STATE_WORDS
from fourcorners.research.columns.store import review_playbook
from fourcorners.review import store
from fourcorners.server.context import Context
from fourcorners.text.span import Span

router = APIRouter()


@dataclass(frozen=True, slots=True)
class CellChoice:
    """A cell of a review that may quote other words; `playbook` is the grid's."""

    playbook: str
    provision: str
    name: str
    state: str


@router.get("/d/{document}/cells")
def choose_cell(
    context: Context,
    document: str,
    start: Annotated[int, Query(ge=0)],
    end: Annotated[int, Query(ge=1)],
) -> Response:
    """Ask to which provision of which review the selected words belong."""
    with context.access() as access:
        entry = access.visible(document).entry
        text = access.text(document)
        if not start < end <= len(text):
            raise ConfigError("there are no words at these places.", remedy="Select them again.")
        may_mark = context.principal.may(Role.REVIEWER, entry.collection)
        reviews = list(_reviews(access, document, entry.collection)) if may_mark else []
    return context.page(
        "_use_words.html.j2",
        entry=entry,
        place=f"{start}-{end}",
        words=Span(start, end).text_in(text),
        reviews=reviews,
        may_mark=may_mark,
    )


def _reviews(
    access: Access, document: str, collection: str
) -> Iterator[tuple[Playbook, list[CellChoice]]]:
    """Yield the reviews that have read a document, with its cells in them."""
    library = access.library_of(document, Role.REVIEWER)
    for book in playbooks.usable_playbooks(access.common()):
        choices = []
        for part in (book, review_playbook(library, collection, book.id)):
            wanted = [provision.id for provision in part.provisions]
            cells = store.load_cells(library, part, wanted, document).get(document, {})
            choices += [
                CellChoice(book.id, each.id, each.name, STATE_WORDS[cells[each.id].state])
                for each in part.provisions
                if each.id in cells
            ]
        if choices:
            yield book, choices
