"""References to other documents: statutes, rules, and contracts other than this one."""

from __future__ import annotations

import re

from fourcorners.text.patterns import load_patterns

_PAPERS = (
    r"Act|Acts|Code|Codes|Law|Laws|Regulations?|Rules?|Statutes?|U\.?\s?S\.?\s?C|C\.?\s?F\.?\s?R|Directive|"
    r"Treaty|Convention|Constitution|Ordinance|GDPR|UCC|ERISA|HIPAA|CISG|Decree|Title|Chapter|"
    r"Agreements?|Contracts?|Leases?|Plan|Indenture|Notes?|Charter|By-?[Ll]aws|Certificate|Articles|"
    r"Polic(?:y|ies)|Licen[cs]es?|Amendments?|Addendum|Order|Form|Guidelines?|Declaration|Deed|Letter|"
    r"Memorandum|Prospectus|Statement|Report|Manual|Protocol|Mortgage|Guaranty|Warrants?|MSA|SOW|"
    r"Disclosure\s+(?:Schedules?|Letter)|Terms\s+and\s+Conditions|Proposal|Offer|RFP|Permit|Franchise|Application|Procedures|Schedule\s+(?:13[DG]|TO)"
)
_OTHER = (
    r"(?:the|that|those|such|said|its|their|his|each|any|an?|another|both|all|"
    r"[A-Z][\w.&-]*[’']s?)\s+(?:certain\s+)?"
)
_AFTER = re.compile(
    rf"[\"”]?(?:\s*\([^()]{{1,60}}\))?(?:\s*,)?\s+(?:of|under|to|in|from|within|pursuant\s+to|as\s+defined\s+in)\s+"
    rf"(?:{_OTHER})?(?P<name>(?:(?:[A-Z0-9“\"][\w.,&/’'”\"-]*|and|of|for|on|the|to)\s+){{0,9}}?)"
    rf"(?P<paper>{_PAPERS})\b(?!\s+of\s+this\b|\s+[A-Z])"
)
_PATTERNS = load_patterns("fourcorners.outline.references", "foreign")
_OWN_NAMES = frozenset({"Agreement", "Contract"})


def is_foreign_reference(
    text: str, start: int, end: int, *, own: frozenset[str], amending: bool
) -> bool:
    """Tell whether what is cited at `start` to `end` is part of another document.

    `own` are the names the contract gives itself. "Section 5 of the Agreement" is this contract's
    too, unless it amends another (`amending`).
    """
    if _PATTERNS["here"].match(text, end):
        return False
    if _PATTERNS["before"].search(text, max(0, start - 40), start) or _PATTERNS[
        "after_directly"
    ].match(text, end):
        return True
    if _PATTERNS["statute"].match(text, end, min(len(text), end + 90)):
        return True
    short = _PATTERNS["short"].match(text, end, min(len(text), end + 60))
    if short and " ".join(short["name"].split()) in own:
        return False
    if short and short["name"].isupper() and len(short["name"]) > 1:
        return True
    named = _AFTER.match(text, end, min(len(text), end + 160))
    if named is None or _PATTERNS["self"].search(text, end, named.start("name") + 1):
        return False
    bare = not named["name"].strip() and named["paper"] in _OWN_NAMES
    definite = re.search(r"\b(?:the|The)\s+$", text[end : named.start("name")])
    return not (bare and definite and not amending)
