"""Quote words of a contract with their place."""

from __future__ import annotations

from fourcorners.research.answer import Citation, Role, Statement, Verification
from fourcorners.research.context import ResearchContext
from fourcorners.research.question import Part
from fourcorners.review.evidence import quoted_parts
from fourcorners.text.span import Span

LONGEST = 240
"""Characters of a sentence that a headline quotes."""


def place_of(context: ResearchContext, cited: Citation) -> str:
    """Return where words are, and in which contract if several are asked."""
    title = f"“{context.title(cited.document).title}”"
    if cited.where.startswith("characters "):
        return title
    return cited.where if len(context.contracts) == 1 else f"{cited.where} of {title}"


def describe_quote(context: ResearchContext, cited: Citation, changes: str = "") -> str:
    """Quote words with their place, or only give the place of many."""
    place, within = place_of(context, cited), cited.quote.span or Span(0, 0)
    parts = [
        words_at(context, cited.document, p) for p in parts_of(context, cited.document, within)
    ]
    leads = [each.quote.words for each in context.cite_lead_ins(cited.document, within)]
    words = " … ".join(" ".join(each.split()) for each in (*leads, *parts))
    if len(words) > LONGEST:
        return f"See {place}{changes}."
    comma = f"{changes}," if changes else ""
    it = " it" if place.startswith("under ") else ""
    return f"{place[:1].upper()}{place[1:]}{comma}{it} says: “{words}”"


def parts_of(context: ResearchContext, document: str, span: Span) -> list[Span]:
    """Return the parts of words between which a page ends; all of them if it ends nowhere."""
    return quoted_parts(context.read_contract(document), span) or [span]


def words_at(context: ResearchContext, document: str, span: Span) -> str:
    return span.text_in(context.read_contract(document).text)


def verified_statement(text: str, role: Role, part: Part, *cited: Citation) -> Statement:
    return Statement(text, role, Verification.VERIFIED, part.text, cited)
