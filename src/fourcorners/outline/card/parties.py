"""Find the parties that the preamble names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from fourcorners.outline.card.card import Fact, Party
from fourcorners.outline.card.introduced_parties import (
    find_introduced_parties,
    find_registered_parties,
)
from fourcorners.outline.card.party_names import (
    CLOSED,
    ENDS_WITH_SUFFIX,
    HAS_FORM,
    MAX_NAMES_TESTED,
    MAX_PARTIES,
    NAME,
    NO_SHORT,
    ROLES,
    SHORT,
    STRONG,
    acts_as_party,
    drop_partial_names,
    find_short_name,
    find_short_names,
    has_only_roles,
    is_acting,
    name_at,
    name_key,
    name_pattern,
    party_fact,
    short_name,
)
from fourcorners.outline.card.signers import compare_signers, find_signers
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

_PATTERNS = load_patterns("fourcorners.outline.card", "parties")
# A list of names alone, "X, Inc., Y, LLC and Z": the next starts right after the comma.
_LISTED = re.compile(
    rf"(?P<comma>,\s+)(?!an?\s|the\s)[A-Z][\w’'.&-]*(?:[^\S\n][A-Z&][\w’'.&-]*){{0,6}},?[^\S\n]{STRONG}(?=[,\s])"
)
_TOP = 1_500  # characters within which parties are introduced
_CLOSE = 60  # characters from a party's short name to the next party's name
_FRONT = 25_000  # characters that a cover, a table of contents and the opening may have
_AGAIN = 6  # maximum occurrences of a party's name at which its short name is searched for
_LED = 120  # characters before a short name that hold its name
_NEAR = 350  # characters from a party's name to its short name
_CUES = 8  # maximum words such as "between" that are tried


def find_parties(text: str, preamble: Span) -> tuple[Fact[Party], ...]:
    """Find the parties named in the preamble, with the short names it gives them.

    The opening sentence of the contract is read first, the cover above it only if that names none.
    """
    opening = _PATTERNS["opening"].search(text, preamble.start, preamble.end)
    found = _parties_between(text, Span(opening.start(), preamble.end)) if opening else ()
    if not found:
        found = _parties_between(text, preamble)
    top = Span(preamble.start, min(preamble.end, preamble.start + _TOP))
    signers = find_signers(text)
    by_name = find_introduced_parties(text, top, signers)
    if len(by_name) > 1 and (not found or found[0].span.start > by_name[-1].span.start):
        found = by_name
    elif found:
        found = _add_companies(text, found, preamble.end)
    else:
        found = _read_labels(text, preamble) or find_introduced_parties(text, preamble, signers)
    if len(found) == 1 and _PATTERNS["placed"].search(text, preamble.start, preamble.end):
        placed = _read_labels(text, Span(0, min(len(text), preamble.end + 3_000)), least=1)
        known = {name_key(fact.value.name) for fact in found}
        found = (*found, *(fact for fact in placed if name_key(fact.value.name) not in known))
    found = found or find_registered_parties(text)
    is_form = _faces_blank(text, found)
    found = compare_signers(text, preamble, found, signers, is_form=is_form)
    found = found or _read_labels(text, Span(0, len(text)), formed_only=True)
    found = tuple(each for fact in found for each in _split_persons(text, fact))
    found = tuple(_add_short_names(text, drop_partial_names(_expand_short_names(text, found))))
    return (*found, *_find_blanks(text, preamble, found))


def _find_blanks(
    text: str, preamble: Span, found: tuple[Fact[Party], ...]
) -> Iterator[Fact[Party]]:
    """Yield those whose names are left blank: a short name after a blank where a party begins."""
    taken = {fact.value.short.casefold() for fact in found}
    last = preamble.start
    for match in find_short_names(text, preamble.start, preamble.end):
        short, segment, last = short_name(match), Span(last, match.start()), match.end()
        if NO_SHORT.search(short) or short.casefold() in taken:
            continue
        cues = [*_PATTERNS["cue"].finditer(text, segment.start, segment.end)]
        led = Span(cues[-1].end() if cues else segment.start, segment.end)
        blank = _PATTERNS["blank"].search(text, led.start, led.end)
        if blank is None or not (cues or taken) or any(led.overlaps(fact.span) for fact in found):
            continue
        before = text[led.start : blank.start()].strip(' ).”"\n')
        if before and not _PATTERNS["skip"].fullmatch(before):
            continue
        if CLOSED.search(blank.group().strip("[ ]")) or name_at(text, blank.end(), led.end):
            continue  # a name in brackets, or right after them
        party = _blank_party(short)
        if party.role or is_acting(text, short):
            taken.add(short.casefold())
            yield Fact(party, Span(*blank.span()).strip(text), 0.7)


def _blank_party(short: str) -> Party:
    role = short if short.casefold().removeprefix("the ") in ROLES else ""
    return Party(short, short, role, is_blank=True)


def _split_persons(text: str, fact: Fact[Party]) -> tuple[Fact[Party], ...]:
    """Separate two persons who are named together with one short name: "John Ash and Mary Oak"."""
    joined = _PATTERNS["persons"].match(text, fact.span.start, fact.span.end)
    if joined is None or ENDS_WITH_SUFFIX.search(fact.value.name):
        return (fact,)
    names = (Span(*joined.span("first")), Span(*joined.span("second")))
    return tuple(party_fact(text, name, fact.value.short) for name in names)


def _expand_short_names(text: str, found: tuple[Fact[Party], ...]) -> tuple[Fact[Party], ...]:
    """Replace short names of parties by their full names, if these are given above."""
    if all(HAS_FORM.search(fact.value.name) or fact.value.short for fact in found):
        return found
    given: dict[str, Span] = {}
    for match in find_short_names(text, 0, max(fact.span.start for fact in found)):
        led = [*NAME.finditer(text, max(0, match.start() - _LED), match.start())]
        span = name_at(text, led[-1].start(), match.start()) if led else None
        if span and not text[span.end : match.start()].strip(" \n,"):
            given.setdefault(short_name(match).casefold(), span)
    whole = {fact.value.name: given.get(fact.value.name.casefold()) for fact in found}
    return tuple(
        party_fact(text, span, fact.value.name) if (span := whole[fact.value.name]) else fact
        for fact in found
    )


def _add_short_names(text: str, found: tuple[Fact[Party], ...]) -> Iterator[Fact[Party]]:
    """Give parties named on a cover the short names that follow their names further on."""
    front = text[:_FRONT]
    names = {fact.value.name: name_pattern(fact.value.name) for fact in found}
    taken = {fact.value.short for fact in found}
    for fact in found:
        name = fact.value.name
        again = () if fact.value.short else islice(names[name].finditer(front), _AGAIN)
        for place in again:
            end = min(len(front), place.end() + _NEAR)
            others = (
                pattern.search(front, place.end(), end)
                for each, pattern in names.items()
                if each != name
            )
            end = min((other.start() for other in others if other), default=end)
            named = SHORT.search(front, place.end(), end)
            if named is None:
                continue
            short = short_name(named)
            given = party_fact(text, fact.span, short).value
            if given.short and not (short in taken or short in front[place.end() : named.start()]):
                fact = Fact(given, fact.span, fact.confidence)
                taken.add(given.short)
                break
        yield fact


def _add_companies(text: str, found: tuple[Fact[Party], ...], end: int) -> tuple[Fact[Party], ...]:
    """Add companies that are given a short name right after a party.

    After the last party only those whose short name acts in the contract are added.
    """
    limit = found[-1].span.start
    names = {fact.value.name.casefold() for fact in found}
    shorts = {fact.value.short.casefold() for fact in found}
    others, asked = [], 0
    for match in NAME.finditer(text, found[0].span.end, end):
        given = _PATTERNS["given"].match(text, match.end(), min(end, match.end() + 80))
        span = name_at(text, match.start(), end) if given else None
        if given is None or span is None or NO_SHORT.search(given["short"]):
            continue
        if span.start > limit:
            asked += 1
            if asked > MAX_NAMES_TESTED or not is_acting(text, given["short"]):
                continue
        known = any(span.overlaps(fact.span) for fact in found)
        words = span.text_in(text).casefold()
        if known or " for " in words or words in names or given["short"].casefold() in shorts:
            continue
        if ENDS_WITH_SUFFIX.search(span.text_in(text)):
            others.append(party_fact(text, span, given["short"]))
            names.add(words)
    return tuple(sorted((*found, *others), key=lambda fact: fact.span)) if others else found


def _read_labels(
    text: str, within: Span, *, least: int = 2, formed_only: bool = False
) -> tuple[Fact[Party], ...]:
    """Read parties from lines that begin with their role or term: "Party A: …", "Licensor: …".

    Of lines "Name: …" the term is in one of the lines below. A label that is no known role must
    have duties in the contract, and counts only where not two known roles are found. With
    `formed_only` the names are only those with a legal form.
    """
    found: dict[str, Fact[Party]] = {}
    sure: set[str] = set()
    for match in _PATTERNS["label"].finditer(text, within.start, within.end):
        role = match["label"] or match["role"].title()
        end = text.find("\n", match.end())
        line = Span(match.end(), min(within.end, end if end >= 0 else len(text)))
        if role == "Name":
            role = _term_below(text, line.end)
        if role in found or not (match["label"] or acts_as_party(text, role, bound=True)):
            continue
        spans = [name_at(text, line.start, end) for end in (line.end, within.end)]
        formed = (each for each in spans if each and HAS_FORM.search(each.text_in(text)))
        is_role = role.casefold() in ROLES
        known = match["label"] or (is_role and not formed_only)
        span = next(formed, (spans[0] or spans[1]) if known else None)
        blank = None if span or not known else _blank_at(text, line.start, within.end)
        if blank:
            found[role] = Fact(_blank_party(role), Span(*blank.span()).strip(text), 0.7)
        elif span and not has_only_roles(span.text_in(text).casefold()):
            found[role] = Fact(party_fact(text, span, role).value, span, 0.7)
        if match["label"] or is_role:
            sure.add(role)
    if len(sure & found.keys()) > 1:
        found = {role: fact for role, fact in found.items() if role in sure}
    places = [each.span for each in found.values()]
    together = max(places).end - min(places).start <= _TOP if places else False
    return tuple(found.values()) if together and len(found) >= least else ()


def _term_below(text: str, end: int) -> str:
    """Return what one of the lines right below says that a party is called."""
    below = text[end : end + _NEAR].lstrip("\n").partition("\n\n")[0]
    values = (line.partition(":")[2].strip(" \"“”'") for line in below.splitlines())
    shorts = (each.removeprefix("the ") for each in values if each)
    return next((each for each in shorts if acts_as_party(text, each)), "")


def _parties_between(text: str, preamble: Span) -> tuple[Fact[Party], ...]:
    best: tuple[Fact[Party], ...] = ()
    for cue in islice(_PATTERNS["cue"].finditer(text, preamble.start, preamble.end), _CUES):
        found = _parties_after(text, cue.end(), preamble.end)
        found = _split_pair(text, found)
        alone = (
            cue.group().lower().startswith(("made", "entered"))
            or _blank_at(text, cue.end(), preamble.end)
            or _faces_blank(text, found)
        )
        if len(found) < 2 and not alone:
            continue
        if _sureness(found) > _sureness(best) + 0.1:
            best = found
        if _sureness(best) >= 0.95:
            break
    return best


def _split_pair(text: str, found: tuple[Fact[Party], ...]) -> tuple[Fact[Party], ...]:
    """Separate the two names in "between X and Y", if neither is clearly a company's."""
    if len(found) != 1 or ENDS_WITH_SUFFIX.search(found[0].value.name):
        return found
    span = found[0].span
    joints = [*re.finditer(r"\s+(?:and|AND)\s+(?:[Tt]he\s+)?", span.text_in(text))]
    if len(joints) != 1 or "(" in text[span.end : span.end + 3]:
        return found
    first = Span(span.start, span.start + joints[0].start())
    second = Span(span.start + joints[0].end(), span.end)
    if any(has_only_roles(name.text_in(text).casefold()) for name in (first, second)):
        return found
    if not any(" " in name.text_in(text) for name in (first, second)):
        return found
    return party_fact(text, first, ""), party_fact(text, second, "")


def _faces_blank(text: str, found: tuple[Fact[Party], ...]) -> bool:
    """Return whether one party is named and the place of the other is blank, as in a form."""
    if len(found) != 1:
        return False
    end = found[0].span.end
    return bool(_PATTERNS["other_blank"].search(text, end, min(len(text), end + 700)))


def _blank_at(text: str, offset: int, limit: int) -> re.Match[str] | None:
    """Return the blank for a party's name, if there is one before the next words."""
    while offset < limit and (text[offset].isspace() or text[offset] in ",:"):
        offset += 1
    return _PATTERNS["blank"].match(text, offset, limit)


def _sureness(found: tuple[Fact[Party], ...]) -> float:
    return sum(fact.confidence for fact in found[:2]) / 2


def _parties_after(text: str, offset: int, limit: int) -> tuple[Fact[Party], ...]:
    found: list[Fact[Party]] = []
    while offset < limit and len(found) < MAX_PARTIES:
        blank = _blank_at(text, offset, limit)
        skipped = _PATTERNS["skip"].match(text, offset, limit)
        offset = skipped.end() if skipped else offset
        if blank and not found:
            stop, _ = _name_end(text, blank.end(), limit)
            if stop is None:
                break
            offset = stop
            continue
        span = name_at(text, offset, limit)
        if span is None:
            break
        words = " ".join(span.text_in(text).split()).casefold()
        names = [name.casefold() for f in found for name in (f.value.short, f.value.name)]
        if has_only_roles(words) or any(f"{name} ".startswith(f"{words} ") for name in names):
            break
        stop, short = _name_end(text, span.end, limit)
        number = _PATTERNS["numbered"].search(skipped.group()) if skipped else None
        if number:  # "(1) … (2) …"
            after = text.find(f"({int(number[1]) + 1})", span.end, min(limit, span.end + 1_500))
            nearer = name_at(text, _skip(text, stop, limit), limit) if stop is not None else None
            if after > 0 and not (nearer and HAS_FORM.search(nearer.text_in(text))):
                named = find_short_name(text, span.end, after)
                stop, short = after, short_name(named) if named else ""
        found.append(party_fact(text, span, short))
        if stop is None:
            break
        offset = stop
    return tuple(found)


def _skip(text: str, offset: int, limit: int) -> int:
    skipped = _PATTERNS["skip"].match(text, offset, limit)
    return skipped.end() if skipped else offset


def _name_end(text: str, offset: int, limit: int) -> tuple[int | None, str]:
    acts = _PATTERNS["acts_as"].match(text, offset, limit)
    offset = acts.end() if acts else offset
    listed = _LISTED.match(text, offset, limit)
    if listed:
        return listed.end("comma"), acts["short"] if acts else ""
    named = find_short_name(text, offset, min(limit, offset + 700))
    following = None
    for step in _PATTERNS["next"].finditer(text, offset, min(limit, offset + 900)):
        if text.startswith("Wales", step.end()):
            continue
        between = text[offset : step.end()]
        if between.count("(") > between.count(")") and step.group()[0] != ")":
            continue
        if _PATTERNS["another"].search(text, offset, step.end()):
            break
        if named and step.end() < named.start() and _PATTERNS["with_others"].search(between):
            continue
        inside = named is not None and step.start() > named.start()
        close = named is not None and inside and step.start() - named.end() < _CLOSE
        candidate = name_at(text, _skip(text, step.end(), limit), limit)
        paragraph = not step.group().strip(' ,;)"”.\n\t\xa0')
        if candidate is None:
            if paragraph and inside:
                break
            continue
        near = find_short_name(text, candidate.end, min(limit, candidate.end + 60))
        near_joint = step.start() - offset <= 1 and "and" in step.group().lower()
        direct = near_joint or _PATTERNS["joint_line"].search(step.group())
        placed = _PATTERNS["placed_at"].match(text, candidate.end, limit)
        certain = HAS_FORM.search(candidate.text_in(text)) or near or direct or placed
        if certain or (close and not paragraph):
            following = step.end()
            break
        if paragraph and inside:
            break
    if named is None or (following is not None and named.start() >= following):
        return following, acts["short"] if acts else ""
    return following, short_name(named)
