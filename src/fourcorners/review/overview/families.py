"""A contract's family: the documents that amend it, that it replaced, and its exhibits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from fourcorners.library.audit import utc_now
from fourcorners.library.database import as_string, in_transaction
from fourcorners.library.entries import Entry
from fourcorners.library.memory import VersionedCache
from fourcorners.library.store import Library
from fourcorners.library.tokens import fold_name
from fourcorners.review.attachments import ATTACHMENTS, find_missing_attachments
from fourcorners.search.graph.family import FamilyLink, FamilyRelation
from fourcorners.search.graph.links import MIN_SCORE, links_of
from fourcorners.search.graph.statements import AmendmentRelation

_LABEL = re.compile(rf"\W*({'|'.join(ATTACHMENTS)})\s+([A-Z]{{1,2}}|\d{{1,3}})\b", re.IGNORECASE)


def family_links(library: Library, collection: str) -> Mapping[str, FamilyLink]:
    """Return what belongs to another contract of a collection, by its id.

    A contract that restates or replaces others is at the head of them. What a person said goes
    before what the documents say.
    """
    given = tuple(
        (as_string(document), (as_string(head), as_string(by)))
        for document, head, by in library.execute(
            "SELECT document, head, by FROM document_families ORDER BY document"
        )
    )
    known: VersionedCache[Mapping[str, FamilyLink]] = library.memory.cache("families")
    key = (fold_name(collection), given, *sorted(library.damaged))
    return known.get(
        library.content_version, key, lambda: _find_links(library, collection, dict(given))
    )


@in_transaction
def set_family(library: Library, document: str, head: str, *, by: str) -> None:
    """Say which contract a document belongs to (empty: none); audited."""
    library.execute(
        "INSERT OR REPLACE INTO document_families(document, head, by, at) VALUES (?, ?, ?, ?)",
        (document, head, by, utc_now()),
    )
    library.record("family set", {"document": document, "head": head, "by": by})


def _find_links(
    library: Library, collection: str, given: Mapping[str, tuple[str, str]]
) -> Mapping[str, FamilyLink]:
    entries = {each.id: each for each in library.documents(collection)}
    links: dict[str, FamilyLink] = {}
    for each in sorted(links_of(library).all_amendments(), key=lambda link: link.confidence):
        target = each.target
        if target not in entries or each.document not in entries or each.document == target:
            continue
        if each.confidence >= MIN_SCORE:
            newer, older = each.document, target
            if each.relation is AmendmentRelation.AMENDS:
                relation = FamilyRelation.AMENDMENT
            else:
                newer, older, relation = older, newer, FamilyRelation.REPLACED
            links[newer] = FamilyLink(newer, older, relation, each.because)
    links |= _find_exhibits(library, [each for each in entries.values() if each.id not in links])
    for document, (head, by) in given.items():
        links.pop(document, None)
        if document in entries and head in entries:
            relation = _given_relation(entries[document])
            links[document] = FamilyLink(document, head, relation, f"Set by {by}.", by)
    return {each: _at_head(links, link) for each, link in links.items()}


def _at_head(links: Mapping[str, FamilyLink], link: FamilyLink) -> FamilyLink:
    """Return a link that leads to the head of the family, not only to the next contract."""
    head, seen = link.head, {link.document}
    while head in links and head not in seen:
        seen.add(head)
        head = links[head].head
    return FamilyLink(link.document, head, link.relation, link.because, link.by)


def _given_relation(entry: Entry) -> FamilyRelation:
    return FamilyRelation.EXHIBIT if _label(entry) else FamilyRelation.AMENDMENT


def _find_exhibits(library: Library, entries: Sequence[Entry]) -> dict[str, FamilyLink]:
    """Return the separate exhibits, each that one contract alone cites and lacks."""
    labels = {each.id: label for each in entries if (label := _label(each))}
    if not labels:
        return {}
    wanting: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.id in labels:
            continue
        text, outline = library.text(entry.id), library.outline(entry.id)
        for missing in find_missing_attachments(text, outline):
            wanting.setdefault(missing.raw.casefold(), []).append(entry)
    return {
        document: FamilyLink(
            document, found[0].id, FamilyRelation.EXHIBIT, f"{found[0].name} alone cites {label}."
        )
        for document, label in labels.items()
        if len(found := wanting.get(label.casefold(), [])) == 1
    }


def _label(entry: Entry) -> str:
    """Return what a separate exhibit is called, by its title or else its name."""
    found = _LABEL.match(entry.title) or _LABEL.match(entry.name)
    return f"{found[1].capitalize()} {found[2]}" if found else ""
