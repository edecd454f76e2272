"""Find contracts by a plain question over the findings of a review, with the quotes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fourcorners.errors import ConfigError, QueryError, name_remedy
from fourcorners.library.catalogue import Catalogue
from fourcorners.library.damage import without_damaged
from fourcorners.library.database import as_string
from fourcorners.library.entries import Entry, Failure
from fourcorners.library.store import Library
from fourcorners.library.tokens import fold_name
from fourcorners.outline.card.card import Party
from fourcorners.outline.card.party_names import ROLES
from fourcorners.playbooks.concepts import playbook_concepts
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review import store
from fourcorners.review.finding import CellState, Finding
from fourcorners.review.selection.conditions import (
    AllConditions,
    AnyCondition,
    Condition,
    HasProvision,
    NotCondition,
    condition_provisions,
    condition_text,
    evaluate_condition,
    is_condition,
    parse_condition,
)
from fourcorners.search.concepts import Concept, recognise_concepts
from fourcorners.search.names import COMMON, name_index
from fourcorners.text.patterns import load_patterns
from fourcorners.text.stems import FRAME, IDLE, stem_tokens
from fourcorners.text.tokenization import tokenize


@dataclass(frozen=True, slots=True)
class ContractMatch:
    """A contract with the cells of the condition.

    Attributes:
        is_match: Whether it meets the condition; None if that depends on cells that are not filled.
        findings: In the order of the condition's provisions; None if a cell was never filled.
    """

    entry: Entry
    parties: tuple[Party, ...]
    is_match: bool | None
    findings: tuple[tuple[str, Finding | None], ...]

    @property
    def missing(self) -> tuple[str, ...]:
        return tuple(
            provision for provision, finding in self.findings if _is_found(finding) is None
        )


@dataclass(frozen=True, slots=True)
class Selection:
    """The result for each contract that was examined.

    Attributes:
        open: Those that are undecided, because they were not reviewed for all it needs.
        others: Those that do not meet it, by what the review found.
        unread: Files that could not be read, and so were not reviewed.
    """

    found: tuple[ContractMatch, ...]
    open: tuple[ContractMatch, ...]
    others: tuple[ContractMatch, ...]
    unread: tuple[Failure, ...]


@without_damaged
def find_contracts(
    library: Library,
    playbook: Playbook,
    condition: Condition,
    *,
    collection: str | None = None,
    types: Sequence[str] = (),
    party: str = "",
) -> Selection:
    """Return the contracts that meet a condition by what the review found, with the findings.

    What a person rejected counts as not found, what a person corrected as found. Nothing is
    reviewed here.

    Raises:
        ConfigError: If there is no such collection, no document of a type, or none of a party.
    """
    wanted = condition_provisions(condition)
    cells = store.load_cells(library, playbook, wanted)
    answered = [
        _answer(library, condition, wanted, entry, cells.get(entry.id, {}))
        for entry in _entries(library, collection, types, party)
    ]
    return Selection(
        found=tuple(one for one in answered if one.is_match is True),
        open=tuple(one for one in answered if one.is_match is None),
        others=tuple(one for one in answered if one.is_match is False),
        unread=tuple(library.failures(collection)),
    )


def _answer(
    library: Library,
    condition: Condition,
    wanted: Sequence[str],
    entry: Entry,
    cells: Mapping[str, Finding],
) -> ContractMatch:
    findings = tuple((provision, cells.get(provision)) for provision in wanted)
    known = {provision: _is_found(finding) for provision, finding in findings}
    parties = tuple(fact.value for fact in library.card(entry.id).parties)
    return ContractMatch(entry, parties, evaluate_condition(condition, known), findings)


def _is_found(finding: Finding | None) -> bool | None:
    if finding is None or finding.state in (CellState.FAILED, CellState.TO_READ):
        return None
    return finding.state is CellState.FOUND


def _entries(
    library: Library, collection: str | None, types: Sequence[str], party: str
) -> Iterator[Entry]:
    entries = library.documents(collection)
    kinds = {fold_name(kind) for kind in types}
    there = {fold_name(entry.type): entry.type for entry in entries if entry.type}
    if missing := [kind for kind in types if fold_name(kind) not in there]:
        raise ConfigError(
            f"no contract here is of the type {missing[0]!r}.",
            remedy=name_remedy(missing[0], sorted(there.values())),
        )
    matching: set[str] | None = None
    if party.strip():
        inside = None if collection is None else [collection]
        rows = set(name_index(library, inside).documents_with_party(party))
        known = library.execute("SELECT row, id FROM documents")
        matching = {as_string(document) for row, document in known if row in rows}
        if not matching:
            raise ConfigError(
                f"no contract has a party named {party!r}.",
                remedy="See the parties of a contract with `fourcorners links CONTRACT`.",
            )
    for entry in entries:
        if (not kinds or fold_name(entry.type) in kinds) and (
            matching is None or entry.id in matching
        ):
            yield entry


_PATTERNS = load_patterns("fourcorners.review.selection", "find")
_SPLIT = _PATTERNS["split"]
_MARK = re.compile(r"⟦\d+⟧")  # in the place of a name
_CONTRACTED = _PATTERNS["contracted"]
_DENIES = frozenset(
    [
        *("without", "neither", "not", "no", "never", "lack", "lacks", "lacking", "except", "!"),
        *("other than", "apart from", "aside from", "excluding", "save for", "-", "all but"),
        *("but for", "but those", "but the ones"),
    ]
)
_LACKS = frozenset(("without", "lack", "lacks", "lacking"))
_JOINTS = _PATTERNS["joints"]
_IGNORED = frozenset(
    [
        *("which", "list", "our", "any", "all", "many", "count", "number", "those", "clause"),
        *("clauses", "contracts", "agreements", "documents", "have", "has", "supply", "companies"),
        *("counterparties", "counterparty", "deals", "right", "rights", "obligation", "duty"),
    ]
)
_AFTER_TYPE = r"(?:\s+(?:agreements?|contracts?|deeds?|letters?|policies))"
_COMPARES = frozenset("<>=≤≥")
_RESTRICTS = frozenset(("only", "just", "solely", "exactly", "alone", "merely"))
_LONG = 6  # letters of a word beyond which its ending is free
_NO_ROLES = frozenset(("party", "fund", "bank", "trust", "us"))
_BY_ITSELF = frozenset(("lease", "nda", "loan", "amendment", "merger"))


@dataclass(frozen=True, slots=True)
class SelectionQuery:
    """The interpretation of a question.

    Attributes:
        description: The same in words that a person can correct and ask again.
        party: Words of a party's name that the question names; empty if none.
        role: The role that the question asks about (`supplier`): its party is named if the contract
            says who it is; it excludes no contract.
        unknown: Words that were not understood.
    """

    condition: Condition
    description: str
    types: tuple[str, ...] = ()
    party: str = ""
    role: str = ""
    unknown: tuple[str, ...] = ()


@without_damaged
def parse_selection(library: Catalogue, question: str, playbook: Playbook) -> SelectionQuery:
    """Read a condition, or a plain question, as what contracts must have and lack.

    Raises:
        QueryError: If nothing of the playbook is asked for, or a condition does not parse.
        ConfigError: If a condition names a provision that the playbook does not have.
    """
    if is_condition(question):
        written = parse_condition(question, playbook)
        return SelectionQuery(written, condition_text(written, playbook))
    # What a provision's questions ask is more than whether a contract has the provision.
    known = [replace(each, asks=()) for each in playbook_concepts([playbook])]
    masked, named = _mask_names(question, known)
    pieces = list(_pieces(masked, named, known))
    condition = _join_pieces(pieces)
    if condition is None:
        listed = ", ".join(provision.id for provision in playbook.provisions)
        raise QueryError(
            f"{question!r} names no provision of the playbook {playbook.id}.",
            remedy=f"It has: {listed}.",
        )
    types = _types(library, question)
    party = _party(library, question)
    used = {token for kind in types for token in tokenize(kind).tokens} | set(
        tokenize(party).tokens
    )
    for piece, denied in zip(pieces, _denials(pieces), strict=True):
        if denied and piece.provisions and (unknown := [*_unknown([piece], used, known)]):
            raise QueryError(
                f"contracts cannot be left out by {' '.join(unknown)}: only by what the review of "
                "a provision found.",
                remedy="Ask without these words, or put a question with `fourcorners ask`.",
            )
    words = (token.removesuffix("s") for token in tokenize(question).tokens)
    role = next((word for word in words if word in ROLES - _NO_ROLES and word not in used), "")
    return SelectionQuery(
        condition=condition,
        description=condition_text(condition, playbook),
        types=types,
        party=party,
        role=role,
        unknown=tuple(dict.fromkeys([*_unknown(pieces, used, known), *_unused(question, pieces)])),
    )


def _unused(question: str, pieces: Sequence[_Piece]) -> Iterator[str]:
    """Yield words that would leave contracts out and that no condition takes up.

    These are `only`, a field (`type:lease`), and a denial after which no provision is named ("but
    not both").
    """
    for word in question.split():
        name, sign, value = word.partition(":")
        if name.casefold().strip(".,;?!") in _RESTRICTS or (name and sign and value):
            yield word.strip(".,;?!")
    last = max((at for at, each in enumerate(pieces) if each.provisions), default=-1)
    left = pieces[last + 1 :]
    if any(each.joint in _DENIES for each in left):
        yield " ".join(f"{each.joint} {each.words}".strip() for each in left).strip(" ,.?!")


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of the question between conjunctions, with the provisions that it names."""

    joint: str
    words: str
    provisions: tuple[str, ...]


def _mask_names(question: str, known: Sequence[Concept]) -> tuple[str, dict[str, str]]:
    """Replace names that contain a conjunction by marks: `termination without cause`."""
    question = _CONTRACTED.sub(r"\1 not", question)
    named: dict[str, str] = {}
    phrases = [
        (phrase, concept.id)
        for concept in known
        for phrase in (concept.name, *concept.aliases)
        if _JOINTS.search(phrase)
    ]
    for phrase, provision in sorted(phrases, key=lambda each: -len(each[0])):
        mark = f"⟦{len(named)}⟧"
        pattern = rf"(?<!\w){_in_any_form(phrase)}(?!\w)"
        question, count = re.subn(pattern, mark, question, flags=re.IGNORECASE)
        if count:
            named[mark] = provision
    return question, named


def _in_any_form(phrase: str) -> str:
    """Return a pattern for a phrase that allows other endings of its long words."""
    forms = [
        rf"{re.escape(word[: max(5, len(word) - 3)])}\w*" if len(word) > _LONG else re.escape(word)
        for word in phrase.split()
    ]
    return r"\s+".join(forms)


def _pieces(question: str, named: dict[str, str], known: Sequence[Concept]) -> Iterator[_Piece]:
    joint, start = "", 0
    for match in [*_SPLIT.finditer(question), None]:
        words_here = question[start : match.start() if match else len(question)]
        if words_here.strip() or joint:
            found = [named[mark] for mark in _MARK.findall(words_here)]
            plain = _MARK.sub(" ", words_here)
            found += [concept.id for concept, _ in recognise_concepts(plain, known)]
            yield _Piece(joint, plain, tuple(dict.fromkeys(found)))
        if match is not None:
            joint, start = match["joint"] or match["sign"] or ",", match.end()
            joint = " ".join(joint.casefold().split())


def _denials(pieces: Iterable[_Piece]) -> Iterator[bool]:
    """Yield whether each piece is denied; a denial of a lack is none."""
    denied = waits = False  # "except those" waits for its provision
    for piece in pieces:
        if piece.joint in _DENIES:
            denied = not (waits and piece.joint in _LACKS)
        elif piece.joint in ("with", "but", ""):
            denied = waits and piece.joint == "with"
        waits = denied and not piece.provisions
        yield denied


def _join_pieces(pieces: Sequence[_Piece]) -> Condition | None:
    """Join the conditions of the pieces: AND before OR; to lack `A or B` is to lack both."""
    groups: list[list[Condition]] = [[]]
    other = False
    for piece, denied in zip(pieces, _denials(pieces), strict=True):
        other = other or piece.joint == "or"
        if not piece.provisions:
            continue
        if other and not denied and groups[-1]:
            groups.append([])
        other = False
        parts: list[Condition] = [HasProvision(provision) for provision in piece.provisions]
        groups[-1].extend(NotCondition(part) if denied else part for part in parts)
    joined = [_joint(tuple(dict.fromkeys(group)), AllConditions) for group in groups if group]
    return _joint(tuple(joined), AnyCondition) if joined else None


def _joint(parts: tuple[Condition, ...], join: type[AllConditions | AnyCondition]) -> Condition:
    return parts[0] if len(parts) == 1 else join(parts)


def _types(library: Catalogue, question: str) -> tuple[str, ...]:
    rows = library.execute("SELECT DISTINCT type FROM documents WHERE type != '' ORDER BY type")
    found = []
    for kind in (as_string(row[0]) for row in rows):
        after = _AFTER_TYPE + ("?" if kind.casefold() in _BY_ITSELF else "")
        if re.search(rf"(?<![\w-]){re.escape(kind)}s?{after}(?!\w)", question, re.IGNORECASE):
            found.append(kind)
    return tuple(found)


def _party(library: Catalogue, question: str) -> str:
    names = name_index(library)
    return " ".join(
        question[start:end]
        for at, (token, start, end) in enumerate(tokenize(question))
        if at > 0
        and question[start].isupper()
        and token not in COMMON
        and token not in ROLES
        and names.is_party_word(token)
    )


def _unknown(pieces: Sequence[_Piece], used: set[str], known: Sequence[Concept]) -> Iterator[str]:
    """Yield the words, as written, that are of no provision, type, party or role."""
    for piece in pieces:
        named = " ".join(
            phrase
            for concept in known
            if concept.id in piece.provisions
            for phrase in concept.phrases
        )
        stems = set(stem_tokens(tokenize(named).tokens))
        for word in piece.words.split():
            rest = set(tokenize(word).tokens) - IDLE - FRAME - _IGNORED - used
            if _COMPARES & {*word} or any(
                stem not in stems and token.removesuffix("s") not in ROLES
                for token, stem in zip(rest, stem_tokens([*rest]), strict=True)
            ):
                yield word.strip(".:?!")
