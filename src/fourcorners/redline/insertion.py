"""Place and number a new clause: next to similar ones, without renumbering others.

A clause added in the middle of others would renumber those after it, and references to them that
were typed would then lead elsewhere. So it is the last part of an article about such things, or the
last article before the signatures.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fourcorners.documents.document import Document, MarkKind
from fourcorners.documents.number_formats import format_number
from fourcorners.outline.card.party_names import name_at
from fourcorners.outline.tree import Node, NodeKind, Outline
from fourcorners.redline.proposal import NewClause, NewParagraph, Run
from fourcorners.text.patterns import load_patterns
from fourcorners.text.span import Span

_PATTERNS = load_patterns("fourcorners.redline", "insertion")
_NUMBER = _PATTERNS["number"]
_CLAUSES = frozenset({NodeKind.ARTICLE, NodeKind.SECTION})
_FURNITURE = 160  # characters after a contract's last sentence that are no part of it
_FIRST = frozenset({"1", "a", "A", "i", "I"})
_SENTENCE_END = re.compile(r"[a-z\d)][.;][\"”’)]?$", re.IGNORECASE)
_ARTICLE_OF = re.compile(r"(.*?)(\d{1,3})\.")  # the lead of a number such as 3.01
_SIGNS = re.compile(r"(?:by|name|title|its|date)\s*:|/s/", re.IGNORECASE)
_CLOSING = _PATTERNS["closing"]
_RUN_IN = re.compile(r"[.:]?[^\S\n]*(?:[-–—][^\S\n]*)?")  # between a heading and its words


@dataclass(frozen=True, slots=True)
class _Model:
    """The clause after which the new one is placed, and whose form it copies."""

    node: Node
    number: str  # of the new clause, with what parts it from its words; empty if there is none
    is_numbered: bool  # by Word
    ahead: int = 1  # how far its number is from its neighbour's


def place_clause(
    document: Document,
    outline: Outline,
    beside: Sequence[str],
    heading: str,
    words: str,
    added: Sequence[NewClause] = (),
) -> NewClause | None:
    """Return a clause with its place; None where the outline does not tell a sure one.

    Its number is neither that of a clause next to it nor that of one that was `added`.
    """
    if outline.windows:
        return None
    text = document.text
    articles = _articles(outline)
    if not articles:
        return None
    article = _find_article(text, articles, beside)
    model = None
    if article is not None:
        parts = [each for each in outline.children(article) if each.kind in _CLAUSES]
        if len(parts) > 1:
            model = _model(document, parts, added)
    if model is None:
        model = _model(document, articles, added)
        if model and not model.number and _has_own_list(document, model.node):
            parts = [each for each in outline.children(model.node) if each.label]
            model = _model(document, parts, added) if parts else None
    after = _last_words(text, model.node.span) if model else None
    if model is None or after is None or _is_in_table(document, after):
        return None
    return _write(document, outline, model, after, heading, words)


def _articles(outline: Outline) -> list[Node]:
    """Return the clauses of the contract's body at its top level, in order."""
    found: list[Node] = []
    for node in outline.children(None):
        if found and node.kind in (NodeKind.SIGNATURE, NodeKind.SCHEDULE):
            break
        if node.kind in _CLAUSES:
            found.append(node)
    return found


def _find_article(text: str, articles: Sequence[Node], beside: Sequence[str]) -> Node | None:
    for words in beside:
        for node in reversed(articles):
            heading = " ".join(node.heading.text_in(text).split()) if node.heading else ""
            if re.search(rf"(?<!\w){re.escape(words)}(?!\w)", heading, re.IGNORECASE):
                return node
    return None


def _model(
    document: Document, clauses: Sequence[Node], added: Sequence[NewClause]
) -> _Model | None:
    """Return the last of some clauses as a model, if the number after its own is known."""
    node, text = clauses[-1], document.text
    if not node.label:
        return _Model(node, "", is_numbered=False) if node.heading else None
    own = _NUMBER.match(text, node.span.start)
    if own is None:
        return None
    last, before = own["last"], _last_part(clauses[-2], text) if len(clauses) > 1 else ""
    taken = {each.number for each in added if node.span.start <= each.after < node.span.end}
    others = (_NUMBER.match(text, each.span.start) for each in clauses)
    taken |= {each[0].strip() for each in others if each}
    number, ahead = own[0], 0
    while number.strip() in taken:
        ahead += 1
        last, before = _next_number(last, before), last
        if not last:
            return None
        number = own["lead"] + last + own["tail"]
    is_numbered = _is_computed(document, node.span.start)
    return _Model(node, number, is_numbered=is_numbered, ahead=ahead)


def _has_own_list(document: Document, article: Node) -> bool:
    """Tell whether Word begins a list under a heading, which would go on under a new heading."""
    text, head = document.text, article.heading
    at = _first_letter(text, head.end, article.span.end) if head else article.span.start
    number = _NUMBER.match(text, at)
    return number is not None and number["last"] in _FIRST and _is_computed(document, at)


def _is_computed(document: Document, start: int) -> bool:
    """Tell whether the number at an offset is one of Word's own, which is not in the file."""
    return any(mark.kind is MarkKind.NUMBER and mark.span.start == start for mark in document.marks)


def _last_part(node: Node, text: str) -> str:
    own = _NUMBER.match(text, node.span.start)
    return own["last"] if own else ""


def _next_number(last: str, before: str) -> str:
    """Return the number after the last of a series; `before` is the one before that."""
    if last.isdigit():
        return str(int(last) + 1).zfill(len(last) if last[0] == "0" else 1)
    for style in ("lowerRoman", "upperRoman", "lowerLetter", "upperLetter"):
        series = [format_number(count, style) for count in range(1, 60)]
        at = series.index(last) if last in series[:-1] else -1
        if at >= 0 and (series[at - 1] if at else "") == before:
            return series[at + 1]
    return ""


def _last_words(text: str, span: Span) -> int | None:
    """Return where the last paragraph of a clause ends that is one of its sentences.

    A short signature, a note of where it is, and a page's number may follow it; None if more does.
    """
    end = span.strip(text).end
    least = max(span.start, end - _FURNITURE)
    while end > least:
        start = max(text.rfind("\n\n", span.start, end) + 2, span.start)
        is_closing = _CLOSING.match(text, start, end) is not None
        if is_closing:
            least = max(span.start, start - _FURNITURE)
        elif _SENTENCE_END.search(text, start, end) and not _is_signature(text, Span(start, end)):
            return end - 1
        end = Span(span.start, start).strip(text).end
    return None


def _is_signature(text: str, paragraph: Span) -> bool:
    """Tell whether a paragraph is a line of a signature: a name alone, or who signs and how."""
    name = name_at(text, paragraph.start, paragraph.end)
    is_name = name is not None and not text[name.end : paragraph.end].strip(" .")
    return is_name or _SIGNS.match(text, paragraph.start, paragraph.end) is not None


def _is_in_table(document: Document, offset: int) -> bool:
    last = Span(offset, offset + 1)
    return any(
        mark.kind in (MarkKind.TABLE, MarkKind.FOOTNOTE) and mark.span.overlaps(last)
        for mark in document.marks
    )


def _write(
    document: Document, outline: Outline, model: _Model, after: int, heading: str, words: str
) -> NewClause:
    text, node = document.text, model.node
    own = node.span.strip(text)
    typed = _indent(text, own.start) + model.number
    if model.is_numbered:  # the number is not in the file, but tabs after it are
        typed = "\t" * model.number.count("\t")
    number = _NUMBER.match(text, own.start) if model.number else None
    first = number.end() if number else own.start  # Word's automatic numbers are not in the file
    head = node.heading
    if head is None or not text[head.end : own.end].strip(" .:;\t\n"):  # it is the clause itself
        paragraphs = [NewParagraph(first, (Run(typed + words, _letters(text, own)),))]
    else:
        title = (
            heading.upper() if head.text_in(text).isupper() else _like_title(heading, head, text)
        )
        paragraphs = []
        if "\n" in text[first : head.start]:  # the number is a line by itself
            paragraphs = [NewParagraph(own.start, (Run(typed, own.start),))]
            first, typed = head.start, _indent(text, head.start)
        end = text.find("\n", head.end)
        end = own.end if end < 0 else min(end, own.end)
        between = _RUN_IN.match(text, head.end, end)
        rest = between.end() if between else head.end
        if rest < end:  # the words run on in the heading's line
            gap = text[head.end : rest]
            space = "\t" if "\t" in gap else " "
            runs = (
                Run(typed + title, head.start),
                Run(gap.rstrip() or ".", head.end if gap.strip() else rest + 1),
                Run(space + words, rest + 1),
            )
            paragraphs.append(NewParagraph(first, runs))
        else:
            body = _first_letter(text, end, own.end)
            title += text[head.end : rest]
            paragraphs += [
                NewParagraph(first, (Run(typed + title, head.start),)),
                _first_paragraph(document, body, own, words, model.ahead),
            ]
    return NewClause(
        after, tuple(paragraphs), model.number.strip(), model.is_numbered, outline.path(node, text)
    )


def _indent(text: str, start: int) -> str:
    """Return the tabs and spaces that precede an offset in its line."""
    line = text[text.rfind("\n", 0, start) + 1 : start]
    return "" if line.strip() else line


def _first_paragraph(
    document: Document, body: int, own: Span, words: str, ahead: int
) -> NewParagraph:
    """Return a paragraph under a heading, with a first number where those have one."""
    text = document.text
    number = _NUMBER.match(text, body)
    like, indent = _letters(text, Span(body, own.end)), _indent(text, body)
    if number is not None and _is_computed(document, body):
        return NewParagraph(number.end(), (Run(words, like),))
    is_first = number is not None and number["last"].lstrip("0") in _FIRST
    if number is None or not is_first or not (number["lead"] + number["tail"]).strip():
        return NewParagraph(body, (Run(indent + words, like),))
    article = _ARTICLE_OF.fullmatch(number["lead"])
    lead = f"{article[1]}{int(article[2]) + ahead}." if article else number["lead"]
    first = f"{lead}{number['last']}{number['tail']}"
    return NewParagraph(body, (Run(indent + first + words, like),))


def _letters(text: str, span: Span) -> int:
    """Return an offset within the words of a paragraph, past its number."""
    end = text.find("\n", span.start, span.end)
    return max(span.start, (span.end if end < 0 else end) - 1)


def _first_letter(text: str, start: int, end: int) -> int:
    found = re.compile(r"\S").search(text, start, end)
    return found.start() if found else max(start, end - 1)


def _like_title(heading: str, head: Span, text: str) -> str:
    """Return a heading with capitals as the contract's headings have them."""
    words = [each for each in head.text_in(text).split() if len(each) > 3]
    if len(words) > 1 and all(each[0].isupper() for each in words):
        return " ".join(
            w if w in ("of", "and", "on", "in") else w.capitalize() for w in heading.split()
        )
    return heading
