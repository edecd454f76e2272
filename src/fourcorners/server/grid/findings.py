"""The findings of a review, or one of them, for who may read it."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

from fourcorners.errors import ConfigError
from fourcorners.library.store import Library
from fourcorners.operations.errors import NotFound, Refusal
from fourcorners.operations.principal import Role
from fourcorners.playbooks.playbook import Playbook
from fourcorners.research.columns import store as columns
from fourcorners.research.columns.store import PREFIX
from fourcorners.review import store
from fourcorners.review.finding import CellState, Finding, ReviewState, Severity
from fourcorners.review.people import review_actions
from fourcorners.server.columns import visible_column
from fourcorners.server.context import RequestContext
from fourcorners.server.grid.dates import findings_at
from fourcorners.server.store import playbook_store

_NEAREST = 5  # names that are offered for one that is unknown


@dataclass(frozen=True, slots=True)
class FindingFilter:
    """Which findings are meant; None for all."""

    document: str | None = None
    provision: str | None = None
    state: CellState | None = None
    severity: Severity | None = None
    review: ReviewState | None = None

    def fits(self, finding: Finding) -> bool:
        return all(
            wanted in (None, held)
            for wanted, held in (
                (self.provision, finding.provision),
                (self.state, finding.state),
                (self.severity, finding.severity),
                (self.review, finding.review),
            )
        )


def load_findings(
    context: RequestContext, collection: str, playbook: str, fits: FindingFilter
) -> list[Finding]:
    """Return the findings of a review that fit, as today has them, by document and provision.

    Raises:
        NotFound: If they may not know of the collection or the document, or there is no such
            playbook.
        Refusal: If the playbook and the review's own columns have no such provision; it names
            the nearest.
    """
    with context.access() as access:
        book = playbook_store.load_playbook(access.common(), playbook)
        inside = {entry.id for entry in access.documents(collection)}
        if fits.document is not None:
            access.visible(fits.document)
            inside &= {fits.document}
        library = access.library_for(collection, Role.READER)
        asked = columns.review_playbook(library, collection, book.id)
        if fits.provision is not None:
            require_provision(fits.provision, book, asked)
        cells: dict[str, dict[str, Finding]] = {}
        for each in (book, asked):
            wanted = [p.id for p in each.provisions if fits.provision in (None, p.id)]
            for place, row in store.load_cells(library, each, wanted, fits.document).items():
                cells.setdefault(place, {}).update(row)
        access.record("findings", {"collection": collection, "playbook": book.id})
        rows = [cells[key] for key in sorted(inside & cells.keys())]
        dated = findings_at(library, book, [row[name] for row in rows for name in sorted(row)])
    return [each for each in dated if fits.fits(each)]


def load_finding(context: RequestContext, document: str, provision: str, playbook: str) -> Finding:
    """Return one finding, as today has it.

    Raises:
        NotFound: If they may not know of the document, there is no such playbook, or the cell was
            not reviewed.
        Refusal: If the playbook has no such provision; it names the nearest.
    """
    with context.access() as access:
        library = access.library_of(document, Role.READER)
        book = playbook_store.load_playbook(library, playbook)
        asked = book
        if provision.startswith(PREFIX):
            column = visible_column(access, provision, Role.READER)
            asked = columns.columns_playbook(column.collection, column.playbook, [column])
        require_provision(provision, asked)
        access.text(document)  # that its words were read stands in the audit trail
        found = _load_stored(library, asked, document, provision)
        return findings_at(library, book, [found])[0]


def require_provision(provision: str, *playbooks: Playbook) -> None:
    """Check that a playbook has a provision.

    Raises:
        Refusal: If none has; it names the nearest, by id or by name.
    """
    known = {each.id: each.name for book in playbooks for each in book.provisions}
    if provision in known:
        return
    own = {key: name for key, name in known.items() if not key.startswith(PREFIX)}
    names = {**{name.casefold(): key for key, name in own.items()}, **{key: key for key in own}}
    wanted = provision.casefold()
    near: list[str] = []
    if not provision.startswith(PREFIX):  # an id of a column resembles names by chance alone
        near = get_close_matches(wanted, names, _NEAREST, 0.5)
        near += [each for each in names if wanted in each or wanted.replace(" ", "-") in each]
    nearest = list(dict.fromkeys(names[each] for each in near))[:_NEAREST]
    raise Refusal(
        f"the playbook {playbooks[0].id!r} has no provision {provision[:60]!r}.",
        remedy=f"The nearest: {', '.join(nearest)}." if nearest else f"It has: {', '.join(own)}.",
    )


def _load_stored(library: Library, book: Playbook, document: str, provision: str) -> Finding:
    try:
        return review_actions.load_finding(library, book, document, provision)
    except ConfigError as error:
        raise NotFound(error.message, remedy="Start a review first.") from error
