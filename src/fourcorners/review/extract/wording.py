"""Wording that decides: sentences that are a provision by their words alone, or never are.

A curve or a reader weighs how likely a sentence is; it has learned from some contracts and is
unsure of words that those do not have. A playbook's `certain` and `never` are a lawyer's own
rules: whoever reads the words knows, however rare they are.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from fourcorners.playbooks.playbook import Provision
from fourcorners.review.prepared_document import PreparedDocument
from fourcorners.search.query import Query
from fourcorners.search.query.match import leaf_instances
from fourcorners.search.query.tree import And, Field, Node, Not, Or
from fourcorners.text.span import Span
from fourcorners.text.tokenization import WordIndex


@dataclass(frozen=True, slots=True)
class Wording:
    """What a playbook's wording decides in one document, for one provision.

    Attributes:
        certain: The sentences that are the provision, in order; none of them is in `never`.
        never: The sentences that are something else.
    """

    certain: tuple[Span, ...] = ()
    never: tuple[Span, ...] = ()

    @classmethod
    def find(cls, reading: PreparedDocument, provision: Provision) -> Wording:
        """Return what the wording of a provision decides in a document."""
        spans = [each.span for each in reading.segments]
        never = matching_spans(provision.never, reading.index, spans)
        certain = matching_spans(provision.certain, reading.index, spans) - never
        return cls(
            tuple(spans[at] for at in sorted(certain)), tuple(spans[at] for at in sorted(never))
        )

    def filter_candidates(
        self, candidates: Sequence[tuple[Span, float]]
    ) -> list[tuple[Span, float]]:
        """Return the candidates that are not something else."""
        if not self.never:
            return list(candidates)
        return [
            each for each in candidates if not any(each[0].overlaps(span) for span in self.never)
        ]

    def join(
        self, chosen: Sequence[tuple[Span, float]], threshold: float
    ) -> list[tuple[Span, float]]:
        """Return what was chosen to quote, and what is certain with it.

        A certain sentence is as probable as the best that was chosen, and as what is found.
        """
        sure = max([threshold, *(probability for _, probability in chosen)])
        return [
            *(
                (span, sure if any(span.overlaps(each) for each in self.certain) else probability)
                for span, probability in chosen
            ),
            *(
                (span, sure)
                for span in self.certain
                if not any(span.overlaps(each) for each, _ in chosen)
            ),
        ]


def matching_spans(query: Query | None, index: WordIndex, spans: Sequence[Span]) -> frozenset[int]:
    """Return the places of the spans whose words satisfy a query, each span by itself.

    `index` is of the text that the spans are of; they are in order and disjoint. No word of one
    span counts for another. None is satisfied by nothing.
    """
    if query is None or not spans:
        return frozenset()
    return _saying(query.tree, index, spans, [span.start for span in spans])


def _saying(
    node: Node, index: WordIndex, spans: Sequence[Span], starts: Sequence[int]
) -> frozenset[int]:
    match node:
        case Or():
            return frozenset[int]().union(
                *(_saying(part, index, spans, starts) for part in node.parts)
            )
        case And():
            found: frozenset[int] | None = None
            for part in sorted(node.parts, key=lambda each: isinstance(each, Not)):
                if isinstance(part, Not):
                    found = (found or frozenset()) - _saying(part.part, index, spans, starts)
                else:
                    own = _saying(part, index, spans, starts)
                    found = own if found is None else found & own
                if not found:
                    return frozenset()
            return found or frozenset()
        case Not() | Field():
            raise TypeError("neither a NOT by itself nor a field is in the words of a text")
        case _:
            held = set()
            for parts in leaf_instances(node, index):
                first, last = min(each for each, _ in parts), max(end for _, end in parts) - 1
                place = index.span_between(first, last)
                at = bisect_right(starts, place.start) - 1
                if at >= 0 and place.end <= spans[at].end:
                    held.add(at)
            return frozenset(held)
