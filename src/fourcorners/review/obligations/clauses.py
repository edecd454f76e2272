"""Read the clause to which words bind their subject."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from fourcorners.documents.number_formats import roman_number
from fourcorners.review.obligations.actors import ActorMentionKind
from fourcorners.review.obligations.obligation import UNNAMED, Actor, Obligation, ObligationKind
from fourcorners.review.obligations.subjects import (
    CLAUSE,
    EDGE,
    REACH,
    Predicate,
    SubjectReader,
)
from fourcorners.review.obligations.times import Calendar, find_conditions, find_times
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

_LEAD = 300  # characters between words that bind and the colon before a list, at most
_APART = 3_000  # characters of a point
_LENGTH = 9_000  # characters of a list


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a list: its number, and its words without the number."""

    mark: Span
    words: Span


def find_points(text: str, start: int, verb: int) -> list[Point]:
    """Return the points of the list that binding words introduce; none if they introduce no list.

    They introduce one if only the list says what must be done ("shall: (a) deliver"), or if they
    end with "the following".

    Args:
        text: The contract.
        start: Where the binding words end.
        verb: Where the action begins.
    """
    first = _PATTERNS["mark"].match(text, verb) or _PATTERNS["mark"].match(text, start)
    if first is None:
        colon = _PATTERNS["lead"].match(text, start, min(len(text), start + _LEAD))
        first = _PATTERNS["mark"].match(text, colon.end()) if colon else None
    return _points(text, first) if first else []


def find_list(text: str, end: int) -> list[Point]:
    """Return the points of the list after a colon at the end of words; empty if there is none."""
    colon = _PATTERNS["colon"].match(text, end)
    first = _PATTERNS["mark"].match(text, colon.end()) if colon else None
    return _points(text, first) if first else []


def _points(text: str, first: re.Match[str]) -> list[Point]:
    count = 1
    marks = [Span(*first.span("mark"))]
    while True:
        count += 1
        low, high = marks[-1].end, min(marks[-1].end + _APART, marks[0].start + _LENGTH, len(text))
        sign = re.escape(_sign(first, count))
        found = re.compile(rf"(?<=[\s;,.:]){sign}(?=[\s\w\"“])").search(text, low, high)
        if found is None:
            break
        marks.append(Span(*found.span()))
    if len(marks) < 2:
        return []
    ends = [each.start for each in marks[1:]]
    ends.append(_last_end(text, marks[-1].end))
    return [
        Point(mark, _trim(text, Span(mark.end, end))) for mark, end in zip(marks, ends, strict=True)
    ]


def _sign(first: re.Match[str], count: int) -> str:
    """Return the mark that a point of a number has in the list that a point begins."""
    if first["root"]:
        return f"{first['root']}{count}"
    if first["inner"] is None:
        return first["mark"]
    return first["mark"].replace(first["inner"], _number(first["inner"], count), 1)


def _number(written: str, count: int) -> str:
    if written == "1":
        return str(count)
    if written in "iI":
        roman = roman_number(count).lower()
        return roman if written == "i" else roman.upper()
    return chr(ord(written) + count - 1)


def _last_end(text: str, start: int) -> int:
    end = _PATTERNS["last"].search(text, start, min(len(text), start + _APART))
    return end.start() if end else min(len(text), start + _APART)


def _trim(text: str, span: Span) -> Span:
    span = span.strip(text)
    tail = _PATTERNS["joint"].search(text, max(span.start, span.end - 12), span.end)
    return Span(span.start, tail.start()).strip(text) if tail else span


_PATTERNS = load_patterns("fourcorners.review.obligations", "clauses")
PREDICATE = _PATTERNS["predicate"]
"""Words that may bind."""
_AHEAD = 420  # characters after binding words that hold their verb and its agent
_LONG = 600  # characters beyond which only a part of a sentence is quoted
_LONGEST = 2_000  # characters of a quote
_SHORTEST = 6  # characters of an action from which its condition is cut


@dataclass(frozen=True, slots=True)
class _Clause:
    """A predicate with its sentence.

    Attributes:
        end: Where the clause ends.
        verb: Where the verb that it governs begins.
        agreed: Who agrees to it, if it follows "agrees that".
    """

    sentence: Span
    predicate: Predicate
    end: int
    binding: Span
    verb: int
    negated: bool
    agreed: Actor | None

    @property
    def match(self) -> re.Match[str]:
        return self.predicate.match


@dataclass(frozen=True, slots=True)
class ObligationReader:
    """Reads to what the predicates of a text bind their subjects."""

    text: str
    subjects: SubjectReader
    calendar: Calendar

    def read_sentence(
        self, sentence: Span, matches: Sequence[re.Match[str]]
    ) -> Iterator[Obligation]:
        """Yield the obligations that the words of a sentence make."""
        read = self.subjects.read_sentence(sentence, matches)
        if _PATTERNS["recital"].match(self.text, sentence.start):
            return
        agreed: Actor | None = None
        for at, each in enumerate(read):
            clause = self._clause(sentence, read, at, agreed)
            made = self._judge(clause) if clause else None
            if made is not None:
                yield from self._points(made)
            if each.match["agrees"] and _PATTERNS["that"].match(self.text, each.match.end()):
                agreed = each.actor

    def _clause(
        self, sentence: Span, read: Sequence[Predicate], at: int, agreed: Actor | None
    ) -> _Clause | None:
        """Find where a clause ends and whether it forbids; None if its words do not bind."""
        each, end = read[at], self._end(sentence, read, at)
        match = each.match
        if match["agrees"]:
            promised = _PATTERNS["promise"].match(
                self.text, match.end(), min(len(self.text), end + 40)
            )
            if promised is None:
                return None
            binding = Span(match.start(), promised.end())
            negated = bool(promised["not"])
            return _Clause(sentence, each, end, binding, promised.end(), negated, agreed)
        verb, denied = self._verb(each.after, max(each.after, min(end, each.after + _AHEAD)))
        negated = each.negated or denied or bool(match["cannot"])
        if (match["may"] and not negated) or (negated and (match["is"] or match["has"])):
            return None
        no = _PATTERNS["not"].match(self.text, match.end())
        binding = Span(match.start(), no.end() if no else match.end())
        if match["is"] and "responsible" in match["is"].casefold():
            verb = match.start("is") + match["is"].casefold().index("responsible")
        return _Clause(sentence, each, end, binding, verb, negated, agreed)

    def _end(self, sentence: Span, read: Sequence[Predicate], at: int) -> int:
        """Return where the clause of a predicate ends."""
        each = read[at]
        end = min(sentence.end, each.after + CLAUSE)
        stop = _PATTERNS["stop"].search(self.text, each.match.end(), end)
        if stop:
            end = stop.start()
        for other in islice(read, at + 1, None):
            if other.match.start() >= end:
                break
            if other.start is not None:
                own = other.start if other.opening is None else other.opening.start
                begin = own if each.after < own < other.start else other.start
                end = min(end, max(begin, each.after))
                break
            low = max(each.after, other.match.start() - 120)
            parts = [*_PATTERNS["joined"].finditer(self.text, low, other.match.start())]
            if parts:
                end = min(end, parts[-1].start())
                break
        tail = _PATTERNS["tail"].search(self.text, max(each.after, end - 24), end)
        return tail.start() if tail else end

    def _verb(self, at: int, end: int) -> tuple[int, bool]:
        """Return where the verb after binding words begins, and whether it is negated."""
        denied = False
        while at < end:
            piece = _PATTERNS["filler"].match(self.text, at, end)
            if piece is None or piece.end() == at:
                break
            denied |= bool(piece["not"])
            at = piece.end()
        return at, denied

    def _judge(self, clause: _Clause) -> Obligation | None:
        """Return the obligation that a clause makes, if it makes one."""
        text, verb, end = self.text, clause.verb, clause.end
        falls = _PATTERNS["falls_to"].match(text, verb, end)
        bearer = self.subjects.mention_after(falls.end()) if falls else None
        if bearer is not None:
            return self._make(clause, bearer.actor, Span(self._subject_start(clause), end))
        is_modal = clause.match["modal"] or clause.match["may"] or clause.match["cannot"]
        passive = _PATTERNS["passive"].match(text, verb, end) if is_modal else None
        if passive and not _PATTERNS["bound"].match(text, verb, end):
            return self._passive(clause, passive)
        actor = clause.predicate.actor
        if actor is None:
            return None
        no_duty = _PATTERNS["no_duty"].match(text, verb, end)
        if no_duty and not (clause.match["agrees"] and _PATTERNS["has"].match(text, verb, end)):
            return None
        if clause.negated and _PATTERNS["no_prohibition"].match(text, verb, end):
            return None
        if _PATTERNS["barred"].match(text, verb, end):
            clause = replace(clause, negated=True)
        while verb < end and text[verb] in " ,\n\t":
            verb += 1
        action = Span(verb, max(verb, end)).strip(text)
        if not action and not find_points(text, clause.binding.end, verb):
            return None
        return self._make(clause, actor, action)

    def _passive(self, clause: _Clause, passive: re.Match[str]) -> Obligation | None:
        """Read "shall be done": the bound party follows "by", or is not named."""
        text, match, done = self.text, clause.match, passive.start("done")
        if _PATTERNS["no_act"].match(text, done, clause.end):
            return None
        start = clause.predicate.start
        start = self._subject_start(clause) if start is None else start
        low = start
        if clause.predicate.actor is None:  # its object may precede the words that it continues
            low = max(clause.sentence.start, match.start() - REACH)
        subject = text[min(low, start) : match.start()]
        if _PATTERNS["nobody"].match(text, start, match.start()):
            clause = replace(clause, negated=True)
        action = Span(start, clause.end)
        agent = self._agent(passive, clause.end)
        if agent is not None:
            return self._make(clause, agent, action)
        near = max(clause.sentence.start, match.start() - 12)
        if _PATTERNS["relative"].search(text, near, match.start()):
            return None
        if clause.agreed is not None and _PATTERNS["handled"].match(text, done):
            return self._make(clause, clause.agreed, action)
        if clause.negated or _PATTERNS["no_subject"].search(subject):
            return None
        given = _PATTERNS["given"].match(text, done) and _PATTERNS["gift"].search(subject)
        if given or _PATTERNS["payment"].match(text, done):
            return self._make(clause, Actor(UNNAMED), action)
        return None

    def _agent(self, passive: re.Match[str], end: int) -> Actor | None:
        """Return by whom something must be done."""
        text = self.text
        for by in _PATTERNS["by"].finditer(text, passive.end(), min(end, passive.end() + _AHEAD)):
            if _PATTERNS["other_done"].search(text, passive.end(), by.start()):
                return None
            mention = self.subjects.mention_after(by.end())
            if mention is None or mention.kind is ActorMentionKind.PRONOUN:
                continue
            if not text.startswith(("'", "’"), mention.span.end):
                return mention.actor
        return None

    def _subject_start(self, clause: _Clause) -> int:
        """Return where a subject that is a thing begins."""
        at = clause.match.start()
        low = max(clause.sentence.start, at - REACH)
        parts = [*_PATTERNS["begins"].finditer(self.text, low, at)]
        start = parts[-1].end() if parts else low
        number = _PATTERNS["number"].match(self.text, start, at)
        return number.end() if number else start

    def _make(self, clause: _Clause, actor: Actor, action: Span) -> Obligation:
        text, predicate = self.text, clause.predicate
        action = action.strip(text)
        begin = min(predicate.match.start(), action.start)
        quote = self._quote(clause.sentence, Span(begin, action.end))
        before = self._before(predicate, quote, action)
        conditions = tuple(find_conditions(text, before, action))
        last = conditions[-1] if conditions else None
        if last and last.start > action.start and last.end >= action.end - 2:
            short = Span(action.start, last.start).strip(text)
            action = short if len(short) > _SHORTEST else action
        tail = _PATTERNS["tail"].search(text, action.start, action.end)
        action = Span(action.start, tail.start()) if tail else action
        whole = Span(min(action.start, clause.binding.end), action.end)
        times = tuple(find_times(text, before, whole, self.calendar))
        kind = ObligationKind.PROHIBITION if clause.negated else ObligationKind.DUTY
        if clause.negated:  # what must not be done falls due on no day
            times = tuple(replace(each, day=None, unless="") for each in times)
        return Obligation(kind, actor, clause.binding, action, quote, conditions, times)

    def _before(self, predicate: Predicate, quote: Span, action: Span) -> Span:
        """Return the words before a clause, as far as they are quoted."""
        end = action.start if predicate.start is None else predicate.start
        opening = predicate.opening
        if opening is None:
            opening = Span(min(quote.start, end), end)
        low = max(quote.start, opening.start)
        return Span(low, max(low, opening.end))

    def _quote(self, sentence: Span, words: Span) -> Span:
        """Return a sentence, or the part of a long one that contains some words."""
        if len(sentence) <= _LONG:
            return sentence
        low, high = max(sentence.start, words.start - _LONG), min(sentence.end, words.end + _LONG)
        before = [*_PATTERNS["part"].finditer(self.text, low, words.start)]
        after = _PATTERNS["part"].search(self.text, words.end, high)
        start = before[-1].end() if before else (low if low == sentence.start else words.start)
        end = after.start() + 1 if after else (high if high == sentence.end else words.end)
        return Span(start, min(end, start + _LONGEST)).strip(self.text)

    def _points(self, made: Obligation) -> Iterator[Obligation]:
        """Yield an obligation, or instead one for each point of the list that it leads to.

        Yields None for a point that is a sentence with a separate subject.
        """
        points = find_points(self.text, made.binding.end, made.action.start)
        if not points:
            listed = find_list(self.text, made.action.end)
            if listed:  # grounds, or what must be ensured: a single obligation
                end = min(listed[-1].words.end, made.quote.start + _LONGEST)
                made = replace(made, quote=Span(made.quote.start, max(made.quote.end, end)))
            yield made
            return
        lead = Span(min(made.quote.start, points[0].mark.start), points[0].mark.start)
        for point in points:
            if self._has_subject(point):
                return
            times = tuple(find_times(self.text, lead, point.words, self.calendar))
            yield replace(
                made,
                binding=point.mark,
                action=point.words,
                quote=point.words,
                lead=lead.strip(self.text),
                times=times,
            )

    def _has_subject(self, point: Point) -> bool:
        for match in PREDICATE.finditer(self.text, point.words.start, point.words.end):
            low = max(point.words.start, match.start() - EDGE)
            if not match["modal"] or _PATTERNS["pronoun"].search(self.text, low, match.start()):
                continue
            if self.subjects.read_subject(point.words, match) is not None:
                return True
        return False
