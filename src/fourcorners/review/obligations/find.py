"""Finds the obligations of a contract: sentence by sentence, the words that bind and whom.

A sentence binds where a party stands as the subject of words such as "shall", "agrees to" or "is
responsible for", or is named as the one by whom something shall be done. What the contract, its
words or a stranger to it shall do is none; nor is a right, or what is said in a condition.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise

from fourcorners.outline.card.card import Card
from fourcorners.outline.tree import Outline
from fourcorners.review.obligations.actors import Mention, MentionKind, Mentions, find_mentions
from fourcorners.review.obligations.obligation import UNNAMED, Actor, Obligation, ObligationKind
from fourcorners.review.obligations.points import Point, find_points
from fourcorners.review.obligations.times import find_conditions, find_times
from fourcorners.text.patterns import load_patterns
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span

_PATTERNS = load_patterns("fourcorners.review.obligations", "find")
_CLAUSE = 4_000  # characters of a clause
_REACH = 260  # characters between a subject and the words that bind it, at most
_TRIES = 4  # mentions before words that bind that may be their subject
_AHEAD = 420  # characters after words that bind in which their verb and its agent stand
_EDGE = 90  # characters before a subject that tell whether a clause begins there
_LONG = 600  # characters beyond which only the part of a sentence is quoted
_LONGEST = 2_000
_SHORTEST = 12  # characters of an action that its condition is cut from
_CONCERNED = (MentionKind.ONE, MentionKind.ALL)
_PIECES = ("aside", "adverb", "staff", "company_of", "lead_in", "dashes")


@dataclass(frozen=True, slots=True)
class _Predicate:
    """Words that may bind, with their subject, if that is one whom a contract can bind.

    Attributes:
        start: Where its clause begins: its subject, or the "and" before it; None if unknown.
        opening: Where the words before the clause begin that may hold a condition.
        that: Whether it is "agrees that".
    """

    match: re.Match[str]
    actor: Actor | None = None
    start: int | None = None
    opening: int = 0
    negated: bool = False
    inverted: bool = False
    after: int = 0

    @property
    def place(self) -> Span:
        return Span(*self.match.span())


def find_obligations(text: str, outline: Outline, card: Card) -> list[Obligation]:
    """Return the obligations of a contract in the order of its text."""
    headings = frozenset(node.heading.end for node in outline.nodes if node.heading)
    reading = _Reading(text, find_mentions(text, card, outline.terms), card, headings)
    matches = [*_PATTERNS["predicate"].finditer(text)]
    starts = [match.start() for match in matches]
    found: dict[int, Obligation] = {}
    for sentence in _cut_sentences(text, outline):
        low, high = bisect_left(starts, sentence.start), bisect_left(starts, sentence.end)
        reading.open_list(sentence)
        if low < high and not _PATTERNS["recital"].match(text, sentence.start):
            for each in reading.obligations(sentence, matches[low:high]):
                found.setdefault(each.binding.start, each)
    return [found[start] for start in sorted(found)]


def _cut_sentences(text: str, outline: Outline) -> Iterator[Span]:
    """Yield the sentences of a text, cut where a clause of the outline begins."""
    edges = sorted({node.span.start for node in outline.nodes})
    for sentence in split_sentences(text):
        low, high = bisect_left(edges, sentence.start + 1), bisect_left(edges, sentence.end)
        for start, end in pairwise([sentence.start, *edges[low:high], sentence.end]):
            part = Span(start, end).strip(text)
            if part:
                yield part


@dataclass(slots=True)
class _Reading:
    text: str
    mentions: Mentions
    card: Card
    headings: frozenset[int]  # where the headings of clauses end
    listed: Actor | None = None  # who stands before a list whose points have no subject
    said: Actor | None = None  # the subject of the sentence before, for a pronoun

    def open_list(self, sentence: Span) -> None:
        """Remember who stands at the end of a sentence that opens a list ("The Supplier:")."""
        if not _PATTERNS["point"].match(self.text, sentence.start):
            self.listed = None
        if self.text[sentence.end - 1] not in ":—–-":
            return
        for mention in self.mentions.before(sentence.end, max(sentence.start, sentence.end - 80)):
            if _PATTERNS["listing"].fullmatch(self.text, mention.span.end, sentence.end):
                self.listed = self._resolve(mention, sentence)
            return

    def obligations(
        self, sentence: Span, matches: Sequence[re.Match[str]]
    ) -> Iterator[Obligation]:
        read: list[_Predicate] = []
        main: _Predicate | None = None  # the last that stands in no relative clause
        agreed: Actor | None = None
        for match in matches:
            last = read[-1] if read else None
            if last and _PATTERNS["governed"].fullmatch(self.text, last.match.end(), match.start()):
                continue  # "shall agree to": one
            each = self._read(sentence, match, last, main)
            read.append(each)
            low = max(sentence.start, match.start() - 16)
            if not _PATTERNS["relative"].search(self.text, low, match.start()):
                main = each
        if read and read[-1].actor is not None:
            self.said = read[-1].actor
        for at, each in enumerate(read):
            end = self._end(sentence, read, at)
            made = self._judge(sentence, each, end, agreed)
            if made is not None:
                yield from self._points(made)
            if each.match["agrees"] and _PATTERNS["that"].match(self.text, each.match.end()):
                agreed = each.actor

    def _read(
        self,
        sentence: Span,
        match: re.Match[str],
        last: _Predicate | None,
        main: _Predicate | None,
    ) -> _Predicate:
        """Find the subject of words that may bind: what stands before them, or goes on."""
        text = self.text
        inverted = self._inverted(sentence, match)
        if inverted is not None:
            return inverted
        low = max(sentence.start, match.start() - _REACH, last.match.end() if last else 0)
        for _, mention in zip(range(_TRIES), self.mentions.before(match.start(), low), strict=False):
            if not self._is_gap(mention, match.start()):
                continue
            edge = self._edge(sentence, mention.span.start)
            actor = self._resolve(mention, sentence, last)
            if edge is None and mention.last and last:
                # "is the property of A, and B shall": what looks joined is not
                edge, actor = mention.last.span.start, mention.last.actor
            if edge is None or actor is None:
                continue
            opening = self._opening(sentence, last, edge)
            before = max(sentence.start, mention.span.start - _EDGE)
            nor = _PATTERNS["neither"].search(text, before, mention.span.start)
            negated = mention.negated or nor is not None
            return _Predicate(match, actor, edge, opening, negated, after=match.end())
        carried = _PATTERNS["carried"].search(text, max(low, match.start() - 60), match.start())
        if carried is None and last and last.match["modal"] and match["modal"]:
            comma = _PATTERNS["comma"].search(text, max(low, match.start() - 8), match.start())
            among = _PATTERNS["series"].match(text, match.end(), sentence.end)
            broken = _PATTERNS["break"].search(text, last.match.end(), match.start())
            carried = comma if among and not broken else None
        if carried and last and not match["modal"] and match.lastgroup != last.match.lastgroup:
            carried = None if match["is"] or match["has"] else carried
        if carried is None:
            if self.listed and _PATTERNS["point"].fullmatch(text, sentence.start, match.start()):
                return _Predicate(
                    match, self.listed, match.start(), match.start(), after=match.end()
                )
            return _Predicate(match, after=match.end())
        first = next(self.mentions.within(Span(low, match.start())), None)
        if main is not None and (main.actor is not None or first is None):
            return replace(main, match=match, start=carried.start(), after=match.end())
        if first is None or self._edge(sentence, first.span.start, strict=True) is None:
            return _Predicate(match, after=match.end())
        if _PATTERNS["break"].search(text, first.span.end, carried.start()):
            return _Predicate(match, after=match.end())
        actor = self._resolve(first, sentence)
        return _Predicate(
            match, actor, carried.start(), sentence.start, first.negated, after=match.end()
        )

    def _opening(self, sentence: Span, last: _Predicate | None, start: int) -> int:
        """Return where the words before a clause begin that belong to it."""
        if last is None:
            return sentence.start
        low = max(last.match.end(), start - _CLAUSE)
        parts = [*_PATTERNS["joined"].finditer(self.text, low, start)]
        return parts[-1].end() if parts else start

    def _inverted(self, sentence: Span, match: re.Match[str]) -> _Predicate | None:
        """Read "in no event shall Supplier …"; None where the words are in their usual order."""
        low = max(sentence.start, match.start() - _EDGE)
        turned = _PATTERNS["turned"].search(self.text, low, match.start())
        if turned is None:
            return None
        mention = self._mention_after(match.end())
        if mention and _PATTERNS["possessive"].match(self.text, mention.span.end):
            mention = None
        actor = self._resolve(mention, sentence) if mention else None
        after = mention.span.end if mention else match.end()
        return _Predicate(match, actor, turned.start(), sentence.start, True, True, after)

    def _mention_after(self, at: int) -> Mention | None:
        article = _PATTERNS["article"].match(self.text, at)
        blank = _PATTERNS["blank"].match(self.text, at)
        places = [each.end() for each in (blank, article) if each]
        return next(filter(None, map(self.mentions.at, places)), None)

    def _is_gap(self, mention: Mention, end: int) -> bool:
        """Tell whether what stands between a mention and words that bind lets it be their subject."""
        text, at = self.text, mention.span.end
        if mention.kind in _CONCERNED and _PATTERNS["concerned"].fullmatch(text, at, end):
            return True
        while at < end:
            for name in _PIECES:
                piece = _PATTERNS_BY_NAME[name].match(text, at, end)
                if piece and piece.end() > at:
                    at = piece.end()
                    break
            else:
                return bool(_PATTERNS["blank"].fullmatch(text, at, end))
        return True

    def _edge(self, sentence: Span, start: int, *, strict: bool = False) -> int | None:
        """Return where a clause begins with a mention; None if the mention does not begin one.

        `strict` asks for signs of that right before it.
        """
        text = self.text
        low = max(sentence.start, start - _EDGE)
        article = _PATTERNS["articles"].search(text, low, start)
        begin = article.start() if article else start
        if article and article.group().startswith(("The ", "Each ")):
            return begin
        before = text[low:begin].rstrip()
        if _PATTERNS["within_condition"].search(before):
            return None
        if not before or _PATTERNS["opens"].search(before) or low + len(before) in self.headings:
            return begin
        if low == sentence.start and _PATTERNS["numbered"].fullmatch(before.strip()):
            return begin
        if strict or _PATTERNS["closed"].search(before):
            return None
        if low == sentence.start and _PATTERNS["headed"].fullmatch(before):
            return begin
        if "\n" in text[low + len(before) : begin]:
            return begin
        word = before.rsplit(None, 1)[-1]
        if word.isupper() and len(word) > 3 and not text[start : start + 9].isupper():
            return begin  # after a heading in capitals
        if _PATTERNS["adverbial"].match(text, sentence.start) and not word[0].isupper():
            return begin
        return begin if word in ("Agreement", "Date", "Term", "Period") else None

    def _resolve(
        self, mention: Mention, sentence: Span, last: _Predicate | None = None
    ) -> Actor | None:
        """Return whom a mention means; a pronoun means the subject before it."""
        if mention.kind is not MentionKind.PRONOUN:
            return mention.actor
        for earlier in self.mentions.before(mention.span.start, sentence.start):
            if earlier.kind is MentionKind.PRONOUN:
                continue
            low, start = max(sentence.start, earlier.span.start - 40), earlier.span.start
            begins = self._edge(sentence, start, strict=True) is not None
            if begins or _PATTERNS["antecedent"].search(self.text, low, start):
                return earlier.actor
        if last is not None and last.actor is not None:
            return last.actor
        begun = _PATTERNS["begun"].fullmatch(self.text, sentence.start, mention.span.start)
        return self.said if begun else None

    def _end(self, sentence: Span, read: Sequence[_Predicate], at: int) -> int:
        """Return where the clause of words that bind ends."""
        each = read[at]
        end = min(sentence.end, each.after + _CLAUSE)
        stop = _PATTERNS["stop"].search(self.text, each.match.end(), end)
        if stop:
            end = stop.start()
        for other in islice(read, at + 1, None):
            if other.match.start() >= end:
                break
            if other.start is not None:
                begin = other.start if other.opening <= each.after else other.opening
                end = min(end, max(min(begin, other.start), each.after))
                break
            low = max(each.after, other.match.start() - 120)
            parts = [*_PATTERNS["joined"].finditer(self.text, low, other.match.start())]
            if parts:
                end = min(end, parts[-1].start())
                break
        tail = _PATTERNS["tail"].search(self.text, max(each.after, end - 24), end)
        return tail.start() if tail else end

    def _judge(
        self, sentence: Span, each: _Predicate, end: int, agreed: Actor | None
    ) -> Obligation | None:
        """Return the obligation that words make, if they make one."""
        text, match = self.text, each.match
        begin, no = self._verb(each.after, max(each.after, min(end, each.after + _AHEAD)))
        negated = each.negated or no
        binding = Span(match.start(), max(match.end(), self._after_not(match.end())))
        if match["may"] or match["cannot"]:
            if not (negated or match["cannot"]):
                return None
            negated = True
        if match["agrees"]:
            if each.actor is None:
                return None
            promised = _PATTERNS["promise"].match(text, match.end(), min(len(text), end + 40))
            if promised is None:
                return None
            binding = Span(match.start(), promised.end())
            negated, begin = bool(promised["not"]), promised.end()
        if negated and (match["is"] or match["has"]):
            return None
        falls = _PATTERNS["falls_to"].match(text, begin, end)
        bearer = self._mention_after(falls.end()) if falls else None
        if bearer is not None:
            start = self._subject_start(sentence, each)
            action = Span(start, end).strip(text)
            return self._make(sentence, each, bearer.actor, binding, action, negated)
        is_modal = match["modal"] or match["may"] or match["cannot"]
        passive = _PATTERNS["passive"].match(text, begin, end) if is_modal else None
        if passive and not _PATTERNS["bound"].match(text, begin, end):
            return self._passive(sentence, each, Span(begin, end), binding, passive, negated, agreed)
        if match["is"] and "responsible" in match["is"].casefold():
            begin = match.start("is") + match["is"].casefold().index("responsible")
        if each.actor is None or _PATTERNS["no_duty"].match(text, begin, end):
            return None
        if negated and _PATTERNS["no_prohibition"].match(text, begin, end):
            return None
        if _PATTERNS["barred"].match(text, begin, end):
            negated = not negated
            if not negated:
                return None
        while begin < end and text[begin] in " ,\n\t":
            begin += 1
        action = Span(begin, max(begin, end)).strip(text)
        if not action:
            return None
        return self._make(sentence, each, each.actor, binding, action, negated)

    def _after_not(self, at: int) -> int:
        no = _PATTERNS["not"].match(self.text, at)
        return no.end() if no else at

    def _verb(self, at: int, end: int) -> tuple[int, bool]:
        """Return where the verb after words that bind begins, and whether it is denied."""
        denied = False
        while at < end:
            piece = _PATTERNS["filler"].match(self.text, at, end)
            if piece is None or piece.end() == at:
                break
            denied |= bool(piece["not"])
            at = piece.end()
        return at, denied

    def _passive(
        self,
        sentence: Span,
        each: _Predicate,
        clause: Span,
        binding: Span,
        passive: re.Match[str],
        negated: bool,
        agreed: Actor | None,
    ) -> Obligation | None:
        """Read "shall be done": who is bound is named by "by", or not at all."""
        text = self.text
        if _PATTERNS["no_act"].match(text, passive.start("done"), clause.end):
            return None
        start = each.start if each.start is not None else self._subject_start(sentence, each)
        action = Span(start, clause.end).strip(text)
        agent = self._agent(passive, clause.end)
        subject = Span(max(sentence.start, min(start, each.match.start())), each.match.start())
        negated |= bool(_PATTERNS["nobody"].match(text, subject.start, subject.end))
        if agent is not None:
            return self._make(sentence, each, agent, binding, action, negated)
        if _PATTERNS["relative"].search(text, max(sentence.start, each.match.start() - 12), each.match.start()):
            return None
        if agreed is not None and _PATTERNS["handled"].match(text, passive.start("done")):
            return self._make(sentence, each, agreed, binding, action, negated)
        if negated or _PATTERNS["no_subject"].search(subject.text_in(text)):
            return None
        if _PATTERNS["payment"].match(text, passive.start("done")) or (
            _PATTERNS["given"].match(text, passive.start("done"))
            and _PATTERNS["gift"].search(subject.text_in(text))
        ):
            return self._make(sentence, each, Actor(UNNAMED), binding, action, negated)
        return None

    def _agent(self, passive: re.Match[str], end: int) -> Actor | None:
        text = self.text
        end = min(end, passive.end() + _AHEAD)
        for by in _PATTERNS["by"].finditer(text, passive.end(), end):
            between = text[passive.end() : by.start()]
            if _PATTERNS["other_done"].search(between):
                return None
            mention = self._mention_after(by.end())
            if mention is None or mention.kind is MentionKind.PRONOUN:
                continue
            if _PATTERNS["possessive"].match(text, mention.span.end):
                continue
            return mention.actor
        return None

    def _subject_start(self, sentence: Span, each: _Predicate) -> int:
        low = max(sentence.start, each.match.start() - _REACH)
        parts = [*_PATTERNS["begins"].finditer(self.text, low, each.match.start())]
        start = parts[-1].end() if parts else low
        number = _PATTERNS["point"].match(self.text, start, each.match.start())
        return number.end() if number else start

    def _make(
        self,
        sentence: Span,
        each: _Predicate,
        actor: Actor,
        binding: Span,
        action: Span,
        negated: bool,
    ) -> Obligation:
        text = self.text
        quote = self._quote(sentence, Span(min(each.match.start(), action.start), action.end))
        first = each.start if each.start is not None else action.start
        opening = Span(max(quote.start, each.opening), max(quote.start, each.opening, first))
        kind = ObligationKind.PROHIBITION if negated else ObligationKind.DUTY
        conditions = tuple(find_conditions(text, opening, action))
        times = tuple(find_times(text, opening, action, self.card))
        if conditions and conditions[-1].start > action.start and conditions[-1].end >= action.end - 2:
            short = Span(action.start, conditions[-1].start).strip(text)
            action = short if len(short) > _SHORTEST else action
        return Obligation(kind, actor, binding, action, quote, conditions, times)

    def _quote(self, sentence: Span, words: Span) -> Span:
        """Return a sentence, or of a long one the part that holds some words."""
        if len(sentence) <= _LONG:
            return sentence
        low, high = max(sentence.start, words.start - _LONG), min(sentence.end, words.end + _LONG)
        before = [*_PATTERNS["part"].finditer(self.text, low, words.start)]
        after = _PATTERNS["part"].search(self.text, words.end, high)
        start = before[-1].end() if before else (low if low == sentence.start else words.start)
        end = after.start() + 1 if after else (high if high == sentence.end else words.end)
        return Span(start, min(end, start + _LONGEST)).strip(self.text)

    def _points(self, made: Obligation) -> Iterator[Obligation]:
        """Yield an obligation, or instead one for each point of the list that it leads to."""
        points = find_points(self.text, made.binding.end, made.action.start)
        if not points:
            yield made
            return
        if self._own_subject(points[0]):
            return
        lead = Span(made.quote.start, points[0].mark.start).strip(self.text)
        for point in points:
            if self._own_subject(point):
                return
            yield replace(
                made,
                binding=point.mark,
                action=point.words,
                quote=point.words,
                lead=lead,
                times=tuple(find_times(self.text, lead, point.words, self.card)),
            )

    def _own_subject(self, point: Point) -> bool:
        """Tell whether a point of a list is a sentence of its own."""
        for match in _PATTERNS["predicate"].finditer(self.text, point.words.start, point.words.end):
            low = max(point.words.start, match.start() - _EDGE)
            if not match["modal"] or _PATTERNS["pronoun"].search(self.text, low, match.start()):
                continue
            if self._read(point.words, match, None, None).actor is not None:
                return True
        return False


_PATTERNS_BY_NAME = {
    "aside": _PATTERNS["aside"],
    "adverb": _PATTERNS["adverb"],
    "staff": _PATTERNS["staff"],
    "company_of": _PATTERNS["company_of"],
    "lead_in": _PATTERNS["lead_in"],
    "dashes": _PATTERNS["dashes"],
}
