"""The corpora of retrieval benchmarks in a library, and their other chunkings next to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.errors import ConfigError, LibraryError
from fourcorners.library.ingest import add_files
from fourcorners.library.prepare import text_with_context
from fourcorners.library.store import Library
from fourcorners.settings import Settings
from fourcorners_bench.extraction.run import find_document
from fourcorners_bench.record import OnProgress, step_progress, with_progress
from fourcorners_bench.retrieval.chunks import chunk_document
from fourcorners_bench.retrieval.loader import QuestionSet, corpus_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from fourcorners.models.encoder.protocol import Encoder

_SLICE = 512  # chunks encoded at once


@dataclass(frozen=True, slots=True)
class CorpusLibrary:
    """The corpus in a library: its collection, and the document of each file.

    `unread` has the files that could not be read, with the reason.
    """

    collection: str
    documents: dict[str, str]
    paths: dict[str, str]
    unread: dict[str, str]


def fill_library(
    library: Library,
    sets: Sequence[QuestionSet],
    data: Path,
    *,
    encoder: Encoder | None,
    settings: Settings,
    on_progress: OnProgress | None = None,
) -> CorpusLibrary:
    """Add the corpora of sets to one collection; what the library holds is skipped.

    As in the benchmark's own program, the corpus of a run is that of all its sets.

    What cannot be read or added is left out, and named.

    Raises:
        ConfigError: If an answer does not lie in its file.
        LibraryError: If the collection holds other files.
    """
    collection = f"LegalBench-RAG {' '.join(part.name for part in sets)}"
    corpus = sorted({file_path for part in sets for file_path in part.corpus})
    texts: dict[str, str] = {}
    unread: dict[str, str] = {}
    for file_path in corpus:
        try:
            texts[file_path] = corpus_text(data, file_path)
        except ConfigError as error:
            if not (data / "corpus").is_dir():
                raise
            unread[file_path] = error.message
    lengths = {file_path: len(text) for file_path, text in texts.items()}
    for question in (question for part in sets for question in part.questions):
        for answer in question.answers:
            if answer.span.end > lengths.get(answer.file_path, answer.span.end):
                raise ConfigError(
                    f"{answer.file_path} ends before the answer to {question.query!r}."
                )
    report = add_files(
        library,
        [data / "corpus" / file_path for file_path in texts],
        collection=collection,
        encoder=encoder,
        settings=settings,
        on_progress=step_progress("Reading", on_progress),
    )
    for failure in report.failed:
        file_path = Path(failure.path).relative_to(data / "corpus").as_posix()
        unread[file_path] = failure.reason
        del texts[file_path], lengths[file_path]
    ids = {path: find_document(library, text, collection) for path, text in texts.items()}
    _require_same(library, collection, ids, lengths)
    return CorpusLibrary(collection, ids, {ids[path]: path for path in reversed(ids)}, unread)


def _require_same(
    library: Library, collection: str, ids: dict[str, str], lengths: dict[str, int]
) -> None:
    held = {entry.id: entry.characters for entry in library.documents(collection)}
    for file_path, document in ids.items():
        if held.get(document) != lengths[file_path]:
            raise LibraryError(
                f"{file_path}: its text in {library.path} is not that of the file.",
                remedy="Measure with a separate library.",
            )
    if held.keys() - set(ids.values()):
        raise LibraryError(
            f"the collection {collection!r} in {library.path} holds other contracts.",
            remedy="Measure with a separate library.",
        )


def rechunk(
    library: Library,
    corpus_library: CorpusLibrary,
    chunks: str,
    *,
    encoder: Encoder | None,
    on_progress: OnProgress | None = None,
) -> Path:
    """Make the library next to this one whose passages are other chunks, or continue it.

    It is called like it, with the chunking and the encoder: vectors are made once.
    """
    label = "words" if encoder is None else encoder.name.replace("/", "-")
    path = library.path.with_name(f"{library.path.stem}.{chunks}.{label}.db")
    with Library.open(path) as beside:
        if encoder is not None:
            beside.set_encoder(encoder.name, encoder.dimension)
        held = collection_ids(beside, corpus_library.collection)
        wanted = sorted(set(corpus_library.documents.values()))
        for identifier in with_progress(wanted, f"Cutting {chunks}", on_progress):
            if identifier not in held:
                _rechunk(library, beside, identifier, corpus_library.collection, chunks, encoder)
    return path


def collection_ids(library: Library, collection: str) -> set[str]:
    if collection not in {name for name, _ in library.collections()}:
        return set()
    return {entry.id for entry in library.documents(collection)}


def _rechunk(
    library: Library,
    beside: Library,
    identifier: str,
    collection: str,
    chunks: str,
    encoder: Encoder | None,
) -> None:
    document, outline = library.document(identifier), library.outline(identifier)
    cut = chunk_document(document, outline, chunks)
    vectors = None
    if encoder is not None:
        texts = [text_with_context(each.context, each.span.text_in(document.text)) for each in cut]
        vectors = _encoded(encoder, texts)
    card = library.card(identifier)
    beside.add(document, outline, card, cut, vectors, collection=collection, identifier=identifier)


def _encoded(encoder: Encoder, texts: Sequence[str]) -> NDArray[np.float32]:
    import numpy as np

    parts = [np.empty((0, encoder.dimension), dtype=np.float32)]
    parts += [encoder.encode(texts[at : at + _SLICE]) for at in range(0, len(texts), _SLICE)]
    return np.concatenate(parts)
