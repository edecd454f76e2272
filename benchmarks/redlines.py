"""Check redlines of Word contracts: rejected they are the original, accepted they are sound.

    python benchmarks/redlines.py --contracts DATA/cuad/contracts --limit 11 [FILE.docx ...]

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
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from fourcorners.documents.document import Document
from fourcorners.documents.docx.resolved_changes import resolve_changes
from fourcorners.documents.read import read_document
from fourcorners.errors import ConfigError
from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.models import default_encoder
from fourcorners.outline.build import build_outline
from fourcorners.outline.tree import Node
from fourcorners.playbooks.load import load_playbook
from fourcorners.redline.run import RedlineOptions, redline_contract
from fourcorners.redline.word import write_redline
from fourcorners.review.lint import Check, lint_contract
from tests.redline.word_contracts import WORD_CONTRACTS, word_file

AUTHOR = "Redline Check"
SEED = 7
CHECKED = (Check.DANGLING, Check.MISSING, Check.DEFINED_TWICE, Check.UNDEFINED, Check.GAP)
LIBRARIES = "http://openoffice.org/2000/library"
MACRO = """Sub Resolve(source As String, target As String, command As String)
  Dim hidden(0) As New com.sun.star.beans.PropertyValue
  hidden(0).Name = "Hidden"
  hidden(0).Value = True
  doc = StarDesktop.loadComponentFromURL(ConvertToURL(source), "_blank", 0, hidden())
  helper = createUnoService("com.sun.star.frame.DispatchHelper")
  Dim none()
  helper.executeDispatch(doc.CurrentController.Frame, command, "", 0, none())
  Dim plain(0) As New com.sun.star.beans.PropertyValue
  plain(0).Name = "FilterName"
  plain(0).Value = "Text (encoded)"
  doc.storeToURL(ConvertToURL(target), plain())
  doc.close(True)
End Sub"""


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
    """LibreOffice with a profile of its own, which holds the macro that rejects all changes."""

    def __init__(self, folder: Path) -> None:
        self._profile = folder / "profile"
        self._run("--convert-to", "txt", "--outdir", str(folder), str(_made(folder, "a.html", "a")))
        basic = self._profile / "user/basic"
        standard = basic / "Standard"
        standard.mkdir(parents=True, exist_ok=True)
        names = f'xmlns:library="{LIBRARIES}"'
        _made(
            basic,
            "script.xlc",
            f'<library:libraries {names}><library:library library:name="Standard" '
            'library:link="false"/></library:libraries>',
        )
        _made(
            standard,
            "script.xlb",
            f'<library:library {names} library:name="Standard" library:readonly="false" '
            'library:passwordprotected="false"><library:element library:name="Module1"/>'
            "</library:library>",
        )
        _made(
            standard,
            "Module1.xba",
            '<script:module xmlns:script="http://openoffice.org/2000/script" '
            f'script:name="Module1" script:language="StarBasic">{html.escape(MACRO)}'
            "</script:module>",
        )

    def rejected_text(self, path: Path, folder: Path) -> str:
        """Return a document's text once LibreOffice has rejected all its changes."""
        target = folder / f"{path.stem}.rejected.txt"
        command = f'"{path}","{target}",".uno:RejectAllTrackedChanges"'
        self._run("--norestore", f"macro:///Standard.Module1.Resolve({command})")
        return target.read_text("utf-8-sig")

    def convert(self, path: Path, to: str, folder: Path, *options: str) -> Path | None:
        """Return the file that LibreOffice makes of another; None if it makes none."""
        made = folder / f"{path.stem}.{to.partition(':')[0]}"
        self._run(*options, "--convert-to", to, "--outdir", str(folder), str(path))
        return made if made.is_file() and made.stat().st_size else None

    def _run(self, *arguments: str) -> None:
        profile = f"-env:UserInstallation={self._profile.absolute().as_uri()}"
        subprocess.run(
            ["soffice", profile, "--headless", *arguments],  # noqa: S607
            check=True,
            capture_output=True,
            timeout=180,
        )


def _made(folder: Path, name: str, content: str) -> Path:
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
    for at, path in enumerate(files[:limit]):
        source = _made(
            folder, f"{path.stem[:40]}.html", as_html(read_document(path), listed=at % 2 == 1)
        )
        made = office.convert(
            source, "docx:MS Word 2007 XML", folder, "--infilter=HTML (StarWriter)"
        )
        if made is None:
            raise ConfigError(f"LibreOffice made no Word file of {path.name}.")
        yield made
    for name, parts in WORD_CONTRACTS.items():
        target = folder / f"{name}.docx"
        target.write_bytes(word_file(parts()))
        yield target


def check(path: Path, folder: Path, library: Library, office: LibreOffice) -> Outcome | None:
    """Return what becomes of a contract that is marked up; None if no party was found in it."""
    entry = next(each for each in library.documents() if each.path == str(path))
    parties = library.card(entry.id).parties
    if not parties:
        return None
    options = RedlineOptions((parties[0].value.name,))
    read, found = redline_contract(
        library, entry.id, load_playbook("due-diligence"), options, encoder=default_encoder()
    )
    data = path.read_bytes()
    marked, found = write_redline(
        found, read.text, data, path, author=AUTHOR, at=datetime.now(UTC), comment_open=True
    )
    target = folder / f"{path.stem}.marked.docx"
    target.write_bytes(marked)
    accepted = folder / f"{path.stem}.accepted.docx"
    accepted.write_bytes(resolve_changes(marked, target, accept=True))
    return Outcome(
        name=path.stem,
        changes=len(found.changes),
        new_clauses=sum(each.new_clause is not None for each in found.changes),
        open_points=len(found.open_points),
        rejects=all(
            _text(resolve_changes(marked, target, accept=False, author=author), folder)
            == _text(resolve_changes(data, path, accept=False, author=author), folder)
            for author in (None, AUTHOR)
        ),
        rejects_in_libreoffice=office.rejected_text(target, folder)
        == office.rejected_text(path, folder),
        new_slips=_new_slips(path, accepted),
        opens=all(office.convert(each, "pdf", folder) for each in (target, accepted)),
    )


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
        paths = [*word_contracts(office, folder, asked.contracts, asked.limit), *asked.files]
        paths = [each.absolute() for each in paths]
        with Library.open(Path(scratch) / "redlines.db") as library:
            add_files(library, paths, collection="redlines", encoder=default_encoder())
            outcomes = [check(path, folder, library, office) for path in paths]
    print(
        f"{'changes':>8} {'new':>4} {'open':>5}  rejects  in LibreOffice  accepts  opens  contract"
    )
    known = [each for each in outcomes if each is not None]
    for each in known:
        print(
            f"{each.changes:>8} {each.new_clauses:>4} {each.open_points:>5}  {each.rejects!s:7}  "
            f"{each.rejects_in_libreoffice!s:14}  {not each.new_slips!s:7}  {each.opens!s:5}  "
            f"{each.name}"
        )
        for slip in each.new_slips:
            print(f"{'':>50}{slip}")
    sound = sum(each.is_sound for each in known)
    changes = sum(each.changes for each in known)
    print(f"{sound} of {len(known)} contracts sound, with {changes} changes.")
    if asked.json:
        asked.json.write_text(json.dumps([asdict(each) for each in known], indent=1))
    sys.exit(sound < len(known))


if __name__ == "__main__":
    main()
