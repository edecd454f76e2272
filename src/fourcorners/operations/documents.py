"""The documents of a collection as a table: found, sorted by its columns, and tagged by people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from fourcorners.library.database import as_integer, as_string
from fourcorners.library.entries import Entry
from fourcorners.library.memory import VersionedCache
from fourcorners.library.tokens import fold_name, require_name
from fourcorners.operations.access import Access
from fourcorners.operations.errors import Refusal
from fourcorners.operations.principal import Role
from fourcorners.value import Value

MAX_TAG = 40
"""Characters of a tag, at most."""
MAX_TAGS = 20
"""Tags of a document, at most."""

SORTS = ("document", "type", "party", "dated", "pages", "added")
"""By what documents are sorted; after a `-` the greatest come first."""

_Key = tuple[bool, str | int]


class TagsChange(Value):
    """The tags of a document."""

    tags: list[Annotated[str, Field(max_length=MAX_TAG)]] = Field(
        max_length=MAX_TAGS, examples=[["signed", "to discuss"]]
    )


@dataclass(frozen=True, slots=True)
class DocumentTable:
    """Some documents of a collection, in order.

    Attributes:
        total: How many documents the collection has.
        tags: Those of each tagged document of the collection.
    """

    entries: Sequence[Entry]
    total: int
    tags: Mapping[str, Sequence[str]]


def document_table(
    access: Access, collection: str, *, find: str = "", tag: str = "", sort: str = ""
) -> DocumentTable:
    """Return the documents of a collection with some words and a tag, sorted; by name by default.

    Raises:
        NotFound: If they may not know of the collection.
        Refusal: If they are to be sorted by nothing that is known.
    """
    everything = access.documents(collection)
    tags = document_tags(access, collection)
    words, wanted = find.casefold().split(), fold_name(tag)
    entries = [
        each
        for each in everything
        if _has_words(f"{each.name} {each.title} {each.type}", words)
        and (not wanted or wanted in map(fold_name, tags.get(each.id, ())))
    ]
    if sort:
        by = sort.removeprefix("-")
        if by not in SORTS:
            raise Refusal("documents are not sorted by this.", remedy=f"{', '.join(SORTS)}.")
        keys = _sort_keys(access, collection, everything, by)
        missing = [each for each in entries if keys[each.id][0]]
        known = [each for each in entries if not keys[each.id][0]]
        known.sort(key=lambda each: keys[each.id], reverse=sort.startswith("-"))
        entries = [*known, *missing]
    return DocumentTable(entries, len(everything), tags)


def document_tags(access: Access, collection: str) -> dict[str, list[str]]:
    """Return the tags of the documents of a collection that have any.

    Raises:
        NotFound: If they may not know of the collection.
    """
    library = access.library_for(collection, Role.READER)
    found: dict[str, list[str]] = {}
    for document, tag in library.execute(
        "SELECT t.document, t.tag FROM document_tags t JOIN documents d ON d.id = t.document "
        "JOIN collections c ON c.row = d.collection WHERE c.fold = ? ORDER BY t.fold",
        (fold_name(collection),),
    ):
        found.setdefault(as_string(document), []).append(as_string(tag))
    return found


def tags_of(access: Access, document: str) -> list[str]:
    """Return the tags of a document.

    Raises:
        NotFound: If they may not know of it.
    """
    return document_tags(access, access.visible(document).entry.collection).get(document, [])


def set_tags(access: Access, document: str, tags: Iterable[str]) -> list[str]:
    """Give a document these tags, in place of those that it has, and return them.

    Raises:
        NotFound: If they may not know of it.
        NotAllowed: If they are no reviewer of its collection.
        Refusal: If they are too many or too long.
        ConfigError: If one has hidden characters.
    """
    library = access.library_of(document, Role.REVIEWER)
    plain = (require_name(tag, "tag") for tag in tags if tag.strip())
    named = {fold_name(tag): tag for tag in plain}
    if len(named) > MAX_TAGS or any(len(tag) > MAX_TAG for tag in named.values()):
        raise Refusal(f"a document has up to {MAX_TAGS} tags, each of up to {MAX_TAG} characters.")
    with library.transaction():
        library.execute("DELETE FROM document_tags WHERE document = ?", (document,))
        for fold, tag in named.items():
            row = (document, fold, tag)
            library.execute("INSERT INTO document_tags VALUES (?, ?, ?)", row)
        detail: dict[str, str | int] = {"document": document, "tags": "; ".join(named.values())}
        access.record("tags", detail, always=True)
    return tags_of(access, document)


def note_visit(access: Access, collection: str) -> None:
    """Remember that someone has seen the list of a collection as it is now.

    Raises:
        NotFound: If they may not know of the collection.
    """
    library = access.library_for(collection, Role.READER)
    fold, person = fold_name(collection), access.principal.name
    rows = library.execute(
        "SELECT coalesce(max(d.row), 0) FROM documents d "
        "JOIN collections c ON c.row = d.collection WHERE c.fold = ?",
        (fold,),
    )
    known = library.execute(
        "SELECT last FROM server_visits WHERE person = ? AND fold = ?", (person, fold)
    )
    if not known or known[0][0] != rows[0][0]:
        visit = (person, fold, as_integer(rows[0][0]))
        library.execute("INSERT OR REPLACE INTO server_visits VALUES (?, ?, ?)", visit)


def new_documents(access: Access) -> dict[str, int]:
    """Return how many documents each collection has that were added since someone last looked."""
    rows = access.common().execute(
        "SELECT c.name, count(*) FROM server_visits v JOIN collections c ON c.fold = v.fold "
        "JOIN documents d ON d.collection = c.row AND d.row > v.last "
        "WHERE v.person = ? GROUP BY c.name",
        (access.principal.name,),
    )
    may = access.principal.may
    found = {as_string(name): as_integer(count) for name, count in rows}
    return {name: count for name, count in found.items() if may(Role.READER, name)}


def _has_words(text: str, words: Iterable[str]) -> bool:
    return all(word in text.casefold() for word in words)


def _sort_keys(
    access: Access, collection: str, entries: Sequence[Entry], by: str
) -> Mapping[str, _Key]:
    """Return what documents are sorted by: whether it is missing, and its value."""
    match by:
        case "document":
            return {each.id: _text_key(each.title or each.name) for each in entries}
        case "type":
            return {each.id: _text_key(each.type) for each in entries}
        case "pages":
            return {each.id: (not each.pages, each.pages) for each in entries}
        case "added":
            return {each.id: (False, each.added.isoformat()) for each in entries}
    library = access.common()
    known: VersionedCache[Mapping[str, _Key]] = library.memory.cache("orders")
    key = (fold_name(collection), by)
    return known.get(
        library.content_version,
        key,
        lambda: {each.id: _card_key(access, each, by) for each in entries},
    )


def _card_key(access: Access, entry: Entry, by: str) -> _Key:
    card = access.card(entry.id)
    if by == "dated":
        day = card.agreement_date
        return (day is None, day.value.isoformat() if day else "")
    return _text_key(card.parties[0].value.name if card.parties else "")


def _text_key(text: str) -> _Key:
    return (not text, text.casefold())
