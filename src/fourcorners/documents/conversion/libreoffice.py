"""Convert documents with LibreOffice, if it is installed: old Word documents, and pages to show.

It runs without a window, with a temporary profile, on a copy of the file in a temporary folder. Its
settings disable macros and links, and send all requests to a proxy that does not exist. If Linux
lets the user create a network namespace (`unshare`), it has no network at all; if the kernel has
Landlock, it can open no file outside that folder but its own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

from fourcorners.documents import install_hints
from fourcorners.documents.docx import reader as docx
from fourcorners.documents.media_types import FORMATS, MediaType
from fourcorners.documents.reader import Content, RawFile, Reader
from fourcorners.documents.workers import process as worker
from fourcorners.errors import InputError
from fourcorners.system import processes
from fourcorners.system.confinement import confined, network_isolation
from fourcorners.system.paths import find_program
from fourcorners.work_folder import make_temporary_folder

SECONDS = 60.0  # time limit of LibreOffice; its first start takes about ten
MAX_BYTES = 256 << 20  # bytes of its output
_DEAD_PROXY = "http://127.0.0.1:9"  # nothing listens on port 9; the profile says the same
_PROFILE = Path(__file__).with_name("libreoffice_profile.xcu")
_SAVE_REMEDY = "Save it as DOCX or PDF and add that file."
_EXTENSIONS = {
    MediaType.DOC: "doc", MediaType.DOCX: "docx", MediaType.ODT: "odt", MediaType.RTF: "rtf",
}  # fmt: skip
READABLE = frozenset(_EXTENSIONS)
"""The formats that it converts."""


class Target(StrEnum):
    """What a document is converted to, as LibreOffice calls it."""

    DOCX = "docx:MS Word 2007 XML"
    PDF = (
        'pdf:writer_pdf_Export:{"ExportBookmarks":{"type":"boolean","value":"false"},'
        '"ExportFormFields":{"type":"boolean","value":"false"}}'
    )


def find_libreoffice() -> str | None:
    return find_program("soffice") or find_program("libreoffice")


def _read_doc(file: RawFile) -> Content:
    converted = replace(file, data=convert(file, Target.DOCX), media_type=MediaType.DOCX)
    content = docx.READER.read(converted)
    note = "It is a Word 97-2003 document, read through LibreOffice."
    return replace(content, warnings=(note, *content.warnings))


def convert(file: RawFile, target: Target) -> bytes:
    """Return a document in another format; call it in a worker process.

    Raises:
        InputError: If LibreOffice is not installed, or does not open the file.
    """
    program = find_libreoffice()
    if program is None:
        raise InputError(
            f"{file.path}: this is {FORMATS[file.media_type].name}, and LibreOffice is not "
            "installed.",
            remedy=f"{install_hints.LIBREOFFICE}, or save it as DOCX or PDF and add that file.",
        )
    worker.extend_deadline(SECONDS + 60)
    with make_temporary_folder() as folder:
        source = folder / f"in.{_EXTENSIONS[file.media_type]}"
        source.write_bytes(file.data)
        (folder / "profile" / "user").mkdir(parents=True)
        shutil.copy(_PROFILE, folder / "profile" / "user" / "registrymodifications.xcu")
        command = [
            *network_isolation(),
            *confined(folder),
            program,
            f"-env:UserInstallation={(folder / 'profile').as_uri()}",
            *("--headless", "--norestore", "--nolockcheck"),
            *("--convert-to", target.value),
            *("--outdir", str(folder / "out"), str(source)),
        ]
        output = _run(command, folder, file)
        converted = folder / "out" / f"in.{target.name.lower()}"
        try:
            if converted.stat().st_size <= MAX_BYTES:
                return converted.read_bytes()
            output = "what it makes of the file is too large"
        except FileNotFoundError:
            output = (output.strip() or "it made nothing of the file").splitlines()[-1]
    raise InputError(
        f"{file.path}: the document is damaged: LibreOffice does not open it ({output}).",
        remedy=f"Open it in Word. {_SAVE_REMEDY}",
    )


def _run(command: list[str], folder: Path, file: RawFile) -> str:
    # A separate home, no display, and a proxy that is not there.
    environment = {
        key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")
    }
    for kind in ("http_proxy", "https_proxy", "ftp_proxy", "all_proxy"):
        environment |= dict.fromkeys((kind, kind.upper()), _DEAD_PROXY)
    environment |= {"HOME": str(folder), "TMPDIR": str(folder), "SAL_USE_VCLPLUGIN": "svp"}
    environment.pop("DISPLAY", None)
    process = subprocess.Popen(  # noqa: S603 - the program that was found, no shell
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
        cwd=folder,
        start_new_session=True,  # so that its child processes end with it
    )
    try:
        output, _ = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired as error:
        raise InputError(
            f"{file.path}: LibreOffice did not finish within {SECONDS:g} seconds.",
            remedy=_SAVE_REMEDY,
        ) from error
    finally:
        processes.kill_group(process)
        if process.stdout is not None:
            process.stdout.close()
    return output.decode(errors="replace")


READER = Reader(name="doc", version=1, media_types=frozenset({MediaType.DOC}), read=_read_doc)
