"""A playbook tried on one contract, or on words that were pasted; nothing is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fourcorners.library.store import Library
from fourcorners.playbooks.playbook import Playbook
from fourcorners.server.models import LocalModels

if TYPE_CHECKING:
    from fourcorners.review.people.cases import CaseOutcome


def try_playbook(
    library: Library,
    engines: LocalModels,
    playbook: Playbook,
    *,
    document: str = "",
    text: str = "",
) -> list[CaseOutcome]:
    """Return what the playbook finds in a document of the library, or in a text.

    The same code as `fourcorners playbook test`, with nothing demanded of the cells.
    """
    from fourcorners.models.registry import default_clause_reader
    from fourcorners.review.extract.reader import ProvisionReader
    from fourcorners.review.extract.scoring import default_calibration
    from fourcorners.review.people.cases import Case, run_cases
    from fourcorners.review.run import prepare_provisions

    encoder = None if document and library.encoder is None else engines.encoder
    reader = default_clause_reader()
    judge = ProvisionReader(reader, vectors=encoder is not None and encoder.name == reader.encoder)
    cases = [
        Case(document=document, text="" if document else text, provision=provision.id)
        for provision in playbook.provisions
    ]
    return list(
        run_cases(
            library,
            playbook,
            cases,
            encoder=encoder,
            prepared=prepare_provisions(playbook, encoder),
            calibration=default_calibration(),
            judge=judge,
        )
    )
