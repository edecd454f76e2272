"""Read what each change of an amendment does to a clause: which words go, and which come.

Only what leaves no choice is applied: quoted words that are in the clause once, a whole clause with
its new wording, a new clause with its number. A person must read everything else.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from operator import attrgetter
from string import ascii_letters

from fourcorners.library.contract import Contract
from fourcorners.outline.card.term import changes_term
from fourcorners.outline.parser.numbering import LATIN
from fourcorners.outline.tree import Node, NodeKind
from fourcorners.search.graph.changes import (
    CITED,
    CONDITION,
    DELETES,
    PARTLY,
    QUOTED,
    CitedChange,
    change_verb,
    clause_changes,
)
from fourcorners.search.graph.links import AmendmentLink
from fourcorners.search.graph.statements import (
    MENTION,
    PAPER_WORD,
    distinctive_words,
)
from fourcorners.text.normalisation import normalise_text
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span, merge_spans
from fourcorners.text.values.dates import find_dates
from fourcorners.text.values.periods import Period, find_durations

_start = attrgetter("start")
_LEAST = 5  # words from which a quotation may be the whole of a clause
_BEFORE = 40  # characters before a quotation that say what is done with it
_MARKS = "()[].:;,–—-*"
# Before a citation these say that only a part of the clause is meant: "the first sentence of".
_OF_A_PART = frozenset(
    ("after", "at", "before", "by", "for", "from", "in", "of", "to", "under", "with", "within")
)
_NOT_OPERATIVE = (NodeKind.TITLE, NodeKind.RECITALS, NodeKind.SIGNATURE)
_LINKS = frozenset(("of", "the", "to", "that", "this"))  # between a clause and its contract
_CHOICES = frozenset(("can", "could", "may", "might", "not", "option", "propose", "right"))
_LONGER_BY = frozenset(("by", "further", "additional", "another"))
_LONGER_TO = frozenset(("to", "until", "through"))
# Between a citation and the verb that deletes its clause; any other word leaves a choice.
_AUXILIARIES = frozenset(
    ("also", "are", "be", "been", "entirely", "hereby", "is", "shall", "therefore", "will")
)


@dataclass(frozen=True, slots=True)
class ClauseRevision:
    """What a change does to a clause.

    Attributes:
        clause: The clause, in the words in force so far; all of them where it is not known which.
        span: The words that go; empty where words are only added.
        words: The place of the new words in the amendment; None if there are none.
        lead: What separates the new words from those before.
        is_certain: Whether the change leaves no choice; else a person must read it.
        extends: By how much, or to which day, the term becomes longer.
        restores: Whether the clause has its first wording again.
        is_beside: Whether the new words are a clause of their own, after this one or below it.
    """

    clause: Span
    span: Span
    words: Span | None = None
    lead: str = ""
    is_certain: bool = True
    extends: Period | date | None = None
    restores: bool = False
    is_beside: bool = False


def read_edits(
    reading: Contract, link: AmendmentLink, current: Contract
) -> Iterator[tuple[CitedChange, ClauseRevision]]:
    """Yield what an amendment does to the contract that it names, and to no other.

    What it says of clauses that are not found, or of none, may change any words of the contract.
    """
    own = distinctive_words(link.title)
    changes = clause_changes(reading)
    mine = [each for each in changes if not _is_elsewhere(reading, each, own)]
    found = [
        (some[0], edit)
        for _, group in groupby(mine, key=lambda each: each.span)
        for some in [[*group]]
        for edit in _sentence_edits(reading, some, current)
    ]
    done = [*(each.span for each in changes), link.span]
    found += _uncited_edits(reading, current, done)
    if not found and not changes:
        found = [_anything(reading.sentence(link.span), current)]
    yield from found


def _anything(sentence: Span, current: Contract) -> tuple[CitedChange, ClauseRevision]:
    """Return a change to whatever a person finds that a sentence means."""
    whole, at = Span(0, len(current.text)), Span(sentence.start, sentence.start)
    change = CitedChange("changes", "", "", "", sentence, at)
    return change, ClauseRevision(whole, whole, is_certain=False)


def _uncited_edits(
    reading: Contract, current: Contract, done: Sequence[Span]
) -> Iterator[tuple[CitedChange, ClauseRevision]]:
    """Yield what sentences that cite no clause do: "The term is extended by a year"."""
    text, end = reading.text, current.card.value("end")
    node = current.outline.node_at(end.span.start) if end else None
    of_title = [each.span for each in reading.outline.nodes if each.kind in _NOT_OPERATIVE]
    within = merge_spans([*of_title, *(Span(*found.span()) for found in QUOTED.finditer(text))])
    done = merge_spans(done)
    for sentence in split_sentences(text):
        words = sentence.text_in(text)
        verb = change_verb(words)
        if verb is None or CITED.search(words):
            continue
        in_other = within[bisect_right(within, sentence.start, key=_start) - 1 :][:1]
        before = done[bisect_left(done, sentence.end, key=_start) - 1 :][:1]
        if any(each.contains(sentence) for each in in_other):
            continue
        if any(each.overlaps(sentence) for each in before):
            continue
        at = sentence.start + marker(words)
        if node is not None and changes_term(words):
            clause, longer = node.span.strip(current.text), _extension(text, sentence)
            change = CitedChange(verb, "term", "", "", sentence, Span(sentence.start, at))
            span = Span(clause.end, clause.end) if longer else clause
            added = Span(at, sentence.end) if longer else None
            yield (
                change,
                ClauseRevision(clause, span, added, " ", is_certain=bool(longer), extends=longer),
            )
        elif verb != "changes" or not _is_introductory(text, Span(at, sentence.end)):
            yield _anything(sentence, current)


def _is_introductory(text: str, sentence: Span) -> bool:
    """Return whether a sentence speaks of the contract or the amendment, and not of what is new."""
    words = sentence.text_in(text)
    return bool(PAPER_WORD.search(words)) or not any(char.isdigit() for char in words)


def _is_elsewhere(reading: Contract, change: CitedChange, own: frozenset[str]) -> bool:
    """Return whether a clause is cited as one of a contract with another name."""
    named = MENTION.match(reading.text, change.cited.end + 1)
    words = distinctive_words(named["title"]) - _LINKS if named else frozenset()
    return bool(words and own) and not words & own


def _sentence_edits(
    amending: Contract, changes: Sequence[CitedChange], current: Contract
) -> list[ClauseRevision]:
    """Return what the changes of one sentence do to a text."""
    span = changes[0].span
    quotes = [
        Span(found.start() + 1, found.end() - 1).strip(amending.text)
        for found in QUOTED.finditer(amending.text, span.start, span.end)
    ]
    cited = [one for one in changes if not any(quote.contains(one.cited) for quote in quotes)]
    found = [(one, one.find(current.labels)) for one in cited]
    known = [(one, current.outline.nodes[at]) for one, at in found if at is not None]
    unmet = [one for one, at in found if at is None and one.find(amending.labels) is None]
    if known and known[0][0].verb == "adds":
        return [_addition(amending.text, known, quotes, current.text)]
    clauses = {node.id: (one, node) for one, node in reversed(known)}
    edits = [
        edit
        for one, node in clauses.values()
        for edit in _edits(amending.text, one, node, quotes, current.text)
    ]
    return edits if edits and not unmet else [*edits, _anything(span, current)[1]]


def _edits(
    source: str, one: CitedChange, node: Node, quotes: Sequence[Span], text: str
) -> list[ClauseRevision]:
    clause = node.span.strip(text)
    old, new = _sort_quotes(source, quotes, text, clause)
    before = source[one.span.start : one.cited.start]
    after = source[one.cited.end : one.span.end]
    if not _is_agreed(source, one, quotes):
        return [ClauseRevision(clause, clause, is_certain=False)]
    if old and all(len(found) == 1 for found in old):
        if len(old) == len(new) == 1 and one.verb in ("replaces", "deletes"):
            return [ClauseRevision(clause, old[0][0], new[0])]
        if one.verb == "deletes" and not new:
            return [ClauseRevision(clause, found[0]) for found in old]
    elif not old and _last_word(before) not in _OF_A_PART:
        if "restored" in after or "reinstated" in after:
            return [ClauseRevision(clause, clause, restores=True)]
        if one.verb == "deletes" and not quotes and _is_whole(after):
            return [ClauseRevision(clause, clause)]
        wording = _wording(source, one, new)
        if one.verb == "replaces" and wording:
            return [_replacement(clause, text, source, wording)]
    if not quotes and (longer := _extension(source, one.span)):
        words = Span(one.span.start + marker(one.span.text_in(source)), one.span.end)
        return [ClauseRevision(clause, Span(clause.end, clause.end), words, " ", extends=longer)]
    return [ClauseRevision(clause, clause, is_certain=False)]


def _addition(
    source: str, known: Sequence[tuple[CitedChange, Node]], quotes: Sequence[Span], text: str
) -> ClauseRevision:
    """Return what adds words to a clause, or a clause at the end of another."""
    named = [(one, node) for one, node in known if _letters(node.label) == _letters(one.mark)]
    one, node = (named or known)[0]
    clause = node.span.strip(text)
    old, new = _sort_quotes(source, quotes, text, clause)
    if not _is_agreed(source, one, quotes):
        return ClauseRevision(clause, clause, is_certain=False)
    if len(old) == len(new) == len(named) == 1 and len(old[0]) == 1:
        at = next(quote for quote in quotes if quote not in new)
        if "after" in source[max(one.span.start, at.start - _BEFORE) : at.start]:
            return ClauseRevision(clause, Span(old[0][0].end, old[0][0].end), new[0], " ")
    wording = _wording(source, one, new)
    if wording and not old and (0 < len(named) < len(known) or marker(wording.text_in(source))):
        return ClauseRevision(clause, Span(clause.end, clause.end), wording, "\n", is_beside=True)
    if len(new) == len(named) == len(known) == 1 and not old:
        before = source[one.span.start : one.cited.start].split()
        is_its = "at its end" in source[one.cited.end : new[0].start] and before[-1:] != ["of"]
        if is_its or before[-3:] == ["the", "end", "of"]:
            return ClauseRevision(clause, Span(clause.end, clause.end), new[0], " ")
    return ClauseRevision(clause, clause, is_certain=False)


def new_numbers(reading: Contract) -> dict[str, str] | None:
    """Return the new numbers of clauses by their old ones; None if a person must read which."""
    numbers: dict[str, str] = {}
    for sentence in split_sentences(reading.text):
        if "renumbered" not in sentence.text_in(reading.text):
            continue
        cited = [*CITED.finditer(reading.text, sentence.start, sentence.end)]
        named = [_numbers(each["marks"]) for each in cited]
        if len(named) < 2:
            continue
        if len(named[-2]) != len(named[-1]):
            return None
        numbers |= {str(one): str(new) for one, new in zip(*named[-2:], strict=True)}
    return numbers


def _numbers(marks: str) -> list[int]:
    """Return the numbers that a citation names: of "5 through 8" all from the first to the last."""
    found = [int(each) for each in "".join(c if c.isdigit() else " " for c in marks).split()]
    is_range = len(found) == 2 and not {"to", "through"}.isdisjoint(marks.split())
    return [*range(found[0], found[1] + 1)] if is_range else found


def _sort_quotes(
    source: str, quotes: Sequence[Span], text: str, clause: Span
) -> tuple[list[list[Span]], list[Span]]:
    """Return where quoted words are in a clause, and which quotations are not in it."""
    view = normalise_text(clause.text_in(text))
    old, new = [], []
    for quote in quotes:
        words = normalise_text(quote.text_in(source)).text
        found = [
            view.to_source(Span(*match.span())).shift(clause.start)
            for match in re.finditer(rf"(?<!\w){re.escape(words)}(?!\w)", view.text)
        ]
        if found and found != [clause]:  # its own words again are a new wording
            old.append(found)
        else:
            new.append(quote)
    return old, new


def _is_agreed(source: str, one: CitedChange, quotes: Sequence[Span]) -> bool:
    """Return whether a sentence changes a clause: not if it denies, proposes or reports that."""
    before = source[one.span.start : one.cited.start]
    after = source[one.cited.end : min([one.span.end, *(each.start for each in quotes)])]
    words, last = before.casefold().split(), before.casefold().rpartition(" that ")[0].split()[-2:]
    reports = "that" in words and (last[-1:] not in (["agree"], ["agreed"]) or last[0] == "to")
    denies = "not" in (*words, *after.partition(":")[0].split())
    return not (denies or reports or "propos" in before.casefold() or CONDITION.search(before))


def _is_whole(after: str) -> bool:
    """Return whether what follows a citation deletes the clause in every case."""
    named = re.match(r"(?:\s*\([^()]*\)|\s+of\s+the(?:\s+[A-Z]\w*)+|,\s+as\s[^,]*,)+", after)
    after = after[named.end() :] if named else after
    verb = DELETES.search(after)
    between = after[: verb.start()].split() if verb else []
    if verb is None or not _AUXILIARIES.issuperset(between):
        return False
    if not between and len(verb[0].split()) == 1:  # "Clause 4 omits", not "no longer applies"
        return False
    rest = after[verb.end() :]
    for whole in (" in its entirety", " in their entirety", " in full"):
        rest = rest.removeprefix(whole)
    return not PARTLY.match(rest)


def _wording(source: str, one: CitedChange, new: Sequence[Span]) -> Span | None:
    """Return the words of a whole clause: the only quotation, or what follows a colon."""
    if new:
        words = new[0].text_in(source)
        is_clause = marker(words) or len(words.split()) >= _LEAST
        is_old = _last_word(source[one.cited.end : new[0].start - 1]) == "reads"
        return new[0] if len(new) == 1 and is_clause and not is_old else None
    colon = source.find(":", one.cited.end, one.span.end)
    wording = Span(colon + 1, one.span.end).strip(source) if colon >= 0 else None
    return wording if wording and marker(wording.text_in(source)) else None


def _replacement(clause: Span, text: str, source: str, wording: Span) -> ClauseRevision:
    """Return the replacement of a clause, which keeps its number if the wording has none."""
    at = marker(clause.text_in(text))
    has_number = at and not marker(wording.text_in(source))
    return ClauseRevision(
        clause, Span(clause.start + at, clause.end) if has_number else clause, wording
    )


def marker(words: str) -> int:
    """Return how many characters the number of a clause takes at its start; 0 without one."""
    first = words.split(maxsplit=1)[0] if words.strip() else ""
    bare = first.strip(_MARKS)
    has_number = all(map(_is_number, bare.split("."))) or (
        first[:1] == "(" and len(bare) <= len("viii")
    )
    return len(words) - len(words[len(first) :].lstrip()) if bare and has_number else 0


def _is_number(part: str) -> bool:
    number = part.rstrip(ascii_letters)
    added = part[len(number) :]
    return number.isdigit() and (not added or added.isupper() or added in LATIN)


def _extension(source: str, span: Span) -> Period | date | None:
    words = span.text_in(source).casefold()
    if "extend" not in words or not _CHOICES.isdisjoint(words.split()) or CONDITION.search(words):
        return None
    days = [*find_dates(source, span)]
    periods = [*find_durations(source, span)]
    if len(periods) == 1 and not days and not periods[0].is_business:
        longer = _last_word(source[span.start : periods[0].span.start]) in _LONGER_BY
        return periods[0].value if longer else None
    if len(days) == 1 and not periods:
        longer = _last_word(source[span.start : days[0].span.start]) in _LONGER_TO
        return days[0].value if longer else None
    return None


def _last_word(text: str) -> str:
    words = text.split()
    return words[-1].casefold() if words else ""


def _letters(mark: str) -> str:
    return re.sub(r"[^\w]", "", mark).casefold()
