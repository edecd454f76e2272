"""What playbooks know of kinds of clauses, given to search as its concepts."""

from __future__ import annotations

from collections.abc import Iterable

from fourcorners.models.encoder import Encoder
from fourcorners.playbooks.load import builtin, load
from fourcorners.playbooks.playbook import Playbook
from fourcorners.search.concepts import CardFact, Concept


def concepts(playbooks: Iterable[Playbook], encoder: Encoder | None) -> list[Concept]:
    """Return each provision as a concept; of those with the same id the first one counts.

    Args:
        playbooks: In order of precedence.
        encoder: Encodes the definitions and examples; without one only words count.
    """
    import numpy as np

    provisions = {
        provision.id: provision
        for playbook in reversed(list(playbooks))
        for provision in reversed(playbook.provisions)
    }
    known = list(reversed(provisions.values()))
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
            fact=CardFact(provision.card.value) if provision.card else None,
        )
        for provision, text, end in zip(known, texts, ends, strict=True)
    ]


def default_concepts(encoder: Encoder | None) -> list[Concept]:
    """Return the concepts of all playbooks that come with the package."""
    return concepts([load(name) for name in ("due-diligence", *builtin())], encoder)
