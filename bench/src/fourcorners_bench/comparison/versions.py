"""Second versions of real contracts, made with edits of every kind whose places are known.

Clauses after one that comes, goes, moves,
is split or merged are renumbered, as a word processor does, and so are the references to them.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span
from fourcorners_bench.comparison.edited_clauses import (
    SENTENCE,
    EditedClause,
    KnownKind,
    WordEdits,
    is_eligible,
    next_label,
    read_clauses,
    shift_label,
)

_PATTERNS = load_patterns("fourcorners_bench.comparison", "versions")
_REFERENCE = _PATTERNS["reference"]
_QUOTED = _PATTERNS["quoted"]
_LINE = _PATTERNS["line"]

_LEAST_CLAUSES = 40  # clauses of a contract that is edited, so that edits lie apart
_LEASTSENTENCE = 60  # characters of either part of a clause that is split
_FAR = 4  # clauses that a moved one passes over, at least
_EDITS = 2  # edits of each kind in a pair
_AGAIN = 0.4  # share of the moved and edited clauses whose words are edited once more
_DOUBLE = 0.3  # share of the clauses that come or go with the one after them
_SPACED = 0.25  # share of the pairs in which spaces, quotation marks and lines differ throughout


@dataclass(frozen=True, slots=True)
class KnownEdit:
    """One edit and where it is: of words those that go and come, else the whole clauses."""

    kind: KnownKind
    before: tuple[Span, ...]
    after: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class VersionPair:
    """A contract, its made second version, and all that was done to it."""

    name: str
    before: str
    after: str
    edits: tuple[KnownEdit, ...]


@dataclass(slots=True)
class _Part:
    """What a paragraph of the second version is made of: words of a clause, or new ones."""

    clause: EditedClause | None
    span: Span
    text: str = ""


@dataclass(slots=True)
class _Paragraph:
    """A paragraph of the second version."""

    parts: list[_Part]
    space: str
    made: tuple[KnownKind, EditedClause | None] | None = None

    @property
    def clause(self) -> EditedClause | None:
        return self.parts[0].clause


def eligible(text: str) -> bool:
    """Tell whether a contract has enough numbered clauses to be edited."""
    return sum(is_eligible(each) for each in read_clauses(text)) >= _LEAST_CLAUSES


def make_version(name: str, text: str, donors: Sequence[str], seed: int) -> VersionPair:
    """Make a second version of a contract; clauses that are added come from other contracts."""
    return _Maker(name, text, donors, random.Random(f"{seed} {name}")).make()  # noqa: S311


class _Maker:
    """What makes the second version of one contract."""

    def __init__(self, name: str, text: str, donors: Sequence[str], chance: random.Random) -> None:
        self.name, self.before, self.donors, self.chance = name, text, donors, chance
        self.clauses = read_clauses(text)
        self.paragraphs = [
            _Paragraph([_Part(each, Span(0, len(each.text)))], each.end or "\n\n")
            for each in self.clauses
        ]
        self.words = WordEdits(text, chance)
        self.used: set[int] = set()  # starts of clauses that are edited or next to edited ones
        self.removed: list[EditedClause] = []
        self.spaced = False

    def make(self) -> VersionPair:
        structural = (self._add, self._remove, self._move, self._split, self._merge)
        inner = self.words.all
        for edit in structural:
            for _ in range(_EDITS):
                self._apply_beside(edit)
        for change in inner:
            for _ in range(_EDITS):
                self._apply_inside(change)
        for clause in self._edited_clauses():
            if self.chance.random() < _AGAIN:
                self.chance.choice(inner)(clause)
        self._update_references()
        self.spaced = self.chance.random() < _SPACED
        return self._render()

    # Where edits go

    def _apply_beside(self, edit: Callable[[int], bool]) -> None:
        places = list(range(len(self.paragraphs)))
        self.chance.shuffle(places)
        for at in places:
            if self._is_free(at) and edit(at):
                return

    def _apply_inside(self, change: Callable[[EditedClause], bool]) -> None:
        clauses = [each for each in self.clauses if is_eligible(each)]
        self.chance.shuffle(clauses)
        for clause in clauses:
            if clause.start not in self.used and change(clause):
                self.used.add(clause.start)
                return

    def _edited_clauses(self) -> list[EditedClause]:
        """Return the clauses that moved or whose words were edited."""
        moved = [
            each.clause
            for each in self.paragraphs
            if each.made is not None and each.made[0] is KnownKind.MOVED and each.clause is not None
        ]
        kinds = frozenset({KnownKind.WORD, KnownKind.NUMBER, KnownKind.NEGATION, KnownKind.PARTY})
        edited = [each for each in self.clauses if any(kind in kinds for *_, kind in each.replaced)]
        return [*moved, *edited]

    def _is_free(self, at: int) -> bool:
        clause = self.paragraphs[at].clause
        return (
            clause is not None
            and is_eligible(clause)
            and 0 < at < len(self.paragraphs) - 1
            and all(self._is_unused(near) for near in (at - 1, at, at + 1))
        )

    def _is_unused(self, at: int) -> bool:
        paragraph = self.paragraphs[at]
        return paragraph.clause is not None and paragraph.clause.start not in self.used

    def _use(self, *places: int) -> None:
        for at in places:
            if 0 <= at < len(self.paragraphs):
                clause = self.paragraphs[at].clause
                if clause is not None:
                    self.used.add(clause.start)

    # Edits of whole clauses

    def _add(self, at: int) -> bool:
        words = self._foreign_words()
        own = self.paragraphs[at].clause
        if words is None or own is None or (label := next_label(own.new_label)) is None:
            return False
        self._use(at - 1, at, at + 1)
        self._shift_labels(at + 1, own.new_label, 1)
        parts = [_Part(None, Span(0, 0), f"{own.head(label)}{words}")]
        if self.chance.random() < _DOUBLE and (words := self._foreign_words()) is not None:
            parts.append(_Part(None, Span(0, 0), words))  # without a number
        self.paragraphs[at + 1 : at + 1] = [
            _Paragraph([part], "\n\n", (KnownKind.ADDED, None)) for part in parts
        ]
        return True

    def _foreign_words(self) -> str | None:
        for _ in range(20):
            clauses = read_clauses(self.chance.choice(self.donors))
            usable = [each for each in clauses if is_eligible(each) and len(each.text) < 1_500]
            if usable:
                clause = self.chance.choice(usable)
                return clause.text[clause.label_span.end :].lstrip(" .)\t")
        return None

    def _remove(self, at: int) -> bool:
        clause = self.paragraphs[at].clause
        if clause is None:
            return False
        self._use(at - 1, at, at + 1)
        self._shift_labels(at + 1, clause.new_label, -1)
        del self.paragraphs[at]
        self.removed.append(clause)
        follower = self.paragraphs[at].clause
        follows = follower is not None and follower.label == next_label(clause.label)
        if follower is not None and follows and self.chance.random() < _DOUBLE:
            self._use(at, at + 1)
            self._shift_labels(at + 1, follower.new_label, -1)
            del self.paragraphs[at]
            self.removed.append(follower)
        return True

    def _move(self, at: int) -> bool:
        clause = self.paragraphs[at].clause
        places = [
            to
            for to in range(len(self.paragraphs))
            if abs(to - at) > _FAR and self._is_free(to) and self._is_like(at, to)
        ]
        if clause is None or not places:
            return False
        to = self.chance.choice(places)
        self._use(at - 1, at, at + 1, to - 1, to, to + 1)
        self._shift_labels(at + 1, clause.new_label, -1)
        paragraph = self.paragraphs.pop(at)
        to -= to > at
        target = self.paragraphs[to].clause
        label = next_label(target.new_label) if target else None
        if target is not None and label is not None:
            self._shift_labels(to + 1, target.new_label, 1)
            clause.set_label(label)
        paragraph.made = (KnownKind.MOVED, clause)
        self.paragraphs.insert(to + 1, paragraph)
        return True

    def _is_like(self, one: int, other: int) -> bool:
        left, right = self.paragraphs[one].clause, self.paragraphs[other].clause
        if left is None or right is None:
            return False
        return left.label.count(".") == right.label.count(".") and (
            left.label[-1].isdigit() == right.label[-1].isdigit()
        )

    def _split(self, at: int) -> bool:
        clause = self.paragraphs[at].clause
        if clause is None or (label := next_label(clause.new_label)) is None:
            return False
        cuts = [
            match.end()
            for match in SENTENCE.finditer(clause.text)
            if match.end() > clause.label_span.end + _LEASTSENTENCE
            and len(clause.text) - match.end() > _LEASTSENTENCE
        ]
        if not cuts:
            return False
        cut = self.chance.choice(cuts)
        self._use(at - 1, at, at + 1)
        self._shift_labels(at + 1, clause.new_label, 1)
        first = _Paragraph(
            [_Part(clause, Span(0, len(clause.text[:cut].rstrip())))],
            "\n\n",
            (KnownKind.SPLIT, clause),
        )
        second = _Paragraph(
            [
                _Part(None, Span(0, 0), clause.head(label)),
                _Part(clause, Span(cut, len(clause.text))),
            ],
            self.paragraphs[at].space,
            (KnownKind.SPLIT, clause),
        )
        self.paragraphs[at : at + 1] = [first, second]
        return True

    def _merge(self, at: int) -> bool:
        first, second = self.paragraphs[at].clause, self.paragraphs[at + 1].clause
        if first is None or second is None or not is_eligible(second) or not self._is_free(at + 1):
            return False
        if second.label != next_label(first.label):
            return False
        self._use(at - 1, at, at + 1, at + 2)
        self._shift_labels(at + 2, second.new_label, -1)
        start = second.label_span.end
        start += len(second.text[start:]) - len(second.text[start:].lstrip(" .)\t"))
        parts = [
            _Part(first, Span(0, len(first.text))),
            _Part(None, Span(0, 0), " "),
            _Part(second, Span(start, len(second.text))),
        ]
        space = self.paragraphs[at + 1].space
        self.paragraphs[at : at + 2] = [_Paragraph(parts, space, (KnownKind.MERGED, first))]
        return True

    def _shift_labels(self, at: int, label: str, by: int) -> None:
        """Renumber what follows `label` in its series, from a paragraph on."""
        prefix, _, last = label.rpartition(".")
        expected = next_label(label)
        for paragraph in self.paragraphs[at:]:
            clause = paragraph.clause
            if clause is None or not clause.new_label:
                continue
            each = clause.new_label
            if not label[-1].isdigit():
                if each != expected:
                    return
                expected = next_label(each)
                clause.set_label(shift_label(each, by))
                continue
            own = each.split(".")
            if not each[-1].isdigit():
                continue
            depth = label.count(".")
            if ".".join(own[:depth]) != prefix or len(own) <= depth:
                return
            if int(own[depth]) <= int(last):
                return
            own[depth] = str(int(own[depth]) + by)
            clause.set_label(".".join(own))

    def _update_references(self) -> None:
        now = {
            each.label: each.new_label
            for each in self.clauses
            if each.label.count(".") and each.label != each.new_label
        }
        twice = {label for label, n in Counter(c.label for c in self.clauses).items() if n > 1}
        gone = {each.start for each in self.removed}
        for clause in self.clauses:
            if clause.start in gone:
                continue
            for match in _REFERENCE.finditer(clause.text, clause.label_span.end):
                span = Span(*match.span("label"))
                taken = any(span.overlaps(each[0]) for each in clause.replaced)
                if match["label"] in now and match["label"] not in twice and not taken:
                    clause.replace(span, now[match["label"]], KnownKind.REFERENCE)

    # The second version

    def _render(self) -> VersionPair:
        text = ""
        edits: list[KnownEdit] = []
        made: dict[tuple[KnownKind, int], tuple[list[Span], list[Span]]] = {}
        for paragraph in self.paragraphs:
            start = len(text)
            for part in paragraph.parts:
                text += part.text
                if part.clause is not None:
                    text = self._render_part(part, text, edits)
            span = Span(start, len(text))
            if paragraph.made is not None:
                kind, _ = paragraph.made
                olds = [part.clause.span for part in paragraph.parts if part.clause is not None]
                key = (kind, olds[0].start if olds else -1 - start)
                before, after = made.setdefault(key, ([], []))
                before.extend(each for each in olds if each not in before)
                after.append(span)
            text += paragraph.space
        edits += [KnownEdit(kind, tuple(b), tuple(a)) for (kind, _), (b, a) in made.items()]
        edits += [KnownEdit(KnownKind.REMOVED, (each.span,), ()) for each in self.removed]
        return VersionPair(self.name, self.before, text, tuple(edits))

    def _render_part(self, part: _Part, text: str, edits: list[KnownEdit]) -> str:
        clause = part.clause
        if clause is None:
            return text
        at = part.span.start
        for span, new, kind in sorted(clause.replaced, key=lambda each: each[0]):
            if not part.span.contains(span) or span.start < at:
                continue
            text += self._respace(clause.text[at : span.start])
            before = (span.shift(clause.start),) if span else ()
            after = (Span(len(text), len(text) + len(new)),) if new else ()
            edits.append(KnownEdit(kind, before, after))
            text += new
            at = span.end
        return text + self._respace(clause.text[at : part.span.end])

    def _respace(self, words: str) -> str:
        """Return words that no edit touches, in some pairs otherwise spaced, wrapped and quoted."""
        if not self.spaced:
            return words
        words = _QUOTED.sub("“\\g<words>”", words).replace(". ", ".  ")
        return _LINE.sub("\\g<line>\n", words)
