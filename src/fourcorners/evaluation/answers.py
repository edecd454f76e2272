"""The lawyers' answers of CUAD as they are compared with a contract card.

Normalisation (`normal_name`): case, punctuation, accents, white space and typographic variants are
dropped, as are "the" and exhibit numbers; "&" is "and"; forms of companies are one spelling each
("Limited", "Ltd."). Names lose their tail of defined terms ('("Supplier")') and of descriptions ("a
Delaware corporation", "and its affiliates", "d/b/a …"). Titles lose "Form of", what stands in
brackets, and "dated …". Jurisdictions (`normal_law`) lose "State of", "Province of", "Republic of",
the country behind a state, and "Wales" beside England.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from datetime import date

from fourcorners.outline.parties import ROLES

_FORMS = {
    **dict.fromkeys(("incorporated",), "inc"),
    **dict.fromkeys(("limited", "limted"), "ltd"),
    **dict.fromkeys(("corporation",), "corp"),
    **dict.fromkeys(("company",), "co"),
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
    r"[\s,]+(?:(?:d\W?b\W?a|[fa]\W?k\W?a)\b|and\s+(?:all\s+of\s+)?its\s|together\s+with\s|"
    r"including\s|through\s+its\s|a\s+division\s|operating\s+with\s|on\s+behalf\s+of\s).*$",
    re.IGNORECASE | re.DOTALL,
)
_TAIL = re.compile(r"[(\[“\"].*$", re.DOTALL)
_DATED = re.compile(r"[\s,]+(?:dated?\b.*|is)$", re.IGNORECASE | re.DOTALL)
_HONORIFIC = re.compile(r"^\W*(?:dr|mr|mrs|ms|prof)\.?\s+", re.IGNORECASE)
_PLACE_INSIDE = re.compile(r"\s\(([A-Z][\w. ]{1,20})\)(?=\s?[A-Z])", re.IGNORECASE)  # X (HK) Ltd
_FORM = re.compile(r"^\W*(?:sample|form)\s+of\s+", re.IGNORECASE)
_EXHIBIT = re.compile(r"^\s*exhibit\s+[\d.a-z()-]+\s+", re.IGNORECASE)
_INITIALS = re.compile(r"\b(?:\w[.\s]\s?){2,}", re.UNICODE)
_PLACES = re.compile(
    r"\b(?:the|state|commonwealth|province|republic|people'?s|peoples|kingdom|federal|special|"
    r"administrative|region|laws?|of|usa|u\.?s\.?a?\.?|uk)\b|[’']s?\b"
)
_COUNTRIES = ("canada", "united states america", "united kingdom", "australia", "prc")
_LAWS_SAME = {"wales": "england", "great britain": "england", "beijing": "china"}
_WRITTEN = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{2,4})$")


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
    """Return the jurisdictions that an answer names."""
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


def written_date(answer: str) -> date | None:
    """Return the date of an answer such as `5/8/14`; None for blanks and anything else."""
    match = _WRITTEN.match(answer.strip())
    if match is None:
        return None
    month, day, year = (int(part) for part in match.groups())
    if year < 100:
        year += 2000 if year < 50 else 1900
    try:
        return date(year, month, day)
    except ValueError:
        return None


def titles(words: str) -> frozenset[str]:
    """Return a title as it is compared: whole, and without what stands in brackets behind it."""
    plain = _FORM.sub("", _DATED.sub("", words))
    return frozenset({normal_name(plain), normal_name(_TAIL.sub("", plain))} - {""})


def named_parties(answer: str, marked: Iterable[str]) -> list[frozenset[str]]:
    """Return the parties an answer names, each as the spellings that count as the same.

    Beside the answer's own spelling that is the marked words most like it, since answers were
    typed. Blanks are no parties, nor are what several together are called ("Parties").
    """
    from rapidfuzz import fuzz

    spellings = {normal_party(words) for words in marked} - {""}
    shorts = {normal_name(short) for short in re.findall(r"[“\"]([^“”\"]*)[”\"]", answer)}
    plain = re.sub(r"\([^()]*\)", lambda m: m.group().replace(";", ","), answer)
    parties: list[frozenset[str]] = []
    earlier: set[str] = set()
    for part in plain.split(";"):
        name = normal_party(part.strip().lstrip("("))
        given = {normal_name(short) for short in re.findall(r"[“\"]([^“”\"]*)[”\"]", part)}
        if len(name) < 2 or name in ROLES or name in shorts - given:
            continue
        if _NO_NAME.match(part.strip()) or _is_several(part, given, shorts | earlier):
            continue
        earlier.add(name)
        same = {spelt for spelt in spellings if fuzz.ratio(spelt, name) >= 85}
        parties.append(frozenset({name, *same}))
    return parties


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
