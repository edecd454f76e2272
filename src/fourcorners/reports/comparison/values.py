"""A comparison as values for JSON: every change with its words and places."""

from __future__ import annotations

from fourcorners.comparison.comparison import Clause, ClauseChange, Comparison, Relation
from fourcorners.comparison.ranking import Section, change_section
from fourcorners.documents.document import Document
from fourcorners.reports.comparison.phrases import count_changes, describe_words
from fourcorners.text.span import Span


def comparison_value(comparison: Comparison) -> dict[str, object]:
    """Return all that differs, by sections as they are read; what is only respaced is counted."""
    listed = [
        (section, each)
        for each in comparison.clauses
        if (section := change_section(each)) is not None and section is not Section.SPACING
    ]
    order = list(Section)
    listed.sort(key=lambda pair: order.index(pair[0]))
    return {
        "before": _document(comparison.before),
        "after": _document(comparison.after),
        "counts": dict(count_changes(comparison)),
        "spacing": sum(each.has_other_spacing for each in comparison.clauses),
        "changes": [_change(comparison, section, each) for section, each in listed],
        "warnings": list(comparison.warnings),
    }


def _document(document: Document) -> dict[str, object]:
    return {"id": document.id, "name": document.name, "path": document.path}


def _change(comparison: Comparison, section: Section, change: ClauseChange) -> dict[str, object]:
    old, new = comparison.before, comparison.after
    return {
        "section": section.value,
        "relation": change.relation.value,
        "moved": change.is_moved,
        "renumbered": change.is_renumbered,
        "before": [_clause(old, each) for each in change.before],
        "after": [_clause(new, each) for each in change.after],
        "words": [
            {
                "aspect": each.aspect.value,
                "summary": describe_words(comparison, each),
                "old": each.old,
                "new": each.new,
                "before": _place(old, each.before),
                "after": _place(new, each.after),
            }
            for each in change.changes
        ]
        if change.relation is not Relation.REPLACED
        else [],
    }


def _clause(document: Document, clause: Clause) -> dict[str, object]:
    return {
        "label": clause.label,
        "heading": clause.heading,
        "under": clause.under,
        **_place(document, clause.span),
    }


def _place(document: Document, span: Span) -> dict[str, object]:
    return {
        "start": span.start,
        "end": span.end,
        "page": document.page_of(span.start),
        "text": span.text_in(document.text),
    }
