"""Check a data room before a review: what is unreadable, duplicated, missing, unsigned or expired.

Nothing here judges a contract's terms; it shows the state of the papers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from enum import StrEnum
from functools import cache, partial
from pathlib import Path

from fourcorners.documents.document import Document
from fourcorners.library.damage import without_damaged
from fourcorners.library.entries import Entry
from fourcorners.library.store import Library
from fourcorners.outline.card.card import Card
from fourcorners.outline.card.term import find_final_end
from fourcorners.outline.tree import Outline
from fourcorners.review.attachments import find_missing_attachments
from fourcorners.review.blanks import BlankKind, find_blanks
from fourcorners.review.finding import Severity
from fourcorners.review.suspicion import find_suspicions
from fourcorners.text.languages import detect_language
from fourcorners.text.near_duplicates import SimilarPair, find_similar_pairs, group_pairs, sketch
from fourcorners.text.patterns import load_yaml
from fourcorners.text.span import Span

_CHARACTERS_A_TOKEN = 4  # characters per token of English text with common tokenizers


class SymptomKind(StrEnum):
    """What may be wrong with a document of the data room."""

    UNREAD = "unread"  # a file that could not be read
    PAGES_UNREAD = "pages-unread"  # pages with content but without text
    PARTLY_UNREAD = "partly-unread"  # something other than pages was not read
    EMPTY = "empty"  # hardly any words
    SAME = "same-content"  # several files with the same content
    NEARLY_SAME = "nearly-same"  # copies, drafts or versions of one contract
    MISSING_ATTACHMENT = "missing-attachment"
    MISSING_CONTRACT = "missing-contract"  # amended or restated by one that is here
    UNSIGNED = "unsigned"
    UNDATED = "undated"
    UNFILLED = "unfilled"  # words to be filled in
    ONE_PARTY = "one-party"  # the other is not named
    LANGUAGE = "language"
    EXPIRED = "expired"
    EXPIRING = "expiring"
    UNSTRUCTURED = "unstructured"  # no reliable outline
    ORDERS = "orders"  # words addressed to a machine
    HIDDEN = "hidden"  # words that no reader sees
    DISGUISED = "disguised"  # look-alike letters


@dataclass(frozen=True, slots=True)
class Symptom:
    """One thing to look at before the review.

    Attributes:
        document: The id of the document; empty for a file that could not be read.
        span: The first words it is based on, if any.
        places: All such words, if a document has several.
        others: The names of the other files or documents that it concerns.
    """

    concern: SymptomKind
    severity: Severity
    document: str
    name: str
    message: str
    remedy: str
    span: Span | None = None
    others: tuple[str, ...] = ()
    places: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Health:
    """The problems of a data room, most severe first, and its size.

    Attributes:
        pages: Of documents that have pages.
    """

    symptoms: tuple[Symptom, ...]
    documents: int
    unread: int
    pages: int
    characters: int

    @property
    def tokens(self) -> int:
        return self.characters // _CHARACTERS_A_TOKEN


NEAR_DUPLICATE = 0.8  # similarity from which two contracts are copies or versions of one
EXPIRY_WINDOW = timedelta(days=90)


_ORDER = (Severity.HIGH, Severity.MEDIUM, Severity.LOW, Severity.NONE)


@without_damaged
def check_documents(
    library: Library,
    collection: str | None = None,
    *,
    as_of: date,
    language: str = "en",
    on_document: Callable[[int, int], None] | None = None,
) -> Health:
    """Examine a collection, or the whole library.

    `language` is the one that the contracts should be in. `on_document` is called with the number
    of documents done and the total.
    """
    from fourcorners.search.graph.in_force import card_in_force

    entries = library.documents(collection)
    failures = library.failures(collection)
    found = [
        Symptom(SymptomKind.UNREAD, Severity.HIGH, "", each.path, each.reason, each.remedy)
        for each in failures
    ]
    sketches: dict[str, frozenset[int]] = {}
    for done, entry in enumerate(entries, start=1):
        document = library.document(entry.id)
        outline, card = library.outline(entry.id), card_in_force(library, entry.id, as_of)
        found += _of_document(entry, document, outline, card, as_of, language)
        sketches[entry.id] = sketch(document.text)
        if on_document is not None:
            on_document(done, len(entries))
    names = {entry.id: entry.name for entry in entries}
    found += _same(library, entries)
    found += _nearly_same(find_similar_pairs(sketches, NEAR_DUPLICATE), names)
    found += _missing_contracts(library, names)
    found.sort(key=lambda each: (_ORDER.index(each.severity), each.concern.value, each.name))
    return Health(
        symptoms=tuple(found),
        documents=len(entries),
        unread=len(failures),
        pages=sum(entry.pages for entry in entries),
        characters=sum(entry.characters for entry in entries),
    )


_FEW_WORDS = 50  # fewer are no contract that could be read; by hand


@cache
def _advice() -> Mapping[str, Mapping[str, str]]:
    """Return the severity and remedy of each kind of symptom."""
    text = Path(__file__).with_name("symptoms.yaml").read_text("utf-8")
    advice: Mapping[str, Mapping[str, str]] = load_yaml(text)
    return advice


def _symptom(
    document: str,
    name: str,
    kind: SymptomKind,
    message: str,
    span: Span | None = None,
    others: Iterable[str] = (),
) -> Symptom:
    advice = _advice()[kind]
    severity, remedy = Severity(advice["severity"]), advice["remedy"]
    return Symptom(kind, severity, document, name, message, remedy, span, tuple(others))


def _of_document(
    entry: Entry, document: Document, outline: Outline, card: Card, as_of: date, language: str
) -> Iterator[Symptom]:
    symptom = partial(_symptom, entry.id, entry.name)
    if entry.needs_ocr:
        shows = "shows" if len(entry.needs_ocr) == 1 else "show"
        finding_text = f"{_pages(entry.needs_ocr)} {shows} something, but gave no text."
        yield symptom(SymptomKind.PAGES_UNREAD, finding_text)
    for warning in document.unread:
        yield symptom(SymptomKind.PARTLY_UNREAD, warning)
    for each in find_suspicions(document):
        yield symptom(SymptomKind(each.sign.value), each.message, each.span)
    words = len(document.text.split())
    if words < _FEW_WORDS:
        yield symptom(SymptomKind.EMPTY, f"It has {words} words.")
        return
    detected = detect_language(document.text)
    if detected is None or detected.tag != language:
        finding_text = (
            f"It seems to be in {detected.tag!r}" if detected else "Its language is unknown"
        )
        yield symptom(
            SymptomKind.LANGUAGE, f"{finding_text}, and the playbook is for {language!r}."
        )
    if outline.windows:
        finding_text = "No reliable outline was found: it is reviewed in pieces of even size."
        yield symptom(SymptomKind.UNSTRUCTURED, finding_text)
    cited = find_missing_attachments(document.text, outline)
    if missing := [each for each in cited if each.alike is None]:  # another is meant, at times
        called = ", ".join(each.raw for each in missing)
        finding_text = f"It refers to what is not in this file: {called}."
        places = tuple(each.places[0] for each in missing)
        found = symptom(SymptomKind.MISSING_ATTACHMENT, finding_text, places[0])
        yield replace(found, places=places)
    yield from _blanks(document.text, outline, symptom)
    named = [each for each in card.parties if not each.value.is_blank]
    if len(named) == 1:
        (party,) = named
        finding_text = (
            f"Only one party was found, {party.value.name}: look whether another is left blank."
        )
        yield symptom(SymptomKind.ONE_PARTY, finding_text, party.span)
    end = find_final_end(card)
    if end is not None and card.expiry_date is not None:
        span = card.expiry_date.span
        if end < as_of:
            unless = ", unless a further document renewed it" if card.renewal else ""
            finding_text = f"By its words its term ended on {end.isoformat()}{unless}."
            yield symptom(SymptomKind.EXPIRED, finding_text, span)
        elif end <= as_of + EXPIRY_WINDOW:
            days = EXPIRY_WINDOW.days
            unless = ", unless it is renewed" if card.renewal else ""
            finding_text = (
                f"By its words its term ends on {end.isoformat()}, within {days} days{unless}."
            )
            yield symptom(SymptomKind.EXPIRING, finding_text, span)


def _blanks(text: str, outline: Outline, symptom: Callable[..., Symptom]) -> Iterator[Symptom]:
    """Yield the blanks, one symptom per kind.

    Signature lines and dates are reported as facts; anything else that looks like a blank may be a
    drawn line.
    """
    found = find_blanks(text, outline)
    for kind, called, kinds in (
        (SymptomKind.UNSIGNED, "signature line", [BlankKind.SIGNATURE]),
        (SymptomKind.UNDATED, "date", [BlankKind.DATE]),
        (SymptomKind.UNFILLED, "place", [BlankKind.PLACEHOLDER, BlankKind.GAP]),
    ):
        places = tuple(each.span for each in found if each.kind in kinds)
        if not places:
            continue
        number = f"{len(places)} {called}" if len(places) == 1 else f"{len(places)} {called}s"
        if kind is SymptomKind.UNFILLED:
            finding_text = f"Look at {number} where words may still have to be put in."
        else:
            finding_text = f"{number} {'is' if len(places) == 1 else 'are'} blank in the text."
        yield replace(symptom(kind, finding_text, places[0]), places=places)


def _same(library: Library, entries: Sequence[Entry]) -> Iterator[Symptom]:
    for entry in entries:
        copies = [path for path in library.paths_of(entry.id) if path != entry.path]
        if copies:
            finding_text = (
                f"{len(copies) + 1} files have exactly this content; it is reviewed once."
            )
            yield _symptom(entry.id, entry.name, SymptomKind.SAME, finding_text, others=copies)


def _nearly_same(pairs: Sequence[SimilarPair], names: dict[str, str]) -> Iterator[Symptom]:
    for family in group_pairs((each.left, each.right) for each in pairs):
        least = min(pair.resemblance for pair in pairs if pair.left in family)
        first, *others = sorted(family, key=lambda each: (names[each], each))
        finding_text = (
            f"{len(family)} documents have nearly the same words ({least:.0%} or more alike)."
        )
        called = [names[each] for each in others]
        yield _symptom(first, names[first], SymptomKind.NEARLY_SAME, finding_text, others=called)


def _missing_contracts(library: Library, names: dict[str, str]) -> Iterator[Symptom]:
    from fourcorners.search.graph import AmendmentRelation, links_of

    for link in links_of(library).all_amendments():
        if link.document not in names or link.target is not None:
            continue
        title = " ".join(link.title.split())
        called = f"“{title}”" if title else "a contract that it does not name"
        dated = f" of {link.dated.isoformat()}" if link.dated else ""
        finding_text = f"It {link.relation.value} {called}{dated}: {link.because.rstrip('.')}."
        kind = SymptomKind.MISSING_CONTRACT
        found = _symptom(link.document, names[link.document], kind, finding_text, link.span)
        if link.relation is not AmendmentRelation.AMENDS:
            remedy = "Ask for it only if what held before matters."
            found = replace(found, severity=Severity.LOW, remedy=remedy)
        yield found


def _pages(numbers: Iterable[int]) -> str:
    numbers_text = [str(number) for number in numbers]
    if len(numbers_text) == 1:
        return f"Page {numbers_text[0]}"
    shown = ", ".join(numbers_text[:8])
    return (
        f"Pages {shown} and {len(numbers_text) - 8} more"
        if len(numbers_text) > 8
        else f"Pages {shown}"
    )
