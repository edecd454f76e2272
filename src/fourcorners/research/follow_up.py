"""Follow-up questions: what they leave unsaid is taken from the question that they follow.

"And on what notice?", after "Can Larch end the lease?", asks on what notice Larch can end it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from fourcorners.outline.tree import NodeKind
from fourcorners.research.answer import MAX_QUESTION, Answer, RowState
from fourcorners.research.context import ResearchContext
from fourcorners.research.offline.collection import contract_question
from fourcorners.research.question import AUXILIARY, lacks_content
from fourcorners.research.tool import Material
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

_EACH = ", under each contract?"
_IT, _THEM = "each contract", "the contracts"
_MOST_CITED = 20  # quotes of the earlier answer that a model reads with the question
_PATTERNS = load_patterns("fourcorners.research", "follow_up")
_LEADS = _PATTERNS["leads"]
_INSTEAD = _PATTERNS["instead"]
_POINTS_BACK = _PATTERNS["points_back"]
_THEY = _PATTERNS["they"]
_OF_CONTRACT = _PATTERNS["of_contract"]
_IS_OF_CONTRACT = _PATTERNS["is_of_contract"]
_CONTRACT = _PATTERNS["contract"]
_UNSAID = _PATTERNS["unsaid"]
_SHARED = _PATTERNS["shared"]
_ABOUT = _PATTERNS["about"]
_ASIDE = _PATTERNS["aside"]
_STARTS_ASIDE = re.compile(rf"^.*?(?=\b{AUXILIARY}\s)", re.IGNORECASE)
_AMOUNT_OF = re.compile(rf"^how\s+(?:much|many)\s+(?P<what>.+?)\s+(?={AUXILIARY}\s)", re.IGNORECASE)
_HAS_VERB = re.compile(rf"\b{AUXILIARY}\b", re.IGNORECASE)
_SUBJECT = (
    r"(?:(?:(?i:the|either|any|each)\s+)?"
    r"(?:[A-Z][\w’'&.-]*(?:\s+[A-Z][\w’'&.-]*)*|party|contract)|(?i:we|you|they|i))"
)
_ACTS = re.compile(
    rf"(?P<before>^.*?\b(?i:{AUXILIARY})\s+)(?P<who>{_SUBJECT})\s(?P<rest>.*)$", re.DOTALL
)
_MOST_WORDS = 5  # of "on what written notice?", which has no verb
_PERSONS = frozenset(("we", "you", "they", "i"))
_SMALL = _PERSONS | {"the", "either", "any", "us", "them", "other"}


def earlier_contracts(answer: Answer) -> tuple[str, ...]:
    """Return the contracts that a question is about which follows an answer; none for all.

    They are those that answered it, or else those that were read for it.
    """
    if answer.rows:
        known = (RowState.YES, RowState.TO_READ)
        return tuple(each.document for each in answer.rows if each.state in known)
    direct = answer.answer
    statements = (*direct.sentences, *direct.conditions)
    quoted = dict.fromkeys(quote.document for each in statements for quote in each.quotes)
    return tuple(quoted) or tuple(each.document for each in answer.sources)


def cited_words(context: ResearchContext, earlier: Answer | None) -> list[Material]:
    """Return the words on which the earlier answer rests, as they are in the contracts now."""
    if earlier is None:
        return []
    known = {each.id for each in context.contracts}
    quotes = dict.fromkeys(quote for each in earlier.statements for quote in each.quotes)
    found = [
        context.material(each.document, each.quote.span, tool="earlier answer")
        for each in quotes
        if each.quote.span is not None and each.document in known
    ]
    return found[:_MOST_CITED]


def answering_clauses(
    context: ResearchContext, question: str, earlier: Answer
) -> Mapping[str, tuple[Span, ...]]:
    """Return the clauses that gave the earlier answer, by contract, if a question rests on them.

    It does where it leaves unsaid what neither it nor the earlier question names: "In what time
    must they do so?", after "What happens on a change of control?", or "And how long is the
    notice?", which names nothing that could be looked up.
    """
    bare = _without_lead(question)
    is_bare = bool(_HAS_VERB.search(bare)) and lacks_content(bare)
    if not is_bare and not _UNSAID.match(_replace_they(bare, earlier.question)):
        return {}
    known = {each.id for each in context.contracts}
    clauses: dict[str, tuple[Span, ...]] = {}
    for each in dict.fromkeys(quote for one in earlier.answer.sentences for quote in one.quotes):
        if each.quote.span is None or each.document not in known:
            continue
        outline = context.read_contract(each.document).outline
        node = outline.node_at(each.quote.span.start)
        while node and node.kind is NodeKind.ITEM and node.parent is not None:
            node = outline.nodes[node.parent]
        clause = node.span if node else each.quote.span
        clauses[each.document] = (*clauses.get(each.document, ()), clause)
    return clauses


def resolve_follow_up(question: str, earlier: Answer) -> str:
    """Return a question with what it leaves unsaid; as it is where it is whole by itself.

    What follows a table is put to each contract, too.
    """
    before = " ".join(earlier.question.split())
    if not earlier.rows:
        return join_questions(question, before)[:MAX_QUESTION]
    of_each = contract_question(before).removesuffix(_EACH) or before
    if _OF_CONTRACT.search(question) or _IS_OF_CONTRACT.match(of_each):
        bare = _without_lead(question)
        named = _CONTRACT.sub(lambda found: _THEM if found["several"] else _IT, bare, count=1)
        question = question if named == bare else f"{named}?"
    joined = join_questions(question, of_each.replace("this contract", "each contract"))
    if not contract_question(joined):
        joined = f"{joined.rstrip(' ?.')}{_EACH}"
    return joined[:MAX_QUESTION]


def join_questions(question: str, before: str) -> str:
    """Return a question with what it takes from the one before it.

    "And why?" takes all of it, "And the Supplier?" all but who acts, "Is that capped?" what "that"
    is; "Can they assign it?" takes the name of "they" alone.
    """
    words = " ".join(question.split())
    bare, old = _without_lead(question), before.rstrip(" ?.")
    acts, instead = _ACTS.match(old), _INSTEAD.match(bare)
    about = f"({_lower_first(old)})"
    if instead and acts and not _ASIDE.match(bare):
        who = instead["who"]
        is_name = who.split()[0].casefold() not in _SMALL
        who = who if is_name else _lower_first(who)
        return f"{acts['before']}{who} {acts['rest']}?"
    if not _HAS_VERB.search(bare):
        if _ASIDE.match(bare) and len(bare.split()) <= _MOST_WORDS:
            of = old if _ASIDE.match(old) is None else _without_aside(old)
            joined = f"{bare} {_lower_first(of)}?"
            return joined if _HAS_VERB.match(of) else f"{bare} {about}?"
        if lacks_content(bare) or _ABOUT.match(bare):
            return f"{bare} {about}?"
    bare = _replace_they(bare, old)
    if lacks_content(bare):
        return f"{bare} {about}?"
    shared = {each.casefold() for each in _SHARED.findall(bare)}
    points_back = _POINTS_BACK.search(bare) or _UNSAID.match(bare)
    if points_back or shared & {each.casefold() for each in _SHARED.findall(old)}:
        return f"{bare} {about}?"
    is_same = bare.casefold() == words.rstrip(" ?.").casefold()
    return question if is_same else f"{bare}?"


def _without_aside(old: str) -> str:
    """Return a question without when, how or by whom, but with what it asks the amount of.

    "How much insurance must the Tenant hold" becomes "must the Tenant hold insurance".
    """
    amount, of = _AMOUNT_OF.match(old), _STARTS_ASIDE.sub("", old, count=1)
    if amount is None:
        return of
    if _ACTS.match(of):
        return f"{of} {amount['what']}"
    verb, _, rest = of.partition(" ")
    return f"{verb} {amount['what']} {rest}"


def _without_lead(question: str) -> str:
    bare = _LEADS.sub("", " ".join(question.split())).rstrip(" ?.")
    return f"{bare[:1].upper()}{bare[1:]}"


def _replace_they(bare: str, old: str) -> str:
    """Return a question with the name of who acts in the one before it for "they"."""
    acts = _ACTS.match(old)
    if acts is None or acts["who"].casefold() in _PERSONS or acts["who"].endswith("contract"):
        return bare
    return _THEY.sub(lambda found: _party_name(found, acts["who"]), bare)


def _party_name(found: re.Match[str], who: str) -> str:
    name = f"{who[:1].lower()}{who[1:]}" if who[:4].casefold() == "the " else who
    return f"{name}’s" if found["owns"] else name


def _lower_first(text: str) -> str:
    """Return a question in the middle of another: "Can we" becomes "can we", and "I" stays."""
    return text if text.startswith(("I ", "I'")) else f"{text[:1].lower()}{text[1:]}"
