"""The kinds of contracts, and the words of a title that tell them."""

from __future__ import annotations

import re

# In order: the first kind whose words stand in the title is the contract's. The narrower come
# first, so that a "Software License and Maintenance Agreement" is no plain service contract.
_KINDS: tuple[tuple[str, str], ...] = (
    (
        "Amendment",
        r"amendment|addendum|deed of variation|supplement(?:al)? agreement|amending agreement",
    ),
    ("Privacy Policy", r"privacy (?:policy|notice|statement)"),
    ("Merger", r"(?:agreement|plan)s? (?:and plan )?of merger|merger agreement|reorganization"),
    ("NDA", r"non-?\s?disclosure|confidentiality agreement|\bnda\b|confidential disclosure"),
    ("Non-Compete", r"non-?\s?compet\w*|non-?\s?solicit\w*|non-?\s?disparagement"),
    ("Co-Branding", r"co-?\s?brand\w*"),
    ("Joint Filing", r"joint filing"),
    ("Joint Venture", r"joint venture"),
    ("Strategic Alliance", r"strategic (?:\w+ )?alliance|alliance agreement"),
    ("Endorsement", r"endorse\w*"),
    ("Sponsorship", r"sponsor\w*"),
    ("Franchise", r"franchis\w*"),
    ("Affiliate", r"affiliate\w*"),
    ("Outsourcing", r"outsourc\w*"),
    ("Hosting", r"hosting"),
    ("Reseller", r"resell\w*|value[- ]added|\bvar\b"),
    ("Distributor", r"distribut\w*|dealer\w*"),
    ("Manufacturing", r"manufactur\w*"),
    ("Supply", r"suppl(?:y|ier)|purchase and supply"),
    ("Transportation", r"transport\w*|shipping|gas gathering|pipeline|charter ?party|freight"),
    ("Promotion", r"promot\w*"),
    ("Marketing", r"marketing|advertising|referral"),
    ("License", r"software licen[cs]e"),
    ("Maintenance", r"maintenance|support (?:services )?agreement|service level"),
    ("Collaboration", r"collaborat\w*|cooperation|co-operation|teaming"),
    ("Development", r"develop\w*"),
    ("Consulting", r"consult\w*|advisory"),
    ("Employment", r"employment|offer letter|separation agreement|severance"),
    ("Lease", r"\bleases?\b|sublease|tenancy|rental agreement|premises"),
    ("Loan", r"\bloans?\b|credit (?:agreement|facility)|promissory note|indenture|guarant(?:y|ee)"),
    ("IP", r"intellectual property|patent|trade ?marks?|copyright|technology transfer"),
    ("License", r"licen[cs]\w*"),
    ("Agency", r"agency|agent\b|sales representative"),
    ("Purchase", r"purchase|sale agreement|agreement of sale|asset sale|share sale|subscription"),
    (
        "Service",
        (
            r"services?\b|servicing|administration agreement|statement of work|order form|"
            r"master agreement"
        ),
    ),
)
KINDS: tuple[str, ...] = tuple(dict.fromkeys(name for name, _ in _KINDS))
_PATTERNS = tuple((name, re.compile(rf"\b(?:{words})", re.IGNORECASE)) for name, words in _KINDS)


def contract_type(words: str) -> tuple[str, re.Match[str]] | None:
    """Return the kind that the words of a title tell, and the words that tell it."""
    for name, pattern in _PATTERNS:
        match = pattern.search(words)
        if match:
            return name, match
    return None


def contract_types(words: str) -> frozenset[str]:
    """Return every kind that the words tell, for titles that name more than one."""
    return frozenset(name for name, pattern in _PATTERNS if pattern.search(words))
