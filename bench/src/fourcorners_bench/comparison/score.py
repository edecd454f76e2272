"""How many known edits a comparison reports, and how much of what it reports is none.

An edit of words counts as reported where a change of words overlaps it in each version that has
words of it, and as described where that change is also said to be about the right thing. An edit
of clauses counts where clauses that cover most of it are said to have been added, removed, moved,
split or merged. What is reported and touches no known edit is false.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from fourcorners.comparison.comparison import Aspect, ClauseChange, Comparison, Relation
from fourcorners.text.span import Span, covered_length, intersect_spans
from fourcorners_bench.comparison.edited_clauses import KnownKind
from fourcorners_bench.comparison.versions import KnownEdit, VersionPair

_MOST = 0.8  # of a clause that must be in what is reported
_ASPECTS: Mapping[KnownKind, frozenset[Aspect]] = {
    KnownKind.WORD: frozenset({Aspect.WORDING}),
    KnownKind.NUMBER: frozenset({Aspect.AMOUNT, Aspect.PERIOD, Aspect.DATE, Aspect.NUMBER}),
    KnownKind.NEGATION: frozenset({Aspect.NEGATION, Aspect.MODAL}),
    KnownKind.PARTY: frozenset({Aspect.PARTY}),
    KnownKind.REFERENCE: frozenset({Aspect.REFERENCE, Aspect.NUMBERING}),
    KnownKind.RENUMBERED: frozenset({Aspect.NUMBERING}),
}


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that a comparison reports, and where."""

    kind: str
    before: tuple[Span, ...]
    after: tuple[Span, ...]
    aspect: Aspect | None = None


@dataclass(slots=True)
class KindScore:
    """How many edits of one kind are known, reported, and described as what they are."""

    known: int = 0
    reported: int = 0
    described: int = 0


@dataclass(slots=True)
class Score:
    """What one or more pairs come to."""

    kinds: dict[str, KindScore] = field(default_factory=dict)
    items: dict[str, int] = field(default_factory=dict)
    false: dict[str, int] = field(default_factory=dict)
    missed: list[tuple[str, KnownEdit]] = field(default_factory=list)
    unknown: list[tuple[str, Item]] = field(default_factory=list)

    @property
    def recall(self) -> float:
        known = sum(each.known for each in self.kinds.values())
        return sum(each.reported for each in self.kinds.values()) / known if known else 1.0

    @property
    def false_rate(self) -> float:
        count = sum(self.items.values())
        return sum(self.false.values()) / count if count else 0.0

    def add(self, pair: VersionPair, comparison: Comparison) -> None:
        items = list(reported_items(comparison))
        for edit in pair.edits:
            score = self.kinds.setdefault(edit.kind.value, KindScore())
            matching = [each for each in items if _reports(each, edit)]
            score.known += 1
            score.reported += _covers(matching, edit)
            score.described += _covers([m for m in matching if _describes(m, edit)], edit)
            if not _covers(matching, edit):
                self.missed.append((pair.name, edit))
        for item in items:
            self.items[item.kind] = self.items.get(item.kind, 0) + 1
            if not any(_touches(item, edit) for edit in pair.edits):
                self.false[item.kind] = self.false.get(item.kind, 0) + 1
                self.unknown.append((pair.name, item))


def reported_items(comparison: Comparison) -> Iterator[Item]:
    """Yield all that a comparison reports but spacing, and references whose words stay."""
    for each in comparison.clauses:
        before = tuple(clause.span for clause in each.before)
        after = tuple(clause.span for clause in each.after)
        if each.relation not in (Relation.SAME, Relation.CHANGED):
            yield Item(each.relation.value, before, after)
        if each.is_moved and each.relation is not Relation.REPLACED:
            yield Item("moved", before, after)
        if each.is_renumbered:
            yield Item("renumbered", *_numbers(each))
        for change in each.changes:
            gone = change.before.text_in(comparison.before.text)
            come = change.after.text_in(comparison.after.text)
            # A made version leaves some references as they were, which mean other clauses then.
            if change.aspect is Aspect.REFERENCE and gone.split() == come.split():
                continue
            yield Item("words", (change.before,), (change.after,), change.aspect)


def _numbers(change: ClauseChange) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    return (change.before[0].number,), (change.after[0].number,)


_WORDS = frozenset(_ASPECTS)
_ITEMS: Mapping[KnownKind, frozenset[str]] = {
    KnownKind.ADDED: frozenset({"added", "replaced"}),
    KnownKind.REMOVED: frozenset({"removed", "replaced"}),
    KnownKind.MOVED: frozenset({"moved"}),
    KnownKind.SPLIT: frozenset({"split"}),
    KnownKind.MERGED: frozenset({"merged"}),
    KnownKind.RENUMBERED: frozenset({"renumbered", "words"}),
}


def _reports(item: Item, edit: KnownEdit) -> bool:
    if item.kind not in _ITEMS.get(edit.kind, {"words"}):
        return False
    return all(
        not known or _overlap(known, found)
        for known, found in ((edit.before, item.before), (edit.after, item.after))
    )


def _describes(item: Item, edit: KnownEdit) -> bool:
    return item.aspect is None or item.aspect in _ASPECTS[edit.kind]


def _covers(items: Sequence[Item], edit: KnownEdit) -> bool:
    if edit.kind in _WORDS:
        return bool(items)
    before = [span for item in items for span in item.before]
    after = [span for item in items for span in item.after]
    return bool(items) and _is_most(edit.before, before) and _is_most(edit.after, after)


def _is_most(known: Iterable[Span], found: Iterable[Span]) -> bool:
    spans = list(known)
    return covered_length(intersect_spans(spans, found)) >= _MOST * covered_length(spans)


def _overlap(known: Iterable[Span], found: Iterable[Span]) -> bool:
    return bool(intersect_spans(known, found))


def _touches(item: Item, edit: KnownEdit) -> bool:
    """Tell whether what is reported has to do with a known edit: false only if with none."""
    if item.kind == "words":
        allowed = edit.kind in _WORDS or edit.kind in (KnownKind.ADDED, KnownKind.REMOVED)
    elif item.kind == "renumbered":
        allowed = True
    else:
        allowed = item.kind in _ITEMS.get(edit.kind, ())
    return allowed and (_overlap(edit.before, item.before) or _overlap(edit.after, item.after))
