"""What LibreOffice makes of Word files whose tracked changes are all accepted or all rejected."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fourcorners.documents.conversion.libreoffice import find_libreoffice
from fourcorners.errors import ConfigError
from fourcorners.system.processes import kill_group

if TYPE_CHECKING:
    from lxml.etree import _Element

_SECONDS: Final = 600  # for some hundred files
_TEXT: Final = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_OFFICE: Final = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_BLOCKS: Final = frozenset({f"{_TEXT}p", f"{_TEXT}h"})
_FIELDS: Final = ("-ref", "page-number")
_SCRIPT: Final = Path(__file__).with_name("libreoffice_script.py")
_PYTHONS: Final = ("/usr/bin/python3", "python3", "python")


@cache
def find_program() -> str | None:
    """Return a Python that can talk to LibreOffice, if both are installed."""
    for each in _PYTHONS if find_libreoffice() else ():
        program = shutil.which(each)
        if program is None:
            continue
        tried = subprocess.run(  # noqa: S603 - the program that was found, no shell
            [program, "-c", "import uno"], check=False, capture_output=True
        )
        if tried.returncode == 0:
            return program
    return None


def resolve_all(files: Mapping[str, bytes]) -> dict[str, list[str]]:
    """Return the lines of each file; those whose names begin with "accept" are accepted.

    Raises:
        ConfigError: If LibreOffice or its Python module is not installed.
    """
    program, python = find_libreoffice(), find_program()
    if program is None or python is None:
        raise ConfigError(
            "LibreOffice or its Python module `uno` is not installed.",
            remedy="Install both (`apt-get install libreoffice-writer python3-uno`).",
        )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for own, data in files.items():
            (folder / f"{own}.docx").write_bytes(data)
        options = ("--headless", "--norestore", "--nolockcheck", "--nologo")
        profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
        accept = f"--accept=pipe,name={folder.name};urp;"
        office = subprocess.Popen(  # noqa: S603
            [program, profile, *options, accept],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            subprocess.run(  # noqa: S603
                [python, str(_SCRIPT), folder.name, name],
                check=True,
                timeout=_SECONDS,
                env={"PATH": os.environ.get("PATH", "")},
            )
        finally:
            kill_group(office)
        return {own: _lines((folder / f"{own}.fodt").read_bytes()) for own in files}


def _lines(data: bytes) -> list[str]:
    """Return the paragraphs that have words: of the body, cells, notes, frames and margins."""
    from lxml import etree

    root = etree.fromstring(data, etree.XMLParser(huge_tree=True))
    lines: list[str] = []
    for part in (f"{_OFFICE}body", f"{_OFFICE}master-styles"):
        for node in root.iterfind(part):
            for block in node.iter(*_BLOCKS):
                words = " ".join("".join(_words(block)).split())
                lines += [words] if words else []
    return lines


def _words(node: _Element) -> Iterator[str]:
    """Yield the words of a paragraph without those of the paragraphs in it."""
    yield node.text or ""
    for child in node:
        if child.tag in (f"{_TEXT}note", f"{_OFFICE}annotation"):
            yield "†"
        elif child.tag in (f"{_TEXT}s", f"{_TEXT}tab", f"{_TEXT}line-break"):
            yield " "
        elif str(child.tag).endswith(_FIELDS):
            yield "‡"  # its words are LibreOffice's, which counts pages and numbers itself
        elif child.tag not in _BLOCKS:
            yield from _words(child)
        yield child.tail or ""
