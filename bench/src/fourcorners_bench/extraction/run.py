"""The extraction benchmark: the program's own review, as any user gets it, on CUAD's contracts."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from fourcorners.documents.document import Document
from fourcorners.errors import LibraryError
from fourcorners.library.add_report import AddReport
from fourcorners.library.ingest import add_files
from fourcorners.library.prepare import text_with_context
from fourcorners.library.store import Library
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.read import read_card
from fourcorners.outline.passages.cut import cut_passages
from fourcorners.playbooks.load import load_playbook
from fourcorners.review import run as reviewing
from fourcorners.review.finding import CellState, Finding
from fourcorners.review.run import ReviewScope, Workers
from fourcorners.settings import Settings
from fourcorners.work_folder import make_temporary_folder
from fourcorners_bench.extraction.loader import (
    CATEGORIES,
    CATEGORY_PROVISIONS,
    PLAYBOOKS,
    AnnotatedContract,
    Extraction,
    readable,
)
from fourcorners_bench.record import OnProgress, step_progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fourcorners.models.encoder.protocol import Encoder

COLLECTION = "CUAD"


def fill_library(
    library: Library,
    contracts: Sequence[AnnotatedContract],
    folder: Path,
    *,
    encoder: Encoder | None,
    settings: Settings,
    on_progress: OnProgress | None = None,
) -> AddReport:
    """Add the contracts' texts to a library; those it holds already are skipped.

    The official download keeps its texts in one JSON file: they are written out for the while.
    """
    contracts = readable(contracts)
    with make_temporary_folder() as scratch:
        if (folder / "contracts").is_dir():
            paths = [folder / "contracts" / contract.name for contract in contracts]
        else:
            paths = [
                scratch / f"{at}" / PurePosixPath(each.name).name
                for at, each in enumerate(contracts)
            ]
            for path, contract in zip(paths, contracts, strict=True):
                path.parent.mkdir()
                path.write_bytes(contract.text.encode("utf-8"))
        return add_files(
            library,
            paths,
            collection=COLLECTION,
            encoder=encoder,
            settings=settings,
            on_progress=step_progress("Reading", on_progress),
        )


def mark_unread(
    contracts: Iterable[AnnotatedContract], report: AddReport
) -> list[AnnotatedContract]:
    """Return the contracts, those that could not be added without text and with the reason."""
    reasons = {Path(each.path).name: each.reason for each in report.failed}
    return [
        replace(each, text="", unread=reasons[each.name]) if each.name in reasons else each
        for each in contracts
    ]


def run_extraction(
    library: Library,
    contracts: Sequence[AnnotatedContract],
    *,
    encoder: Encoder | None,
    settings: Settings,
    on_progress: OnProgress | None = None,
) -> list[Extraction]:
    """Review the contracts of the library and return a line for each contract × category.

    In a contract that could not be read nothing is found.

    Raises:
        LibraryError: If the library holds another text under a contract's name.
    """
    ids = {each.name: find_document(library, each.text) for each in readable(contracts)}
    found: dict[tuple[str, str, str], Finding] = {}
    for name in PLAYBOOKS:
        grid = reviewing.review_library(
            library,
            load_playbook(name),
            ReviewScope(documents=set(ids.values())),
            encoder=encoder,
            on_progress=step_progress("Reviewing", on_progress),
            workers=Workers(jobs=settings.jobs),
        )
        for finding in grid.findings:
            found[finding.document, name, finding.provision] = finding
    return list(_lines(contracts, ids, found))


def add_document(
    library: Library,
    document: Document,
    collection: str,
    encode: Callable[[list[str]], NDArray[np.float32]],
) -> str:
    """Add a document with the vectors of its passages unless it is there; return its id."""
    if known := library.document_with(document.sha256, collection):
        return known
    outline = build_outline(document)
    cut = cut_passages(document, outline)
    words = [text_with_context(each.context, each.span.text_in(document.text)) for each in cut]
    card = read_card(document, outline)
    library.add(document, outline, card, cut, encode(words), collection=collection)
    return library.document_with(document.sha256, collection) or document.id


def document_id(text: str) -> str:
    """Return what a plain text file with these words is called by its content alone."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


def find_document(library: Library, text: str, collection: str = COLLECTION) -> str:
    """Return the id of the document with these words in a collection, if it is there."""
    content = hashlib.sha256(text.encode("utf-8")).hexdigest()
    return library.document_with(content, collection) or document_id(text)


def _lines(
    contracts: Iterable[AnnotatedContract],
    ids: dict[str, str],
    found: dict[tuple[str, str, str], Finding],
) -> Iterator[Extraction]:
    for contract, category in product(contracts, CATEGORIES):
        if contract.unread:
            yield Extraction(contract.name, category, (), 0.0)
            continue
        finding = found.get((ids[contract.name], *CATEGORY_PROVISIONS[category]))
        if finding is None or finding.state is CellState.FAILED:
            reason = finding.error if finding else "the library does not hold it"
            raise LibraryError(
                f"{contract.name} × {category}: {reason}.",
                remedy="Run the benchmark again: what is done is kept with --library.",
            )
        yield Extraction(
            name=contract.name,
            provision=category,
            quotes=tuple(each.quote.span for each in finding.evidence if each.quote.span),
            score=finding.candidates[0][1] if finding.candidates else 0.0,
            candidates=finding.candidates,
        )
