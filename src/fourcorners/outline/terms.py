"""Find defined terms: where the contract defines a capitalised word, and where it is used.

The recognised forms: `"X" means …`; `(the "X")` and `(collectively, the "X")`; `referred to as
"X"`; `"X": …` and `"X" - …` in a list or a table; `X means …` without quotation marks.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from fourcorners.outline.tree import DefinedTerm, TermUse
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

_OPEN, _CLOSE = '"“”„', '"“”'
_QUOTED = re.compile(
    rf"[{_OPEN}](?:[Tt]he\s)?(?P<term>(?:[A-Z0-9]|[a-z]{{1,2}}[A-Z]|(?:we|us|our|you|your)\b)"
    rf"[^{_OPEN}\n]{{0,70}}?(?:\n[^{_OPEN}\n]{{1,40}}?)?)[,.;]?\s?[{_CLOSE}]"
)
_PATTERNS = load_patterns("fourcorners.outline", "terms")
_SINGLE = _PATTERNS["single"]
_MEANT = _PATTERNS["meant"]
_SINGLE_OR_MEANT = re.compile(
    rf"{_SINGLE.pattern}|(?:^|\n|[.;]\s{{1,3}})(?:\(?\w{{1,4}}[.)]\s+)?{_MEANT.pattern}"
)
_BARE_TERMS = 200  # of them that are counted, at most
_OFTEN = 3  # minimum occurrences of a short name without quotation marks
_MEANS = re.compile(
    rf"[*_]*\s*+(?:(?:,|or\b|and\b|[{_OPEN}][^{_OPEN}\n]{{1,70}}[{_CLOSE}]|\([^()\n]{{0,120}}\))\s*+){{0,8}}"
    r"(?:(?:of|with\s+respect\s+to|in\s+respect\s+of|in\s+relation\s+to|as\s+applied\s+to|and\s+(?:its\s+)?"
    r"(?:cognates|variations|derivatives))\b[^.;\"“”]{0,60}?,?\s++)?"
    r"(?:[,;]?\s?(?:as\s+used|when\s+used|for\s+(?:the\s+)?purposes?)[^,;.]{0,60},\s*+)?"
    r"(?:(?:shall|will|each|also|collectively|both|term)\s++){0,3}(?:means?\b|refers?\s+to|denotes?\b|"
    r"ha(?:s|ve)\s+the\s+(?:(?:same|respective|following)\s+)?(?:meanings?|definitions?)|stands?\s+for|"
    r"(?:is|are)\s+(?:defined|used|agreed\s+to\s+mean)|be\s+(?:defined|construed|understood)\b|"
    r"includes?\b|comprises?\b)"
)
_LISTED = re.compile(
    rf"(?:\s(?:or|and)\s[{_OPEN}][^{_OPEN}\n]{{1,60}}[{_CLOSE}]){{0,3}}[*_]*\s{{0,20}}(?:[-–—:=|]\s|\t)"
)
# The slow pattern above needs one of these among the words before.
_CALLING = (
    *("referred", "called", "known", "collectively", "together", "individually"),
    *("hereinafter", "hereafter"),
)
_ABBREVIATIONS = "".join(
    rf"(?<!\b{short}\.)" for short in ("Dr", "Mr", "Ms", "No", "Inc", "Ltd", "Co", "Corp", "St")
)
# All ends of sentences are in one character set, which makes the search fast.
_BOUNDARY = re.compile(rf"[.;:\n](?:(?<!\n)(?=\s+[A-Z\"“(]){_ABBREVIATIONS}|(?<=\n)\s*\n)")
_WORDS = (
    r"[A-Z][\w’'&/-]*(?:[^\S\n](?:[A-Z(][\w’'&/()-]*|of|and|the|to|for|in|or|on|by)){0,6}"
    r"(?<![^\S\n]of)"
)
_LONGEST_VERB = 100  # characters
_UNQUOTED = re.compile(
    rf"(?:^|[.;:]\s|\s\s|\d\s)[*_]{{0,3}}(?P<term>{_WORDS})[*_]{{0,3}}$", re.MULTILINE
)
_NEAR = 120  # characters before "means" that hold its term
_LAST = "’'&/()*_-"  # what such a term may end with, apart from letters and digits
# A term at the start of a line, as in a list of definitions: "Business Day: a day when …".
_HEAD = re.compile(
    rf"[^\S\n]*+[*_]{{0,3}}(?P<term>{_WORDS})[*_]{{0,3}}:[*_]{{0,3}}[^\S\n]+"
    r"(?=[a-z(]|(?:An?|The|Any|Each|All|Has|Means)\s)"
)
_FEWEST = 4  # lines of that form, in the order of the alphabet, that make a list of definitions
_ALONE = frozenset({"we", "us", "our", "you", "your"})
_LONGEST = 2_000  # characters of a definition
_DEEP = 600  # characters of a bracket before the term it gives
_FEW = 14  # words of a bracket before the term, without other evidence that it is one


def find_terms(text: str) -> tuple[DefinedTerm, ...]:
    edges = [match.end() for match in _BOUNDARY.finditer(text)]
    found: dict[int, DefinedTerm] = {}
    listed: list[DefinedTerm] = []
    for match in _QUOTED.finditer(text):
        if _is_defined(text, match):
            term = _with_sentence(text, edges, match.span("term"), match.span())
            found[term.span.start] = term
        elif _is_listed(text, match):
            listed.append(_with_sentence(text, edges, match.span("term"), match.span()))
    if len(listed) >= _FEWEST:
        found.update((term.span.start, term) for term in listed)
    for match in (_SINGLE_OR_MEANT if _MEANT.search(text) else _SINGLE).finditer(text):
        place = match.span("term") if match["term"] else match.span("meant")
        found.setdefault(place[0], _with_sentence(text, edges, place, match.span()))
    often: dict[str, bool] = {}
    for match in _PATTERNS["bare"].finditer(text):
        words = match["term"]
        if words not in often and len(often) < _BARE_TERMS:
            often[words] = text.count(words) >= _OFTEN
        if often.get(words):
            place = match.span("term")
            found.setdefault(place[0], _with_sentence(text, edges, place, place))
    for term in (*_unquoted(text, edges), *_heads(text)):
        found.setdefault(term.span.start, term)
    return tuple([found[start] for start in sorted(found)])


def _is_defined(text: str, match: re.Match[str]) -> bool:
    """Return whether quoted words are defined by their context."""
    if match["term"].count("(") != match["term"].count(")"):
        return False  # the quotation marks of two terms
    pronoun = match["term"].split(None, 1)[0] in _ALONE
    if not pronoun and _MEANS.match(text, match.end()):
        return True
    before = text[max(0, match.start() - 90) : match.start()]
    if (
        not pronoun
        and any(word in before for word in _CALLING)
        and _PATTERNS["called"].search(before)
    ):
        return True
    return _in_brackets(text, match, pronoun=pronoun)


def _is_listed(text: str, match: re.Match[str]) -> bool:
    """Tell whether quoted words head a line and a dash, colon or cell edge follows."""
    if not _LISTED.match(text, match.end()) or match["term"].split()[0] in _ALONE:
        return False
    return bool(_PATTERNS["line_start"].search(text[max(0, match.start() - 40) : match.start()]))


def _in_brackets(text: str, match: re.Match[str], *, pronoun: bool) -> bool:
    """Tell whether the quoted words are a short name in brackets, as in `(the "Supplier")`."""
    opening = _opening(text, match.start())
    if opening is None:
        return False
    closing = text.find(")" if text[opening] == "(" else "]", match.end(), match.end() + 400)
    if closing < 0:
        return False
    lead = text[opening + 1 : match.start()]
    if pronoun:
        return len(lead.split()) <= 4 and not re.search(
            r"[a-z]{4,}", lead.replace("hereinafter", "")
        )
    if _PATTERNS["no_name"].search(lead) or (
        not lead.strip() and _PATTERNS["gloss"].search(text[max(0, opening - 60) : opening])
    ):
        return False
    return (
        bool(_PATTERNS["named"].search(text[opening : match.start()]))
        or len(lead.split()) <= _FEW // 4
    )


def _opening(text: str, offset: int) -> int | None:
    depth = 0
    for at in range(offset - 1, max(0, offset - _DEEP) - 1, -1):
        if text[at] in ")]":
            depth += 1
        elif text[at] in "([":
            if not depth:
                return at
            depth -= 1
    return None


def _unquoted(text: str, edges: list[int]) -> Iterable[DefinedTerm]:
    """Yield terms without quotation marks before "means"."""
    for verb in _verbs(text):
        start = max(0, verb - _NEAR)
        line = max(start, text.rfind("\n", start, verb) + 1)
        before = text[line:verb].rstrip()
        if not before or not (before[-1].isalnum() or before[-1] in _LAST):
            continue
        match = _UNQUOTED.search(before)
        if match and not _PATTERNS["no_term"].match(match["term"]):
            place = match.start("term") + line, match.end("term") + line
            yield _with_sentence(text, edges, place, place)


def _verbs(text: str) -> Iterable[int]:
    """Yield where "means" and the like start, with the white space before."""
    end = 0
    for mean in _PATTERNS["mean"].finditer(text):
        start = max(end, mean.start() - _LONGEST_VERB)
        end = mean.end()
        if verb := _PATTERNS["verb"].search(text, start, end):
            yield verb.start()


def _heads(text: str) -> list[DefinedTerm]:
    """Return terms that head lines, if the text has an alphabetical list of them."""
    found = []
    done, colon = -1, text.find(":")
    while colon >= 0:
        line = text.rfind("\n", done + 1, colon) + 1
        match = _HEAD.match(text, line) if line or done < 0 else None  # not twice in a line
        done, colon = colon, text.find(":", colon + 1)
        if match is None or _PATTERNS["no_term"].match(match["term"]):
            continue
        limit = min(len(text), match.start() + _LONGEST)
        end = text.find("\n\n", match.end(), limit)
        end = end if end >= 0 else limit
        definition = Span(match.start("term"), end).strip(text)
        found.append(DefinedTerm(match["term"], Span(*match.span("term")), definition))
    words = [term.term.casefold() for term in found]
    rising = sum(one <= other for one, other in pairwise(words))
    return found if len(found) >= _FEWEST and rising >= 0.8 * (len(found) - 1) else []


def _with_sentence(
    text: str, edges: list[int], place: tuple[int, int], quoted: tuple[int, int]
) -> DefinedTerm:
    """Return the term at a place with the sentence around it; sentences may end at `edges`."""
    before = bisect_right(edges, quoted[0])
    after = bisect_left(edges, quoted[1], before)
    start = edges[before - 1] if before else 0
    end = edges[after] if after < len(edges) else len(text)
    start, end = max(start, quoted[0] - _LONGEST), min(end, quoted[1] + _LONGEST)
    definition = Span(start, max(end, place[1])).strip(text)
    return DefinedTerm(" ".join(text[slice(*place)].split()), Span(*place), definition)


def find_uses(text: str, terms: Sequence[DefinedTerm]) -> tuple[TermUse, ...]:
    """Return where terms are used, outside their definitions, in order.

    Terms are matched as whole words and the longest first; a plural, a possessive and capitals
    throughout count as uses too. `TermUse.term` is the first definition of the term.
    """
    return TermFinder(terms).find(text)


class TermFinder:
    """Finds the uses of the same terms in one text after another."""

    def __init__(self, terms: Sequence[DefinedTerm]) -> None:
        self._trie = _trie(terms)
        self._defined = {term.span.start for term in terms}

    def find(self, text: str, within: Span | None = None) -> tuple[TermUse, ...]:
        """Return where the terms are used in a text, or in a part of it, as `find_uses` does."""
        part = within or Span(0, len(text))
        words = [*_PATTERNS["word"].finditer(text, part.start, part.end)]
        found: list[TermUse] = []
        at = 0
        while at < len(words):
            if _stem(words[at].group()) not in self._trie.after:  # most words begin no term
                at += 1
                continue
            first, last, index = words[at].start(), at, None
            if first not in self._defined:
                last, index = _longest(text, words, at, self._trie)
            if index is not None:
                found.append(TermUse(Span(first, words[last].end()), index))
            at = last + 1
        return tuple(found)


def _longest(
    text: str, words: Sequence[re.Match[str]], at: int, trie: _Trie
) -> tuple[int, int | None]:
    """Return the last word of the longest term that starts at a word, and the term, if any."""
    best: tuple[int, int | None] = (at, None)
    place = at
    node = trie.after.get(_stem(words[place].group()))
    while node is not None:
        if node.term is not None:
            best = (place, node.term)
        place += 1
        if place == len(words) or not node.after:
            break
        if text[words[place - 1].end() : words[place].start()].strip("., \t\n\xa0"):
            break
        node = node.after.get(_stem(words[place].group()))
    return best


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    """Normalise a word for comparison: drop possessive, plural and capitals after the first."""
    word = re.sub(r"[’']s?$", "", word)
    if len(word) > 1 and word.isupper():
        return word[0] + _singular(word.lower())[1:]
    return _singular(word)


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    plural = len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return word[:-1] if plural else word


@dataclass(slots=True)
class _Trie:
    """Terms by their words: what may come next, and the term that ends here."""

    after: dict[str, _Trie] = field(default_factory=dict)
    term: int | None = None


def _trie(terms: Sequence[DefinedTerm]) -> _Trie:
    root = _Trie()
    first: dict[str, int] = {}
    for index, term in enumerate(terms):
        first.setdefault(term.term, index)
    for name, index in first.items():
        node = root
        for word in _PATTERNS["word"].findall(_PATTERNS["plural"].sub("", name)):
            node = node.after.setdefault(_stem(word), _Trie())
        if node.term is None and node is not root:
            node.term = index
    return root
