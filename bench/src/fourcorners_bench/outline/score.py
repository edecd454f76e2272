"""Outlines against the audited truth: the top level, nodes by place and label, and parents."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import TYPE_CHECKING, cast

from fourcorners.outline.tree import NodeKind
from fourcorners_bench.measures.statistics import bootstrap_interval, ratio, wilson_interval
from fourcorners_bench.measures.tables import figure_table
from fourcorners_bench.outline.loader import (
    FRAME,
    AuditedNode,
    AuditedOutline,
    OutlineAnswer,
    OutlineNode,
)
from fourcorners_bench.record import Json, json_figures
from fourcorners_bench.run_files import index_lines, require_line

if TYPE_CHECKING:
    from rich.table import Table

_DROPPED = frozenset({"article", "section", "clause", "paragraph", "recital"})
_ATTACHED = frozenset({"schedule", "exhibit", "annex", "appendix", "attachment", "addendum"})
_TAIL = r"[)\].:]*[\s\"“”'*\[]*"


def normal_label(label: str) -> tuple[str, ...]:
    """Return a label as a lawyer compares it: `Section 7.2(a)` and `7.2.a.` are the same.

    The words article, section, clause, paragraph and recital fall away, as do leading zeros and
    the `.0` of `7.0`; letters keep their case.
    """
    parts = [
        part.lower() if part.lower() in _ATTACHED else part.lstrip("0") or "0"
        for part in re.findall(r"[A-Za-z]+|\d+", label)
        if part.lower() not in _DROPPED
    ]
    return tuple(parts[:-1] if len(parts) > 1 and parts[-1] == "0" else parts)


def _labelled(label: str, node: AuditedNode, within: AuditedNode | None = None) -> bool:
    """Whether a label is the node's: its own, or with that of its attachment before it."""
    normal = normal_label(label)
    before = [(), *(normal_label(right) for right in within.labels)] if within else [()]
    return any(normal == first + normal_label(right) for first in before for right in node.labels)


def _starts(start: int, node: AuditedNode, text: str) -> bool:
    """Whether `start` is the node's, give or take its own label and white space."""
    return any(
        first <= start <= last
        for place in node.places
        for label in node.labels
        for first, last in [_reach(text, place.start, label)]
    )


def _reach(text: str, start: int, label: str) -> tuple[int, int]:
    """Return the first and last offset at which a node with this label here may be said to start.

    That is from the white space before it to its first word after the label.
    """
    first = start
    while first and text[first - 1] in " \t\r\n\f\xa0\"“”'*":
        first -= 1
    parts = re.findall(r"[A-Za-z]+|\d+", label)
    last = start
    for skipped in range(len(parts)):
        words = r"[\W_]*?".join(map(re.escape, parts[skipped:]))
        if found := re.compile(rf"[\W_]*?(?:[A-Za-z]+\W+)?{words}{_TAIL}", re.I).match(text, start):
            last = found.end()
            break
    return first, last


def _of_kind(node: OutlineNode, audited: AuditedNode) -> bool:
    if not audited.kind:
        return True
    if audited.kind in FRAME:
        return node.kind == audited.kind or (not node.label and node.kind not in FRAME)
    return node.kind not in FRAME and _labelled(node.label, audited)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One place where the parser and the auditor part."""

    aspect: str
    label: str
    start: int
    predicted: str = ""


@dataclass(frozen=True, slots=True)
class OutlineVerdict:
    """How one contract's outline compares; counts add up over contracts.

    Attributes:
        top: How many nodes of the top level are asked for, and of them `top_found` anywhere.
        deep: How many deeper labels are asked for; of them `deep_found` at their place with
            their label, and of those `deep_right` with the right parent.
        spurious: Nodes where the auditor looked and saw none.
        lost: Places of the truth that the text of today no longer has.
    """

    name: str
    source: str
    flat: bool
    top: int
    top_found: int
    deep: int
    deep_found: int
    deep_right: int
    spurious: int
    disagreements: tuple[Disagreement, ...]
    lost: int = 0

    @property
    def is_top_right(self) -> bool:
        """Whether the top level is wholly right: nothing missing, nothing that is not there."""
        return not any(each.aspect in ("missing", "extra") for each in self.disagreements)


def judge_outline(audited: AuditedOutline, outlined: OutlineAnswer, text: str) -> OutlineVerdict:
    audited = audited.place_in(text)
    matched: dict[int, int] = {}  # index of the parser's node -> index in audited.top
    for place, node in enumerate(audited.top):
        for index in _candidates(outlined, node, text):
            if index not in matched and _of_kind(outlined.nodes[index], node):
                matched[index] = place
                break
    highest = _highest(audited, outlined, matched)
    differences: list[Disagreement] = []
    found = 0
    at_top = {matched[index] for index in highest if index in matched}
    anywhere = set(matched.values())
    for place, node in enumerate(audited.top):
        if node.optional:
            continue
        found += place in anywhere
        if place not in at_top:
            reason = "deeper" if place in anywhere else _instead(outlined, node, text)
            differences.append(
                Disagreement("missing", node.labels[0] or node.kind, node.places[0].start, reason)
            )
    extra = [index for index in highest if index not in matched]
    differences += [
        Disagreement("extra", node.label or node.kind, node.start)
        for node in map(outlined.nodes.__getitem__, extra)
    ]
    deep = [_deep(node, audited, outlined, text) for node in audited.deep]
    differences += [each for each in deep if each]
    wrong = {node.start for node in outlined.nodes if not _is_text(node)} & {
        place.start for place in audited.nothing
    }
    differences += [Disagreement("no node", "", start) for start in sorted(wrong)]
    deep_starts = {place.start for node in audited.deep for place in node.places}
    spurious = wrong | {outlined.nodes[index].start for index in extra} - deep_starts
    return OutlineVerdict(
        name=audited.name,
        source=audited.source,
        flat=audited.flat,
        top=sum(not node.optional for node in audited.top),
        top_found=found,
        deep=len(audited.deep),
        deep_found=sum(each is None or each.aspect == "parent" for each in deep),
        deep_right=sum(each is None for each in deep),
        spurious=len(spurious),
        disagreements=tuple(differences),
        lost=audited.lost,
    )


def _candidates(outlined: OutlineAnswer, node: AuditedNode, text: str) -> list[int]:
    """Return the parser's nodes that start where the audited one does, the highest first."""
    here = [
        index
        for index, each in enumerate(outlined.nodes)
        if not _is_text(each) and _starts(each.start, node, text)
    ]
    return sorted(here, key=lambda index: outlined.depth(index))


def _highest(
    audited: AuditedOutline, outlined: OutlineAnswer, matched: Mapping[int, int]
) -> list[int]:
    """Return the nodes of the top level.

    Titles and bare paragraphs (no label, no heading: mere text) fall away, and wrappers give way
    to their children.
    """
    through = {
        index
        for index, node in enumerate(outlined.nodes)
        if node.kind == NodeKind.TITLE.value
        or (index in matched and audited.top[matched[index]].is_wrapper)
    }
    top = [
        index
        for index, node in enumerate(outlined.nodes)
        if node.parent is None or node.parent in through
    ]
    return [index for index in top if not _is_text(outlined.nodes[index])]


def _is_text(node: OutlineNode) -> bool:
    return node.kind == NodeKind.TITLE.value or (
        node.kind == NodeKind.PARAGRAPH.value and not node.label and not node.heading
    )


def _instead(outlined: OutlineAnswer, node: AuditedNode, text: str) -> str:
    here = _candidates(outlined, node, text)
    return f"labelled {outlined.nodes[here[0]].label!r}" if here else "no node there"


def _deep(
    node: AuditedNode, audited: AuditedOutline, outlined: OutlineAnswer, text: str
) -> Disagreement | None:
    """Judge a deeper label: None if it is there with the right parent."""
    label, start = node.labels[0], node.places[0].start
    within = _attachment(audited, start)
    here = _candidates(outlined, node, text)
    named = [index for index in here if _labelled(outlined.nodes[index].label, node, within)]
    if not named:
        parent_label = f"labelled {outlined.nodes[here[0]].label!r}" if here else "no node there"
        return Disagreement("label" if here else "not found", label, start, parent_label)
    parents = _parents(node, audited)
    for index in named:
        above = outlined.nodes[index].parent
        if above is not None and _is_parent(outlined.nodes[above], parents, within, text):
            return None
    above = outlined.nodes[named[0]].parent
    parent_label = (
        "none" if above is None else outlined.nodes[above].label or outlined.nodes[above].kind
    )
    return Disagreement(
        "parent", label, start, f"{parent_label} instead of {node.parent or 'recitals'}"
    )


def _attachment(audited: AuditedOutline, start: int) -> AuditedNode | None:
    """Return the schedule or exhibit that contains a place, if there is one."""
    before = [node for node in audited.top if node.places[0].start <= start]
    attached = [node for node in before if node.kind == NodeKind.SCHEDULE.value]
    return attached[-1] if attached else None


def _parents(node: AuditedNode, audited: AuditedOutline) -> list[AuditedNode]:
    """Return the nodes of which any is right as the parent of a deeper label."""
    if not node.parents:
        return [AuditedNode((node.parent,), ())]
    starts = {place.start for place in node.parents}
    known = [each for each in audited.top if starts & {place.start for place in each.places}]
    bare = [AuditedNode((node.parent,), (place,)) for place in node.parents]
    return [*known, *bare]


def _is_parent(
    above: OutlineNode, parents: Sequence[AuditedNode], within: AuditedNode | None, text: str
) -> bool:
    return any(
        _starts(above.start, parent, text)
        if parent.places
        else _labelled(above.label, parent, within)
        for parent in parents
    )


def score_outlines(
    truth: Sequence[AuditedOutline], run: Sequence[OutlineAnswer], texts: Mapping[str, str]
) -> list[OutlineVerdict]:
    """Judge a run on the audited contracts of which `texts` holds the text.

    Raises:
        ConfigError: If the run holds no line for one of them, or two.
    """
    answers = index_lines(run, lambda line: line.name)
    return [
        judge_outline(each, require_line(answers, each.name), texts[each.name])
        for each in truth
        if each.name in texts
    ]


def node_recall(verdicts: Sequence[OutlineVerdict]) -> float:
    """Return the share of the audited nodes, top and deeper, that were found by place and label."""
    wanted = sum(each.top + each.deep for each in verdicts)
    return ratio(sum(each.top_found + each.deep_found for each in verdicts), wanted)


def node_precision(verdicts: Sequence[OutlineVerdict]) -> float:
    """Return the share of nodes that are right, where the auditor has looked."""
    found = sum(each.top_found + each.deep_found for each in verdicts)
    return ratio(found, found + sum(each.spurious for each in verdicts))


def node_f1(verdicts: Sequence[OutlineVerdict]) -> float:
    precision, recall = node_precision(verdicts), node_recall(verdicts)
    return ratio(2 * precision * recall, precision + recall)


def deep_parent_share(verdicts: Sequence[OutlineVerdict]) -> float:
    """Return the share of the deeper labels that were found, with the right parent."""
    return ratio(sum(each.deep_right for each in verdicts), sum(each.deep for each in verdicts))


_MEASURES: Mapping[str, Callable[[Sequence[OutlineVerdict]], float]] = {
    "node_f1": node_f1,
    "node_precision": node_precision,
    "node_recall": node_recall,
    "deep_parent": deep_parent_share,
}


def outline_summary(run: Sequence[OutlineAnswer]) -> dict[str, Json]:
    """Return what can be said of a run of outlines without a truth."""
    trusted = [each for each in run if each.nodes]
    depths = [max(map(each.depth, range(len(each.nodes)))) + 1 for each in trusted]
    return {
        "contracts": len(run),
        "above_floor": round(ratio(len(trusted), len(run)), 4),
        "confidence": round(mean([each.confidence for each in run] or [0.0]), 4),
        "nodes": round(mean([len(each.nodes) for each in trusted] or [0.0]), 1),
        "depth": round(mean(depths or [0.0]), 2),
    }


def outline_measures(sets: Mapping[str, Sequence[OutlineVerdict]]) -> dict[str, Json]:
    """Return how outlines compare with the audited sets, by name, with 95% intervals."""
    verdicts = [each for audited in sets.values() for each in audited]
    parts: dict[str, Sequence[OutlineVerdict]] = {
        "all": verdicts,
        "flat": [each for each in verdicts if each.flat],
        "text": [each for each in verdicts if each.source == "text"],
        "pdf": [each for each in verdicts if each.source == "pdf"],
    }
    return {
        **{name: _figures(part) for name, part in parts.items() if part},
        "sets": {name: _figures(part) for name, part in sets.items() if part},
        "places_lost": sum(each.lost for each in verdicts),
        "disagreements": [
            {
                "name": verdict.name,
                "what": each.aspect,
                "label": each.label,
                "start": each.start,
                "said": each.predicted,
            }
            for verdict in verdicts
            for each in verdict.disagreements
        ],
    }


def _figures(verdicts: Sequence[OutlineVerdict]) -> dict[str, Json]:
    right = sum(each.is_top_right for each in verdicts)
    figures: dict[str, Json] = {
        "contracts": len(verdicts),
        "top_right": round(right / len(verdicts), 4),
        "top_right_interval": json_figures(wilson_interval(right, len(verdicts))),
    }
    for name, measure in _MEASURES.items():
        figures[name] = round(measure(verdicts), 4)
        interval = bootstrap_interval(verdicts, measure, samples=400)
        figures[f"{name}_interval"] = json_figures(interval)
    return figures


def outline_table(measures: Mapping[str, Json]) -> Table:
    heads = ("", "top level right", "95%", "node F1", "deeper labels, parent right")
    title = "Outlines, audited"
    table = figure_table(title, "Contracts", *heads, wrap_words=True, wrap_figures=True, boxed=True)
    sets = cast("Mapping[str, Json]", measures["sets"])
    rows = {**sets, **{name: measures.get(name) for name in ("text", "pdf", "flat", "all")}}
    for name, figures in rows.items():
        if not isinstance(figures, Mapping):
            continue
        low, high = cast("list[float]", figures["top_right_interval"])
        table.add_row(
            name,
            f"{figures['contracts']}",
            f"{figures['top_right']:.1%}",
            f"{low:.0%} to {high:.0%}",
            f"{figures['node_f1']:.1%}",
            f"{figures['deep_parent']:.1%}",
            style="bold" if name == "all" else None,
            end_section=name == [*sets][-1],
        )
    return table
