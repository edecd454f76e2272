"""Compare two documents, clause by clause, and say what each change of words is about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fourcorners.comparison.alignment import Group, align_clauses
from fourcorners.comparison.clauses import Version, is_word, read_version
from fourcorners.comparison.comparison import (
    Aspect,
    Clause,
    ClauseChange,
    Comparison,
    Relation,
    WordChange,
)
from fourcorners.documents.document import Document, TextSource, format_page_numbers
from fourcorners.documents.media_types import MediaType
from fourcorners.errors import InputError
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.read import read_parties
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span
from fourcorners.text.values.amounts import Written, distinct, find_amounts
from fourcorners.text.values.dates import find_dates
from fourcorners.text.values.numbers import parse_number
from fourcorners.text.values.periods import find_durations
from fourcorners.text.word_differences import Replacement, Words, find_replacements

if TYPE_CHECKING:
    from fourcorners.models.encoder.protocol import Encoder

_PATTERNS = load_patterns("fourcorners.comparison", "compare")
_NEGATION = _PATTERNS["negation"]
_MODAL = _PATTERNS["modal"]
_CITED = _PATTERNS["cited"]
_LABEL = _PATTERNS["label"]
_IN_CITATION = _PATTERNS["in_citation"]
_AROUND = 8  # words on either side in which a value may reach beyond the words that changed
_FEW = 12  # words of a change that has one meaning; a longer one is a change of wording
_FINDERS: tuple[tuple[Aspect, Callable[[str, Span], Iterable[Written]]], ...] = (
    (Aspect.AMOUNT, find_amounts),
    (Aspect.PERIOD, find_durations),
    (Aspect.DATE, find_dates),
)


@dataclass(frozen=True, slots=True)
class Names:
    """What names things in both versions: parties, and the new number of each clause's old one."""

    parties: frozenset[str]
    labels: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Side:
    """The changed words of one version, and the words around them."""

    words: Words
    first: int
    beyond: int

    @property
    def texts(self) -> Sequence[str]:
        return self.words.texts[self.first : self.beyond]

    @property
    def span(self) -> Span:
        """Return where the words are; empty, where they would be."""
        if self.first < self.beyond:
            return Span(self.words.starts[self.first], self.words.ends[self.beyond - 1])
        if self.first < len(self.words):
            return Span(self.words.starts[self.first], self.words.starts[self.first])
        end = self.words.ends[-1] if len(self.words) else 0
        return Span(end, end)

    @property
    def around(self) -> Span:
        low = max(0, self.first - _AROUND)
        high = min(len(self.words), self.beyond + _AROUND)
        if low == high:
            return self.span
        return Span(self.words.starts[low], max(self.words.ends[high - 1], self.span.end))

    def values(self, find: Callable[[str, Span], Iterable[Written]]) -> Counter[str]:
        """Return the values that the changed words are part of."""
        span = self.span
        return Counter(
            each.text
            for each in distinct(find(self.words.text, self.around))
            if each.span.overlaps(span) or each.span.start < span.start < each.span.end
        )

    def cited(self) -> list[str]:
        """Return the numbers of clauses that the changed words cite, in order."""
        found = []
        for match in _CITED.finditer(self.words.text, self.around.start, self.around.end):
            found += [
                label["label"]
                for label in _LABEL.finditer(self.words.text, *match.span("labels"))
                if Span(*label.span()).overlaps(self.span)
            ]
        return found


def describe_change(replacement: Replacement, old: Words, new: Words, names: Names) -> WordChange:
    """Return a change of words with what it is about."""
    before = _Side(old, replacement.old, replacement.old_end)
    after = _Side(new, replacement.new, replacement.new_end)
    aspect, values = _find_aspect(before, after, names)
    return WordChange(aspect, before.span, after.span, *values)


def _find_aspect(before: _Side, after: _Side, names: Names) -> tuple[Aspect, tuple[str, str]]:
    nothing = ("", "")
    gone, come = list(before.texts), list(after.texts)
    if [each.casefold() for each in gone] == [each.casefold() for each in come]:
        return Aspect.CAPITALS, nothing
    if list(filter(is_word, gone)) == list(filter(is_word, come)):
        return Aspect.PUNCTUATION, nothing
    cited = before.cited(), after.cited()
    if cited[0] != cited[1] and _is_reference(gone, come):
        follows = [names.labels.get(label, label) for label in cited[0]] == cited[1]
        aspect = Aspect.NUMBERING if follows else Aspect.REFERENCE
        return aspect, (", ".join(cited[0]), ", ".join(cited[1]))
    for aspect, find in _FINDERS:
        old, new = before.values(find), after.values(find)
        if old != new:
            return aspect, (_list(old - new), _list(new - old))
    if max(len(gone), len(come)) <= _FEW:
        for aspect, tells in _tests(names):
            if _count(gone, tells) != _count(come, tells):
                return aspect, nothing
    return Aspect.WORDING, nothing


def _tests(names: Names) -> Iterator[tuple[Aspect, Callable[[str], bool]]]:
    yield Aspect.NUMBER, _is_number
    yield Aspect.NEGATION, lambda word: bool(_NEGATION.fullmatch(word))
    yield Aspect.MODAL, lambda word: bool(_MODAL.fullmatch(word))
    yield Aspect.PARTY, lambda word: word in names.parties


def _count(words: Sequence[str], tells: Callable[[str], bool]) -> Counter[str]:
    return Counter(word.casefold() for word in words if tells(word))


def _is_number(word: str) -> bool:
    return word[0].isdigit() or (word.casefold() != "one" and parse_number(word) is not None)


def _is_reference(gone: Sequence[str], come: Sequence[str]) -> bool:
    """Tell whether changed words are no more than numbers of clauses."""
    return all(not is_word(word) or _IN_CITATION.fullmatch(word) for word in (*gone, *come))


def _list(values: Counter[str]) -> str:
    return ", ".join(values.elements())


def party_names(*versions: Version) -> frozenset[str]:
    """Return the words by which the contracts call their parties."""
    names: set[str] = set()
    for version in versions:
        for fact in read_parties(version.document, version.outline):
            names.update(name for name in (fact.value.short, fact.value.role) if name)
            names.add(fact.value.name.split()[0])
    return frozenset(names)


def compare_documents(
    before: Document, after: Document, *, encoder: Encoder | None = None
) -> Comparison:
    """Compare two versions of a contract, or a contract with a template.

    With an encoder, clauses that share no words are paired where they mean the same.

    Raises:
        InputError: If either has no text to compare.
    """
    for document in (before, after):
        require_text(document)
    # Only Word says which header is whose; elsewhere they are what is printed on each page.
    with_margins = before.media_type == after.media_type == MediaType.DOCX.value
    old, new = (
        read_version(each, build_outline(each), with_margins=with_margins)
        for each in (before, after)
    )
    groups = align_clauses(old, new, encoder)
    names = Names(party_names(old, new), _new_labels(groups, old, new))
    clauses = tuple(
        _describe(group, old, new, names) for group in groups if not _is_page(group, old, new)
    )
    warnings = tuple(_warnings(before, after))
    return Comparison(before, after, clauses, warnings, _left_out(old, new))


def require_text(document: Document) -> None:
    """Refuse a document that has nothing to compare.

    Raises:
        InputError: If it has no text, or most of its pages are scans without text.
    """
    if not document.text.strip():
        raise InputError(
            f"{document.path}: there is no text to compare.",
            remedy="If it is a scan, install Tesseract, or supply a file with text.",
        )
    blank = document.pages_needing_ocr
    if 2 * len(blank) > len(document.pages) > 0:
        raise InputError(
            f"{document.path}: {len(blank)} of {len(document.pages)} pages are scans without text.",
            remedy="Install Tesseract so that they can be read, or supply a file with text.",
        )


def _left_out(*versions: Version) -> str:
    """Say what was not compared; empty if everything was."""
    if any(each.document.pages_needing_ocr for each in versions):
        return "some pages could not be read"
    if any(each.printed for each in versions):
        return "what is printed on every page was not compared"
    return ""


def _warnings(*documents: Document) -> Iterator[str]:
    for document in documents:
        if blank := document.pages_needing_ocr:
            pages = format_page_numbers(list(blank))
            yield f"{document.name}: {pages} could not be read, and were not compared."
        if any(page.source is TextSource.OCR for page in document.pages):
            yield (
                f"{document.name}: some pages were read by text recognition; "
                "a difference there may be a misread letter."
            )
        yield from (f"{document.name}: {warning}" for warning in document.warnings)


def _new_labels(groups: Sequence[Group], old: Version, new: Version) -> dict[str, str]:
    """Return the number in the second version of each clause that has one number in the first."""
    labels: dict[str, set[str]] = {}
    for group in groups:
        if group.before and group.after:
            one, other = old.clauses[group.before[0]], new.clauses[group.after[0]]
            labels.setdefault(one.label, set()).add(other.label)
    return {label: found.pop() for label, found in labels.items() if label and len(found) == 1}


def _is_page(group: Group, old: Version, new: Version) -> bool:
    """Tell whether a clause that one version alone has is a page's number in the other."""
    if group.before and group.after:
        return False
    own, other = (old, new) if group.before else (new, old)
    texts = {" ".join(own.text_of(own.clauses[at]).split()) for at in group.before or group.after}
    return texts <= {" ".join(each.text_in(other.document.text).split()) for each in other.printed}


def _describe(group: Group, old: Version, new: Version, names: Names) -> ClauseChange:
    before = tuple(old.clauses[at] for at in group.before)
    after = tuple(new.clauses[at] for at in group.after)
    if not before or not after:
        return ClauseChange(Relation.REMOVED if before else Relation.ADDED, before, after)
    if group.is_replaced:
        return ClauseChange(Relation.REPLACED, before, after, is_moved=group.is_moved)
    left, right = old.words_of(group.before), new.words_of(group.after)
    replaced = find_replacements(left, right)
    found = [describe_change(each, left, right, names) for each in replaced]
    printed = old.printed_in(group.before) | new.printed_in(group.after)
    changes, inline = _drop_numbers(found, before, after, old, new, printed)
    relation = Relation.CHANGED if changes else Relation.SAME
    if len(before) + len(after) > 2:
        old_starts, new_starts = (
            _starts(old, group.before, inline),
            _starts(new, group.after, inline),
        )
        relation = _division(old_starts, new_starts, replaced) or relation
    has_other_spacing = relation is Relation.SAME and _body(old, before) != _body(new, after)
    return ClauseChange(relation, before, after, changes, group.is_moved, has_other_spacing)


def _starts(version: Version, clauses: Sequence[int], inline: Collection[str]) -> set[int]:
    """Return before which words a numbered clause begins, the first left out.

    A paragraph that a page's end divides begins none.
    """
    starts = set()
    count = 0
    for at in clauses:
        written = version.clauses[at].written
        if count and written and written not in inline:
            starts.add(count)
        count += len(version.ranges[at])
    return starts


def _division(old: set[int], new: set[int], replaced: Sequence[Replacement]) -> Relation | None:
    """Return how clauses are divided otherwise than before, None if they are not."""
    edges = sorted(replaced, key=lambda each: each.new)
    moved = set()
    for start in new:
        shift = 0
        for each in edges:
            if each.new_end <= start:
                shift = each.old_end - each.new_end
        # At a change of words, the clause may begin on either side of it.
        places = {start + shift} | {
            place
            for each in edges
            if each.new <= start <= each.new_end
            for place in range(each.old, each.old_end + 1)
        }
        moved |= (places & old) or {-start}
    split = sum(place < 0 for place in moved)
    merged = len(old - moved)
    if split and merged:
        return Relation.DIVIDED
    return Relation.SPLIT if split else Relation.MERGED if merged else None


def _drop_numbers(
    changes: Sequence[WordChange],
    before: Sequence[Clause],
    after: Sequence[Clause],
    old: Version,
    new: Version,
    printed: Collection[str],
) -> tuple[tuple[WordChange, ...], set[str]]:
    """Leave out numbers that are words in one version and a clause's own number in the other.

    A list that began within a line begins on its own line now, or a page's number does: that is no
    change. A heading alone has no separate meaning: its words are words. Return what is
    left, and the numbers.
    """
    written = {each.written for each in (*before, *after) if each.written}
    headings = {each.heading.strip(" .:") for each in (*before, *after)}
    left, inline = [], set()
    for change in changes:
        gone = change.before.text_in(old.document.text)
        come = change.after.text_in(new.document.text)
        if (not gone or not come) and (gone or come) in written:
            inline.add(gone or come)
        elif (not gone or not come) and " ".join((gone or come).split()) in printed:
            continue
        elif {gone.strip(" .:"), come.strip(" .:")} <= headings | {""}:
            left.append(WordChange(Aspect.WORDING, change.before, change.after))
        else:
            left.append(change)
    return tuple(left), inline


def _body(version: Version, clauses: Sequence[Clause]) -> list[str]:
    text = version.document.text
    return [text[max(each.number.end, each.span.start) : each.span.end] for each in clauses]
