"""The marked text of a comparison as PDF, for those who have no Word: set by Typst, as data."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from fourcorners.comparison.comparison import Clause, ClauseChange, Comparison, Relation
from fourcorners.comparison.marking import BREAK, mark_words
from fourcorners.comparison.ranking import change_section
from fourcorners.documents.document import Document, MarkKind
from fourcorners.documents.media_types import MediaType
from fourcorners.reports.comparison.phrases import count_changes, describe_no_change
from fourcorners.reports.lines import BREAK as LINE_BREAK
from fourcorners.reports.lines import is_right_to_left
from fourcorners.reports.typesetting import LONG_IN_QUOTE, Json, TypesetFile, add_breaks, typeset
from fourcorners.text.invisible_characters import show_invisible, single_line
from fourcorners.text.span import Span, intersect_spans
from fourcorners.text.word_differences import Edit, EditKind

_TEMPLATE: Final = Path(__file__).parent.parent / "assets" / "comparison.typ"
_STRONG: Final = (MarkKind.BOLD, MarkKind.HEADING, MarkKind.LARGE)
_TONES: Final = {EditKind.EQUAL: "same", EditKind.DELETE: "gone", EditKind.INSERT: "come"}
_WHOLE: Final = frozenset({Relation.ADDED, Relation.REMOVED, Relation.REPLACED})
_WIDEST: Final = 8  # characters of a number that has its own column
_DEEPEST: Final = 3  # levels that are indented


@dataclass(frozen=True, slots=True)
class _Run:
    """Words that are set alike: what became of them, and whether they are bold."""

    tone: str
    bold: bool
    text: str


def comparison_pdf(comparison: Comparison, created: datetime) -> TypesetFile:
    """Return the text of the second version with all changes marked, and a summary at the end.

    Raises:
        ConfigError: If the extra `pdf` is not installed.
    """
    blocks = list(_blocks(comparison))
    tones = Counter[str]()
    for block in blocks:
        runs = [*block.number, *block.runs]
        # Words in a row of one kind are one change, as a person counts them.
        for at, run in enumerate(runs):
            tones[run.tone] += not at or runs[at - 1].tone != run.tone
    data = {
        "before": single_line(comparison.before.name),
        "after": single_line(comparison.after.name),
        "created": f"{created.day} {created:%B %Y, %H:%M}",
        "day": [created.year, created.month, created.day],
        "blocks": [block.json for block in blocks],
        "words": [
            ["Insertions", f"{tones['come']:,}"],
            ["Deletions", f"{tones['gone']:,}"],
            ["Moved clauses", f"{sum(each.is_moved for each in comparison.clauses):,}"],
        ],
        "clauses": [[what.capitalize(), f"{count:,}"] for what, count in count_changes(comparison)],
        "versions": [
            [number, single_line(each.after.name), _count_changed(comparison, number)]
            for number, each in comparison.rounds.items()
        ],
        "notes": [*map(single_line, comparison.warnings), *_sameness(comparison)],
    }
    return typeset(_TEMPLATE, {"comparison": json.dumps(data, ensure_ascii=False)}, created)


def _count_changed(comparison: Comparison, number: int) -> int:
    return sum(number in each.versions for each in comparison.clauses)


def _sameness(comparison: Comparison) -> Iterator[str]:
    if not any(map(change_section, comparison.clauses)):
        yield describe_no_change(comparison)
    elif comparison.left_out:
        yield f"{comparison.left_out[0].upper()}{comparison.left_out[1:]}."


@dataclass(frozen=True, slots=True)
class _Block:
    """A clause, or several that belong together, as it is set."""

    style: str
    level: int
    number: Sequence[_Run]
    runs: Sequence[_Run]
    is_changed: bool
    is_whole: bool
    versions: Sequence[int] = ()
    place: str = ""

    @property
    def json(self) -> Json:
        is_table = self.style == "table"
        return {
            "style": self.style,
            "level": self.level,
            "number": [_json(each) for each in self.number],
            "runs": [] if is_table else [_json(each) for each in self.runs],
            "rows": list(_rows(self.runs)) if is_table else [],
            "rtl": is_right_to_left("".join(each.text for each in self.runs)),
            "changed": self.is_changed,
            "whole": self.is_whole,
            "versions": ", ".join(map(str, self.versions)),
            "place": self.place,
        }


def _blocks(comparison: Comparison) -> Iterator[_Block]:
    """Yield all clauses in the order of the second version.

    A moved one is where it is now, and where it was.
    """
    setter = _Setter(comparison)
    left = _places_left(comparison.clauses)
    yield from map(setter.set_former, left[None])
    for change in comparison.clauses:
        yield from setter.set_change(change)
        yield from map(setter.set_former, left[id(change)])


def _places_left(changes: Sequence[ClauseChange]) -> Mapping[int | None, list[ClauseChange]]:
    """Return which clauses have left the place after each other one."""
    ordered = sorted((e for e in changes if e.before), key=lambda e: e.before[0].span)
    left: dict[int | None, list[ClauseChange]] = defaultdict(list)
    last: int | None = None
    for each in ordered:
        if _is_shown_moved(each):
            left[last].append(each)
        elif not each.is_moved:
            last = id(each)
    return left


def _is_shown_moved(change: ClauseChange) -> bool:
    return change.is_moved and change.relation not in _WHOLE


class _Setter:
    """What makes blocks of the clauses of one comparison."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison
        sides = (comparison.before, comparison.after)
        self._strong = [_spans(each, *_STRONG) for each in sides]
        self._tables = [_spans(each, MarkKind.TABLE) for each in sides]
        self._has_title = False
        # Elsewhere lines end where they are full.
        is_word = all(each.media_type == MediaType.DOCX.value for each in sides)
        self._line_end = "\n" if is_word else BREAK

    def set_change(self, change: ClauseChange) -> Iterator[_Block]:
        edits = mark_words(self._comparison, change)
        if change.relation is Relation.REPLACED:
            halves = ((change.before, edits[:1]), (change.after, edits[1:]))
            for clauses, half in halves:
                is_after = clauses is change.after
                yield self._set(change, clauses[0], half, is_after=is_after, shared="same")
            return
        is_after = bool(change.after) and change.relation is not Relation.MERGED
        clause = (change.after if is_after else change.before)[0]
        shared = "moved" if _is_shown_moved(change) else "same"
        yield self._set(change, clause, edits, is_after=is_after, shared=shared)

    def set_former(self, change: ClauseChange) -> _Block:
        """Return a moved clause where it was."""
        span = Span(change.before[0].span.start, change.before[-1].span.end)
        words = [Edit(EditKind.EQUAL, span.text_in(self._comparison.before.text))]
        return self._set(change, change.before[0], words, is_after=False, shared="left")

    def _set(
        self,
        change: ClauseChange,
        clause: Clause,
        edits: Sequence[Edit],
        *,
        is_after: bool,
        shared: str,
    ) -> _Block:
        document = self._comparison.after if is_after else self._comparison.before
        other = EditKind.DELETE if is_after else EditKind.INSERT
        numbered = clause.number.end - clause.span.start if clause.written else 0
        number: list[_Run] = []
        runs: list[_Run] = []
        at = clause.span.start
        for edit in edits:
            tone = shared if edit.kind is EditKind.EQUAL else _TONES[edit.kind]
            if edit.kind is other:
                # An earlier number is with the number, words that went are with the words.
                is_number = at < clause.span.start + numbered
                (number if is_number else runs).append(_Run(tone, False, edit.text))
                continue
            rest = edit.text
            if at < clause.span.start + numbered:
                length = clause.span.start + numbered - at
                number.append(_Run(tone, False, rest[:length]))
                at += len(rest[:length])
                rest = rest[length:]
            for text, is_bold in self._emphasise(document, at, rest, is_after=is_after):
                runs.append(_Run(tone, is_bold, text))
            at += len(rest)
        is_table = any(each.overlaps(clause.span) for each in self._tables[is_after])
        if len(clause.written) > _WIDEST or is_table:
            number, runs = [], [*number, *runs]
        is_changed = shared != "same" or any(each.kind is not EditKind.EQUAL for each in edits)
        return _Block(
            style="table" if is_table else self._style(document, clause),
            level=_level(clause),
            number=self._lines(number),
            runs=runs if is_table else _strip(self._lines(runs)),
            is_changed=is_changed,
            is_whole=shared != "same" or change.relation in _WHOLE,
            versions=change.versions,
            place=""
            if clause.written or clause.heading or not _is_margin(clause)
            else clause.under,
        )

    def _emphasise(
        self, document: Document, at: int, text: str, *, is_after: bool
    ) -> Iterator[tuple[str, bool]]:
        """Yield a text in parts, each bold or not, if it is at a place of the document."""
        if not document.text.startswith(text, at):
            yield text, False
            return
        end = at + len(text)
        for span in intersect_spans(self._strong[is_after], [Span(at, end)]):
            yield document.text[at : span.start], False
            yield span.text_in(document.text), True
            at = span.end
        yield document.text[at:end], False

    def _style(self, document: Document, clause: Clause) -> str:
        words = Span(max(clause.number.end, clause.span.start), clause.span.end)
        own = " ".join(words.text_in(document.text).split())
        if not clause.heading or not own.endswith(clause.heading):
            return "plain"
        is_first = not clause.label and not self._has_title
        self._has_title = self._has_title or is_first
        return "title" if is_first else "heading"

    def _lines(self, runs: Sequence[_Run]) -> list[_Run]:
        """Return runs with line ends only where a person ended a line."""
        found = []
        for run in runs:
            text = LINE_BREAK.sub(self._line_end, run.text.replace(BREAK, self._line_end))
            parts = text.split(self._line_end)
            text = "\n".join(map(_one_space, parts))
            if text:
                found.append(_Run(run.tone, run.bold, text))
        return found


def _one_space(text: str) -> str:
    """Return a text with one space for any white space, also at its ends."""
    return " ".join(f"|{text}|".split())[1:-1]


def _strip(runs: list[_Run]) -> list[_Run]:
    """Return runs without the space that parts them from a number."""
    if not runs:
        return runs
    first = runs[0]
    return [_Run(first.tone, first.bold, first.text.lstrip()), *runs[1:]]


def _is_margin(clause: Clause) -> bool:
    return clause.under in ("Header", "Footer", "Footnote", "Endnote", "Text box")


def _level(clause: Clause) -> int:
    """Return how far a clause is indented: by the parts of its number in brackets.

    One without a number is indented as the words of the clause that it belongs to.
    """
    if not clause.written:
        return int(clause.under[:1].isdigit() and not clause.heading)
    return min(_DEEPEST, clause.label.count("(")) if clause.label[:1].isdigit() else 0


def _spans(document: Document, *kinds: MarkKind) -> list[Span]:
    return [each.span for each in document.marks if each.kind in kinds]


def _json(run: _Run) -> Json:
    return [run.tone, run.bold, add_breaks(show_invisible(run.text), LONG_IN_QUOTE)]


def _rows(runs: Sequence[_Run]) -> Iterator[Json]:
    """Yield a table's rows: of each cell its runs."""
    row: list[list[_Run]] = [[]]
    for run, separator in _cut(runs):
        if run.text:
            row[-1].append(_Run(run.tone, run.bold, _one_space(run.text)))
        if separator == "\n":
            if any(each.text.strip() for cell in row for each in cell):
                yield [[_json(each) for each in cell] for cell in row]
            row = [[]]
        elif separator:
            row.append([])
    if any(row):
        yield [[_json(each) for each in cell] for cell in row]


def _cut(runs: Sequence[_Run]) -> Iterator[tuple[_Run, str]]:
    """Yield parts of runs within one cell, each with the separator after it, if one follows.

    Words that went from several cells are each in the cell that has words in their place.
    """
    at = 0
    while at < len(runs):
        pieces = _pieces(runs[at])
        other = _pieces(runs[at + 1]) if at + 1 < len(runs) else []
        replaced = runs[at].tone == "gone" and at + 1 < len(runs) and runs[at + 1].tone == "come"
        if replaced and [end for _, end in pieces] == [end for _, end in other]:
            for (gone, _), (come, separator) in zip(pieces, other, strict=True):
                yield gone, ""
                yield come, separator
            at += 2
        else:
            yield from pieces
            at += 1


def _pieces(run: _Run) -> list[tuple[_Run, str]]:
    lines = [line.split("|") for line in run.text.split("\n")]
    found = []
    for number, cells in enumerate(lines, 1):
        last = "\n" if number < len(lines) else ""
        ends = ["|"] * (len(cells) - 1) + [last]
        found += [
            (_Run(run.tone, run.bold, cell), end) for cell, end in zip(cells, ends, strict=True)
        ]
    return found
