"""A playbook tried on one contract, or on words that were pasted; nothing is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fourcorners.library.store import Library
from fourcorners.playbooks.playbook import Playbook
from fourcorners.server.engines import Engines

if TYPE_CHECKING:
    from fourcorners.review.cases import Outcome


def tried(
    library: Library, engines: Engines, playbook: Playbook, *, document: str = "", text: str = ""
) -> list[Outcome]:
    """Return what the playbook finds in a document of the library, or in a text.

    The same code as `fourcorners playbook test`, with nothing demanded of the cells.
    """
    from fourcorners.models.registry import default_clause_reader
    from fourcorners.review.calibration import shipped
    from fourcorners.review.cases import Case, run_cases
    from fourcorners.review.reader import Judge
    from fourcorners.review.run import prepare

    encoder = None if document and library.encoder is None else engines.encoder
    reader = default_clause_reader()
    judge = Judge(reader, vectors=encoder is not None and encoder.name == reader.encoder)
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
            prepared=prepare(playbook, encoder),
            calibration=shipped(),
            judge=judge,
        )
    )
