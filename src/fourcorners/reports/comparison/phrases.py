"""What differs between two versions, in words for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from fourcorners.comparison.comparison import (
    Aspect,
    Clause,
    ClauseChange,
    Comparison,
    Relation,
    WordChange,
)
from fourcorners.comparison.ranking import Repeated, Section
from fourcorners.text.invisible_characters import shorten

SECTION_TITLES: Final = {
    Section.VALUES: "Amounts, periods, dates, parties, negations",
    Section.CLAUSES: "Clauses added, removed and replaced",
    Section.WORDING: "Wording",
    Section.ORDER: "Clauses moved, split and merged",
    Section.SIGNS: "Capitals, punctuation, and values in another form",
    Section.NUMBERING: "Numbering",
    Section.SPACING: "Spacing and line ends",
}
RELATION_WORDS: Final = {
    Relation.SAME: "same",
    Relation.CHANGED: "changed",
    Relation.REPLACED: "replaced",
    Relation.ADDED: "added",
    Relation.REMOVED: "removed",
    Relation.SPLIT: "split",
    Relation.MERGED: "merged",
    Relation.DIVIDED: "divided otherwise",
}
_FIRST_WORDS: Final = 50  # characters of a clause without number or heading, to name it by
_NEARBY: Final = 30  # characters in which the word before a change is looked for
_VALUE: Final = 80  # characters of words that changed, in a line


def name_clauses(comparison: Comparison, change: ClauseChange) -> str:
    """Return what to call clauses: as the second version does, and how the first did."""
    before = [_name(each, comparison.before.text) for each in change.before]
    after = [_name(each, comparison.after.text) for each in change.after]
    if change.relation is Relation.SPLIT:
        return f"{before[0]} → {_list(after)}"
    if change.relation is Relation.MERGED:
        return f"{_list(before)} → {after[0]}"
    shown = (after or before)[0]
    was_numbered = change.before and change.after and (change.is_renumbered or change.is_moved)
    if was_numbered and change.before[0].label and change.before[0].label != change.after[0].label:
        return f"{shown} (was {change.before[0].label})"
    return shown


def _name(clause: Clause, text: str) -> str:
    if clause.written or clause.heading:
        return clause.name
    words = f"“{shorten(clause.span.text_in(text), _FIRST_WORDS)}”"
    return f"{clause.under}, {words}" if clause.under else words


def _list(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def describe_no_change(comparison: Comparison) -> str:
    """Return what to say of versions between which no difference was found."""
    if comparison.left_out:
        return f"No difference was found; {comparison.left_out}."
    if comparison.before.sha256 == comparison.after.sha256:
        return "The two versions are the same file."
    return "The two versions have the same words. Pictures, links and formatting were not compared."


def describe_relation(change: ClauseChange) -> str:
    """Return what became of clauses, such as `moved, changed`; empty if nothing did."""
    if change.relation is Relation.REPLACED:
        return "replaced, in another place" if change.is_moved else "replaced"
    parts = ["moved"] if change.is_moved else []
    if change.relation is not Relation.SAME:
        parts.append(RELATION_WORDS[change.relation])
    return ", ".join(parts) or ("renumbered" if change.is_renumbered else "")


def describe_versions(versions: Sequence[int]) -> str:
    """Return which versions brought a change, such as `versions 2 and 3`; empty for none."""
    if not versions:
        return ""
    return f"version{'s' * (len(versions) > 1)} {_list([*map(str, versions)])}"


def describe_values(comparison: Comparison, change: ClauseChange) -> list[str]:
    """Return each value that differs, such as `90 days → 30 days`.

    Where a clause has changes of several versions, each value has those that brought it.
    """
    lines = []
    for each in sorted(change.changes, key=lambda each: list(Aspect).index(each.aspect)):
        if each.aspect.is_value:
            line = describe_words(comparison, each)
            if each.versions and each.versions != change.versions:
                line += f" ({describe_versions(each.versions)})"
            lines.append(line)
    return list(dict.fromkeys(lines))


def describe_words(comparison: Comparison, change: WordChange) -> str:
    """Return what words came in the place of what words; of values, the values."""
    if change.old or change.new:
        return _describe_pair(change.old, change.new, plain=True)
    gone = change.before.text_in(comparison.before.text)
    come = change.after.text_in(comparison.after.text)
    if change.aspect in (Aspect.NEGATION, Aspect.MODAL) and not (gone and come):
        # "not" says little without the word that it is about.
        verb = _last_word(comparison.after.text, change.after.start)
        gone, come = f"{verb} {gone}".strip(), f"{verb} {come}".strip()
    return _describe_pair(gone, come)


def _last_word(text: str, end: int) -> str:
    words = text[max(0, end - _NEARBY) : end].split()
    return words[-1] if words and words[-1].isalpha() else ""


def _describe_pair(gone: str, come: str, *, plain: bool = False) -> str:
    gone, come = (
        each if plain or not each else f"“{shorten(each, _VALUE)}”" for each in (gone, come)
    )
    if gone and come:
        return f"{gone} → {come}"
    return f"{come} added" if come else f"{gone} removed"


def describe_repeated(each: Repeated) -> str:
    """Return a change that many places have, and how many they are."""
    return f"{_describe_pair(each.gone, each.come)}, in {each.places} places"


def count_changes(comparison: Comparison) -> Iterator[tuple[str, int]]:
    """Yield what happened to clauses and to how many, the unchanged last."""
    relations = Counter(each.relation for each in comparison.clauses)
    yield "changed", relations[Relation.CHANGED]
    for relation in list(Relation)[2:]:
        yield RELATION_WORDS[relation], relations[relation]
    yield "moved", sum(each.is_moved for each in comparison.clauses)
    yield "renumbered", sum(each.is_renumbered for each in comparison.clauses)
    yield "unchanged", relations[Relation.SAME]


def renumbered_lines(changes: list[ClauseChange]) -> list[str]:
    """Return how clauses were renumbered, several in one line: `7.3 to 7.9 → 7.4 to 7.10`."""
    lines: list[list[ClauseChange]] = []
    for each in changes:
        if lines and _follows(lines[-1][-1], each):
            lines[-1].append(each)
        else:
            lines.append([each])
    return [
        f"{_range([e.before[0].label for e in run])} → {_range([e.after[0].label for e in run])}"
        for run in lines
    ]


def _follows(one: ClauseChange, other: ClauseChange) -> bool:
    pairs = ((one.before[0], other.before[0]), (one.after[0], other.after[0]))
    return all(_parent(left.label) == _parent(right.label) for left, right in pairs)


def _parent(label: str) -> str:
    """Return what a label has before its last number or letter."""
    return label[: -len(label.split(".")[-1].split("(")[-1])] if label else ""


def _range(labels: list[str]) -> str:
    return labels[0] if len(labels) == 1 else f"{labels[0]} to {labels[-1]}"
