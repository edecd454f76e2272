"""The lawyers' answers of CUAD as they are compared with a contract card.

Normalisation (`normal_name`): case, punctuation, accents, white space and typographic variants are
dropped, as are "the" and exhibit numbers; "&" is "and"; forms of companies are one spelling each
("Limited", "Ltd."). Names lose their tail of defined terms ('("Supplier")') and of descriptions ("a
Delaware corporation", "and its affiliates", "d/b/a …"). Titles lose "Form of", words in
brackets, and "dated …". Jurisdictions (`normal_law`) lose "State of", "Province of", "Republic of",
the country behind a state, and "Wales" after England.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fourcorners.outline.card.party_names import ROLES
from fourcorners.text.span import Span

_FORMS = {
    "incorporated": "inc",
    "limited": "ltd",
    "limted": "ltd",
    "corporation": "corp",
    "company": "co",
    "licence": "license",
}
_DESCRIPTION = re.compile(
    r",?\s+(?:an?|the)\s+(?:\w+[\s,]+){0,5}?(?:corporation|company|partnership|entity|trust|bank|"
    r"subsidiary|association|individual)\b.*$",
    re.IGNORECASE | re.DOTALL,
)
_TOGETHER = {"party", "parties", "a party", "shareholders"}
_NO_NAME = re.compile(
    r"\(.*\b(?:collectively|individually|together|each|hereinafter|party|parties)\b|(?:you|each|the\s+"
    r"individual|web\s+site\s+owners)\b",
    re.IGNORECASE | re.DOTALL,
)
_ALIAS = re.compile(
    r"[\s,]+(?:(?:d\W?b\W?a|[fa]\W?k\W?a)\b|(?:formerly|also)\s+known\s+as\s|and\s+(?:all\s+of\s+)?its\s|together\s+with\s|"
    r"including\s|through\s+its\s|a\s+division\s|operating\s+with\s|on\s+behalf\s+of\s).*$",
    re.IGNORECASE | re.DOTALL,
)
_LEGAL_FORMS = frozenset(
    {"inc", "ltd", "corp", "llc", "lp", "llp", "plc", "gmbh", "ag", "sa", "bv"}
)
_DESCRIBES = re.compile(r"an?\s+[a-z]+\b(?!\s+[A-Z])")  # an individual ("Developer")
_JOINED = re.compile(r",?\s+and\s+|\s*/\s*|,\s+(?!(?:inc|l\.?l\.?c|l\.?p|ltd|n\.a)\b)", re.I)
_GIVEN = re.compile(r"[^\n;()“\"]{0,200}\([^()“\"]{0,40}[“\"](?P<short>[^“”\"]{1,60})[”\"]")
_ALIKE = 85  # of 100: how alike names are that differ by a slip of the pen
_MORE_WORDS = 3  # that a whole name may have in addition to those typed
_TAIL = re.compile(r"[(\[“\"].*$", re.DOTALL)
_DATED = re.compile(r"[\s,]+(?:dated?\b.*|is)$", re.IGNORECASE | re.DOTALL)
_HONORIFIC = re.compile(r"^\W*(?:dr|mr|mrs|ms|prof)\.?\s+", re.IGNORECASE)
_PLACE_INSIDE = re.compile(r"\s\(([A-Z][\w. ]{1,20})\)(?=\s?[A-Z])", re.IGNORECASE)  # X (HK) Ltd
_FORM = re.compile(r"^\W*(?:sample|form)\s+of\s+", re.IGNORECASE)
_EXHIBIT = re.compile(r"^\s*exhibit\s+[\d.a-z()-]+\s+", re.IGNORECASE)
_PLACES = re.compile(
    r"\b(?:the|state|commonwealth|province|republic|people'?s|peoples|kingdom|federal|special|"
    r"administrative|region|laws?|of|usa|u\.?s\.?a?\.?|uk)\b|[’']s?\b"
)
_COUNTRIES = ("canada", "united states america", "united kingdom", "australia", "prc")
_LAWS_SAME = {"wales": "england", "great britain": "england", "beijing": "china"}


def normal_name(words: str) -> str:
    """Return a title or a party's name as it is compared."""
    plain = unicodedata.normalize("NFKD", words).casefold()
    plain = _EXHIBIT.sub("", plain).replace("&", " and ")
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    plain = re.sub(r"[’'´`]", "", plain)
    plain = re.sub(r"(?<=\b\w)\.\s?(?=\w\b)", "", plain)  # L.L.C., N. V.
    found = re.findall(r"\w+", plain.replace("_", " "))
    return " ".join(_FORMS.get(word, word) for word in found if word != "the")


def normal_party(words: str) -> str:
    """Return a party's name as it is compared: its own name and no other words.

    Short names, descriptions ("a Delaware corporation"), former and trading names, and "and its
    affiliates" are left out.
    """
    plain = _TAIL.sub("", _PLACE_INSIDE.sub(r" \1 ", words))
    return normal_name(_ALIAS.sub("", _DESCRIPTION.sub("", _HONORIFIC.sub("", plain))))


def normal_law(words: str) -> frozenset[str]:
    named = set()
    for part in re.split(r"[;,/]|\band\b|&", words.casefold()):
        if part.strip() in _COUNTRIES:
            continue
        place = " ".join(re.findall(r"\w+", _PLACES.sub(" ", part)))
        if place and place not in _COUNTRIES:
            named.add(_LAWS_SAME.get(place, place))
    if not named:
        named = {country for country in _COUNTRIES if country in words.casefold()} or named
    return frozenset(named)


def title_variants(words: str) -> frozenset[str]:
    """Return a title as it is compared: whole, and without the brackets behind it."""
    plain = _FORM.sub("", _DATED.sub("", words))
    return frozenset({normal_name(plain), normal_name(_TAIL.sub("", plain))} - {""})


@dataclass(frozen=True, slots=True)
class NamedParty:
    """A party that an answer names: the spellings that count as the same, and its short names."""

    spellings: frozenset[str]
    short_names: frozenset[str] = frozenset()

    def is_named(self, name: str) -> bool:
        return name in self.spellings

    def is_meant(self, name: str, short: str) -> bool:
        """Tell whether a longer name is the party's, by its short name and all of its words."""
        if normal_name(short) not in self.short_names:
            return False
        return any(_holds(name, spelling) for spelling in self.spellings)


@dataclass(frozen=True, slots=True)
class PartiesAnswer:
    """The parties an answer names.

    Attributes:
        unnamed: The short names and roles that it gives to parties without naming them.
        marked: Companies that the lawyer marked as parties in the contract but did not type.
    """

    parties: tuple[NamedParty, ...]
    unnamed: frozenset[str] = frozenset()
    marked: frozenset[str] = frozenset()


def named_parties(answer: str, text: str = "", marked: Sequence[Span] = ()) -> PartiesAnswer:
    """Read an answer to "Parties", with the words that the lawyer marked in the contract.

    Answers were typed: each marked name is a spelling of the party it is most like, or of the one
    whose short name the contract gives right after it. Blanks are no parties, nor are pronouns,
    roles, nor what several together are called ("Parties"). Names joined by "and", "/" or a comma
    are parties of their own if the lawyer marked each by itself.
    """
    marks = [(normal_party(expand_to_words(text, span)), span) for span in marked]
    names = {name for name, _ in marks} - {""}
    answer = re.sub(r'""+', '"', answer)
    shorts = _quoted(answer)
    plain = re.sub(r"\([^()]*\)", lambda m: m.group().replace(";", ","), answer)
    known: dict[str, set[str]] = {}
    unnamed: set[str] = set()
    for part in plain.split(";"):
        words = part.strip().lstrip("(")
        given = _quoted(part)
        name = normal_party(words)
        if len(name) < 2 or name in ROLES or _DESCRIBES.match(words) or _is_role(words):
            unnamed |= given | ({name} & ROLES)
            continue
        if name in shorts - given or _NO_NAME.match(part.strip()):
            continue
        if _is_several(part, given, shorts | set(known)):
            continue
        for each in _split(words, name, names):
            known.setdefault(each, set()).update(given)
    spellings, others = _spellings(known, marks, text)
    return PartiesAnswer(
        tuple(
            NamedParty(frozenset(spellings[name]), frozenset(shorts))
            for name, shorts in known.items()
        ),
        frozenset(unnamed),
        frozenset(others),
    )


def expand_to_words(text: str, span: Span) -> str:
    """Return marked words with the word whole in which the mark ends."""
    tail = re.compile(r"\w*").match(text, span.end) if span.end < len(text) else None
    return text[span.start : tail.end() if tail else span.end]


def _quoted(words: str) -> set[str]:
    return {normal_name(short) for short in re.findall(r"[“\"]([^“”\"]*)[”\"]", words)} - {""}


def _is_role(words: str) -> bool:
    """Tell whether words describe a party without naming it: "sales agent"."""
    last = _TAIL.sub("", words).split()[-1:]
    return bool(last) and last[0].islower() and last[0].rstrip("s") in ROLES


def _split(words: str, name: str, names: set[str]) -> list[str]:
    """Return the parties that one part of an answer joins, if each was marked by itself."""
    from rapidfuzz import fuzz

    if name in names:
        return [name]
    pieces = [normal_party(each) for each in _JOINED.split(_TAIL.sub("", words))]
    marked = all(any(fuzz.ratio(each, mark) >= _ALIKE for mark in names) for each in pieces)
    return pieces if len(pieces) > 1 and marked else [name]


def _spellings(
    known: Mapping[str, set[str]], marks: Sequence[tuple[str, Span]], text: str
) -> tuple[dict[str, set[str]], set[str]]:
    """Return the spellings of each party: its typed name and the marked names that are its own.

    And the marked companies that are not among them.
    """
    from rapidfuzz import fuzz

    spellings = {name: {name} for name in known}
    shorts = set().union(*known.values())
    for name, aliases in known.items():
        spellings[name] |= {alias for alias in aliases - set(known) if _is_company(alias)}
    others = set()
    typed_only = sorted(set(known) - {mark for mark, _ in marks})
    for mark, span in marks:
        if not mark or mark in ROLES or mark in shorts or mark in known:
            continue
        given = _GIVEN.match(text, span.end)
        short = normal_name(given["short"]) if given else ""
        own = [name for name in known if short and short in known[name]]
        like = max(typed_only, key=lambda name: fuzz.ratio(name, mark), default="")
        if like and (fuzz.ratio(like, mark) >= _ALIKE or _holds(mark, like)):
            spellings[like].add(mark)
        elif len(own) == 1:
            spellings[own[0]].add(mark)
        elif _is_company(mark):
            others.add(mark)
    return spellings, others


def _is_company(name: str) -> bool:
    return name.split()[-1] in _LEGAL_FORMS


def _holds(name: str, other: str) -> bool:
    """Tell whether a name holds all words of another of two words or more, and few besides."""
    words, others = iter(name.split()), other.split()
    inside = all(word in words for word in others)
    return inside and len(others) > 1 and len(name.split()) <= len(others) + _MORE_WORDS


def _is_several(part: str, given: set[str], shorts: set[str]) -> bool:
    """Tell whether a part of an answer only says what parties already named are together."""
    words = _TAIL.sub("", part).strip()
    listed = {normal_name(each) for each in re.split(r"\s+and\s+|,\s*", words, flags=re.IGNORECASE)}
    listed -= {"inc", "ltd", "corp", "llc", "lp", "gmbh", ""}
    if re.match(r"(?:individually|collectively|each|together|both)\b", words, re.IGNORECASE):
        return True
    others = shorts - given
    known = {each for each in listed if any(f"{other} ".startswith(f"{each} ") for other in others)}
    return len(listed) > 1 and (known == listed or bool(known and given & _TOGETHER))
