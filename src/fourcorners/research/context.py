"""`ResearchContext`: the contracts of a question, prepared to be read, searched and cited."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from fourcorners.errors import ConfigError
from fourcorners.library.catalogue import text_hash
from fourcorners.library.contract import Contract, read_contract
from fourcorners.library.entries import Entry
from fourcorners.library.store import Library
from fourcorners.models.encoder.protocol import Encoder
from fourcorners.models.reader.reader import AnswerReranker, OnnxReader
from fourcorners.models.reranker.protocol import Reranker
from fourcorners.outline.card.card import Party
from fourcorners.outline.card.contract_titles import ContractTitle, title_contracts
from fourcorners.outline.clause import find_lead_ins
from fourcorners.outline.tree import NodeKind
from fourcorners.research.answer import Citation, Source
from fourcorners.research.rewriting import is_distinct, replace_party_names, replace_persons
from fourcorners.research.tool import Material
from fourcorners.review.evidence import quoted_parts
from fourcorners.review.obligations.acting import contract_actors
from fourcorners.review.obligations.actors import ActorMentionKind, locate_actors
from fourcorners.review.parties import (
    Side,
    collection_parties,
    find_sides,
    side_in,
)
from fourcorners.search.concepts import Concept
from fourcorners.search.filters import Filters
from fourcorners.search.scope import QuestionScope, route_question, without_names
from fourcorners.search.sentences.answer_scores import reader_for
from fourcorners.search.sentences.retrieve import RERANKED, Retrieval
from fourcorners.search.sentences.units import SentenceIndex, sentence_index
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span
from fourcorners.text.tokenization import tokenize

_PATTERNS = load_patterns("fourcorners.research", "context")
_NAMED = 8  # contracts that a sentence names


def asked_parties(question: str, contract: Contract) -> frozenset[str]:
    """Return the names of the parties that a question asks about; empty if it names none.

    These follow an auxiliary verb: "may the Supplier …", "what must Acme …".
    """
    named = locate_actors(question, contract_actors(contract), contract.card)
    for auxiliary in _PATTERNS["auxiliary"].finditer(question):
        mention = named.get(auxiliary.end())
        is_party = mention is not None and mention.kind is ActorMentionKind.PARTY
        if mention is not None and is_party and not _owns(question, mention.span):
            return frozenset(mention.actor.parties)
    return frozenset()


def find_others(question: str, contract: Contract, known: Callable[[], Iterable[str]]) -> list[str]:
    """Return the known companies that a question names and that are not a party here.

    `known` is called only if the question names somebody other than the parties.
    """
    own = {token for fact in contract.card.parties for token in tokenize(fact.value.name).tokens}
    named = {
        token
        for token, start, _ in tokenize(question)
        if question[start].isupper() and is_distinct(token) and token not in own
    }
    found: dict[str, str] = {}
    for name in known() if named else ():
        token = next(filter(is_distinct, tokenize(name).tokens), "")
        if token in named:
            found.setdefault(token, name)
    return list(found.values())


def _role_of(party: Party | None) -> str:
    return "" if party is None else party.short or party.role or party.name


def _owns(question: str, span: Span) -> bool:
    return question.startswith(("'", "’"), span.end)


_LATER = re.compile(r"\w{3}[.!?][\"”)]*\s")  # the end of a sentence
_HEADING = 60  # characters of a heading that is only a name
_MAX_WORDED = 12  # contracts for which a question is put in their own words
_HEADED = frozenset({NodeKind.SCHEDULE, NodeKind.RECITALS, NodeKind.SIGNATURE})


class RerankRecord:
    """What a report must say of the reranker; all searches for one question share it."""

    def __init__(self) -> None:
        self._failure = ""
        self._unread: dict[str, None] = {}

    def usable(self, reranker: Reranker | None) -> Reranker | None:
        """Return the reranker, unless it has failed: each call may take as long as the first."""
        return None if self._failure else reranker

    def add(self, found: Retrieval) -> None:
        self._failure = self._failure or found.failure
        self._unread.update(dict.fromkeys(found.unread))

    def describe(self, library: Library) -> list[str]:
        """Say that the reranker failed, and of which contracts it read nothing in a search."""
        sentences = [self._failure] if self._failure else []
        names = [library.entry(each).name for each in self._unread]
        if names:
            more = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED else []
            contracts = "1 contract" if len(names) == 1 else f"{len(names)} contracts"
            sentences.append(
                f"The reranker reads the first {RERANKED} passages of a search. In at least one it "
                f"read none of {contracts}, ranked by the search alone: "
                f"{'; '.join([*names[:_NAMED], *more])}."
            )
        return sentences


@dataclass(frozen=True, eq=False)
class ResearchContext:
    """The contracts that a question is about.

    Attributes:
        entries: The contracts that were named; empty for all of the library, or its collection.
        encoder: The encoder of the library's vectors; without one only words count.
        reader: The model that reads a question together with the sentences that a search finds;
            without one only the search counts.
        read_for: The names of the party that asks; by default the one for which the collection is
            read.
        reranker: Reads the best of what a search finds again, and may leave some of it out.
        within: The clauses that alone may answer, by contract; empty for all.
        rerank_record: What the reranker failed to read.
    """

    library: Library
    entries: tuple[Entry, ...] = ()
    collection: str | None = None
    encoder: Encoder | None = None
    concepts: tuple[Concept, ...] = ()
    reader: OnnxReader | None = None
    read_for: tuple[str, ...] = ()
    reranker: Reranker | None = None
    within: Mapping[str, tuple[Span, ...]] = field(default_factory=dict)
    rerank_record: RerankRecord = field(default_factory=RerankRecord, repr=False)
    _consulted: dict[str, None] = field(default_factory=dict, repr=False)
    _contracts: dict[str, Contract] = field(default_factory=dict, repr=False)
    _titles: dict[str, ContractTitle] = field(default_factory=dict, repr=False)
    _sides: dict[str, Side] = field(default_factory=dict, repr=False)
    _scopes: dict[str, QuestionScope] = field(default_factory=dict, init=False, repr=False)

    @property
    def documents(self) -> tuple[str, ...]:
        return tuple(entry.id for entry in self.entries)

    @property
    def contracts(self) -> tuple[Entry, ...]:
        """Return the contracts in question, in the order of the numbers that a model is shown."""
        return self.entries or tuple(self.library.documents(self.collection))

    @cached_property
    def filters(self) -> Filters:
        return Filters(collection=self.collection, documents=self.documents)

    def scope(self, question: str) -> QuestionScope:
        """Return the scope of a question: the contracts that were given, or else those it names.

        A question about a known contract is put in its own words: its parties are called by their
        roles, and the words that name it are left out. It is computed once for a question.
        """
        if question not in self._scopes:
            self._scopes[question] = self._find_scope(question)
        return self._scopes[question]

    def _find_scope(self, question: str) -> QuestionScope:
        if not self.entries:
            found = route_question(self.library, question, self.filters)
            if found.candidates:
                return replace(found, question=self._in_words_of(found.question, found.candidates))
            if not found.is_certain:
                return found
            best = found.documents[0][0]
            return replace(found, question=self._in_words_of(found.full_question, [best]))
        share = 1.0 / len(self.entries)
        documents = tuple((entry.id, share) for entry in self.entries)
        return QuestionScope(
            self.rewrite_with_roles(question), "", documents, is_certain=len(documents) == 1
        )

    def rewrite_with_roles(self, question: str) -> str:
        """Return words as the named contracts express them; unchanged if none is named."""
        if not 0 < len(self.entries) <= _MAX_WORDED:
            return question
        plain = without_names(self.library, question, self.documents)
        return self._in_words_of(plain, self.documents)

    def _in_words_of(self, question: str, documents: Sequence[str]) -> str:
        """Return a question with its parties, including the asking one, as contracts call them."""
        readings = [self.read_contract(document) for document in documents]
        sides = {(self.asking_party(each), self.other_party(each)) for each in documents}
        asking, other = sides.pop() if len(sides) == 1 else (None, None)
        if asking is not None:
            question = replace_persons(question, _role_of(asking), _role_of(other))
        return replace_party_names(question, readings)

    def side(self, document: str) -> Side:
        """Return which parties of a contract ask, or are read for; empty if that is not known."""
        if document not in self._sides:
            self._sides[document] = (
                side_in(self.library, document, self.read_for)
                if self.read_for
                else find_sides(self.library, [self.library.entry(document)])[document]
            )
        return self._sides[document]

    def known_parties(self, document: str) -> tuple[str, ...]:
        """Return the parties of all contracts of a document's collection."""
        collection = self.library.entry(document).collection
        return tuple(party for party, _ in collection_parties(self.library, collection))

    def asking_party(self, document: str) -> Party | None:
        """Return the one party of a contract that asks; None if there is none, or several.

        Where the card lacks it, a role is enough by which the contract calls somebody.
        """
        found = self._only_party(document, "ours")
        roles = self.side(document).roles
        if found is not None or len(roles) != 1:
            return found
        return Party(roles[0], roles[0], roles[0])

    def other_party(self, document: str) -> Party | None:
        """Return the one party of a contract with which the asking one made it."""
        return self._only_party(document, "theirs")

    def _only_party(self, document: str, side: str) -> Party | None:
        parties = [fact.value for fact in self.read_contract(document).card.parties]
        found = [each for each in parties if self.side(document).whose(each) == side]
        return found[0] if len(found) == 1 else None

    def read_contract(self, document: str) -> Contract:
        self._consulted.setdefault(document)
        return self._contract(document)

    def _contract(self, document: str) -> Contract:
        if document not in self._contracts:
            self._contracts[document] = read_contract(self.library, document)
        return self._contracts[document]

    def title(self, document: str) -> ContractTitle:
        """Return a contract's title, distinct from those of the other named contracts."""
        if document not in self._titles:
            named = document in self.documents
            self.read_titles(self.entries if named else (self.library.entry(document),))
        return self._titles[document]

    def read_titles(self, entries: Sequence[Entry]) -> None:
        """Give contracts distinct titles."""
        self._titles.update(title_contracts(entries, self.library.card))

    def units(self, document: str) -> SentenceIndex:
        """Return a contract with its sentences, prepared for answering."""
        return sentence_index(self._contract(document))

    def locate(self, document: str, span: Span) -> str:
        """Return the place of words as a lawyer cites it: "clause 7.2(a), page 3"."""
        page = self.read_contract(document).document.page_of(span.start)
        parts = [self._clause(document, span), f"page {page}" if page is not None else ""]
        context_line = ", ".join(part for part in parts if part)
        return context_line or f"characters {span.start} to {span.end}"

    def _clause(self, document: str, span: Span) -> str:
        reading = self.read_contract(document)
        node = reading.outline.node_at(span.start)
        if node is not None and node.heading is not None and span.contains(node.heading):
            inside = [each for each in reading.outline.children(node) if each.span.overlaps(span)]
            node = inside[0] if len(inside) == 1 else node  # its heading, and one clause below
        while node is not None and not node.label and node.kind not in _HEADED:
            if node.heading is not None:
                heading = " ".join(node.heading.text_in(reading.text).split())
                return f"under “{heading}”" if len(heading) <= _HEADING else ""
            node = reading.outline.nodes[node.parent] if node.parent is not None else None
        if node is None:
            return ""
        label = node.label or node.kind.value
        if node.kind in _HEADED or not label[:1].isdigit():
            return label
        return f"clause {label}"

    def cite(self, document: str, span: Span, *, because: str = "", score: float = 0.0) -> Citation:
        """Return words of a contract with their place, verified; not what a page has at its edge.

        Raises:
            EvidenceError: If the span does not lie in the text.
        """
        reading = self.read_contract(document)
        parts = quoted_parts(reading, span)
        span = parts[0] if len(parts) == 1 else span
        quote = reading.quote(span)
        node = reading.outline.node_at(span.start)
        return Citation(
            quote=quote,
            document=document,
            name=str(self.title(document)),
            where=self.locate(document, span),
            page=reading.document.page_of(span.start),
            path=reading.outline.path(node, reading.text) if node else (),
            because=because,
            score=round(score, 4),
        )

    def cite_lead_ins(self, document: str, span: Span) -> tuple[Citation, ...]:
        """Return what leads to words that begin a point of a list, the farthest first."""
        contract = self.read_contract(document)
        node = contract.outline.node_at(span.start)
        if node is None:
            return ()
        begin = node.heading.end if node.heading else node.span.start
        if _LATER.search(contract.text, begin, span.start):
            return ()
        leads = find_lead_ins(contract.outline, contract.text, span.start)
        return tuple(self.cite(document, each) for each in leads)

    def material(
        self, document: str, span: Span, *, tool: str, because: str = "", score: float = 0.0
    ) -> Material:
        reading = self.read_contract(document)
        return Material(
            words=span.text_in(reading.text),
            source=reading.name,
            where=self.locate(document, span),
            because=because,
            score=round(score, 4),
            document=document,
            span=span,
            tool=tool,
        )

    def sources(self) -> tuple[Source, ...]:
        read_so_far = dict.fromkeys((*self.documents, *self._consulted))
        return tuple(
            Source(
                document,
                str(self.title(document)),
                self.library.path_of(document),
                text_hash(self.library.text(document)),
            )
            for document in read_so_far
        )


def build_context(
    library: Library,
    contracts: Sequence[str] = (),
    *,
    collection: str | None = None,
    encoder: Encoder | None = None,
    concepts: Sequence[Concept] = (),
    read_for: Sequence[str] = (),
    reranker: Reranker | None = None,
) -> ResearchContext:
    """Prepare the contracts that a question is about.

    Each is given by its id, a unique part of its name, or its path; none for all of a collection.
    The only one is always named.

    Raises:
        ConfigError: If a name matches no contract or several, or there is nothing to read.
    """
    entries = tuple(
        {entry.id: entry for entry in (library.resolve(n, collection) for n in contracts)}.values()
    )
    there = () if entries else library.documents(collection)
    if not entries and not there:
        raise ConfigError(
            "there is no contract to ask.", remedy="Add some: fourcorners add FOLDER."
        )
    if len(there) == 1:  # it need not be named
        entries = tuple(there)
    known = encoder if library.encoder is not None else None
    reader = reader_for(known)
    if reader is not None and isinstance(reranker, AnswerReranker):
        reranker = None  # the reader reads all that a search finds as it is
    return ResearchContext(
        library, entries, collection, known, tuple(concepts), reader, tuple(read_for),
        reranker,
    )  # fmt: skip
