"""Read the clause to which words bind their subject."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile

from fourcorners.review.obligations.actors import ActorMentionKind
from fourcorners.review.obligations.brackets import find_bracket_end, is_in_brackets
from fourcorners.review.obligations.lists import (
    NUMBER,
    Point,
    find_due_parts,
    find_list,
    find_points,
    read_own,
    trim_end,
)
from fourcorners.review.obligations.obligation import (
    UNNAMED,
    Actor,
    Calendar,
    Obligation,
    ObligationKind,
    find_conditions,
    find_times,
)
from fourcorners.review.obligations.subjects import CLAUSE, REACH, THAT, Predicate, SubjectReader
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

_PATTERNS = load_patterns("fourcorners.review.obligations", "clauses")
PREDICATE = _PATTERNS["predicate"]
"""Words that may bind."""
_NEGATIVE = frozenset(("not", "never"))
_NOT_FORBIDDEN = ("bound", "barred", "falls", "owed")  # "is not required to" forbids nothing
_NO_SUBJECTS = (ActorMentionKind.ONE, ActorMentionKind.PRONOUN)
_GAP = 3  # characters between a sentence and the one whose noun it means
_ITEM = 12  # characters before a point that show that it continues a sentence
_NAMED = 3  # mentions of a sentence that may be its subject
_AHEAD = 420  # characters after binding words that hold their verb and its agent
_LONGEST = 2_000  # characters of a quote
_SHORTEST = 6  # characters of an action from which its condition is cut


@dataclass(frozen=True, slots=True)
class _Clause:
    """A predicate with its sentence.

    Attributes:
        end: Where the clause ends.
        verb: Where the verb that it governs begins.
        action: Where what must be done begins: the verb, or words before it that limit it.
        agreed: Who agrees to it, if it follows "agrees that".
    """

    sentence: Span
    predicate: Predicate
    end: int
    binding: Span
    verb: int
    negated: bool
    agreed: Actor | None
    action: int | None = None

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
                yield from self._points(made, sentence)
            if each.match["agrees"] and THAT.match(self.text, each.match.end()):
                agreed = each.actor
        self.subjects.before = sentence

    def read_plain_clause(self, sentence: Span) -> Obligation | None:
        """Read a clause without binding words, such as "Fern pays the fee by the tenth"."""
        text = self.text
        for mention in islice(self.subjects.mentions.list_within(sentence), _NAMED):
            plain = mention.actor.name.casefold().split()[:1]
            several = mention.kind is ActorMentionKind.ALL or len(mention.actor.parties) > 1
            start = self.subjects.edge(sentence, mention.span.start, strict=True)
            verb = _PATTERNS["present"].match(text, mention.span.end, sentence.end)
            if start is None or verb is None or mention.kind in _NO_SUBJECTS or mention.negated:
                continue
            if _PATTERNS["break"].search(text, sentence.start, start) or _PATTERNS["item"].search(
                text, max(0, sentence.start - _ITEM), sentence.start
            ):
                continue
            if bool(verb["one"]) == (several or plain in (["you"], ["we"])):
                continue
            action = Span(mention.span.end, self.end_clause(sentence, verb.end())).strip(text)
            predicate = Predicate(verb, verb.start("verb"), mention.actor, start)
            predicate = replace(predicate, opening=Span(sentence.start, start))
            binding = Span(*verb.span("verb"))
            clause = _Clause(sentence, predicate, action.end, binding, action.start, False, None)
            return self._make(clause, mention.actor, action)
        return None

    def end_clause(self, sentence: Span, at: int) -> int:
        """Return where a clause ends, with regard to the words that end one."""
        end = min(sentence.end, at + CLAUSE)
        stop = _PATTERNS["stop"].search(self.text, at, end)
        return trim_end(self.text, Span(at, stop.start() if stop else end)).end

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
        verb, action, denied = self._verb(
            Span(each.after, max(each.after, min(end, each.after + _AHEAD)))
        )
        own = not _NEGATIVE.isdisjoint(match.group().casefold().split())
        negated = each.negated or denied or own or bool(match["cannot"])
        if (match["may"] and not negated) or (negated and match.lastgroup in _NOT_FORBIDDEN):
            return None
        negated |= bool(match["barred"])
        binding = Span(*match.span())
        to = _PATTERNS["falls_then"].match(self.text, verb) if match["modal"] else None
        verb = to.end() if to else verb  # "in no event is Buyer to"
        if "responsible" in match.group().casefold():
            verb = match.start() + match.group().casefold().index("responsible")
        return _Clause(sentence, each, end, binding, verb, negated, agreed, min(action, verb))

    def _end(self, sentence: Span, read: Sequence[Predicate], at: int) -> int:
        """Return where the clause of a predicate ends."""
        each = read[at]
        end = min(sentence.end, each.after + CLAUSE)
        stop = _PATTERNS["stop"].search(self.text, each.match.end(), end)
        if stop:
            end = stop.start()
        closing = find_bracket_end(self.text, Span(each.after, max(each.after, end)))
        if closing and not self._is_shared(each.match.start(), closing):
            end = closing
        whole, is_carved = Span(each.after, max(each.after, end)), False
        for other in islice(read, at + 1, None):
            if other.match.start() >= end:
                break
            is_free = is_carved and other.match["may"]  # its exception goes on
            if is_free or is_in_brackets(self.text, whole, other.match.start()):
                continue
            if other.start is not None:
                own = other.start if other.opening is None else other.opening.start
                begin = own if each.after < own < other.start else other.start
                if _PATTERNS["carved"].search(self.text, max(each.after, begin - REACH), begin):
                    is_carved = True
                    continue
                end = min(end, max(begin, each.after))
                break
            low = max(each.after, other.match.start() - 120)
            parts = self.subjects.list_joints(low, other.match.start())
            if parts:
                end = min(end, parts[-1].start())
                break
        return trim_end(self.text, Span(each.after, max(end, each.after))).end

    def _is_shared(self, start: int, closing: int) -> bool:
        """Return whether what brackets say goes on after them: "(and shall pay) all taxes"."""
        opening = self.text.rfind("(", max(0, start - REACH), start)
        if opening < 0 or self.text.startswith(":", closing + 1):
            return False
        return _PATTERNS["shared"].match(self.text, opening, closing) is not None

    def _verb(self, words: Span) -> tuple[int, int, bool]:
        """Return where the verb after binding words begins, and its limits; whether it is negated.

        Its limits ("unreasonably", "without consent") begin where it does if it has none.
        """
        at, denied, limit = words.start, False, words.end
        while at < words.end:
            piece = _PATTERNS["filler"].match(self.text, at, words.end)
            if piece is None or piece.end() == at:
                break
            denied |= bool(piece["not"])
            if piece["not"]:
                limit = words.end
            elif _PATTERNS["limit"].match(self.text, at, piece.end()):
                limit = min(limit, at)
            at = piece.end()
        return at, limit, denied

    def _judge(self, clause: _Clause) -> Obligation | None:
        """Return the obligation that a clause makes, if it makes one."""
        text, verb, end = self.text, clause.verb, clause.end
        falls = _PATTERNS["falls_to"].match(text, verb, end)
        bearer = self.subjects.mention_after(falls.end()) if falls else None
        if falls and bearer is not None and not clause.negated:
            binding = Span(clause.match.start(), falls.end())
            to = _PATTERNS["falls_then"].match(text, bearer.span.end, end)
            start = to.end() if to else self._subject_start(clause)
            return self._make(replace(clause, binding=binding), bearer.actor, Span(start, end))
        if clause.match["falls"]:
            return None
        is_modal = clause.match.lastgroup in ("modal", "may", "cannot", "owed")
        passive = _PATTERNS["passive"].match(text, verb, end) if is_modal else None
        bound = _PATTERNS["bound"].match(text, verb, end)
        if passive and not bound:
            return self._passive(clause, passive)
        actor = clause.predicate.actor
        if actor is None:
            return None
        no_duty = _PATTERNS["no_duty"].match(text, verb, end)
        if no_duty and not (clause.match["agrees"] and _PATTERNS["has"].match(text, verb, end)):
            return None
        if clause.negated and _PATTERNS["no_prohibition"].match(text, verb, end):
            return None
        is_barred = bound is not None and bound.group().lower().endswith("from")
        if bound and is_barred:
            binding, verb = Span(clause.binding.start, bound.end()), bound.end()
            clause = replace(clause, negated=True, binding=binding)
        start = verb if is_barred or clause.action is None else clause.action
        while start < end and text[start] in " ,\n\t":
            start += 1
        action = Span(start, max(start, end)).strip(text)
        if not action and not find_points(text, clause.binding.end, start):
            return None
        return self._make(clause, actor, action)

    def _passive(self, clause: _Clause, passive: re.Match[str]) -> Obligation | None:
        """Read "shall be done": the bound party follows "by", or is not named."""
        text, match, done = self.text, clause.match, passive.start("done")
        if _PATTERNS["no_act"].match(text, done, clause.end):
            return None
        start = clause.predicate.start
        start = self._subject_start(clause) if start is None else start
        is_turned = match.group().endswith("to") or match["owed"]
        if is_turned and _PATTERNS["within"].search(text, start, match.start()):
            return None
        low = start
        if clause.predicate.actor is None:  # its object may precede the words that it continues
            low = max(clause.sentence.start, match.start() - REACH)
        subject = text[min(low, start) : match.start()]
        subject_words = " ".join([*text[start : match.start()].casefold().split(), ""])
        if subject_words.startswith(("no ", "no-one ", "none of ")):
            clause = replace(clause, negated=True)
        action = Span(start, clause.end)
        agent = self._agent(passive, clause.end)
        if agent is not None:
            made = self._make(clause, agent, action)
            before = self.subjects.before
            is_pronoun = text[start : match.start()].strip().casefold() in ("it", "they")
            if before and is_pronoun and made.quote.start - before.end <= _GAP:
                made = replace(made, quote=Span(before.start, made.quote.end))
            return made
        if self.subjects.is_relative(clause.sentence, match):
            return None
        if clause.agreed is not None and _PATTERNS["handled"].match(text, done):
            return self._make(clause, clause.agreed, action)
        if clause.negated or match["owed"] or _PATTERNS["no_subject"].search(subject):
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
        whole = low if low == clause.sentence.start else self.text.find(" ", low, at) + 1 or at
        start = parts[-1].end() if parts else whole
        number = NUMBER.match(self.text, start, at)
        return number.end() if number else start

    def _make(self, clause: _Clause, actor: Actor, action: Span) -> Obligation:
        text, predicate = self.text, clause.predicate
        action = action.strip(text)
        begin = min(predicate.match.start(), action.start)
        quote = self._quote(clause.sentence, Span(begin, action.end))
        before = self._before(predicate, quote, action)
        between = Span(min(predicate.after, action.start), action.start)
        conditions = tuple(find_conditions(text, (before, between), action))
        last = conditions[-1] if conditions else None
        if last and last.start > action.start and last.end >= action.end - 2:
            short = Span(action.start, last.start).strip(text)
            action = short if len(short) > _SHORTEST else action
        action = trim_end(text, action)
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
        """Return a sentence, or of a very long one the words with what is before or after them."""
        if len(sentence) <= _LONGEST:
            return sentence
        start = max(sentence.start, min(words.start, words.end - _LONGEST))
        return Span(start, min(sentence.end, max(words.end, start), start + _LONGEST))

    def _points(self, made: Obligation, sentence: Span) -> Iterator[Obligation]:
        """Yield an obligation, or instead one for each instalment or point that it leads to.

        Yields none for a point that is a sentence with a separate subject.
        """
        text, action, kind = self.text, made.action, made.kind
        another = PREDICATE.search(text, action.end, sentence.end)
        paid = find_due_parts(text, action, action.end if another else sentence.end)
        found = find_points(text, made.binding.end, action.start)
        if paid and kind is ObligationKind.DUTY:
            parts = [(Span(part.start, part.start + 1), part, time) for part, time in paid]
        else:
            own = takewhile(lambda each: not self._has_subject(each), found)
            parts = [(each.mark, each.words, None) for each in own]
        if not parts:
            listed = find_list(text, action.end)
            if listed:  # grounds, or what must be ensured: a single obligation
                end = min(listed[-1].words.end, made.quote.start + _LONGEST)
                made = replace(made, quote=Span(made.quote.start, max(made.quote.end, end)))
            if not found or "following" not in text[action.start : found[0].mark.start]:
                yield made
            return
        first = parts[0][0].start
        lead = Span(min(made.quote.start, first), first).strip(text)
        opening = Span(min(action.start, first), first).strip(text)
        is_whole = action.start < made.binding.start  # "the price is payable by Buyer in parts"
        for mark, words, day in parts:
            kind, verb, conditions = read_own(text, words, made.kind)
            before = Span(words.start, words.start) if paid else lead
            times = tuple(find_times(text, before, words, self.calendar))
            if day and not any(each.day for each in times):
                times = (day,)
            yield replace(
                made,
                kind=kind,
                binding=mark,
                action=verb,
                quote=words,
                lead=lead,
                opening=None if is_whole else opening,
                conditions=(*made.conditions, *conditions),
                times=() if kind is ObligationKind.PROHIBITION else times,
            )

    def _has_subject(self, point: Point) -> bool:
        start, subjects = point.words.start, self.subjects
        return any(
            subjects.read_subject(point.words, match) is not None
            for match in PREDICATE.finditer(self.text, start, point.words.end)
            if match["modal"] and not _PATTERNS["pronoun"].search(self.text, start, match.start())
        )
