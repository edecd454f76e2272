"""Find cross-references: where the contract refers to another of its parts.

A reference to another document or a statute ("Section 409A of the Code", "Section 2 of the Lease")
is left out, as are headings and entries of a table of contents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from fourcorners.outline.parser.lines import offsets_of
from fourcorners.outline.parser.numbering import CARDINALS, LATIN
from fourcorners.outline.references.labels import (
    LINKED,
    LabelCitation,
    LabelIndex,
    label_parts,
)
from fourcorners.outline.tree import CrossReference, Node, ReferenceKind
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

_SINGULARS = (
    *("section", "sub-section", "subsection", "article", "sub-article", "subarticle", "clause"),
    *("sub-clause", "subclause", "paragraph", "sub-paragraph", "subparagraph", "exhibit"),
    *("schedule", "annexure", "attachment", "addendum", "part", "recital", "item"),
)
_LOWER = "|".join((*(f"{word}s?" for word in _SINGULARS), "annex(?:es)?", "appendix", "appendices"))
_WORDS = "|".join((_LOWER, "|".join(part[0].upper() + part[1:] for part in _LOWER.split("|"))))
_WORDS += "|" + _LOWER.upper()
# Each word above is one of these, or one of these after "sub".
_STEMS = (
    *("section", "article", "clause", "paragraph", "exhibit", "schedule", "annex", "appendi"),
    *("attachment", "addendum", "part", "recital", "item"),
)
_BRACKETS = r"(?:\s?\((?:[a-zA-Z]{1,4}|\d{1,2}[A-Z]?)\))"
_ADDED = rf"(?:[A-Z]{{2,3}}(?!\w)|[A-Za-z]|\s?(?:{'|'.join(LATIN)})\b)"  # to 2, for 2A and 2bis
_MARK = (
    rf"(?:\d{{1,4}}{_ADDED}?(?:\.\d{{1,3}}{_ADDED}?|\.[A-Za-z](?!\w)){{0,4}}(?:\.(?=\())?{_BRACKETS}{{0,9}}|"
    rf"[IVXL]{{1,7}}(?![a-zA-Z’'])(?:\.\d{{1,2}}|[.-][A-Z](?!\w)){{0,3}}(?:\.(?=\())?{_BRACKETS}{{0,9}}|"
    rf"(?:{'|'.join(word.title() for word in CARDINALS)})\b|"
    rf"[A-Z](?![a-zA-Z’'])(?:[.-]?\d{{1,2}}(?:\.\d{{1,2}}){{0,9}})?{_BRACKETS}{{0,9}}|{_BRACKETS}{{1,9}})"
)
_SEPARATOR = (
    r"(?:\s*,\s*(?:and\s+|or\s+|and/or\s+)?|\s+(?:and|or|and/or|to|through|thru|&)\s+|\s?[–-]\s?)"
)
_MORE = re.compile(
    rf"{_SEPARATOR}(?P<mark>\d{{1,3}}{_ADDED}?(?:\.\d{{1,3}}{_ADDED}?){{1,4}}{_BRACKETS}{{0,9}}|{_BRACKETS}{{1,9}}|"
    rf"\d{{1,2}}{_ADDED}?{_BRACKETS}{{1,9}}|\d{{1,2}}[A-Z]{{0,3}}(?=[,.;)]|\s+(?:of|and|or|to|above|below|hereof|hereto|shall|are|is)\b)|"
    rf"[IVXL]{{1,6}}(?=[,.;)\s])|[A-Z](?:-\d{{1,2}})?(?=[,.;)\s](?!\s?[A-Z]\w)))(?![\w%])"
)
_JOINED = re.compile(r"-\d{1,2}(?![\w-])")  # "Article 14-1", where there is one
# What follows "(e)" if it continues the list "3.2(b) and (e)"; other brackets start an item.
_AFTER_MEMBER = re.compile(
    r"\s*(?:[,.;:)]|and\b|or\b|of\b|to\b|through\b|above\b|below\b|hereof\b|hereto\b|shall\b|are\b|is\b|"
    r"will\b|may\b|for\b|in\b|have\b|has\b|with\b|[–-]|$)"
)
_REFERENCE = re.compile(
    rf"(?<![\w-])(?P<word>{_WORDS})\s{{1,3}}(?:[Nn]o\.\s|[Nn]umber\s)?[\"“]?(?P<first>{_MARK})(?![\w’'])[\"”]?"
)
_WITHIN = re.compile(
    r"[\"”]?(?:\s*,)?\s+(?:of|to|in|under)\s+(?:this\s+|the\s+)?(?P<word>(?i:exhibits?|schedules?|annex|appendix|"
    rf"attachment|article|section|clause|paragraph|part))\s+[\"“]?(?P<mark>{_MARK})(?!\w)"
)
_CHAINED = re.compile(
    rf"(?:\s?,\s(?i:{_LOWER})\s{_MARK}(?!\w)){{1,4}}"
)  # "Article 24, Paragraph 1 of the Act"
_WHICH = (
    r"(?P<which>[Tt]his|THIS|[Tt]he\s+(?:immediately\s+)?"
    r"(?P<way>preceding|foregoing|following|previous|next))\s+"
)
_WHICH_BEFORE = re.compile(rf"{_WHICH}$")
_LONGEST_WHICH = 40  # characters
_OWN = re.compile(
    rf"(?<!\w){_WHICH}"
    r"(?P<word>(?i:section|article|clause|paragraph|exhibit|schedule|annex|appendix|"
    r"attachment|sub-?section|sub-?clause|sub-?paragraph))\b(?!\s+[\"“]?(?:\d|\([a-z\d]{1,4}\)|[A-Z]\b|[IVXL]+\b))"
)
# What follows a reference to another document: statutes, rules, other contracts.
_PAPERS = (
    r"Act|Acts|Code|Codes|Law|Laws|Regulations?|Rules?|Statutes?|U\.?\s?S\.?\s?C|C\.?\s?F\.?\s?R|Directive|"
    r"Treaty|Convention|Constitution|Ordinance|GDPR|UCC|ERISA|HIPAA|CISG|Decree|Title|Chapter|"
    r"Agreements?|Contracts?|Leases?|Plan|Indenture|Notes?|Charter|Correspondence|By-?[Ll]aws|Certificate|Articles|"
    r"Polic(?:y|ies)|Licen[cs]es?|Amendments?|Addendum|Order|Form|Guidelines?|Declaration|Deed|Letter|"
    r"Memorandum|Prospectus|Statement|Report|Manual|Protocol|Mortgage|Guaranty|Warrants?|MSA|SOW|"
    r"Disclosure\s+(?:Schedules?|Letter)|Terms\s+and\s+Conditions|Proposal|Offer|RFP|Permit|Franchise|Application|Procedures|Schedule\s+(?:13[DG]|TO)"
)
_OTHER = (
    r"(?:the|that|those|such|said|its|their|his|each|any|an?|another|both|all|"
    r"[A-Z][\w.&-]*[’']s?)\s+(?:certain\s+)?"
)
_PAPER_AFTER = re.compile(
    rf"[\"”]?(?:\s*\([^()]{{1,60}}\))?(?:\s*,)?\s+(?:of|under|to|in|from|within|pursuant\s+to|as\s+defined\s+in)\s+"
    rf"(?:{_OTHER})?(?P<name>(?:(?:[A-Z0-9“\"][\w.,&/’'”\"-]*|and|of|for|on|the|to)\s+){{0,9}}?)"
    rf"(?P<paper>{_PAPERS})\b(?!\s+of\s+this\b|\s+[A-Z])"
)
_OWN_NAMES = frozenset({"Agreement", "Contract"})
_PATTERNS = load_patterns("fourcorners.outline.references", "find")
_HEADING_AFTER = re.compile(r"[.:]?[\"”]?[^\S\n]{0,12}(?:[–—:-][^\S\n]*)?(?:[\"“]?[A-Z]|$|\n)")
_LINKS = 80  # characters before a number that show that it continues a sentence
_LINE = 2_000  # maximum blanks before a heading on its line
_ATTACHED = frozenset(
    ["exhibit", "schedule", "annex", "annexure", "appendix", "attachment", "addendum"]
)
_SINGULAR = {"annexes": "annex", "annexures": "annexure", "appendices": "appendix"}


def find_references(text: str, nodes: tuple[Node, ...]) -> tuple[CrossReference, ...]:
    """Return the references to parts of this contract, in order, without headings."""
    labels = LabelIndex(text, nodes)
    starts = {node.span.start for node in nodes}
    found: list[CrossReference] = []
    amending, own = labels.amends_another, labels.own_names
    done = 0
    places = _places(text)
    for match in filter(None, (_REFERENCE.match(text, place) for place in places)):
        if match.start() < done or match.start() in starts or _is_heading(text, match):
            continue
        word = _singular(match["word"])
        if not _is_cited(word, match):
            continue
        several = list(_several(text, match, word, labels))
        done = several[-1].span.end
        within = _WITHIN.match(text, done)
        end = within.end() if within else done
        if chained := _CHAINED.match(text, end):
            end = chained.end()
        if _is_foreign(text, match.start(), end, own=own, amending=amending):
            continue
        found.extend(_resolve(labels, several, within))
    found.extend(_relative(text, labels, places))
    return tuple(sorted(found, key=lambda reference: reference.span))


def _places(text: str) -> list[int]:
    """Return where words before a number may start, in any case."""
    low = text.replace("İ", "I").lower()  # the one letter that is longer in lower case
    return sorted(at - _length_of_sub(low, at) for stem in _STEMS for at in offsets_of(low, stem))


def _length_of_sub(low: str, at: int) -> int:
    return 4 if low.endswith("sub-", 0, at) else 3 if low.endswith("sub", 0, at) else 0


@lru_cache(maxsize=1_000)
def _singular(word: str) -> str:
    low = word.casefold().replace("-", "")
    return _SINGULAR.get(low, low.removesuffix("s"))


def _is_cited(word: str, match: re.Match[str]) -> bool:
    """Return whether word and mark make a citation: "item A" and "part I played" do not."""
    mark = match["first"]
    if mark.casefold() in CARDINALS:
        return word in ("article", "section", "part") and match["word"][0].isupper()
    if word in ("item", "part", "recital", "addendum"):
        return match["word"][0].isupper() and not (word == "item" and mark.isalpha())
    if mark.isalpha() and len(mark) == 1 and match["word"][0].islower():
        return word in _ATTACHED
    return True


def _is_heading(text: str, match: re.Match[str]) -> bool:
    """Return whether it heads a clause or is in a table of contents."""
    farthest = max(0, match.start() - _LINE)
    line = max(farthest, text.rfind("\n", farthest, match.start()) + 1)
    before = text[max(line, match.start() - 60) : match.start()]
    if LINKED.search(text, max(0, match.start() - _LINKS), match.start()):
        return False
    if not before.strip(" \t\xa0*_#>|"):
        above = text[max(0, line - 80) : line]
        led = _PATTERNS["line_above"].search(above.rstrip(" \t")) or above.strip("\n \t").isupper()
        return bool(led and _HEADING_AFTER.match(text, match.end()))
    if not _HEADING_AFTER.match(text, match.end()) or _PATTERNS["leads"].search(before):
        return False
    return match["word"][0].isupper()


def _several(
    text: str, match: re.Match[str], word: str, labels: LabelIndex
) -> Iterator[LabelCitation]:
    """Yield each number of "Sections 2, 4 and 6(b)"."""
    base, end = match["first"], match.end()
    plural = match["word"].lower().endswith("s") or match["word"].lower() == "appendices"
    joined = _JOINED.match(text, end)
    if joined and not plural and labels.has_label(word, base + joined.group()):
        base, end = base + joined.group(), joined.end()
        yield LabelCitation(word, base, Span(match.start(), end))
        return
    yield LabelCitation(word, base, Span(match.start(), match.end("first")))
    while more := _MORE.match(text, end):
        mark = more["mark"]
        bare = mark[0] not in "(" and "." not in mark
        if bare and not plural and "(" not in mark:
            break
        if mark[0] == "(":
            enumerating = "," in text[end : more.start("mark")]
            if "(" not in base or (enumerating and not _AFTER_MEMBER.match(text, more.end())):
                break
            mark = _stem(base, mark) + mark
        yield LabelCitation(word, mark, Span(*more.span("mark")))
        base, end = mark, more.end()


def _stem(base: str, mark: str) -> str:
    """Return what remains of "6.2(a)(i)" when "(b)" or "(ii)" follows it."""
    brackets = re.findall(r"\s?\([^()]*\)", base)
    depth = min(len(brackets), 1)
    if len(brackets) > 1 and _alike(brackets[-1], mark) and not _alike(brackets[0], mark):
        depth = len(brackets)
    head = base[: base.find("(")] if brackets else base
    return head + "".join(brackets[: max(0, len(brackets) - 1 if depth == len(brackets) else 0)])


def _alike(one: str, other: str) -> bool:
    """Return whether two marks are of one kind: both roman, digits, or letters of one case."""
    first, second = one.strip(" ()"), re.sub(r"\).*", "", other).strip(" (")
    if first.isdigit() or second.isdigit():
        return first.isdigit() and second.isdigit()
    romans = [bool(re.fullmatch(r"[ivx]+", each)) for each in (first, second)]
    return romans[0] == romans[1] and first.isupper() == second.isupper()


def _resolve(
    labels: LabelIndex, several: list[LabelCitation], within: re.Match[str] | None
) -> Iterator[CrossReference]:
    scope = None
    if within:
        scope = (_singular(within["word"]), within["mark"])
    for cited in several:
        raw = f"{cited.word.capitalize()} {''.join(cited.mark.split())}"
        if scope and within:
            raw = f"{raw} of {scope[0].capitalize()} {within['mark']}"
        nearby = cited.mark.lstrip().startswith("(") and scope is None
        kind = ReferenceKind.NEARBY if nearby else ReferenceKind.NUMBERED
        if cited.word in _ATTACHED:
            target = labels.attachment(cited.word, label_parts(cited.mark))
        elif nearby:
            target = labels.find_nearby(cited.span, label_parts(cited.mark))
        else:
            target = labels.find_number(cited.span.start, cited.word, cited.mark, scope)
        if target is None and labels.is_unlikely(cited):
            continue
        yield CrossReference(cited.span, target, raw, kind)


def _relative(text: str, labels: LabelIndex, places: list[int]) -> Iterator[CrossReference]:
    """Yield the references by position that have a target; others are plain words."""
    for match in _by_place(text, places):
        if _PATTERNS["legend"].search(text, max(0, match.start() - 60), match.start()):
            continue
        target = labels.find_relative(match.start(), _singular(match["word"]), match["way"] or "")
        if target is not None:
            raw = " ".join(match.group().split())
            yield CrossReference(Span(*match.span()), target, raw, ReferenceKind.RELATIVE)


def _by_place(text: str, places: list[int]) -> Iterator[re.Match[str]]:
    for place in places:
        if not text[max(0, place - 1) : place].isspace():
            continue
        first = max(0, place - _LONGEST_WHICH)
        which = _WHICH_BEFORE.search(text[first:place])
        match = _OWN.match(text, first + which.start()) if which else None
        if match:
            yield match


def _is_foreign(text: str, start: int, end: int, *, own: frozenset[str], amending: bool) -> bool:
    """Return whether the citation from `start` to `end` is part of another document.

    `own` are the names the contract gives itself. "Section 5 of the Agreement" is this contract's
    too, unless it amends another (`amending`).
    """
    if _PATTERNS["here"].match(text, end):
        return False
    if (
        _PATTERNS["before"].search(text, max(0, start - 40), start)
        or _PATTERNS["after_directly"].match(text, end)
        or _PATTERNS["statute"].match(text, end, min(len(text), end + 90))
    ):
        return True
    short = _PATTERNS["short"].match(text, end, min(len(text), end + 60))
    if short and " ".join(short["name"].split()) in own:
        return False
    if short and short["name"].isupper() and len(short["name"]) > 1:
        return True
    named = _PAPER_AFTER.match(text, end, min(len(text), end + 160))
    if named is None or _PATTERNS["self"].search(text, end, named.start("name") + 1):
        return False
    bare = not named["name"].strip() and named["paper"] in _OWN_NAMES
    definite = re.search(r"\b(?:the|The)\s+$", text[end : named.start("name")])
    return not (bare and definite and not amending)
