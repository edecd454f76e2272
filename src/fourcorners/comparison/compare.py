"""Compare two documents, clause by clause, and say what each change of words is about."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from fourcorners.comparison.alignment import Group, align_clauses
from fourcorners.comparison.aspects import Names, describe_changes
from fourcorners.comparison.clauses import Version, is_word, read_version
from fourcorners.comparison.comparison import (
    Aspect,
    Clause,
    ClauseChange,
    Comparison,
    Relation,
    WordChange,
)
from fourcorners.comparison.terms import Renamed, Terms, rename_changes
from fourcorners.documents.document import (
    STRUCK_THROUGH,
    Document,
    MarkKind,
    TextSource,
    format_page_numbers,
)
from fourcorners.documents.media_types import MediaType
from fourcorners.errors import InputError
from fourcorners.outline.build import build_outline
from fourcorners.text.invisible_characters import shorten
from fourcorners.text.span import Span
from fourcorners.text.word_differences import Replacement, Words, common_pairs, find_replacements

if TYPE_CHECKING:
    from fourcorners.models.encoder.protocol import Encoder

# Two contracts under one heading share less: of 644 pairs in CUAD, all but near copies.
_SHARED = 0.3  # of the words of the shorter clause that are in both, in runs
_RUN = 4  # words of a run
_LONG = 12  # words of a clause that may be replaced


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
        read_version(
            each,
            build_outline(each),
            with_margins=with_margins,
            other=None if with_margins else other,
        )
        for each, other in ((before, after), (after, before))
    )
    terms = Terms(old, new)
    groups = align_clauses(terms.old, terms.new, encoder)
    renamed = terms.find_renames((g.before, g.after) for g in groups if not g.is_replaced)
    old, new = terms.old, terms.new
    names = Names(terms.parties, _new_labels(groups, old, new))
    stale = StaleReferences(old, new, groups)
    clauses = tuple(
        _describe(group, (old, new), names, renamed, stale)
        for group in groups
        if not _is_page(group, old, new)
    )
    warnings = tuple(dict.fromkeys(_warnings(before, after)))
    return Comparison(before, after, clauses, warnings, _left_out(old, new), terms.all)


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
    if len({_unlike_others(each.document) for each in versions}) > 1:
        return "words that are struck out or hidden were compared like others, and differ"
    if any(each.document.pages_needing_ocr for each in versions):
        return "some pages could not be read"
    if any(each.printed for each in versions):
        return "what is printed on every page was not compared"
    return ""


def _unlike_others(document: Document) -> tuple[tuple[MarkKind, str], ...]:
    """Return the words that a line strikes out, and those that are hidden."""
    return tuple(
        (mark.kind, " ".join(mark.span.text_in(document.text).split()))
        for mark in document.marks
        if mark.kind is MarkKind.HIDDEN or mark.detail == STRUCK_THROUGH
    )


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


def _describe(
    group: Group,
    versions: tuple[Version, Version],
    names: Names,
    renamed: Renamed,
    stale: StaleReferences,
) -> ClauseChange:
    old, new = versions
    before = tuple(old.clauses[at] for at in group.before)
    after = tuple(new.clauses[at] for at in group.after)
    if not before or not after:
        return ClauseChange(Relation.REMOVED if before else Relation.ADDED, before, after)
    if group.is_replaced:
        return ClauseChange(Relation.REPLACED, before, after, is_moved=group.is_moved)
    left, right = old.words_of(group.before), new.words_of(group.after)
    replaced = find_replacements(left, right)
    if len(before) == len(after) == 1 and _is_rewritten(replaced, left, right):
        return ClauseChange(Relation.REPLACED, before, after, is_moved=group.is_moved)
    found = describe_changes(replaced, left, right, names)
    printed = old.printed_in(group.before) | new.printed_in(group.after)
    changes, inline = _drop_numbers(found, before, after, old, new, printed)
    others = *rename_changes(renamed, replaced, left, right), *stale.find(replaced, left, right)
    changes = tuple(sorted([*changes, *others], key=_place))
    relation = Relation.CHANGED if changes else Relation.SAME
    if len(before) + len(after) > 2:
        old_starts, new_starts = (
            _starts(old, group.before, inline),
            _starts(new, group.after, inline),
        )
        relation = _division(old_starts, new_starts, replaced) or relation
    has_other_spacing = relation is Relation.SAME and _body(old, before) != _body(new, after)
    return ClauseChange(relation, before, after, changes, group.is_moved, has_other_spacing)


def _is_rewritten(gaps: Sequence[Replacement], old: Words, new: Words) -> bool:
    """Tell whether two clauses share no more words in a row than two authors would."""
    shorter = min(sum(map(is_word, words.texts)) for words in (old, new))
    if not gaps or shorter < _LONG:
        return False
    edges = [0, *(each.old_end for each in gaps)], [*(each.old for each in gaps), len(old)]
    runs = (sum(map(is_word, old.texts[i:j])) for i, j in zip(*edges, strict=True))
    return sum(run for run in runs if run >= _RUN) < _SHARED * shorter


def _place(change: WordChange) -> tuple[Span, Span]:
    return change.before, change.after


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
    changes: Iterable[WordChange],
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


_PART: Final = re.compile(r"\w+")
_FIRST_WORDS: Final = 30  # characters of a clause without a heading, to name it by


class StaleReferences:
    """The references of the first version whose clauses have other numbers in the second."""

    def __init__(self, old: Version, new: Version, groups: Sequence[Group]) -> None:
        self._new = new
        self._labels = {each.label: each for each in reversed(new.clauses)}
        paired = {
            group.before[0]: group.after[0] for group in groups if group.before and group.after
        }
        starts = [clause.span.start for clause in old.clauses]
        self._stale: list[tuple[Span, str, str]] = []
        for reference in old.outline.references:
            if reference.target is None:
                continue
            start = old.outline.nodes[reference.target].span.strip(old.document.text).start
            at = bisect_right(starts, start) - 1
            if at not in paired:
                continue
            was, now = old.clauses[at], new.clauses[paired[at]]
            if _is_other_number(was.label, now.label) and reference.raw.endswith(f" {was.label}"):
                meant = self._labels.get(was.label)
                shown = _show(new, meant) if meant else f"no {was.label}"
                self._stale.append((reference.span, _show(old, was), shown))

    def find(self, gaps: list[Replacement], old: Words, new: Words) -> Iterator[WordChange]:
        """Yield those in a clause of both versions whose words are the same."""
        pairs = [each for each in common_pairs(gaps, len(old), len(new)) if each[0] < len(old)]
        starts = {old.starts[i]: new.starts[j] for i, j in pairs}
        ends = {old.ends[i]: new.ends[j] for i, j in pairs}
        for span, was, now in self._stale:
            if span.start in starts and span.end in ends:
                stays = Span(starts[span.start], ends[span.end])
                yield WordChange(Aspect.REFERENCE, span, stays, was, now)


def _is_other_number(one: str, other: str) -> bool:
    """Tell whether two numbers differ; how deep a clause is may only be read otherwise."""
    return one != other and _PART.sub("0", one) == _PART.sub("0", other)


def _show(version: Version, clause: Clause) -> str:
    words = version.text_of(clause)[max(0, clause.number.end - clause.span.start) :]
    return clause.name if clause.heading else f"{clause.label} “{shorten(words, _FIRST_WORDS)}”"
