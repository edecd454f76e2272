"""`Links`: what ties the documents of a library together, kept in tables of its own.

The tables are made anew in part or whole as soon as documents have come, gone or moved; what each
document says of others is read once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import cache

from fourcorners.library.codec import Codec
from fourcorners.library.database import SQLiteValue, as_integer, as_string, register_tables
from fourcorners.library.entries import Entry
from fourcorners.library.store import Library
from fourcorners.outline.card.card import Card
from fourcorners.search.graph.resolution import (
    DocumentProfile,
    TitlePage,
    party_keys,
    resolve_target,
    title_page,
)
from fourcorners.search.graph.statements import (
    AmendmentStatement,
    Relation,
    distinctive_words,
    parse_statements,
)
from fourcorners.search.names import name_index
from fourcorners.text.span import Span

RULES = "3"
"""To be raised when statements are read or resolved otherwise: all are then read anew."""
_ROOM = "graph"
_FITTING = 8  # contracts that one name may mean
_STATEMENTS: Codec[tuple[AmendmentStatement, ...]] = Codec(tuple[AmendmentStatement, ...])

register_tables(
    _ROOM,
    (
        """
        CREATE TABLE graph_state(
            key   TEXT PRIMARY KEY,
            value TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE graph_documents(
            document   TEXT PRIMARY KEY REFERENCES documents(id) ON DELETE CASCADE,
            statements TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE graph_parties(
            document TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
            key      TEXT NOT NULL,
            name     TEXT NOT NULL,
            PRIMARY KEY (document, key)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX graph_parties_by_key ON graph_parties(key, document);
        CREATE TABLE graph_amendments(
            document   TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
            start      INTEGER NOT NULL,
            "end"      INTEGER NOT NULL,
            relation   TEXT NOT NULL,
            title      TEXT NOT NULL,
            dated      TEXT NOT NULL,
            target     TEXT REFERENCES documents(id) ON DELETE CASCADE,
            confidence REAL NOT NULL,
            because    TEXT NOT NULL,
            PRIMARY KEY (document, start)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX graph_amendments_by_target ON graph_amendments(target);
        """,
    ),
)

_SELECT = (
    'SELECT document, start, "end", relation, title, dated, target, confidence, because '
    "FROM graph_amendments"
)


@dataclass(frozen=True, slots=True)
class Amendment:
    """A document that amends, restates or replaces another.

    Attributes:
        span: The words in it that name the other.
        title: What these words call the other, and `dated` the date they name it by.
        target: The id of the other; None if none of the collection fits, or several do alike.
        confidence: How sure the target is, 0 to 1; without one, how well the best would fit.
        because: What speaks for the target, or why there is none.
    """

    document: str
    relation: Relation
    span: Span
    title: str
    dated: date | None
    target: str | None
    confidence: float
    because: str


@dataclass(frozen=True, slots=True)
class SharedParty:
    """A party of a document, with the ids of others of its collection that it is a party of."""

    name: str
    others: tuple[str, ...]


class Links:
    """The links of a library as they are now; ask `links_of` again after the library changed."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def amendments(self, document: str) -> list[Amendment]:
        return self._select("WHERE document = ?", document)

    def amended_by(self, document: str) -> list[Amendment]:
        return self._select("WHERE target = ?", document)

    def all_amendments(self) -> list[Amendment]:
        return self._select("")

    def _select(self, where: str, *values: str) -> list[Amendment]:
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
    """Return the links of a library, brought up to date first if it has changed."""
    library.migrate(_ROOM)
    if not _is_current(library):
        with library.transaction():
            if not _is_current(library):
                _update(library)
    return Links(library)


def _is_current(library: Library) -> bool:
    known = {
        as_string(key): as_string(value)
        for key, value in library.execute("SELECT key, value FROM graph_state")
    }
    return known == {"rules": RULES, "content": library.content_version}


def _update(library: Library) -> None:
    rules = library.execute("SELECT value FROM graph_state WHERE key = 'rules'")
    if not rules or rules[0][0] != RULES:
        library.execute("DELETE FROM graph_documents")
        library.execute("DELETE FROM graph_parties")
    _read_new(library)
    library.execute("DELETE FROM graph_amendments")
    library.execute_many(
        "INSERT INTO graph_amendments VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", _resolved(library)
    )
    library.execute_many(
        "INSERT OR REPLACE INTO graph_state VALUES (?, ?)",
        [("rules", RULES), ("content", library.content_version)],
    )


def _read_new(library: Library) -> None:
    new = library.execute(
        "SELECT id FROM documents WHERE id NOT IN (SELECT document FROM graph_documents)"
    )
    for (identifier,) in new:
        document = as_string(identifier)
        card = library.card(document)
        statements = parse_statements(library.evidence_text(document), card)
        library.execute(
            "INSERT INTO graph_documents VALUES (?, ?)", (document, _STATEMENTS.dump(statements))
        )
        named = party_keys([fact.value.name for fact in card.parties])
        library.execute_many(
            "INSERT INTO graph_parties VALUES (?, ?, ?)",
            [(document, key, name) for key, name in named.items()],
        )


def _resolved(library: Library) -> list[tuple[SQLiteValue, ...]]:
    statements = {
        as_string(document): _STATEMENTS.load(as_string(own_statements))
        for document, own_statements in library.execute(
            "SELECT document, statements FROM graph_documents"
        )
    }
    if not any(statements.values()):
        return []
    rows: list[tuple[SQLiteValue, ...]] = []
    for collection in library.collection_names():
        inside = {entry.id for entry in library.documents(collection)}
        own = {document: each for document, each in statements.items() if document in inside}
        if any(own.values()):
            rows += _resolved_within(library, collection, own)
    return rows


def _resolved_within(
    library: Library, collection: str, statements: dict[str, tuple[AmendmentStatement, ...]]
) -> list[tuple[SQLiteValue, ...]]:
    """Return what the contracts of a collection amend of it: contracts outside do not exist."""
    entries = library.documents(collection)
    cards = {entry.id: library.card(entry.id) for entry in entries}
    profiles = dict(_profiles(entries, cards, statements))
    documents_by_title: dict[str, list[str]] = {}
    for profile in profiles.values():
        for key in profile.parties:
            documents_by_title.setdefault(key, []).append(profile.document)
    names = name_index(library, [collection])

    def fitting(words: str) -> list[str]:
        return [fit.document for fit in names.match_names(library, words)[:_FITTING]]

    @cache
    def head(document: str) -> TitlePage:
        title = cards[document].title
        return title_page(library.evidence_text(document), title.span.start if title else 0)

    rows: list[tuple[SQLiteValue, ...]] = []
    for document, own_statements in sorted(statements.items()):
        parties = " ".join(fact.value.name for fact in cards[document].parties)
        for one in own_statements:
            own = profiles[document]
            worth = {each for key in own.parties for each in documents_by_title.get(key, ())}
            worth.update(fitting(f"{one.title} {parties}"))
            candidates = [profiles[each] for each in sorted(worth) if each in profiles]
            found = resolve_target(one, own, candidates, head)
            dated = one.date.isoformat() if one.date else ""
            place = (document, one.span.start, one.span.end)
            order_key = (one.relation.value, one.title, dated)
            rows.append((*place, *order_key, found.target, found.confidence, found.because))
    return rows


def _profiles(
    entries: Iterable[Entry],
    cards: dict[str, Card],
    statements: dict[str, tuple[AmendmentStatement, ...]],
) -> Iterable[tuple[str, DocumentProfile]]:
    for entry in entries:
        card = cards[entry.id]
        title = distinctive_words(card.title.value) if card.title else frozenset[str]()
        kind = card.type.value if card.type else ""
        stem = entry.name.rpartition(".")[0] or entry.name
        facts = (card.agreement_date, card.effective_date)
        yield (
            entry.id,
            DocumentProfile(
                document=entry.id,
                parties=frozenset(party_keys([fact.value.name for fact in card.parties])),
                titled=title | distinctive_words(f"{kind} {stem}"),
                title=title,
                dates=tuple(fact.value for fact in facts if fact),
                changes=any(
                    one.relation is Relation.AMENDS for one in statements.get(entry.id, ())
                ),
            ),
        )


def _amendment(row: tuple[SQLiteValue, ...]) -> Amendment:
    document, start, end, relation, title, dated, target, confidence, because = row
    return Amendment(
        document=as_string(document),
        relation=Relation(as_string(relation)),
        span=Span(as_integer(start), as_integer(end)),
        title=as_string(title),
        dated=date.fromisoformat(as_string(dated)) if dated else None,
        target=None if target is None else as_string(target),
        confidence=float(confidence) if isinstance(confidence, int | float) else 0.0,
        because=as_string(because),
    )
