"""Check redlines of Word contracts: rejected they are the original, accepted they are sound.

    python -m benchmarks.redlines --contracts DATA/cuad/contracts --limit 11 [FILE.docx ...]

Contracts of text become Word files by LibreOffice, with headings, and every other one with Word's
own numbering; five more are made with tables, fields, notes, others' changes and lists. Each is
marked up for its first party, and then
 - rejected: the text and the numbers, read here, are those of the original; and LibreOffice, which
   rejects all changes itself, writes the same text as of the original;
 - accepted: `lint` finds nothing that it did not find in the original;
 - opened: LibreOffice draws the pages of the marked and of the accepted file.
Ends with 1 if anything fails.
"""

from __future__ import annotations

import argparse
import html
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from fourcorners.documents.document import Document
from fourcorners.documents.docx.resolved_changes import resolve_changes
from fourcorners.documents.read import read_document
from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.models import default_encoder
from fourcorners.outline.build import build_outline
from fourcorners.outline.tree import Node
from fourcorners.playbooks.load import load_playbook
from fourcorners.redline.proposal import Redline
from fourcorners.redline.run import RedlineOptions, redline_contract
from fourcorners.redline.word import write_redline
from fourcorners.review.lint import Check, lint_contract
from tests.redline.word_contracts import WORD_CONTRACTS, word_file

AUTHOR = "Redline Check"
SEED = 7
CHECKED = (Check.DANGLING, Check.MISSING, Check.DEFINED_TWICE, Check.UNDEFINED, Check.GAP)
LIBRARIES = "http://openoffice.org/2000/library"
MACRO = """Sub Reject(sources As String)
  Dim hidden(0) As New com.sun.star.beans.PropertyValue
  hidden(0).Name = "Hidden"
  hidden(0).Value = True
  Dim plain(0) As New com.sun.star.beans.PropertyValue
  plain(0).Name = "FilterName"
  plain(0).Value = "Text (encoded)"
  Dim none()
  helper = createUnoService("com.sun.star.frame.DispatchHelper")
  For Each source In Split(sources, "|")
    doc = StarDesktop.loadComponentFromURL(ConvertToURL(source), "_blank", 0, hidden())
    frame = doc.CurrentController.Frame
    helper.executeDispatch(frame, ".uno:RejectAllTrackedChanges", "", 0, none())
    doc.storeToURL(ConvertToURL(source & ".rejected.txt"), plain())
    doc.close(True)
  Next
End Sub"""


@dataclass(frozen=True)
class Marked:
    """A contract, its marked and its accepted file, and what was proposed."""

    original: Path
    marked: Path
    accepted: Path
    redline: Redline


@dataclass(frozen=True)
class Outcome:
    """What became of one contract."""

    name: str
    changes: int
    new_clauses: int
    open_points: int
    rejects: bool
    rejects_in_libreoffice: bool
    new_slips: tuple[str, ...]
    opens: bool

    @property
    def is_sound(self) -> bool:
        return self.rejects and self.rejects_in_libreoffice and not self.new_slips and self.opens


class LibreOffice:
    """LibreOffice with its own profile, which holds the macro that rejects all changes."""

    def __init__(self, folder: Path) -> None:
        self._profile = folder / "profile"
        self.convert([_write_file(folder, "first.html", "It makes the profile.")], "txt", folder)
        basic = self._profile / "user/basic"
        standard = basic / "Standard"
        standard.mkdir(parents=True, exist_ok=True)
        names = f'xmlns:library="{LIBRARIES}"'
        _write_file(
            basic,
            "script.xlc",
            f'<library:libraries {names}><library:library library:name="Standard" '
            'library:link="false"/></library:libraries>',
        )
        _write_file(
            standard,
            "script.xlb",
            f'<library:library {names} library:name="Standard" library:readonly="false" '
            'library:passwordprotected="false"><library:element library:name="Module1"/>'
            "</library:library>",
        )
        _write_file(
            standard,
            "Module1.xba",
            '<script:module xmlns:script="http://openoffice.org/2000/script" '
            f'script:name="Module1" script:language="StarBasic">{html.escape(MACRO)}'
            "</script:module>",
        )

    def reject(self, paths: Sequence[Path]) -> None:
        """Write the text of each document, all its changes rejected, next to it."""
        self._run("--norestore", f'macro:///Standard.Module1.Reject("{"|".join(map(str, paths))}")')

    def convert(self, paths: Sequence[Path], to: str, folder: Path, *options: str) -> None:
        self._run(*options, "--convert-to", to, "--outdir", str(folder), *map(str, paths))

    def _run(self, *arguments: str) -> None:
        profile = f"-env:UserInstallation={self._profile.absolute().as_uri()}"
        subprocess.run(
            ["soffice", profile, "--headless", *arguments],  # noqa: S607
            check=True,
            capture_output=True,
            timeout=1_800,
        )


def _write_file(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content, "utf-8")
    return path


def as_html(document: Document, *, listed: bool) -> str:
    """Return a contract of text as HTML; `listed` has its clauses numbered by a list."""
    outline, text = build_outline(document), document.text
    top = [each for each in outline.children(None) if each.label]
    counted = [each for each in top if re.fullmatch(r"\d+", each.label)]
    own = {each.span.start: each for each in counted} if listed and len(counted) > 3 else {}
    heads = {each.span.start for each in outline.nodes if each.heading and not each.parent}
    starts = sorted({each.span.start for each in outline.nodes} | {0})
    body: list[str] = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        body += _paragraphs(text[start:end], own.get(start), is_head=start in heads)
    return f"<html><body>{''.join(body)}</body></html>"


def _paragraphs(words: str, counted: Node | None, *, is_head: bool) -> Iterator[str]:
    for at, part in enumerate(re.split(r"\n\s*\n", words)):
        plain = " ".join(part.split())
        if not plain or re.fullmatch(r"[-\s\d]*", plain):
            continue  # a page's number
        if at == 0 and counted is not None:
            plain = re.sub(r"^\W*\d+[.)]*\s*", "", plain)
            yield f'<ol start="{counted.label}"><li><p>{html.escape(plain)}</p></li></ol>'
        elif at == 0 and is_head and len(plain) < 80:
            yield f"<h2>{html.escape(plain)}</h2>"
        else:
            yield f"<p>{html.escape(plain)}</p>"


def word_contracts(
    office: LibreOffice, folder: Path, contracts: Path | None, limit: int
) -> Iterator[Path]:
    """Yield Word files: contracts of text as LibreOffice makes them, and those made here."""
    files = sorted(contracts.glob("*.txt")) if contracts else []
    random.Random(SEED).shuffle(files)  # noqa: S311
    sources = [
        _write_file(
            folder, f"{path.stem[:40]}.html", as_html(read_document(path), listed=at % 2 == 1)
        )
        for at, path in enumerate(files[:limit])
    ]
    if sources:
        office.convert(sources, "docx:MS Word 2007 XML", folder, "--infilter=HTML (StarWriter)")
    yield from (source.with_suffix(".docx") for source in sources)
    for name, parts in WORD_CONTRACTS.items():
        target = folder / f"{name}.docx"
        target.write_bytes(word_file(parts()))
        yield target


def mark_up(path: Path, folder: Path, library: Library) -> Marked | None:
    """Return a contract marked up for its first party; None if none was found in it."""
    entry = next(each for each in library.documents() if each.path == str(path))
    parties = library.card(entry.id).parties
    if not parties:
        return None
    options = RedlineOptions((parties[0].value.name,))
    read, found = redline_contract(
        library, entry.id, [load_playbook("due-diligence")], options, encoder=default_encoder()
    )
    data, now = path.read_bytes(), datetime.now(UTC)
    marked, found = write_redline(
        found, read.text, data, path, author=AUTHOR, at=now, comment_open=True
    )
    target = folder / f"{path.stem}.marked.docx"
    target.write_bytes(marked)
    accepted = folder / f"{path.stem}.accepted.docx"
    accepted.write_bytes(resolve_changes(marked, target, accept=True))
    return Marked(path, target, accepted, found)


def check(made: Marked, folder: Path) -> Outcome:
    """Return what became of a contract; LibreOffice has rejected and drawn it already."""
    data, marked = made.original.read_bytes(), made.marked.read_bytes()
    changes = made.redline.changes
    return Outcome(
        name=made.original.stem,
        changes=len(changes),
        new_clauses=sum(each.new_clause is not None for each in changes),
        open_points=len(made.redline.open_points),
        rejects=all(
            _text(resolve_changes(marked, made.marked, accept=False, author=author), folder)
            == _text(resolve_changes(data, made.original, accept=False, author=author), folder)
            for author in (None, AUTHOR)
        ),
        rejects_in_libreoffice=_rejected(made.marked) == _rejected(made.original),
        new_slips=_new_slips(made.original, made.accepted),
        opens=all((folder / f"{each.stem}.pdf").is_file() for each in (made.marked, made.accepted)),
    )


def _rejected(path: Path) -> str:
    return Path(f"{path}.rejected.txt").read_text("utf-8-sig")


def _text(data: bytes, folder: Path) -> str:
    path = folder / "resolved.docx"
    path.write_bytes(data)
    return read_document(path).text


def _new_slips(before: Path, after: Path) -> tuple[str, ...]:
    """Return what lint finds in a document and did not find in another."""
    known, found = _slips(before), _slips(after)
    return tuple((found - known).elements())


def _slips(path: Path) -> Counter[str]:
    document = read_document(path)
    report = lint_contract(document, build_outline(document))
    return Counter(each.message for each in report.issues if each.check in CHECKED)


HEAD = f"{'changes':>8} {'new':>4} {'open':>5}  rejects  in LibreOffice  accepts  opens  contract"


def row(outcome: Outcome) -> Iterator[str]:
    """Yield the lines of the table on a contract."""
    yield (
        f"{outcome.changes:>8} {outcome.new_clauses:>4} {outcome.open_points:>5}  "
        f"{outcome.rejects!s:7}  {outcome.rejects_in_libreoffice!s:14}  "
        f"{not outcome.new_slips!s:7}  {outcome.opens!s:5}  {outcome.name}"
    )
    for slip in outcome.new_slips:
        yield f"{'':>50}{slip}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--contracts", type=Path, help="a folder of contracts of text")
    parser.add_argument("--limit", type=int, default=11, help="how many of them")
    parser.add_argument("--keep", type=Path, help="a folder for the files, which then stay")
    parser.add_argument("--json", type=Path, help="write the outcomes")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = (asked.keep or Path(scratch)).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        office = LibreOffice(folder)
        paths = list(word_contracts(office, folder, asked.contracts, asked.limit))
        paths += [Path(shutil.copy(each, folder)) for each in asked.files]
        with Library.open(Path(scratch) / "redlines.db") as library:
            add_files(library, paths, collection="redlines", encoder=default_encoder())
            found = [mark_up(path, folder, library) for path in paths]
        marked = [each for each in found if each is not None]
        office.reject([path for each in marked for path in (each.original, each.marked)])
        office.convert([p for each in marked for p in (each.marked, each.accepted)], "pdf", folder)
        known = [check(each, folder) for each in marked]
    print(HEAD)
    for outcome in known:
        print("\n".join(row(outcome)))
    sound = sum(each.is_sound for each in known)
    changes = sum(each.changes for each in known)
    print(f"{sound} of {len(known)} contracts sound, with {changes} changes.")
    if asked.json:
        asked.json.write_text(json.dumps([asdict(each) for each in known], indent=1))
    sys.exit(sound < len(known))


if __name__ == "__main__":
    main()
