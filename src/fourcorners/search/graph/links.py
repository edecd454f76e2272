"""`Links`: the links between the documents of a library, stored in separate tables.

What each document says of others is read once, when it is added. Which documents it means is
resolved then, and again when documents that it may mean are added or removed.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache

from fourcorners.library.contract import Contract, read_contract
from fourcorners.library.damage import DocumentValues, register_values, without_damaged
from fourcorners.library.database import SQLiteValue, as_integer, as_string
from fourcorners.library.entries import Entry
from fourcorners.library.store import Library
from fourcorners.library.tables.stored_json import StoredJson
from fourcorners.outline.card.card import Card
from fourcorners.outline.card.party_names import party_keys
from fourcorners.search.graph.resolution import (
    DocumentProfile,
    TitlePage,
    has_similar_title,
    resolve_target,
    title_page,
)
from fourcorners.search.graph.statements import (
    AmendmentRelation,
    AmendmentStatement,
    distinctive_words,
    parse_statements,
)
from fourcorners.search.names import name_index
from fourcorners.text.span import Span
from fourcorners.text.values.dates import find_dates

RULES = "6"
"""Increase it when reading or resolving statements changes: all are then read again."""
_AT_ONCE = 64  # documents read in one transaction
_TOP = 2_500  # characters at the top of an amendment that hold its date
MIN_SCORE = 0.6  # the confidence from which an amendment is followed
_FITTING = 8  # contracts that one name may mean
_STATEMENTS: StoredJson[tuple[AmendmentStatement, ...]] = StoredJson(tuple[AmendmentStatement, ...])
register_values(DocumentValues("statements", "graph_documents", "statements", _STATEMENTS.load))


_SELECT = (
    'SELECT document, start, "end", relation, title, dated, target, confidence, because '
    "FROM graph_amendments"
)


@dataclass(frozen=True, slots=True)
class AmendmentLink:
    """A document that amends, restates or replaces another.

    Attributes:
        span: The words in it that name the other.
        title: What these words call the other, and `dated` the date they name it by.
        target: The id of the other; None if none of the collection matches, or several match
            equally.
        confidence: The confidence in the target, 0 to 1; without one, that of the best candidate.
        because: The evidence for the target, or why there is none.
    """

    document: str
    relation: AmendmentRelation
    span: Span
    title: str
    dated: date | None
    target: str | None
    confidence: float
    because: str


@dataclass(frozen=True, slots=True)
class SharedParty:
    """A party of a document, with the ids of its other documents in the collection."""

    name: str
    others: tuple[str, ...]


class Links:
    """The current links of a library; call `links_of` again after the library changes."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def amendments(self, document: str) -> list[AmendmentLink]:
        return self._select("WHERE document = ?", document)

    def amended_by(self, document: str) -> list[AmendmentLink]:
        return self._select("WHERE target = ?", document)

    def all_amendments(self) -> list[AmendmentLink]:
        return self._select("")

    def _select(self, where: str, *values: str) -> list[AmendmentLink]:
        rows = self._library.execute(f"{_SELECT} {where} ORDER BY document, start", values)
        return [_amendment(row) for row in rows]

    def parties(self, document: str) -> list[SharedParty]:
        rows = self._library.execute(
            "SELECT p.key, p.name, o.document FROM graph_parties p LEFT JOIN graph_parties o "
            "ON o.key = p.key AND o.document != p.document AND o.document IN "
            "(SELECT n.id FROM documents n JOIN documents d ON d.collection = n.collection "
            "WHERE d.id = p.document) WHERE p.document = ? ORDER BY p.key, o.document",
            (document,),
        )
        named: dict[str, tuple[str, list[str]]] = {}
        for key, name, other in rows:
            others = named.setdefault(as_string(key), (as_string(name), []))[1]
            if other is not None:
                others.append(as_string(other))
        return [SharedParty(name, tuple(others)) for name, others in named.values()]


def links_of(library: Library) -> Links:
    """Return the links of a library; update them first if it has changed."""
    update_links(library)
    return Links(library)


def amendments_of(library: Library, document: str) -> list[tuple[AmendmentLink, Contract]]:
    """Return what almost certainly amends or replaces a document, the oldest first."""
    found = [
        (link, read_contract(library, link.document))
        for link in links_of(library).amended_by(document)
        if link.confidence >= MIN_SCORE and link.document not in {document, *library.damaged}
    ]
    return sorted(found, key=_by_date)


def _by_date(amending: tuple[AmendmentLink, Contract]) -> tuple[date, str, Span]:
    link, contract = amending
    return day_made(link, contract) or date.max, contract.name, link.span


def day_made(link: AmendmentLink, contract: Contract) -> date | None:
    """Return the day of an amendment: by its card, else the first at its top that is its own."""
    fact = contract.card.agreement_date or contract.card.effective_date
    if fact is not None:
        return fact.value
    top = Span(0, min(len(contract.text), _TOP))
    dates = (each.value for each in find_dates(contract.text, top))
    return next((day for day in dates if day != link.dated), None)


@without_damaged
def update_links(library: Library) -> None:
    """Read the statements of new documents, and resolve those that may now mean others.

    This runs when documents are added, or else on the first request: added and removed documents
    are processed, and affected statements are resolved again. Other statements are unchanged. In a
    library that cannot be written they stay as they are.
    """
    if library.is_read_only or _is_current(library):
        return
    _forget_other_rules(library)
    while _read_batch(library):
        pass
    with library.transaction():
        if not _is_current(library):
            _resolve_touched(library)


def _is_current(library: Library) -> bool:
    return _state(library) == {"rules": RULES, "content": library.content_version}


def _state(library: Library) -> dict[str, str]:
    return {
        as_string(key): as_string(value)
        for key, value in library.execute("SELECT key, value FROM graph_state WHERE key != 'known'")
    }


def _forget_other_rules(library: Library) -> None:
    if _state(library).get("rules") == RULES:
        return
    with library.transaction():
        for table in ("graph_documents", "graph_parties", "graph_amendments", "graph_state"):
            library.execute(f"DELETE FROM {table}")  # noqa: S608 - ours
        library.execute("INSERT INTO graph_state VALUES ('rules', ?)", (RULES,))


def _read_batch(library: Library) -> bool:
    """Read some new documents, in one transaction; return False if none is left."""
    with library.transaction():
        new = library.execute(
            "SELECT id FROM documents WHERE id NOT IN (SELECT document FROM graph_documents) "
            "AND id NOT IN (SELECT value FROM json_each(?)) ORDER BY row LIMIT ?",
            (json.dumps([*library.damaged]), _AT_ONCE),
        )
        for (identifier,) in new:
            document = as_string(identifier)
            card = library.card(document)
            statements = parse_statements(library.evidence_text(document), card)
            library.execute(
                "INSERT INTO graph_documents(document, statements) VALUES (?, ?)",
                (document, _STATEMENTS.dump(statements)),
            )
            named = party_keys(card.party_names)
            library.execute_many(
                "INSERT OR IGNORE INTO graph_parties VALUES (?, ?, ?)",
                [(document, key, name) for key, name in named.items()],
            )
    return len(new) == _AT_ONCE


def _resolve_touched(library: Library) -> None:
    known = library.execute("SELECT value FROM graph_state WHERE key = 'known'")
    before = int(as_string(known[0][0])) if known else 0
    new = {
        as_string(document)
        for (document,) in library.execute(
            "SELECT document FROM graph_documents WHERE resolved = 0"
        )
    }
    there = as_integer(library.execute("SELECT count(*) FROM graph_documents")[0][0])
    stated = {}
    for identifier, statements in library.execute(
        "SELECT document, statements FROM graph_documents WHERE statements != '[]' "
        "AND document NOT IN (SELECT value FROM json_each(?))",
        (json.dumps([*library.damaged]),),
    ):
        with library.decoding(document := as_string(identifier), "statements"):
            stated[document] = _STATEMENTS.load(as_string(statements))
    any_left = there - len(new) < before
    for collection in library.collection_names() if stated else ():
        ids = [each.id for each in library.documents(collection)]
        own = {each: stated[each] for each in ids if each in stated}
        if own:
            touched = _affected_documents(library, own, new.intersection(ids), any_left=any_left)
            _replace(library, touched, _resolved_within(library, collection, own, touched))
    library.execute("UPDATE graph_documents SET resolved = 1 WHERE resolved = 0")
    library.execute_many(
        "INSERT OR REPLACE INTO graph_state VALUES (?, ?)",
        [("rules", RULES), ("content", library.content_version), ("known", str(there))],
    )


def _affected_documents(
    library: Library,
    stated: Mapping[str, Sequence[AmendmentStatement]],
    new: set[str],
    *,
    any_left: bool,
) -> set[str]:
    """Return the documents of a collection whose statements may now mean a different one.

    These are new ones, those that share a party with a new one, and those whose name for what they
    change is similar to that of a new one. If documents were removed, also those without a target,
    or with a removed one.
    """
    touched = new.intersection(stated)
    wanted = json.dumps(sorted(new))
    touched |= {
        as_string(document)
        for (document,) in library.execute(
            "SELECT DISTINCT document FROM graph_parties WHERE key IN (SELECT key FROM "
            "graph_parties WHERE document IN (SELECT value FROM json_each(?)))",
            (wanted,),
        )
    }.intersection(stated)
    rest = stated.keys() - touched
    titled = [_titled(library, each) for each in new] if rest else []
    if titled:
        touched |= {
            each
            for each in rest
            if any(has_similar_title(one.title, words) for one in stated[each] for words in titled)
        }
    if any_left:
        resolved = {
            as_string(document): as_integer(count)
            for document, count in library.execute(
                "SELECT document, count(target) FROM graph_amendments GROUP BY document"
            )
        }
        touched |= {each for each, own in stated.items() if resolved.get(each, 0) < len(own)}
    return touched


def _titled(library: Library, document: str) -> frozenset[str]:
    entry = library.entry(document)
    return _title_words(library.card(document), entry.name)


def _replace(
    library: Library, documents: Iterable[str], rows: Iterable[tuple[SQLiteValue, ...]]
) -> None:
    library.execute_many(
        "DELETE FROM graph_amendments WHERE document = ?", ((each,) for each in documents)
    )
    library.execute_many("INSERT INTO graph_amendments VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)


def _resolved_within(
    library: Library,
    collection: str,
    statements: Mapping[str, tuple[AmendmentStatement, ...]],
    documents: Collection[str],
) -> list[tuple[SQLiteValue, ...]]:
    """Resolve the amendments of contracts within a collection only."""
    if not documents:
        return []
    names = name_index(library, [collection])
    inside = {entry.id: entry for entry in library.documents(collection)}
    by_party: dict[str, list[str]] = {}
    for document, key in library.execute("SELECT document, key FROM graph_parties"):
        if as_string(document) in inside:
            by_party.setdefault(as_string(key), []).append(as_string(document))

    @cache
    def profile(document: str) -> DocumentProfile:
        return _profile(inside[document], library.card(document), statements.get(document, ()))

    @cache
    def head(document: str) -> TitlePage:
        title = library.card(document).title
        return title_page(library.evidence_text(document), title.span.start if title else 0)

    rows: list[tuple[SQLiteValue, ...]] = []
    for document in sorted(documents):
        parties = " ".join(fact.value.name for fact in library.card(document).parties)
        own = profile(document)
        for one in statements[document]:
            worth = {each for key in own.parties for each in by_party.get(key, ())}
            fits = names.match_names(library, f"{one.title} {parties}", limit=_FITTING)
            worth.update(fit.document for fit in fits)
            candidates = [profile(each) for each in sorted(worth)]
            found = resolve_target(one, own, candidates, head)
            dated = one.date.isoformat() if one.date else ""
            place = (document, one.span.start, one.span.end)
            order_key = (one.relation.value, one.title, dated)
            rows.append((*place, *order_key, found.target, found.confidence, found.because))
    return rows


def _title_words(card: Card, name: str) -> frozenset[str]:
    """Return the words of a title, a type and a file's name that distinguish a contract."""
    title = distinctive_words(card.title.value) if card.title else frozenset[str]()
    kind = card.type.value if card.type else ""
    stem = name.rpartition(".")[0] or name
    return title | distinctive_words(f"{kind} {stem}")


def _profile(entry: Entry, card: Card, statements: Iterable[AmendmentStatement]) -> DocumentProfile:
    facts = (card.agreement_date, card.effective_date)
    return DocumentProfile(
        document=entry.id,
        parties=frozenset(party_keys(card.party_names)),
        titled=_title_words(card, entry.name),
        title=distinctive_words(card.title.value) if card.title else frozenset[str](),
        dates=tuple(fact.value for fact in facts if fact),
        changes=any(one.relation is AmendmentRelation.AMENDS for one in statements),
    )


def _amendment(row: tuple[SQLiteValue, ...]) -> AmendmentLink:
    document, start, end, relation, title, dated, target, confidence, because = row
    return AmendmentLink(
        document=as_string(document),
        relation=AmendmentRelation(as_string(relation)),
        span=Span(as_integer(start), as_integer(end)),
        title=as_string(title),
        dated=date.fromisoformat(as_string(dated)) if dated else None,
        target=None if target is None else as_string(target),
        confidence=float(confidence) if isinstance(confidence, int | float) else 0.0,
        because=as_string(because),
    )
