"""What differs, in the order in which a reader wants it: values first, numbers and spaces last."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from fourcorners.comparison.comparison import (
    Aspect,
    ClauseChange,
    Comparison,
    Relation,
    WordChange,
)

_OFTEN = 5  # places of the same change of words that are reported as one


class Section(StrEnum):
    """What a change is listed under, in this order."""

    VALUES = "values"
    CLAUSES = "clauses"
    WORDING = "wording"
    ORDER = "order"
    SIGNS = "signs"
    NUMBERING = "numbering"
    SPACING = "spacing"


_SECTIONS = {
    Relation.ADDED: Section.CLAUSES,
    Relation.REMOVED: Section.CLAUSES,
    Relation.REPLACED: Section.CLAUSES,
    Relation.SPLIT: Section.ORDER,
    Relation.MERGED: Section.ORDER,
    Relation.DIVIDED: Section.ORDER,
}


@dataclass(frozen=True, slots=True)
class Repeated:
    """The same change of words in several places: what goes, what comes, and the clauses."""

    aspect: Aspect
    gone: str
    come: str
    places: int
    clauses: tuple[ClauseChange, ...]

    @property
    def section(self) -> Section:
        if self.aspect is Aspect.TERM:
            return Section.VALUES
        is_clause = not self.gone or not self.come
        return Section.CLAUSES if is_clause else _aspect_section(self.aspect)


@dataclass(frozen=True, slots=True)
class RankedChanges:
    """All that differs: clauses by section, each under its first, and what is the same all over.

    Attributes:
        repeated: Changes of words in many places; a clause with no other is in no section.
    """

    sections: dict[Section, list[ClauseChange]]
    repeated: tuple[Repeated, ...]


def rank_changes(comparison: Comparison) -> RankedChanges:
    repeated = tuple(_find_repeated(comparison))
    often = {(each.aspect, each.gone, each.come) for each in repeated}
    sections: dict[Section, list[ClauseChange]] = {section: [] for section in Section}
    for each in comparison.clauses:
        if _whole_words(comparison, each) in often:
            continue
        own = [
            change
            for change in each.changes
            if (change.aspect, *_words(comparison, change)) not in often
        ]
        if (section := _section(each, own)) is not None:
            sections[section].append(each)
    for found in sections.values():
        # Of values, the kinds come in their own order; of the same kind, in the contract's.
        if found is sections[Section.VALUES]:
            found.sort(key=lambda each: min(_rank(change.aspect) for change in each.changes))
    return RankedChanges(sections, repeated)


def change_section(change: ClauseChange) -> Section | None:
    """Return what one change is listed under; None if nothing differs."""
    return _section(change, change.changes)


def _section(change: ClauseChange, own: Iterable[WordChange]) -> Section | None:
    aspects = {each.aspect for each in own}
    found = {_aspect_section(aspect) for aspect in aspects}
    if change.relation in _SECTIONS:
        found.add(_SECTIONS[change.relation])
    if change.is_moved:
        found.add(Section.ORDER)
    if change.is_renumbered:
        found.add(Section.NUMBERING)
    if change.has_other_spacing:
        found.add(Section.SPACING)
    return next((section for section in Section if section in found), None)


def _aspect_section(aspect: Aspect) -> Section:
    if aspect.is_value:
        return Section.VALUES
    if aspect in (Aspect.WORDING, Aspect.TERM):
        return Section.WORDING
    return Section.NUMBERING if aspect is Aspect.NUMBERING else Section.SIGNS


def _rank(aspect: Aspect) -> int:
    return list(Aspect).index(aspect)


def _words(comparison: Comparison, change: WordChange) -> tuple[str, str]:
    if change.aspect is Aspect.TERM:
        return change.old, change.new
    return (
        " ".join(change.before.text_in(comparison.before.text).split()),
        " ".join(change.after.text_in(comparison.after.text).split()),
    )


def _whole_words(comparison: Comparison, change: ClauseChange) -> tuple[Aspect, str, str] | None:
    """Return the words of a clause that only goes or only comes, such as a line on every page."""
    if change.relation not in (Relation.ADDED, Relation.REMOVED):
        return None
    gone, come = (
        " ".join(" ".join(each.span.text_in(text) for each in clauses).split())
        for text, clauses in (
            (comparison.before.text, change.before),
            (comparison.after.text, change.after),
        )
    )
    return Aspect.WORDING, gone, come


def _find_repeated(comparison: Comparison) -> Iterable[Repeated]:
    places: dict[tuple[Aspect, str, str], list[ClauseChange]] = defaultdict(list)
    for each in comparison.clauses:
        if (whole := _whole_words(comparison, each)) is not None:
            places[whole].append(each)
        for change in each.changes:
            gone, come = _words(comparison, change)
            if gone and come and gone != come and change.aspect is not Aspect.NUMBERING:
                places[change.aspect, gone, come].append(each)
    for (aspect, gone, come), found in sorted(places.items(), key=lambda item: _rank(item[0][0])):
        # A term with another name in some places alone is another change in each.
        is_term = not comparison.terms.isdisjoint((gone, come))
        if aspect is Aspect.TERM or (len(found) >= _OFTEN and not is_term):
            yield Repeated(aspect, gone, come, len(found), tuple(dict.fromkeys(found)))
