"""Governing law: which jurisdiction's law a contract chooses."""

from __future__ import annotations

import re
from itertools import islice

from fourcorners.outline.card import Fact
from fourcorners.text.span import Span

_STATES = (
    "Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Georgia|"
    "Hawaii|Idaho|Illinois|Indiana|Iowa|Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|"
    "Michigan|Minnesota|Mississippi|Missouri|Montana|Nebraska|Nevada|New Hampshire|New Jersey|"
    "New Mexico|New York|North Carolina|North Dakota|Ohio|Oklahoma|Oregon|Pennsylvania|"
    "Rhode Island|South Carolina|South Dakota|Tennessee|Texas|Utah|Vermont|Virginia|Washington|"
    "West Virginia|Wisconsin|Wyoming|District of Columbia|Puerto Rico"
)
_PROVINCES = (
    "Alberta|British Columbia|Manitoba|New Brunswick|Newfoundland|Nova Scotia|Ontario|Quebec|"
    "Québec|Saskatchewan|New South Wales|Victoria|Queensland|Western Australia|South Australia"
)
_COUNTRIES = (
    "England and Wales|England & Wales|England|Wales|Scotland|Northern Ireland|United Kingdom|"
    "Ireland|Canada|Australia|New Zealand|India|Singapore|Hong Kong|China|Taiwan|Japan|Korea|"
    "Malaysia|Thailand|Indonesia|Philippines|Vietnam|Israel|Turkey|United Arab Emirates|Dubai|"
    "Saudi Arabia|Qatar|Egypt|South Africa|Nigeria|Kenya|Germany|France|Italy|Spain|Portugal|"
    "Netherlands|Belgium|Luxembourg|Switzerland|Austria|Sweden|Norway|Denmark|Finland|Iceland|"
    "Poland|Czech Republic|Hungary|Romania|Greece|Cyprus|Malta|Russia|Russian Federation|Ukraine|"
    "Kazakhstan|Mexico|Brazil|Argentina|Chile|Colombia|Peru|Panama|Costa Rica|Bermuda|"
    "Cayman Islands|British Virgin Islands|Bahamas|Barbados|Jersey|Guernsey|Isle of Man|"
    "Liechtenstein|Monaco|Gibraltar|Marshall Islands|United States of America|United States"
)
_ADJECTIVES = {
    "English": "England",
    "Scottish": "Scotland",
    "Irish": "Ireland",
    "Canadian": "Canada",
    "Swiss": "Switzerland",
    "German": "Germany",
    "French": "France",
    "Dutch": "Netherlands",
    "Belgian": "Belgium",
    "Swedish": "Sweden",
    "Danish": "Denmark",
    "Israeli": "Israel",
    "Japanese": "Japan",
    "Chinese": "China",
    "Indian": "India",
    "Australian": "Australia",
}
_SAME = {
    "England & Wales": "England and Wales",
    "United States of America": "United States",
    "Russian Federation": "Russia",
    "Québec": "Quebec",
}
_NAMES = "|".join((_COUNTRIES, _STATES, _PROVINCES)).replace(" ", r"\s+")
_PLACE = rf"(?P<place>(?i:{_NAMES}))\b"
_CHOOSES = re.compile(
    r"\b(?:govern(?:ed|s|ing)?|constru(?:ed|ing|ction)|interpret(?:ed|ation)|subject to|"
    r"applicable law|proper law|choice of law)\b",
    re.IGNORECASE,
)
_LAW_OF = re.compile(
    r"\b(?i:laws?)(?:\s+(?i:and\s+(?:regulations|jurisdiction|rules)))?[^.;]{0,60}?\b(?i:of|in)\s+"
    rf"(?:[^.;,()]{{0,60}}?\b)?{_PLACE}"
)
_PLACE_LAW = re.compile(
    rf"(?:{_PLACE}(?:\s+(?i:state))?|(?P<adjective>{'|'.join(_ADJECTIVES)}))\s+(?i:substantive\s+)?"
    r"(?i:laws?)\b"
)
_UNLESS = re.compile(r"\b(?:incorporated|organi[sz]ed|existing|formed|established)\b[^.;]*$")
_MOST = 1_000  # words of choice to look at; a contract has a few dozen
_REACH = 350  # characters between the words of choice and the jurisdiction, at most


def governing_law(text: str) -> Fact[str] | None:
    """Find the law that governs the contract; the span holds the words that choose it."""
    best: Fact[str] | None = None
    for match in islice(_CHOOSES.finditer(text), _MOST):
        low = match.group().lower()
        window = min(len(text), match.end() + _REACH)
        found = _LAW_OF.search(text, match.end(), window)
        other = _PLACE_LAW.search(text, match.end(), window)
        if other and (found is None or other.start() < found.start()):
            found = other
        if found is None or _UNLESS.search(text[match.end() : found.start()]):
            continue
        between = text[match.end() : found.start()]
        sure = 0.95 if low.startswith("govern") else 0.85 if low.startswith("constr") else 0.5
        sure -= 0.2 * bool(re.search(r"[.;]\s", between)) + 0.1 * (len(between) > 200)
        if best is None or sure > best.confidence + 0.05:
            best = Fact(_name(found), Span(match.start(), found.end()), round(sure, 2))
        if best.confidence >= 0.9:
            break
    return best


def _name(match: re.Match[str]) -> str:
    adjective = match.groupdict().get("adjective")
    if adjective:
        return _ADJECTIVES[adjective]
    words = " ".join((match.group("place") or "").split())
    named = " ".join(
        word if word in ("of", "and", "&") else word.capitalize() for word in words.lower().split()
    )
    return _SAME.get(named, named)
