"""The outline benchmark: the outline of every contract file, as any user gets it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fourcorners.documents.document import Document
from fourcorners.documents.workers.process_pool import ProcessPool
from fourcorners.errors import ConfigError, FourcornersError
from fourcorners.outline.tree import Outline
from fourcorners.settings import Settings
from fourcorners_bench.outline.loader import OutlineAnswer, OutlineNode
from fourcorners_bench.record import OnProgress

# Texts and PDFs, in our layout and in that of the official download.
_FOLDERS = ("contracts", "full_contract_txt"), ("pdf", "full_contract_pdf")
_ENDINGS = (".txt", ".pdf")


@dataclass(frozen=True, slots=True)
class OutlinedFile:
    """A file's outline, with the name of the reader that made the text of the offsets."""

    outlined: OutlineAnswer
    reader: str


@dataclass(frozen=True, slots=True)
class OutlineRun:
    """The outlines of all files in order, and what became of those that could not be read."""

    outlines: tuple[OutlineAnswer, ...]
    readers: tuple[str, ...]
    failed: tuple[tuple[str, str], ...]


def contract_files(
    data: Path, *, limit: int | None = None, names: Collection[str] | None = None
) -> list[Path]:
    """Return the texts of the data set, then its PDFs, each sorted by name; or those of `names`.

    Raises:
        ConfigError: If the folder holds neither.
    """
    found: list[Path] = []
    for folders, ending in zip(_FOLDERS, _ENDINGS, strict=True):
        for folder in folders:
            paths = (path for path in (data / folder).rglob("*") if path.is_file())
            found += sorted(path for path in paths if path.suffix.lower() == ending)
    if not found:
        raise ConfigError(
            f"{data} holds no contracts: no texts in contracts, no PDFs in pdf.",
            remedy="Give the folder of the CUAD data with --data.",
        )
    if names is not None:
        found = [path for path in found if path.name in names]
    return found[:limit]


def contract_texts(data: Path) -> list[Path]:
    """Return the texts of the data set, sorted by name.

    Raises:
        ConfigError: If there are none.
    """
    texts = [path for path in contract_files(data) if path.suffix == ".txt"]
    if not texts:
        raise ConfigError(
            f"{data} has no texts.", remedy="Name the folder of CUAD with its contracts as .txt."
        )
    return texts


def read_outline(path: Path) -> OutlinedFile:
    """Read a file and return its outline.

    Raises:
        InputError: If it cannot be read.
    """
    from fourcorners.documents.read import read_document
    from fourcorners.outline.build import build_outline

    document = read_document(path)
    return OutlinedFile(outline_line(document, build_outline(document)), document.reader)


def outline_line(document: Document, outline: Outline) -> OutlineAnswer:
    """Return a document's outline as a line of the run file."""
    return OutlineAnswer(
        name=document.name,
        confidence=outline.confidence,
        nodes=tuple(
            OutlineNode(
                label=node.label,
                kind=node.kind.value,
                heading=" ".join(node.heading.text_in(document.text).split())
                if node.heading
                else "",
                start=node.span.start,
                end=node.span.end,
                parent=node.parent,
            )
            for node in outline.nodes
        ),
    )


def run_outlines(
    paths: Sequence[Path],
    *,
    settings: Settings,
    on_progress: OnProgress | None = None,
) -> OutlineRun:
    """Outline the files, in processes with the limits of `add`."""
    found: dict[Path, OutlinedFile] = {}
    failed: list[tuple[str, str]] = []
    with ProcessPool(
        read_outline, jobs=settings.jobs, memory=settings.memory_mb << 20, seconds=settings.seconds
    ) as workers:
        for done, (path, outcome) in enumerate(workers.run(paths), start=1):
            if isinstance(outcome, FourcornersError):
                failed.append((path.name, str(outcome)))
            else:
                found[path] = outcome
            if on_progress:
                on_progress("Outlining", done, len(paths))
    return OutlineRun(
        outlines=tuple(found[path].outlined for path in paths if path in found),
        readers=tuple(sorted({each.reader for each in found.values()})),
        failed=tuple(sorted(failed)),
    )


def audited_texts(data: Path, names: Iterable[str]) -> dict[str, str]:
    """Return the texts of those of the named files that the data set has, as they are read now.

    Raises:
        InputError: If a file cannot be read.
    """
    from fourcorners.documents.read import read_document

    return {path.name: read_document(path).text for path in contract_files(data, names=set(names))}
