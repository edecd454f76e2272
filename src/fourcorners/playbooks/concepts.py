"""What playbooks know of kinds of clauses, given to search as its concepts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from fourcorners.models.encoder.protocol import Encoder
from fourcorners.playbooks.load import builtin_names, load_playbook
from fourcorners.playbooks.playbook import Playbook
from fourcorners.search.concepts import Concept

UNWEIGHED = frozenset(("data-processing", "due-diligence-by-type", "employment", "leases", "loans"))
"""Playbooks that come with the package and that nothing has weighed."""
EXCLUDED = UNWEIGHED | {"cuad-41"}
"""Those whose provisions are no concepts: what nothing has weighed, and what repeats others."""


def playbook_concepts(
    playbooks: Iterable[Playbook], encoder: Encoder | None = None
) -> list[Concept]:
    """Return each provision as a concept, in order.

    Args:
        playbooks: Whose provisions; each playbook counts once.
        encoder: Encodes the definitions and examples of all now (seconds); without one, a search
            encodes those that a question asks for.
    """
    import numpy as np

    listed = {playbook.hash: playbook for playbook in playbooks}
    known = [provision for playbook in listed.values() for provision in playbook.provisions]
    texts = [(provision.definition, *provision.examples) for provision in known]
    vectors = encoder.encode([text for each in texts for text in each]) if encoder else None
    ends = np.cumsum([len(each) for each in texts]).tolist()
    return [
        Concept(
            id=provision.id,
            name=provision.name,
            aliases=provision.aliases,
            query=provision.query,
            avoid=provision.avoid,
            examples=None if vectors is None else vectors[end - len(text) : end],
            asks=tuple(question.question for question in provision.questions),
            clauses=text,
        )
        for provision, text, end in zip(known, texts, ends, strict=True)
    ]


def default_concepts(encoder: Encoder | None = None) -> list[Concept]:
    """Return the concepts of the playbooks that come with the package, each concept once.

    A provision with a threshold is none: no curve was fitted for it, and nothing has weighed it.
    """
    playbooks = (load_playbook(name) for name in builtin_names() if name not in EXCLUDED)
    weighed = (
        replace(book, provisions=tuple(e for e in book.provisions if e.threshold is None))
        for book in playbooks
    )
    return playbook_concepts(weighed, encoder)
