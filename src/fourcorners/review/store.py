"""Store findings in the library: one row per cell, written as soon as the cell is filled."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import fields, replace
from datetime import UTC, date, datetime
from functools import cache

from fourcorners.errors import LibraryBusy, StepsClaimed
from fourcorners.library.damage import DocumentValues, register_values
from fourcorners.library.database import Row, as_integer, as_string, in_transaction
from fourcorners.library.jobs import Heartbeat, JobTable, worker_name
from fourcorners.library.store import Library
from fourcorners.library.tables.stored_json import StoredJson
from fourcorners.library.tokens import fold_name
from fourcorners.outline.clause import skip_heading
from fourcorners.playbooks.playbook import Playbook
from fourcorners.review import annotations as annotation_log
from fourcorners.review.amendments import amendment_key
from fourcorners.review.finding import CellState, Finding, ReviewState
from fourcorners.review.parties import Side
from fourcorners.review.risk.corrections import Corrections
from fourcorners.text.invisible_characters import shorten

SIDE_MARK = "-"
"""Separates an engine's name from the key of the side for which cells were filled."""
_CELLS = """
    SELECT document, provision, finding, made FROM review_findings
    WHERE playbook = ?1 AND provision IN (SELECT value FROM json_each(?2))
"""
_CELLS_OF_ONE = f"{_CELLS} AND document = ?3"
_CELLS_OF_ALL = f"{_CELLS} AND document NOT IN (SELECT value FROM json_each(?3))"  # noqa: S608 - ours
_PART = "findings"
_EXCERPT = 110  # characters that the grid shows of a finding
_FINDING: StoredJson[Finding] = StoredJson(Finding)
register_values(DocumentValues(_PART, "review_findings", "finding", _FINDING.load))


def _drop_derived(finding: Finding) -> Finding:
    """Leave out what is stored elsewhere: the playbook's query, and people's remarks."""
    if finding.remarks:
        proposed = finding.proposal
        finding = replace(
            finding,
            review=ReviewState.PROPOSED,
            value="",
            place=None,
            remarks=(),
            severity_by="",
            proposed=None,
            **{each.name: getattr(proposed, each.name) for each in fields(proposed)},
        )
    return replace(_with_query(finding, ""), outlier=None)


def _with_query(finding: Finding, query: str) -> Finding:
    searched = finding.searched and replace(finding.searched, query=query)
    return replace(finding, searched=searched)


def _summary(finding: Finding) -> tuple[str, str]:
    """Return the severity of a finding and its statements, each with its value, as JSON."""
    statements = [(each.statement, each.value) for each in finding.answers if each.statement]
    return finding.severity.value, json.dumps(statements)


@in_transaction
def save_findings(
    library: Library, playbook: Playbook, engine: str, findings: Collection[Finding]
) -> None:
    """Store cells under the playbook's hash and the engine that filled them.

    Uses the caller's transaction if there is one, and replaces stored cells. If a cell has changed
    since people judged it, a remark says so.
    """
    now = datetime.now(UTC).isoformat(timespec="seconds")
    for finding in findings:
        stored = _drop_derived(finding)
        place = (finding.document, playbook.hash, finding.provision)
        state = finding.state.value
        library.execute(
            "INSERT OR REPLACE INTO review_findings VALUES (?, ?, ?, ?, ?, ?, ?)",
            (*place, engine, state, _FINDING.dump(stored), now),
        )
        library.execute(
            "INSERT OR REPLACE INTO review_summaries VALUES (?, ?, ?, ?, ?, ?, ?)",
            (*place, now, state, *_summary(stored)),
        )
    annotation_log.append_change_notes(library, playbook.id, findings)


def load_findings(library: Library, playbook: Playbook, document: str) -> dict[str, Finding]:
    """Return the stored cells of a document, by provision of the playbook.

    Each has what people said of it.
    """
    return load_cells(library, playbook, [each.id for each in playbook.provisions], document).get(
        document, {}
    )


def load_cells(
    library: Library,
    playbook: Playbook,
    provisions: Collection[str],
    document: str | None = None,
) -> dict[str, dict[str, Finding]]:
    """Return the stored cells of these provisions, of all documents or one.

    They are keyed by document and provision, each with what people said of it.

    Raises:
        ConfigError: If the playbook has no such provision.
        DamagedDocument: If one cannot be read; those of documents that are left out come only
            where one document is asked for.
    """
    known = {each.id: each for each in playbook.provisions}
    wanted = sorted({*provisions})
    for each in wanted:
        if each not in known:
            known[each] = playbook.provision(each)  # which lists the known names
    queries: dict[str, str] = {}
    with library.snapshot():
        rows = _select_cells(library, playbook, json.dumps(wanted), document)
        by_cell = annotation_log.select_annotations(
            library, playbook.id, document=document, provisions=wanted
        )
    found: dict[str, dict[str, Finding]] = {}
    corrections = Corrections(library, playbook)
    for row in rows:
        place, provision, text, made = (as_string(value) for value in row)
        if provision not in queries:
            queries[provision] = str(known[provision].query)
        with library.decoding(place, _PART):
            finding = _with_query(_FINDING.load(text), queries[provision])
        annotated = by_cell.get((place, provision), [])
        if annotated:
            status, finding = annotation_log.apply_annotations(finding, annotated, made)
            finding = corrections.apply(finding, status, known[provision])
        found.setdefault(place, {})[provision] = finding
    return found


def cell_excerpts(
    library: Library, playbook: Playbook, documents: Iterable[str], provisions: Iterable[str]
) -> dict[tuple[str, str], str]:
    """Return the words that the cells of a window rest on, by document and provision.

    Of a cell that quotes nothing, the reason: why it failed, matters all the same or was not asked.

    Raises:
        DamagedDocument: If a finding cannot be read.
    """
    wanted = json.dumps([*provisions])
    found = {}
    for document in documents:
        for row in _select_cells(library, playbook, wanted, document):
            provision, text = as_string(row[1]), as_string(row[2])
            with library.decoding(document, _PART):
                finding = _FINDING.load(text)
            found[document, provision] = shorten(cell_words(finding), _EXCERPT)
    return found


def cell_words(finding: Finding) -> str:
    """Return the words that a cell shows, whole: from the sentence of its likeliest answer on.

    A number and heading are left out. Where no answer rests on words, they are the likeliest
    quote's; where nothing is quoted, the reason why.
    """
    best = finding.best
    if finding.state is CellState.FAILED:
        return finding.error
    if finding.state is not CellState.FOUND or best is None:
        return "" if finding.state is CellState.FOUND else finding.reason
    asserted = max(
        (each for each in finding.answers if each.statement and each.quotes),
        key=lambda each: each.confidence or 0.0,
        default=None,
    )
    quote, path = best.quote, best.path
    if asserted and asserted.quotes[0].span:
        quote, span = asserted.quotes[0], asserted.quotes[0].span
        path = next((each.path for each in finding.evidence if each.clause.contains(span)), ())
    return quote.words[skip_heading(quote.words, path) :]


def _select_cells(
    library: Library, playbook: Playbook, provisions: str, document: str | None
) -> list[Row]:
    if document is not None:
        with library.decoding(document, _PART):
            return library.execute(_CELLS_OF_ONE, (playbook.hash, provisions, document))
    left_out = json.dumps([*library.damaged])
    try:
        return library.execute(_CELLS_OF_ALL, (playbook.hash, provisions, left_out))
    except UnicodeDecodeError:
        for each in library.document_ids():
            if each not in library.damaged:
                _select_cells(library, playbook, provisions, each)  # says whose it is
        raise


def failed_cells(library: Library, playbook: Playbook) -> Mapping[str, frozenset[str]]:
    """Return, for each document, the provisions whose cells have failed."""
    return _by_document(library, "AND state = ?", playbook.hash, CellState.FAILED.value)


def answered_cells(library: Library, playbook: Playbook) -> Mapping[str, frozenset[str]]:
    """Return, for each document, the provisions whose cells are filled, by any engine."""
    return _by_document(library, "AND state != ?", playbook.hash, CellState.FAILED.value)


def filled_cells(library: Library, playbook: str, engine: str) -> Mapping[str, frozenset[str]]:
    """Return, for each document, the provisions whose cells this engine has filled.

    Failed cells do not count: they are tried again.
    """
    failed = CellState.FAILED.value
    return _by_document(library, "AND state != ? AND engine = ?", playbook, failed, engine)


def engine_name_for(
    library: Library, name: str, document: str, side: Side, as_of: date | None = None
) -> str:
    """Return the name of what fills a document's cells, with its amendments and its side."""
    name += amendment_key(library, document, as_of)
    return f"{name}{SIDE_MARK}{side.key}" if side.key else name


def cells_filled(
    library: Library,
    playbook: Playbook,
    name: str,
    whose: Mapping[str, Side],
    as_of: date | None = None,
) -> dict[str, frozenset[str]]:
    """Return, for each document, the provisions whose cells this engine filled as it is now."""
    engines = {
        each: engine_name_for(library, name, each, side, as_of) for each, side in whose.items()
    }
    filled = {
        engine: filled_cells(library, playbook.hash, engine) for engine in set(engines.values())
    }
    return {each: filled[engine].get(each, frozenset()) for each, engine in engines.items()}


def stale_documents(
    library: Library,
    playbook: Playbook,
    sides: Mapping[str, Side],
    provisions: Collection[str] | None = None,
) -> set[str]:
    """Return the documents with cells (of these provisions) filled for another side."""
    wanted = [each.id for each in playbook.provisions] if provisions is None else list(provisions)
    rows = library.execute(
        "SELECT DISTINCT document, engine FROM review_findings WHERE playbook = ?1 "
        "AND document IN (SELECT value FROM json_each(?2)) "
        "AND provision IN (SELECT value FROM json_each(?3))",
        (playbook.hash, json.dumps(list(sides)), json.dumps(wanted)),
    )
    return {
        as_string(document)
        for document, engine in rows
        if as_string(engine).partition(SIDE_MARK)[2] != sides[as_string(document)].key
    }


def _by_document(library: Library, where: str, *bindings: str) -> Mapping[str, frozenset[str]]:
    rows = library.execute(
        "SELECT document, group_concat(provision, '\n' ORDER BY provision) "  # noqa: S608
        f"FROM review_findings WHERE playbook = ? {where} GROUP BY document",
        bindings,
    )
    alike = cache(lambda provisions: frozenset(provisions.split("\n")))
    return {as_string(document): alike(as_string(provisions)) for document, provisions in rows}


def count_states(
    library: Library, playbook: Playbook, collection: str | None = None
) -> dict[CellState, int]:
    """Count the cells of each state, without reading any, and ignoring what people said."""
    rows = library.execute(
        "SELECT f.state, count(*) FROM review_findings f JOIN documents d ON d.id = f.document "
        "JOIN collections c ON c.row = d.collection "
        "WHERE f.playbook = ? AND (?2 IS NULL OR c.fold = ?2) "
        "AND f.provision IN (SELECT value FROM json_each(?3)) GROUP BY f.state",
        (
            playbook.hash,
            None if collection is None else fold_name(collection),
            json.dumps([each.id for each in playbook.provisions]),
        ),
    )
    return {CellState(as_string(state)): as_integer(count) for state, count in rows}


LEASE_SECONDS = 120.0  # seconds without a sign of life after which a review has ended


_KIND = "review"


def close_superseded(
    library: Library, playbook: Playbook, collection: str | None, documents: Sequence[str]
) -> None:
    """Close the open jobs of ended reviews whose documents' cells are all filled.

    A review that was filling filled cells again, and ended midway, is closed as soon as another
    finds nothing to fill. Documents removed from the library count as done; so does a review by
    another version of the playbook, which no command can resume.
    """
    jobs, spec = JobTable(library), _spec(playbook, collection)
    for job in jobs.list(unfinished=True):
        if job.kind == _KIND and job.spec == spec:
            gone = library.execute(
                "SELECT key FROM steps WHERE job = ? AND key NOT IN (SELECT id FROM documents)",
                (job.id,),
            )
            with library.transaction():
                jobs.mark_finished(job, [*documents, *(as_string(key) for (key,) in gone)])
                jobs.complete(job)
        elif job.kind == _KIND and {**job.spec, "hash": spec["hash"]} == spec:
            with library.transaction():
                if not jobs.workers(job):
                    jobs.cancel(job)


def _spec(playbook: Playbook, collection: str | None) -> dict[str, str]:
    return {"playbook": playbook.id, "hash": playbook.hash, "collection": collection or ""}


class ReviewJob:
    """The job of one review: each document is a step, done when its cells are stored.

    `engines` is the name of what fills the cells of each document.

    Raises:
        StepsClaimed: If another process is working on documents of the same review.
    """

    def __init__(
        self,
        library: Library,
        playbook: Playbook,
        collection: str | None,
        engines: Mapping[str, str],
    ) -> None:
        documents = list(engines)
        self._library, self._playbook, self._engines = library, playbook, engines
        self._jobs, self._worker = JobTable(library), worker_name()
        self._job = self._jobs.start(_KIND, _spec(playbook, collection))
        self._jobs.add_steps(self._job, documents)
        self._jobs.retry(self._job, documents)
        claimed = self._jobs.claim(self._job, self._worker, LEASE_SECONDS, len(documents))
        self._steps = {step.key: step for step in claimed}
        missing = [key for key in documents if key not in self._steps]
        if missing:
            self._jobs.release(self._job, self._worker)
            raise StepsClaimed(
                f"another process is reviewing {len(missing)} of these contracts right now.",
                remedy="Wait until it is done, and run the command again; if it was killed, in "
                f"{LEASE_SECONDS / 60:g} minutes.",
            )
        self._heartbeat = Heartbeat(library, self._job, self._worker, LEASE_SECONDS)

    def transaction(self) -> AbstractContextManager[None]:
        return self._library.transaction()

    def save(self, document: str, cells: Sequence[Finding]) -> None:
        """Store the cells of a document, and mark its step.

        Raises:
            LibraryError: If the job was cancelled meanwhile; the cells are stored.
        """
        self._store(document, cells)
        job = self._jobs.find(self._job.id)
        if job is None or job.finished:
            raise LibraryBusy("this review was stopped.", remedy="What was done is kept.")

    @in_transaction
    def _store(self, document: str, cells: Sequence[Finding]) -> None:
        failed = next((cell for cell in cells if cell.state is CellState.FAILED), None)
        save_findings(self._library, self._playbook, self._engines[document], cells)
        if failed is not None:
            self._jobs.fail(self._steps[document], failed.error, failed.remedy)
        else:
            self._jobs.finish(self._steps[document])

    def close(self) -> None:
        """Release what was not done, and close the job if nothing remains.

        Documents that failed are tried again by the next review.
        """
        self._heartbeat.stop()
        self._jobs.release(self._job, self._worker)
        self._jobs.complete(self._job)
