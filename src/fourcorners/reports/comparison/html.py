"""A comparison as one self-contained page: what changed, then both versions side by side."""

from __future__ import annotations

from dataclasses import dataclass

from fourcorners.comparison.comparison import ClauseChange, Comparison, Relation
from fourcorners.comparison.marking import mark_side
from fourcorners.comparison.ranking import Section, change_section, rank_changes
from fourcorners.reports.comparison.phrases import (
    SECTION_TITLES,
    count_changes,
    describe_no_change,
    describe_relation,
    describe_repeated,
    describe_values,
    describe_versions,
    describe_words,
    name_clauses,
    renumbered_lines,
)
from fourcorners.reports.html import content_security_policy, load_asset, report_environment
from fourcorners.text.word_differences import Edit
from fourcorners.version import __version__

_FEW = 2  # clauses in a row that are the same and are shown all the same, for their place


@dataclass(frozen=True, slots=True)
class Row:
    """Clauses side by side, with the words that differ marked in either version."""

    anchor: str
    name: str
    kind: str
    facts: tuple[str, ...]
    before: list[Edit]
    after: list[Edit]
    minor: bool


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Rows in a row; those where nothing changed are folded."""

    rows: list[Row]
    folded: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the summary, with the row that it is about; `anchor` is empty if it has none."""

    anchor: str
    name: str
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ComparisonView:
    """A comparison as pages show it.

    Attributes:
        counts: What there is, and how many of it.
        sections: The summary: each section's title with its lines.
        no_change: What is said where nothing differs.
        groups: The clauses side by side.
    """

    counts: list[tuple[str, int]]
    sections: list[tuple[str, list[Entry]]]
    no_change: str
    groups: list[RowGroup]


def comparison_view(comparison: Comparison) -> ComparisonView:
    return ComparisonView(
        counts=[(what, count) for what, count in count_changes(comparison) if count],
        sections=_summary(comparison),
        no_change=describe_no_change(comparison),
        groups=_groups(comparison),
    )


def comparison_page(comparison: Comparison) -> str:
    """Return the page; it runs no script, asks for nothing, and shows all words as text."""
    view = comparison_view(comparison)
    style = load_asset("palette.css") + load_asset("comparison.css")
    return (
        report_environment()
        .get_template("comparison.html.j2")
        .render(
            comparison=comparison,
            style=style,
            policy=content_security_policy(style),
            counts=view.counts,
            sections=view.sections,
            no_change=view.no_change,
            groups=view.groups,
            version=__version__,
        )
    )


def _summary(comparison: Comparison) -> list[tuple[str, list[Entry]]]:
    ranked = rank_changes(comparison)
    anchors = {id(each): f"c{at}" for at, each in enumerate(comparison.clauses)}
    sections = []
    for section, changes in ranked.sections.items():
        entries = [
            Entry(anchors[id(each.clauses[0])], "Throughout", (describe_repeated(each),))
            for each in ranked.repeated
            if each.section is section
        ]
        if section is Section.NUMBERING:
            lines = renumbered_lines([each for each in changes if each.is_renumbered])
            entries += [Entry("", line, ()) for line in lines]
        elif section is Section.SPACING and changes:
            noun = "clause" if len(changes) == 1 else "clauses"
            entries.append(Entry("", f"{len(changes):,} {noun}", ()))
        elif section is not Section.SPACING:
            entries += [
                Entry(anchors[id(each)], name_clauses(comparison, each), _facts(comparison, each))
                for each in changes
            ]
        if entries:
            sections.append((SECTION_TITLES[section], entries))
    return sections


def _facts(comparison: Comparison, change: ClauseChange) -> tuple[str, ...]:
    facts = describe_values(comparison, change)
    if not facts:
        facts = [
            describe_words(comparison, each)
            for each in change.changes[:2]
            if change.relation is Relation.CHANGED
        ]
    relation = describe_relation(change)
    facts += [relation] if relation != "changed" else []
    return tuple(filter(None, [*facts, describe_versions(change.versions)]))


def _groups(comparison: Comparison) -> list[RowGroup]:
    groups: list[RowGroup] = []
    for at, each in enumerate(comparison.clauses):
        section = change_section(each)
        folded = section in (None, Section.SPACING)
        row = Row(
            f"c{at}",
            name_clauses(comparison, each),
            "moved" if each.is_moved else each.relation.value,
            tuple(filter(None, [describe_relation(each), describe_versions(each.versions)])),
            mark_side(each, comparison.before.text, is_after=False),
            mark_side(each, comparison.after.text, is_after=True),
            section in (Section.NUMBERING, Section.SIGNS),
        )
        if groups and groups[-1].folded == folded:
            groups[-1].rows.append(row)
        else:
            groups.append(RowGroup([row], folded))
    return [RowGroup(each.rows, each.folded and len(each.rows) > _FEW) for each in groups]
