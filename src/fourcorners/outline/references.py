"""Cross-references: where the contract points at another of its parts."""

from __future__ import annotations

import re
from bisect import bisect_right

from fourcorners.outline.tree import CrossReference, Node, NodeKind
from fourcorners.text.span import Span

_NUMBER = r"(?:\d{1,3}(?:\.\d{1,3}){0,4}|[IVXL]{1,7}|[A-Z])(?:\s?\([A-Za-z0-9]{1,4}\))*"
_REFERENCE = re.compile(
    rf"\b(?P<word>(?i:sections?|articles?|clauses?|paragraphs?|exhibits?|schedules?|annex(?:es)?|"
    rf"appendix|appendices|attachments?|addendum|part))\s{{1,3}}[\"“]?"
    rf"(?P<first>{_NUMBER}(?:-\d{{1,2}})?)(?!\w)[\"”]?(?P<more>(?:\s*(?:,|and|or|through|to|&|,\s*and|,\s*or)\s+"
    rf"(?:\d{{1,3}}(?:\.\d{{1,3}}){{1,4}}|\d{{1,2}}(?=[\s,.;)])|[A-Z](?=[\s,.;)]))(?:\([A-Za-z0-9]{{1,4}}\))*){{0,8}})"
    rf"(?P<of>\s+(?:of|to)\s+(?:this\s+|the\s+)?(?P<ofword>(?i:exhibit|schedule|annex|appendix|attachment|article))"
    rf"\s+[\"“]?(?P<ofmark>{_NUMBER})[\"”]?)?"
)
_EACH = re.compile(_NUMBER)
_FOREIGN = re.compile(
    r"\s+(?:of|under|to)\s+(?:the\s+)?(?:[A-Z][\w.]*\s+){0,6}?(?:Act|Code|Law|Regulations?|Rules?|"
    r"Statutes?|U\.?S\.?C|Directive|Treaty)\b"
)
_ATTACHED = frozenset(["exhibit", "schedule", "annex", "appendix", "attachment", "addendum"])
_SINGULAR = {"annexes": "annex", "appendices": "appendix"}


def _key(label: str) -> str:
    return re.sub(r"[\s.]+$", "", re.sub(r"\s+", " ", label)).casefold()


class _Labels:
    """The outline's labels, to be looked up as they are cited."""

    def __init__(self, nodes: tuple[Node, ...]) -> None:
        self.by_label: dict[str, int] = {}
        self.roots: list[tuple[int, int, str]] = []
        for node in nodes:
            if node.label:
                self.by_label.setdefault(_key(node.label), node.id)
            if node.kind is NodeKind.SCHEDULE and node.parent is None:
                self.roots.append((node.span.start, node.span.end, node.label))

    def container(self, offset: int) -> str:
        """Return the label of the attachment that holds the offset, if any."""
        at = bisect_right(self.roots, (offset, 1 << 60, "")) - 1
        if at >= 0 and offset < self.roots[at][1]:
            return self.roots[at][2]
        return ""

    def find(self, offset: int, word: str, mark: str, within: str) -> int | None:
        """Return the node cited by a word and a number, seen from the offset."""
        mark = re.sub(r"\s+", "", mark)
        word = word.casefold()
        word = _SINGULAR.get(word, word.removesuffix("s"))
        if word in _ATTACHED:
            return self.by_label.get(_key(f"{word} {mark}"))
        here = within or self.container(offset)
        names = [f"{word} {mark}", mark] if word in ("article", "part") else [mark]
        for prefix in dict.fromkeys((here, "")):
            if within and not prefix:
                continue
            for name in names:
                found = self.by_label.get(_key(f"{prefix} {name}"))
                found = self.by_label.get(_key(name)) if not prefix else found
                if found is not None:
                    return found
        return None


def find_references(text: str, nodes: tuple[Node, ...]) -> tuple[CrossReference, ...]:
    """Return the references to parts of this contract, in order; headings are none."""
    labels = _Labels(nodes)
    starts = {node.span.start for node in nodes}
    found: list[CrossReference] = []
    for match in _REFERENCE.finditer(text):
        if match.start() in starts or _FOREIGN.match(text, match.end()):
            continue
        word = match.group("word")
        if word.islower() is False and not word[0].isupper():
            continue
        within = ""
        if match.group("of"):
            within = f"{match.group('ofword').capitalize()} {match.group('ofmark')}"
        places = [Span(match.start(), match.end("first"))]
        more = match.start("more")
        places += [
            Span(each.start() + more, each.end() + more)
            for each in _EACH.finditer(match.group("more"))
        ]
        for place in places:
            mark = match.group("first") if place.start == match.start() else place.of(text)
            target = labels.find(match.start(), word, mark, within)
            found.append(CrossReference(place, target))
    return tuple(found)
