"""Find the subject of words that may bind: "shall", "agrees to", "is responsible for".

A subject is somebody whom a contract can bind, at the beginning of a clause, with only certain
words between it and the binding words. Continuations ("and shall …") have the previous subject.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from fourcorners.review.obligations.actors import ActorMention, ActorMentionKind, Mentions
from fourcorners.review.obligations.obligation import Actor
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

CLAUSE = 2_000
"""Maximum characters of a clause."""
REACH = 260
"""Maximum characters between a subject and its binding words."""
EDGE = 90
"""Characters before a subject that show whether a clause begins there."""

_PATTERNS = load_patterns("fourcorners.review.obligations", "subjects")
THAT = _PATTERNS["that"]
"""What follows a verb in "agrees that"."""
_TRIES = 4  # mentions before binding words that may be their subject
_BACK = 1_000  # characters before a pronoun that hold its noun
_NOUNS = 12  # mentions before a pronoun that may be its noun
_OTHER = ("bound", "barred", "falls", "owed")  # predicates with a form of "be"
_CONCERNED = (ActorMentionKind.ONE, ActorMentionKind.ALL)
_PIECES = (
    _PATTERNS["aside"],
    _PATTERNS["adverb"],
    _PATTERNS["staff"],
    _PATTERNS["company_of"],
    _PATTERNS["lead_in"],
    _PATTERNS["dashes"],
)
_ENDS = ("Agreement", "Date", "Term", "Period")  # of words before a clause without a comma


@dataclass(frozen=True, slots=True)
class Predicate:
    """Words that may bind, with their subject, if it can be bound by a contract.

    Attributes:
        start: Where its clause begins: its subject, or the "and" before it; None if unknown.
        opening: The words before the clause, which may hold a condition.
        negated: Whether the subject, or the beginning of the clause, negates it.
        after: Where what follows begins: the verb, or what precedes it.
    """

    match: re.Match[str]
    after: int
    actor: Actor | None = None
    start: int | None = None
    opening: Span | None = None
    negated: bool = False


@dataclass(slots=True)
class SubjectReader:
    """Reads the subjects of a text, sentence after sentence.

    Attributes:
        headings: Where the headings of clauses end.
        previous: The subject of the previous sentence, which a pronoun may mean.
        before: The previous sentence.
    """

    text: str
    mentions: Mentions
    headings: frozenset[int]
    previous: Actor | None = None
    before: Span | None = None

    def read_sentence(self, sentence: Span, matches: Sequence[re.Match[str]]) -> list[Predicate]:
        """Return the predicates of a sentence; one governed by another is part of it."""
        read: list[Predicate] = []
        main: Predicate | None = None  # the last one outside relative clauses
        for match in matches:
            last = read[-1] if read else None
            if last and _PATTERNS["governed"].fullmatch(self.text, last.match.end(), match.start()):
                continue  # "shall agree to"
            each = self.read_predicate(sentence, match, last, main)
            read.append(each)
            if not self.is_relative(sentence, match):
                main = each
        if read and read[-1].actor is not None:
            self.previous = read[-1].actor
        return read

    def read_predicate(
        self,
        sentence: Span,
        match: re.Match[str],
        last: Predicate | None = None,
        main: Predicate | None = None,
    ) -> Predicate:
        """Find the subject of words that may bind, after the predicates before them."""
        return (
            self._read_inverted(sentence, match, last)
            or self.read_subject(sentence, match, last)
            or self._read_continuation(sentence, match, last, main)
            or Predicate(match, match.end())
        )

    def is_relative(self, sentence: Span, match: re.Match[str]) -> bool:
        """Return whether words follow "which" or "who"."""
        low = max(sentence.start, match.start() - 16)
        return _PATTERNS["relative"].search(self.text, low, match.start()) is not None

    def list_joints(self, low: int, high: int) -> list[re.Match[str]]:
        """Return the words that join clauses, such as ", and"."""
        return [*_PATTERNS["joined"].finditer(self.text, low, high)]

    def mention_after(self, at: int) -> ActorMention | None:
        """Return the mention right after a place, with or without an article."""
        article = _PATTERNS["article"].match(self.text, at)
        blank = _PATTERNS["blank"].match(self.text, at)
        places = [at, *(each.end() for each in (blank, article) if each)]
        return next(filter(None, map(self.mentions.get, places)), None)

    def _read_inverted(
        self, sentence: Span, match: re.Match[str], last: Predicate | None
    ) -> Predicate | None:
        """Read "in no event shall Supplier …"; None where the words are in their usual order."""
        low = max(sentence.start, match.start() - EDGE)
        turned = _PATTERNS["turned"].search(self.text, low, match.start())
        if turned is None:
            return None
        mention = self.mention_after(match.end())
        if mention is None or self.text.startswith(("'", "’"), mention.span.end):
            return Predicate(match, match.end(), negated=True)
        actor = self._resolve(mention, sentence)
        return Predicate(
            match,
            mention.span.end,
            actor,
            turned.start(),
            self._opening(sentence, last, turned.start()),
            negated=True,
        )

    def read_subject(
        self, sentence: Span, match: re.Match[str], last: Predicate | None = None
    ) -> Predicate | None:
        """Read a subject before the words."""
        low = max(sentence.start, match.start() - REACH, last.match.end() if last else 0)
        for mention in islice(self.mentions.before(match.start(), low), _TRIES):
            if not self._is_gap(mention, match.start()):
                continue
            start = self.edge(sentence, mention.span.start)
            actor = self._resolve(mention, sentence, last)
            low = max(sentence.start, mention.span.start - EDGE)
            of = _PATTERNS["oblique"].search(self.text, low, mention.span.start)
            if start is None and mention.last and last and of:
                # "is the property of A, and B shall": what looks joined is not
                start, actor = mention.last.span.start, mention.last.actor
            if start is None or actor is None:
                continue
            nor = _PATTERNS["neither_nor"].search(self.text, low, mention.span.start)
            opening = self._opening(sentence, last, start)
            negated = mention.negated or nor is not None
            return Predicate(match, match.end(), actor, start, opening, negated)
        return None

    def _read_continuation(
        self,
        sentence: Span,
        match: re.Match[str],
        last: Predicate | None,
        main: Predicate | None,
    ) -> Predicate | None:
        """Read words that continue others: "and shall", or a point of a list."""
        text = self.text
        low = max(sentence.start, match.start() - REACH, last.match.end() if last else 0)
        joint = _PATTERNS["joint_before"].search(text, max(low, match.start() - 60), match.start())
        if joint is None or (last and _is_other_kind(match, last.match)):
            return None
        within = Span(low, match.start())
        first = next(self.mentions.list_within(within), None)
        if main is not None and main.actor is not None:
            if main.after > main.match.end():
                return None  # "in no event shall Supplier be liable for what has or may be lost"
            first = self._own_subject(sentence, main, within)
        if main is not None and first is None:
            return replace(main, match=match, start=joint.start(), after=match.end())
        if (
            first is None
            or self.edge(sentence, first.span.start, strict=True) is None
            or _PATTERNS["break"].search(text, first.span.end, joint.start())
        ):
            return None
        actor = self._resolve(first, sentence)
        return Predicate(
            match,
            match.end(),
            actor,
            joint.start(),
            Span(sentence.start, first.span.start),
            first.negated,
        )

    def _own_subject(self, sentence: Span, main: Predicate, within: Span) -> ActorMention | None:
        """Return the subject of a clause to which somebody agrees: "A agrees that B is free"."""
        that = main.match["agrees"] and THAT.match(self.text, main.match.end())
        if not that or that.end() < within.start:
            return None
        mentions = self.mentions.list_within(Span(that.end(), within.end))
        return next(
            (
                each
                for each in mentions
                if _PATTERNS["is"].match(self.text, each.span.end, within.end)
                and self.edge(sentence, each.span.start, strict=True) is not None
            ),
            None,
        )

    def _opening(self, sentence: Span, last: Predicate | None, start: int) -> Span:
        """Return the words before a clause that belong to it."""
        if last is None:
            return Span(sentence.start, start)
        low = max(last.match.end(), start - CLAUSE)
        parts = self.list_joints(low, start)
        return Span(parts[-1].end() if parts else start, start)

    def _is_gap(self, mention: ActorMention, end: int) -> bool:
        """Return whether a mention may be the subject of words, given what is between them."""
        text, at = self.text, mention.span.end
        if mention.kind in _CONCERNED and _PATTERNS["concerned"].fullmatch(text, at, end):
            return True
        while at < end:
            ends = (piece.end() for each in _PIECES if (piece := each.match(text, at, end)))
            after = next((each for each in ends if each > at), None)
            if after is None:
                return bool(_PATTERNS["blank"].fullmatch(text, at, end))
            at = after
        return True

    def edge(self, sentence: Span, start: int, *, strict: bool = False) -> int | None:
        """Return where a clause begins with a mention; None if the mention does not begin one.

        `strict` requires evidence for that right before it.
        """
        text = self.text
        low = max(sentence.start, start - EDGE)
        article = _PATTERNS["articles"].search(text, low, start)
        begin = article.start() if article else start
        if article and article.group().startswith(("The ", "Each ")):
            return begin
        before = text[low:begin].rstrip()
        if _PATTERNS["within_condition"].search(before):
            return None
        is_first = low == sentence.start
        if (
            not before
            or _PATTERNS["opens"].search(before)
            or low + len(before) in self.headings
            or (is_first and _PATTERNS["numbered"].fullmatch(before.strip()))
        ):
            return begin
        if strict or _PATTERNS["closed"].search(before):
            return None
        word = before.rsplit(None, 1)[-1]
        after_heading = (
            (is_first and _PATTERNS["headed"].fullmatch(before))
            or "\n" in text[low + len(before) : begin]
            or (word.isupper() and len(word) > 3 and not text[start : start + 9].isupper())
        )
        led = _PATTERNS["adverbial"].match(text, sentence.start) and not word[0].isupper()
        return begin if after_heading or led or word in _ENDS else None

    def _resolve(
        self, mention: ActorMention, sentence: Span, last: Predicate | None = None
    ) -> Actor | None:
        """Return whom a mention means; a pronoun refers to the previous subject."""
        if mention.kind is not ActorMentionKind.PRONOUN:
            return mention.actor
        low = max(sentence.start, mention.span.start - _BACK)
        for earlier in islice(self.mentions.before(mention.span.start, low), _NOUNS):
            if earlier.kind is ActorMentionKind.PRONOUN:
                continue
            start = earlier.span.start
            near = max(sentence.start, start - 40)
            begins = self.edge(sentence, start, strict=True) is not None
            if begins or _PATTERNS["antecedent"].search(self.text, near, start):
                return earlier.actor
        if last is not None and last.actor is not None:
            return last.actor
        return self.previous if mention.span.start == sentence.start else None


def _is_other_kind(match: re.Match[str], last: re.Match[str]) -> bool:
    """Return whether "is responsible for" follows "shall": then it seldom shares its subject."""
    is_other = match.lastgroup in _OTHER or match.group().endswith("to")
    return is_other and match.lastgroup != last.lastgroup
