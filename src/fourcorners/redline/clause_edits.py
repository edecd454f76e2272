"""Find the smallest change that brings a clause to a position, among the playbook's edits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fourcorners.outline.clause import find_lead_ins
from fourcorners.outline.tree import Outline
from fourcorners.playbooks.playbook import ClauseEdit, Wording
from fourcorners.redline.drafting import ContractTerms
from fourcorners.redline.proposal import Draft, Extent
from fourcorners.redline.replacement import (
    SHORTEST,
    find_part,
    in_capitals,
    replace_part,
    replace_words,
)
from fourcorners.review.finding import RiskAnswer
from fourcorners.text.patterns import load_patterns
from fourcorners.text.sentences import split_sentences
from fourcorners.text.span import Span
from fourcorners.text.stems import stems
from fourcorners.text.values.amounts import distinct, find_amounts
from fourcorners.text.values.numbers import cardinal_text
from fourcorners.text.values.periods import Period, find_durations, period_parts
from fourcorners.text.values.quantities import find_quantities
from fourcorners.text.word_differences import Edit, EditKind, diff_words

_PATTERNS = load_patterns("fourcorners.redline", "clause_edits")
_PERIOD = _PATTERNS["period"]
_REFERS, _BRITISH = _PATTERNS["refers"], _PATTERNS["british"]
_ALTERNATIVE = _PATTERNS["alternative"]
MORE_PARTIES = "the contract has more than two parties, and the playbook's words are for two"
_TERMS = frozenset({"end", "renewal"})  # the card's values
_INSERTED, _ADDED = 0.5, 0.8  # share of words that say it already: in a sentence, of one; by hand
_DAYS_A_MONTH = 365 / 12
_DAYS = {"day": 1, "week": 7, "month": _DAYS_A_MONTH, "year": 365}


@dataclass(frozen=True, slots=True)
class TextEdit:
    """A change of the words of a span."""

    extent: Extent
    span: Span
    edits: tuple[Edit, ...]
    blanks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NoEdit:
    """Why no change of a playbook fits a clause; `is_repeated` if it says so already."""

    reason: str
    is_repeated: bool = False


def find_edit(
    text: str,
    quote: Span,
    clause: Span,
    wording: Wording,
    answers: Mapping[str, RiskAnswer],
    terms: ContractTerms,
    *,
    decided: bool,
) -> TextEdit | NoEdit:
    """Return the first change of a wording that fits the words of a quote.

    Args:
        text: The contract's.
        quote: The words that put the clause in its current position.
        clause: The clause around them: its words may rule out a change.
        wording: Of the position to reach.
        answers: To the questions of the provision, by their ids.
        terms: What the contract calls things.
        decided: Whether a person decided that the clause is changed: then neither answers nor the
            rest of the clause can rule it out.
    """
    none = NoEdit("the playbook has no change for such a clause, only wording")
    for edit in wording.edits:
        if not decided and not _is_for(edit, answers):
            continue
        if not decided and not terms.fits(edit.words):
            none = NoEdit(MORE_PARTIES)
            continue
        if not decided and edit.at_least and _is_half_a_term(edit.at_least, terms):
            none = NoEdit(f"{edit.at_least} would be more than half of a term of the contract")
            continue
        against = next(
            filter(None, (find_phrase(text, clause, (each,)) for each in edit.unless)), None
        )
        if against is not None and not decided:
            words = " ".join(against.text_in(text).split())
            none = NoEdit(f"the clause also speaks of “{words}”, which may decide it otherwise")
            continue
        sentence = _sentence_about(text, quote, edit, terms.contract.outline)
        if sentence and _is_repeated(clause.text_in(text), edit, terms.fill(edit.words).text):
            none = NoEdit("it says already what the playbook would insert", is_repeated=True)
            if decided:
                return none
            continue
        made = _make(text, sentence, edit, answers, terms) if sentence else None
        if made is not None:
            return made
        none = NoEdit("the words that the playbook would change are not in it, or more than once")
    if decided and wording.clause:
        draft = terms.fill(wording.clause)
        place = find_part(terms.contract, quote, draft.text)
        if place is None:
            return NoEdit("the words that were found are a heading or part of a sentence")
        edits = tuple(replace_part(terms.contract, place, draft.text))
        return TextEdit(Extent.CLAUSE, place, edits, draft.blanks)
    return none


def _is_for(edit: ClauseEdit, answers: Mapping[str, RiskAnswer]) -> bool:
    return all(
        asked in answers and answers[asked].value in wanted
        for asked, wanted in edit.answers.items()
    )


def _is_repeated(clause: str, edit: ClauseEdit, words: str) -> bool:
    """Tell whether a clause has what is to be inserted, by its words or its own exception."""
    if edit.of or edit.replace or not words:
        return False
    wanted, has = frozenset(stems(words)), frozenset(stems(clause))
    least = _INSERTED if edit.after else _ADDED
    if len(wanted & has) >= least * len(wanted):
        return True
    whole = Span(0, len(clause))
    found = (frozenset(stems(each)) for each in edit.unless if find_phrase(clause, whole, (each,)))
    return any(
        each
        and all(
            any(stem.removeprefix("un") == of.removeprefix("un") for of in wanted) for stem in each
        )
        for each in found
    )


def _sentence_about(text: str, quote: Span, edit: ClauseEdit, outline: Outline) -> Span | None:
    """Return the first sentence of a quote that an edit is for; all of it if it is for any.

    A heading is no sentence. What leads to a point of a list counts as words of its sentences.
    """
    if not edit.about and not edit.not_about:
        return quote
    if any(
        find_phrase(text, each, edit.not_about)
        for each in find_lead_ins(outline, text, quote.start)
    ):
        return None
    sentences = (each.strip(text) for each in split_sentences(text, quote))
    return next(
        (
            each
            for each in sentences
            if len(each.text_in(text).split()) >= SHORTEST
            and (not edit.about or find_phrase(text, each, edit.about))
            and not find_phrase(text, each, edit.not_about)
        ),
        None,
    )


def _make(
    text: str,
    quote: Span,
    edit: ClauseEdit,
    answers: Mapping[str, RiskAnswer],
    terms: ContractTerms,
) -> TextEdit | None:
    draft = terms.fill(edit.words)
    draft = replace(draft, text=in_capitals(draft.text, quote.text_in(text)))
    if edit.of and draft.text:
        return _change_amount(text, quote, edit, draft)
    if edit.of:
        return _change_period(text, quote, edit, answers.get(edit.of))
    if edit.after:
        place = find_phrase(text, quote, edit.after)
        if place is None or _is_there_again(text, quote, place):
            return None
        at = Span(place.end, place.end)
        words = draft.text if draft.text[:1] in ",;.:" else f" {draft.text}"
        return TextEdit(Extent.WORDS, at, (Edit(EditKind.INSERT, words),), draft.blanks)
    if edit.replace:
        place = find_phrase(text, quote, edit.replace)
        if place is None:
            return None
        if draft.text:
            edits = tuple(diff_words(place.text_in(text), draft.text))
            return TextEdit(Extent.WORDS, place, edits, draft.blanks)
        if text[place.start - 1 : place.start] == " ":
            place = Span(place.start - 1, place.end)
        return TextEdit(Extent.WORDS, place, (Edit(EditKind.DELETE, place.text_in(text)),))
    # A sentence can follow a sentence alone, and speaks of the paragraph that it ends.
    end = re.compile(r"\.[\"”’)]?(?=\s*(?:\n\s*\n|$))").search(text[: quote.end], quote.start)
    if end is None:
        return None
    at = Span(end.end(), end.end())
    return TextEdit(Extent.SENTENCE, at, (Edit(EditKind.INSERT, f" {draft.text}"),), draft.blanks)


def find_phrase(text: str, within: Span, phrases: Sequence[str]) -> Span | None:
    """Return the place of the first phrase that is in a part of the text."""
    for phrase in phrases:
        words = r"\s+".join(map(re.escape, phrase.split()))
        found = re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE).search(
            text, within.start, within.end
        )
        if found:
            return Span(*found.span())
    return None


def _is_there_again(text: str, quote: Span, place: Span) -> bool:
    """Tell whether words occur in a sentence twice, but where it says "such" of them."""
    rest, again = Span(place.end, quote.end), None
    while again := find_phrase(text, rest, (place.text_in(text),)):
        if not _REFERS.search(text, quote.start, again.start):
            return True
        rest = Span(again.end, quote.end)
    return False


def _change_amount(text: str, quote: Span, edit: ClauseEdit, draft: Draft) -> TextEdit | None:
    """Put words in place of the only amount of a sentence, if it has no limit next to that."""
    found = find_amounts(text, quote)
    if len(found) != 1:
        return None
    place = found[0].span
    limit = find_phrase(text, Span(quote.start, place.start), edit.about) or place
    if _ALTERNATIVE.search(text, limit.end, place.start) or _ALTERNATIVE.match(text, place.end):
        return None
    if not any(each.mark for each in find_quantities(text, place)):  # "the fees paid in a month …"
        rest = re.compile(r"[^.;:\n]*").match(text, place.end, quote.end)
        place = Span(place.start, rest.end() if rest else place.end).strip(text)
    edits = (Edit(EditKind.DELETE, place.text_in(text)), Edit(EditKind.INSERT, draft.text))
    return TextEdit(Extent.WORDS, place, edits, draft.blanks)


def _change_period(
    text: str, quote: Span, edit: ClauseEdit, answer: RiskAnswer | None
) -> TextEdit | None:
    """Make a period longer or shorter; one that occurs twice is not changed."""
    target = edit.at_least or edit.at_most
    wanted = next(find_durations(target, Span(0, len(target))), None)
    if answer is None or wanted is None or wanted.count is None:
        return None
    count, unit = int(wanted.count), wanted.unit
    found = distinct(find_durations(text, quote))
    same = [each for each in found if each.value.iso == answer.value]
    if len(same) != 1:
        return None
    words = same[0].span.text_in(text)
    if len(re.findall(rf"(?<!\w){re.escape(words)}(?!\w)", quote.text_in(text))) != 1:
        return None
    written = _PERIOD.fullmatch(words)
    if written is None:
        return None
    now, limit = period_days(same[0].value), period_days(wanted.value)
    if (edit.at_least and now >= limit) or (edit.at_most and now <= limit):
        return None
    number = str(count) if written["number"][0].isdigit() else cardinal_text(count)
    if _BRITISH.search(text):
        number = re.sub(r"hundred (?=\w)", "hundred and ", number)
    if written["number"][0].isupper():
        number = number.title() if written["number"].istitle() else number.capitalize()
    again = f" ({count})" if written["again"] else ""
    plural = "" if count == 1 or "-" in written["gap"] else "s"
    mark = re.search(r"['’]s?$", written["unit"])
    ending = mark[0].removesuffix("s") if mark else ""
    old = written["number"] + (written["again"] or "")
    rest = f"{unit}{plural}{ending}"
    rest = rest.capitalize() if written["unit"][0].isupper() else rest
    edits = [Edit(EditKind.DELETE, old), Edit(EditKind.INSERT, f"{number}{again}")]
    edits.append(Edit(EditKind.EQUAL, written["gap"]))
    return TextEdit(Extent.WORDS, same[0].span, (*edits, *replace_words(written["unit"], rest)))


def _is_half_a_term(words: str, terms: ContractTerms) -> bool:
    """Tell whether a period is longer than half of the contract's term, or of a renewal."""
    wanted = next(find_durations(words, Span(0, len(words))), None)
    stated = [each for each in terms.contract.card.values if each.asserted and each.kind in _TERMS]
    text = terms.contract.full_text
    lasts = [
        period_days(each.value) for value in stated for each in find_durations(text, value.span)
    ]
    lasts += [sum(_DAYS[unit] * n for n, unit in period_parts(each.text)) for each in stated]
    return wanted is not None and any(0 < days < 2 * period_days(wanted.value) for days in lasts)


def period_days(period: Period) -> float:
    """Return the length of a period in days, a month as long as on average."""
    return period.months * _DAYS_A_MONTH + period.days
