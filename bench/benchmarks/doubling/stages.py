"""The stages that a document goes through, each with the seconds of a processor that it takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import date, timedelta
from functools import partial
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from fourcorners.documents.archive.container import open_container
from fourcorners.documents.document import Document
from fourcorners.documents.media_types import MediaType
from fourcorners.documents.ocr.recognition import OcrOptions
from fourcorners.documents.read import media_type_of, read_document
from fourcorners.errors import InputError
from fourcorners.library.columns import document_columns
from fourcorners.library.contract import read_contract
from fourcorners.library.store import Library
from fourcorners.outline.build import build_outline
from fourcorners.outline.card.read import read_card
from fourcorners.outline.passages.cut import cut_passages
from fourcorners.outline.references.find import find_references
from fourcorners.outline.terms import find_terms, find_uses
from fourcorners.playbooks.load import load_playbook
from fourcorners.review.amendments import apply_amendments
from fourcorners.review.blanks import find_blanks
from fourcorners.review.calendar import list_timelines
from fourcorners.review.extract.cells import extract_findings
from fourcorners.review.extract.reader import ProvisionReader
from fourcorners.review.extract.scoring import default_calibration
from fourcorners.review.health import check_documents
from fourcorners.review.lint import lint_contract
from fourcorners.review.run import prepare_provisions
from fourcorners.review.suspicion import find_suspicions
from fourcorners.search.find import find_passages
from fourcorners.search.graph.changes import parse_changes
from fourcorners.search.graph.expand import expand_hits
from fourcorners.search.graph.statements import parse_statements
from fourcorners.search.sentences.retrieve import retrieve_snippets
from fourcorners.text.evidence import align_quote
from fourcorners.text.near_duplicates import sketch
from fourcorners.text.sentences import split_sentences

Result = TypeVar("Result")
NO_OCR = OcrOptions(enabled=False)
MOST_HELD = 40  # files in a mail or archive that are read
AS_OF = date(2026, 1, 1)
PLAYBOOK = "due-diligence"
QUERIES = ('"goods buyer"~5', "terminate OR assign OR payment", "the AND NOT xyzzy", "section")
QUESTION = "Can the buyer terminate this agreement, and on what notice?"
CLAIMS = (
    "the Supplier shall deliver all the goods to this Buyer within ten days of each order",
    "no party may ever assign the agreement of today without the goods in writing",
)


def as_document(text: str) -> Document:
    digest = sha256(text.encode("utf-8", "replace")).hexdigest()
    return Document(digest[:16], "a.txt", "a.txt", digest, "text/plain", "plain/1", text)


class Clock:
    """Seconds of a processor by stage."""

    def __init__(self, on_stage: Callable[[str, float], None] = lambda _, __: None) -> None:
        self.seconds: dict[str, float] = {}
        self._on_stage = on_stage

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count what is done meanwhile."""
        began = time.process_time()
        self._on_stage(name, 0.0)
        try:
            yield
        finally:
            spent = time.process_time() - began
            self.seconds[name] = self.seconds.get(name, 0.0) + spent
            self._on_stage(name, spent)

    def do(self, name: str, task: Callable[[], Result]) -> Result:
        with self.stage(name):
            return task()


def read(path: Path, clock: Clock) -> int:
    """Read a file, and the files that it holds; return how many characters there are in all."""
    return clock.do("reading", lambda: _characters(path))


def _characters(path: Path) -> int:
    kind = media_type_of(path)
    count = 0 if kind is MediaType.ZIP else len(read_document(path, NO_OCR).text)
    if kind in (MediaType.ZIP, MediaType.EMAIL):
        with open_container(path) as members:
            names = [member.name for member in members]
        for name in names[:MOST_HELD]:
            with suppress(InputError):  # the others go on
                count += _characters(path / name)
    return count


def work_through(document: Document, clock: Clock) -> None:
    """Do with a document all that is done with one, offline and without vectors."""
    do, text = clock.do, document.text
    do("sentences", lambda: split_sentences(text))
    outline = do("outline", lambda: build_outline(document))
    terms = do("terms", lambda: find_terms(text))
    do("uses of terms", lambda: find_uses(text, terms))
    do("references", lambda: find_references(text, outline.nodes))
    card = do("card", lambda: read_card(document, outline))
    passages = do("passages", lambda: cut_passages(document, outline))
    columns = do("columns", lambda: document_columns(document, outline, card, passages))
    do("near duplicates", lambda: sketch(text))
    do("lint", lambda: lint_contract(document, outline))
    do("blanks", lambda: find_blanks(text, outline))
    do("suspicions", lambda: find_suspicions(document))
    do("statements", lambda: parse_statements(text, card))
    do("evidence", lambda: [align_quote(claim, text) for claim in CLAIMS])
    with TemporaryDirectory() as folder, Library.open(f"{folder}/a.db") as library:
        do("storing", lambda: library.add_columns(columns, None, collection="Deal"))
        do("storing", lambda: library.documents())
        for query in QUERIES:
            hits = do("search", partial(find_passages, library, query, limit=50))
            do("links of hits", partial(expand_hits, library, hits, limit=20))
        contract = read_contract(library, document.id)
        do("amendments", lambda: parse_changes(contract.text))
        do("definitions", lambda: [*map(contract.definition, dict(contract.uses(text[:3_000])))])
        do("question", lambda: retrieve_snippets(library, QUESTION))
        do("health", lambda: check_documents(library, as_of=AS_OF))
        do(
            "timeline",
            lambda: list_timelines(library, library.documents(), AS_OF, timedelta(days=365)),
        )
        provisions = prepare_provisions(load_playbook(PLAYBOOK), None)
        cells = do(
            "cells of a review",
            lambda: extract_findings(
                contract, provisions, default_calibration(), ProvisionReader.default(None)
            ),
        )
        do("amended cells", lambda: apply_amendments(library, cells))
