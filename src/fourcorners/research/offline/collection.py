"""Put a question to each contract of a collection: a table with a row for each.

What cards know is taken from them: law, parties, type, dates, renewals, amendments; then what a
review found; and only what neither decides is read, in the contracts that are left.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from fourcorners.errors import ConfigError, QueryError
from fourcorners.library.contract import Contract
from fourcorners.library.entries import Entry
from fourcorners.outline.card.card import RenewalManner
from fourcorners.outline.card.laws import named_laws
from fourcorners.outline.card.term import read_term
from fourcorners.playbooks.load import load_playbook
from fourcorners.research.answer import Citation, ContractRow, RowState, Verdict
from fourcorners.research.context import ResearchContext
from fourcorners.research.offline.cards import check_law, read_end
from fourcorners.research.offline.cells import OURS, THEIRS, CellReader, RowPart, denies
from fourcorners.research.offline.extract import answer_part
from fourcorners.research.offline.reviewed import PLAYBOOK
from fourcorners.research.offline.sizes import LEAST, MOST, SUMS
from fourcorners.research.question import Part, QuestionAspect
from fourcorners.review import store
from fourcorners.review.finding import Finding
from fourcorners.review.selection.conditions import (
    Condition,
    HasProvision,
    condition_provisions,
)
from fourcorners.review.selection.find import parse_selection
from fourcorners.search.concepts import Concept, recognise_concepts
from fourcorners.search.graph import links_of
from fourcorners.search.graph.in_force import card_in_force
from fourcorners.search.scope import match_cards
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span
from fourcorners.text.stems import FRAME, IDLE, stem_tokens, stems
from fourcorners.text.tokenization import tokenize
from fourcorners.text.values.dates import find_dates
from fourcorners.text.values.quantities import find_times

MAX_CONTRACTS = 500
"""Maximum contracts to which one question is put."""
_PATTERNS = load_patterns("fourcorners.research.offline", "collection")
_WHICH = _PATTERNS["which"]
_AUXILIARY = _PATTERNS["auxiliary"]
_FORBIDS = _PATTERNS["forbids"]
_SINGULAR, _PLURAL = {"are": "is", "were": "was"}, {"has": "have", "does": "do"}
_SEVERAL = ("contracts", "agreements", "leases", "licences", "licenses", "deals", "ndas")
_BEFORE, _AFTER = ("before", "until", "by"), ("after", "from", "since")
_OVER = frozenset({"ended", "expired", "lapsed"})
_SIDE = "side"  # "the other side", "our side"
_OF_LAW, _OF_TERM = "governing-law", frozenset({"expiration-date", "renewal-term"})
_OF_AMENDMENTS = frozenset(stem_tokens(["amend", "amended", "amendment"]))
_OF_CHANGES = _OF_AMENDMENTS | frozenset(stem_tokens(["vary", "variation", "change"]))
_CLAUSES = ("clause", "clauses", "provision", "provisions", "wording")
_MAY = ("can", "could", "may", "might", "must", "shall")  # not what was changed, but may be
_AUTOMATIC = frozenset(stem_tokens(["automatically", "itself", "themselves"]))
_YEARS = range(1900, 2100)
_KNOWN = (RowState.YES, RowState.TO_READ)
_DECIDED = (RowState.YES, RowState.NO)
ORDER = (*_KNOWN, RowState.SILENT, RowState.NO)


def contract_question(question: str) -> str:
    """Return what "Which contracts …?" asks of one contract; empty for other questions.

    "Which agreements are exclusive?" asks "Is this contract exclusive?", "Under which may we
    audit?" asks "May we audit?", "Which lease has the longest term?" asks for that of each. "Where
    may we audit?" asks "May we audit?", too; what else names several contracts is asked as it is.
    """
    asked = " ".join(question.split())
    found = _WHICH.match(asked)
    if found is None:
        first, *tokens = tokenize(asked).tokens or ("",)
        if first == "where":
            rest = asked[len(first) :].lstrip()
            return f"{rest[:1].upper()}{rest[1:]}"
        extreme = any(each in tokens for each in (*MOST, *LEAST, *SUMS))
        is_of_each = any(f"{each} contract" in " ".join(tokens) for each in ("each", "every"))
        several = is_of_each or any(each in tokens for each in _SEVERAL)
        return asked if several or (extreme and first in ("what", "which")) else ""
    rest = found["rest"]
    auxiliary = _AUXILIARY.match(rest)
    if found["under"]:
        return f"{rest[:1].upper()}{rest[1:]}?"
    if auxiliary is None:
        first, _, others = rest.partition(" ")
        return f"Does this contract {_PLURAL.get(first, first)} {others}".rstrip() + "?"
    verb = auxiliary["verb"].casefold()
    verb = _SINGULAR.get(verb, verb)
    return f"{verb.capitalize()} this contract {auxiliary['rest']}?"


def ask_contracts(context: ResearchContext, question: str) -> Iterator[ContractRow]:
    """Yield the row of each contract that has the type and the parties which a question names.

    Those beyond `MAX_CONTRACTS` are not asked.
    """
    asked = _Asked(context, question)
    context.read_titles(asked.entries)
    for entry in asked.entries:
        yield asked.row(entry)


class _Asked:
    """A question with what of it cards and findings decide."""

    def __init__(self, context: ResearchContext, question: str) -> None:
        self._context = context
        self._question = question
        self._tokens = tokenize(question).tokens
        self._of_each = contract_question(question)
        self._laws = named_laws(question)
        self._concepts = {each.id for each, _ in recognise_concepts(question, context.concepts)}
        self._condition: Condition | None = None
        self._cells: Mapping[str, Mapping[str, Finding]] = {}
        unknown, types = self._select()
        self._asked = self._find_asked()
        self._rest = [each for each in unknown if not self._is_known(each)]
        matches = match_cards(context.library, question, context.filters)
        wanted = set(matches.documents) if matches.by_party else None
        entries = context.contracts[:MAX_CONTRACTS]
        self.entries: Sequence[Entry] = [
            each
            for each in entries
            if (wanted is None or self._laws or each.id in wanted)
            and (not types or each.type in types)
        ]

    def _select(self) -> tuple[Sequence[str], Sequence[str]]:
        """Read what provisions are asked for; return the words left, and types of contract."""
        library, book = self._context.library, load_playbook(PLAYBOOK)
        try:
            asked = parse_selection(library, self._question, book)
        except (QueryError, ConfigError):
            words = self._question.rstrip(" ?").split()
            self._cells = self._load_cells(self._concepts - {_OF_LAW})
            return [each for each in words if set(tokenize(each).tokens) - IDLE - FRAME], ()
        self._condition = asked.condition
        if self._laws and self._condition == HasProvision(_OF_LAW):
            self._condition = None
        else:
            self._cells = self._load_cells(condition_provisions(asked.condition))
        return asked.unknown, asked.types

    def _find_asked(self) -> tuple[str, str] | None:
        """Return the provision and the yes-or-no question of a review that the question puts.

        A question that denies something puts none of them.
        """
        if denies(self._question):
            return None
        book = load_playbook(PLAYBOOK)
        known = [
            Concept(f"{each.id} {one.id}", one.question, (), each.query)
            for each in book.provisions
            for one in each.questions
            if one.answer == "yes_no"
        ]
        found = recognise_concepts(self._question, known)
        if not found:
            return None
        provision, _, question = found[0][0].id.partition(" ")
        named = condition_provisions(self._condition) if self._condition else ()
        self._cells = self._load_cells((provision, *named))
        return provision, question

    def _load_cells(self, provisions: Collection[str]) -> Mapping[str, Mapping[str, Finding]]:
        book = load_playbook(PLAYBOOK)
        known = [each.id for each in book.provisions if each.id in provisions]
        return store.load_cells(self._context.library, book, known)

    def _is_known(self, word: str) -> bool:
        """Return whether a word of the question is part of what a card decides."""
        tokens = {*tokenize(word).tokens}
        if tokens & {*MOST, *LEAST, *SUMS, *_BEFORE, *_AFTER, *OURS, *THEIRS, _SIDE}:
            return True
        if named_laws(self._question.replace(word, " ")) != self._laws:
            return True
        if self._is_of_term and set(stem_tokens(sorted(tokens))) & _AUTOMATIC:
            return True
        return any(each.isdigit() for each in tokens)

    @property
    def _is_of_term(self) -> bool:
        return bool(self._concepts & _OF_TERM)

    @property
    def _is_of_changes(self) -> bool:
        """Return whether contracts that change others, or were changed, are asked for."""
        if {*_MAY, *_CLAUSES} & {*self._tokens} or self._condition is not None:
            return False
        asked = set(stem_tokens([each for each in self._tokens if each not in IDLE | FRAME]))
        return bool(asked & _OF_AMENDMENTS) or (bool(asked) and asked <= _OF_CHANGES)

    def row(self, entry: Entry) -> ContractRow:
        """Ask one contract, from what is known at once to what must be read."""
        contract = self._context.read_contract(entry.id)
        row = ContractRow(entry.id, str(self._context.title(entry.id)), RowState.YES)
        for one in self._read(contract):
            row = replace(
                row,
                state=max(row.state, one.state, key=ORDER.index),
                value="; ".join(filter(None, dict.fromkeys((row.value, one.value)))),
                quote=one.quote or row.quote,
                size=one.size or row.size,
            )
            if one.state in (RowState.NO, RowState.SILENT):
                break
        span = row.quote.quote.span if row.quote else None
        if row.quote is None or span is None:
            return row
        leads = self._context.cite_lead_ins(row.quote.document, span)
        if row.quote.document != entry.id:  # an amendment's words
            where = f"{row.quote.name}, {row.quote.where}"
            row = replace(row, quote=replace(row.quote, where=where))
        return replace(row, leads=leads)

    def _read(self, contract: Contract) -> Iterator[RowPart]:
        """Yield what decides, the cheapest first."""
        if self._laws:
            yield check_law(self._context, contract, self._laws)
        if self._is_of_term:
            yield self._term(contract)
            return
        days = [each.value for each in find_dates(self._question, Span(0, len(self._question)))]
        if days:
            yield self._mention(contract, days)
            return
        if self._is_of_changes:
            yield self._changes(contract)
            return
        reader = CellReader(self._context, self._question, self._cells)
        answered = reader.read_answer(contract, *self._asked) if self._asked else None
        if answered is not None:
            yield answered
            return
        if self._condition is not None:
            found = reader.check_condition(contract, self._condition, is_compared=self._is_compared)
            if found is not None and (self._is_decisive or found.state not in self._more_asked):
                yield found
                return
        if self._rest or self._condition is not None or not self._laws:
            yield reader.add_found(contract, self._reading(contract))

    def _term(self, contract: Contract) -> RowPart:
        """Answer from the dates and the renewal of the card, as far as they are certain."""
        card = card_in_force(self._context.library, contract.id)
        term, renewal = read_term(card), card.renewal
        if "expiration-date" not in self._concepts:
            if renewal is None:
                return self._reading(contract)
            quote = self._cite(contract, renewal.span)
            if not renewal.asserted or renewal.manner is RenewalManner.UNCLEAR:
                return RowPart(RowState.TO_READ, "", quote)
            if not set(stems(self._question)) & _AUTOMATIC or term.is_automatic:
                return RowPart(RowState.YES, renewal.manner.value, quote)
            return RowPart(RowState.NO, f"renewed by {renewal.manner.value}", quote)
        if term.end is None or term.end_day is None:
            return self._reading(contract)
        quote = self._cite(contract, contract.sentence(term.end.span))
        found = read_end(card, *self._range(), is_over=self._is_over)
        size = f"{found.end.toordinal()} day" if found.end else ""
        return RowPart(found.state, found.value, quote, size)

    @property
    def _is_over(self) -> bool:
        return not _OVER.isdisjoint(self._tokens)

    def _range(self) -> tuple[date | None, date | None]:
        """Return the days between which an end is asked for."""
        written = [each.value for each in find_dates(self._question, Span(0, len(self._question)))]
        years = [int(each) for each in self._tokens if each.isdigit() and int(each) in _YEARS]
        first = written[0] if written else date(years[0], 1, 1) if years else None
        last = written[-1] if written else date(years[-1], 12, 31) if years else None
        if self._is_over and first is None:
            return None, datetime.now(UTC).date() - timedelta(days=1)
        if any(each in self._tokens for each in _BEFORE):
            return None, last if written else first
        if any(each in self._tokens for each in _AFTER):
            return first, None
        return first, last

    def _mention(self, contract: Contract, days: Sequence[date]) -> RowPart:
        """Answer whether a contract names a day that is not its own."""
        card, whole = contract.card, Span(0, len(contract.text))
        if card.agreement_date is not None and card.agreement_date.value in days:
            quote = self._cite(contract, contract.sentence(card.agreement_date.span))
            return RowPart(RowState.NO, "it is dated so itself", quote)
        found = [each for each in find_dates(contract.text, whole) if each.value in days]
        if not found:
            return RowPart(RowState.SILENT, "no such date is in it")
        return RowPart(RowState.YES, "", self._cite(contract, contract.sentence(found[0].span)))

    def _changes(self, contract: Contract) -> RowPart:
        """Answer which other contract this one changes, or which changes it."""
        links = links_of(self._context.library)
        is_changed = bool({"been", "was", "were", "are", "by"} & set(self._tokens))
        found = links.amended_by(contract.id) if is_changed else links.amendments(contract.id)
        if not found:
            return RowPart(RowState.SILENT, "no amendment was found")
        amending = self._context.read_contract(found[0].document)
        other = found[0].document if is_changed else found[0].target
        value = str(self._context.title(other)) if other else found[0].title
        return RowPart(RowState.YES, value, self._cite(amending, amending.sentence(found[0].span)))

    @property
    def _is_decisive(self) -> bool:
        """Return whether it is all of the question that a contract has the provisions or not."""
        if self._asked is not None or _FORBIDS.search(self._question):
            return False
        return self._is_compared or not self._rest

    @property
    def _more_asked(self) -> Sequence[RowState]:
        """Return the states of the provisions that leave open what else the question asks."""
        return _DECIDED if denies(self._question) else (RowState.YES,)

    @property
    def _is_compared(self) -> bool:
        return any(each in self._tokens for each in (*MOST, *LEAST, *SUMS))

    def _reading(self, contract: Contract) -> RowPart:
        """Read the contract: what it says is for a person to judge."""
        entry = self._context.library.entry(contract.id)
        part = Part(self._of_each or self._question, (QuestionAspect.WHETHER,))
        answer = answer_part(replace(self._context, entries=(entry,)), part)
        if not answer.findings:
            state = RowState.TO_READ if answer.verdict is Verdict.UNSURE else RowState.SILENT
            return RowPart(state, "no answer was found")
        lead = answer.lead.quote.span if answer.lead else None
        quotes = answer.findings[0].quotes
        own = [q for q in quotes if lead and q.quote.span and q.quote.span.overlaps(lead)]
        quote = max(own or quotes, key=lambda each: len(each.quote.words))
        words = Span(0, len(quote.quote.words))
        times = [*find_times(quote.quote.words, words)] if self._is_compared else []
        value = quote.quote.words[times[0].span.start : times[0].span.end] if times else ""
        return RowPart(RowState.TO_READ, f"“{value}”" if value else "", quote)

    def _cite(self, contract: Contract, span: Span) -> Citation:
        return self._context.cite(contract.id, span)
