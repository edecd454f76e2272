"""Load a review from the cells in the library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from fourcorners.documents.change_marks import find_tracked_changes
from fourcorners.errors import ConfigError
from fourcorners.library.damage import without_damaged
from fourcorners.library.database import as_string
from fourcorners.library.entries import Entry, Failure
from fourcorners.library.store import Library
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review import store
from fourcorners.review.amendments import apply_amendments
from fourcorners.review.finding import (
    CellState,
    ColumnHeader,
    Finding,
    Review,
    ReviewedDocument,
)
from fourcorners.review.outliers import flag_outliers
from fourcorners.review.overview.families import family_links
from fourcorners.review.parties import Side, find_sides
from fourcorners.review.risk.term_dates import apply_term_dates
from fourcorners.review.set_apart import find_set_apart
from fourcorners.review.suspicion import describe_left_out, find_suspicions
from fourcorners.search.graph.family import FamilyLink, group_families
from fourcorners.search.graph.in_force import card_in_force
from fourcorners.version import __version__


@dataclass(frozen=True, slots=True)
class FilledReview:
    """What a review has done: every cell of its documents is in the library.

    Attributes:
        documents: The documents of the grid, by name.
        unread: The files that could not be read.
        whose: For whom each document is read.
        engine: What fills the cells.
        encoder: The name of the encoder; empty where words alone count.
        made_with: What else they were made with, each with its name.
    """

    documents: tuple[Entry, ...]
    unread: tuple[Failure, ...]
    whose: Mapping[str, Side]
    engine: str
    encoder: str
    made_with: tuple[tuple[str, str], ...] = ()


_NOT_REVIEWED = ("This contract was not reviewed yet.", "Review what is new, and export it again.")


@without_damaged
def load_review(
    library: Library,
    playbook: Playbook,
    *,
    collection: str | None = None,
    as_of: date | None = None,
    command: str = "",
    documents: AbstractSet[str] | None = None,
    unfinished: bool = False,
) -> Review:
    """Return the grid of a finished review from its stored cells.

    One that is `unfinished` is of the contracts that were reviewed, and lists the others among
    what it does not cover. Its `created` is when the last of them was stored, and `as_of` by
    default that day: the same cells make the same review. `command` fills missing cells; it is
    named in the error. With `documents`, it is of these alone, by id.

    Raises:
        ConfigError: If the collection holds nothing, or a contract lacks cells of this playbook.
    """
    entries = library.documents(collection)
    failures = library.failures(collection)
    if documents is not None:
        entries, failures = [each for each in entries if each.id in documents], []
    where = f"the collection {collection!r}" if collection else "the library"
    if not entries and not failures:
        raise ConfigError(f"{where} holds no contract.", remedy="Add some: fourcorners add FOLDER.")
    wanted = [provision.id for provision in playbook.provisions]
    cells = store.load_cells(library, playbook, wanted)
    short = [e for e in entries if any(each not in cells.get(e.id, {}) for each in wanted)]
    if short and unfinished and len(short) < len(entries):
        left_out = {each.id for each in short}
        entries = [each for each in entries if each.id not in left_out]
        failures += [Failure(each.path, *_NOT_REVIEWED) for each in short]
    elif short:
        raise ConfigError(
            f"{len(short)} of {len(entries)} contracts in {where} were not reviewed with the "
            f"playbook {playbook.id} as it is now, {short[0].name} among them.",
            remedy=f"Review them first: {command or 'fourcorners review'}",
        )
    sides = find_sides(library, entries)
    if stale := store.stale_documents(library, playbook, sides):
        raise ConfigError(
            f"{len(stale)} of {len(entries)} contracts in {where} were reviewed for others than "
            "they are read for now.",
            remedy=f"Review them again: {command or 'fourcorners review'}",
        )
    made, engines = _build_review(library, playbook, [entry.id for entry in entries])
    encoder = library.encoder.name if library.encoder else ""
    return build_review(
        library,
        playbook,
        FilledReview(tuple(entries), tuple(failures), sides, ", ".join(engines), encoder),
        cells,
        collection=collection,
        created=made,
        as_of=as_of or made.date(),
    )


def build_review(
    library: Library,
    playbook: Playbook,
    filled: FilledReview,
    cells: Mapping[str, Mapping[str, Finding]],
    *,
    collection: str | None,
    created: datetime,
    as_of: date,
) -> Review:
    """Return the grid of a review; the documents of a family are together."""
    links: dict[str, FamilyLink] = {}
    for each in {each.collection for each in filled.documents}:
        links |= family_links(library, each)
    entries = group_families(filled.documents, links, lambda each: each.id)
    present = {each.id for each in entries}
    rows = tuple(
        replace(
            _reviewed_document(library, each, filled.whose[each.id], as_of),
            family=link if (link := links.get(each.id)) and link.head in present else None,
        )
        for each in entries
    )
    found = [
        cells.get(row.id, {}).get(each.id)
        or Finding(
            document=row.id,
            provision=each.id,
            state=CellState.FAILED,
            error="This was not reviewed yet.",
            remedy="Review it without --only.",
        )
        for row in rows
        for each in playbook.provisions
    ]
    texts, cards = ({row.id: row.text for row in rows}, {row.id: row.card for row in rows})
    found = flag_outliers(library, playbook, apply_amendments(library, found, as_of), texts)
    collections = [collection] if collection else {each.collection for each in filled.documents}
    read_for = tuple(sorted({name for each in collections for name in library.read_for(each)}))
    return Review(
        title=collection or "All contracts",
        created=created,
        as_of=as_of,
        playbook=playbook.name,
        playbook_version=playbook.version,
        playbook_hash=playbook.hash,
        columns=tuple(ColumnHeader(p.id, p.name, p.definition) for p in playbook.provisions),
        documents=rows,
        findings=tuple(apply_term_dates(found, cards, playbook, as_of)),
        unread=filled.unread,
        provenance=(
            ("Program", f"Fourcorners {__version__}"),
            ("Engine", filled.engine),
            ("Read for", _describe_sides(read_for, rows)),
            ("Encoder", filled.encoder or "none: by words alone"),
            *filled.made_with,
            ("Library", library.place),
        ),
        playbook_id=playbook.id,
        read_for=read_for,
    )


def _describe_sides(read_for: Sequence[str], rows: Sequence[ReviewedDocument]) -> str:
    if not read_for:
        return "nobody in particular"
    names, nobody = "; ".join(read_for), sum(not row.read_for for row in rows)
    return f"{names} ({nobody} of {len(rows)} contracts for nobody)" if nobody else names


def _reviewed_document(
    library: Library, entry: Entry, side: Side, as_of: date | None = None
) -> ReviewedDocument:
    document = library.document(entry.id)
    outline = library.outline(entry.id)
    exclusions = library.exclusions(entry.id)
    return ReviewedDocument(
        id=entry.id,
        name=entry.name,
        path=entry.path,
        media_type=entry.media_type,
        text=document.text,
        card=card_in_force(library, entry.id, as_of),
        outline_confidence=outline.confidence,
        windows=outline.windows,
        page_count=entry.pages,
        needs_ocr=entry.needs_ocr,
        warnings=document.warnings,
        suspicions=tuple(each.message for each in find_suspicions(document)),
        left_out=describe_left_out(document, exclusions),
        read_for=side.names,
        set_apart=find_set_apart(document, outline, exclusions),
        tracked_changes=find_tracked_changes(document),
    )


def _build_review(
    library: Library, playbook: Playbook, documents: Sequence[str]
) -> tuple[datetime, tuple[str, ...]]:
    of_these = set(documents)
    rows = [
        (as_string(made), as_string(engine))
        for document, made, engine in library.execute(
            "SELECT document, made, engine FROM review_findings WHERE playbook = ?",
            (playbook.hash,),
        )
        if as_string(document) in of_these
    ]
    last = max((made for made, _ in rows), default="")
    made = datetime.fromisoformat(last) if last else datetime.now(UTC).replace(microsecond=0)
    return made, tuple(sorted({engine for _, engine in rows}))
