"""Reading any file: identity, wrong names, and everything that is no contract."""

from __future__ import annotations

import hashlib
import io
import os
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

from fourcorners.documents.media_types import MediaType, sniff_media_type
from fourcorners.documents.read import read_document
from fourcorners.errors import InputError

WORDS = "This Agreement is made between Alder Ltd and Birch GmbH."


def refused(path: Path, reason: str) -> InputError:
    with pytest.raises(InputError) as caught:
        read_document(path)
    assert str(path) in caught.value.message
    assert reason in caught.value.message
    assert caught.value.remedy
    return caught.value


def zipped(**members: str) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, text in members.items():
            archive.writestr(name.replace("__", "/").replace("_dot_", "."), text)
    return data.getvalue()


def test_a_document_says_where_it_comes_from(tmp_path: Path) -> None:
    path = tmp_path / "alder.txt"
    path.write_text(WORDS)
    document = read_document(path)
    digest = hashlib.sha256(WORDS.encode()).hexdigest()
    assert (document.id, document.sha256) == (digest[:16], digest)
    assert (document.name, document.path) == ("alder.txt", str(path))
    assert (document.media_type, document.reader) == ("text/plain", "plain/1")
    assert document.text == WORDS
    assert document.warnings == ()
    assert isinstance(document.media_type, str)


def test_a_text_named_pdf_is_read_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "alder.pdf"
    path.write_text(WORDS)
    document = read_document(path)
    assert document.text == WORDS
    (warning,) = document.warnings
    assert warning == "The file is named .pdf but holds plain text; it was read as that."


def test_a_pdf_named_txt_is_read_as_pdf(make_pdf: Any) -> None:
    document = read_document(make_pdf([(72, 700, WORDS)], name="alder.txt"))
    assert document.text == f"{WORDS}\n"
    assert document.warnings == ("The file is named .txt but holds a PDF; it was read as that.",)


def test_long_and_foreign_names_are_read(tmp_path: Path) -> None:
    for name in ("契約書 – Überlassung №7.txt", "a" * 251 + ".txt"):
        path = tmp_path / name
        path.write_text(WORDS)
        assert read_document(path).name == name
    refused(tmp_path / ("b" * 300 + ".txt"), "the name is longer than this system allows")


@pytest.mark.parametrize("content", [b"", b" \r\n\t "])
def test_an_empty_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "empty.pdf"
    path.write_bytes(content)
    refused(path, "the file is empty")


@pytest.mark.parametrize("head", [b"P5 9 9 255\n", b"P2\n# made by hand\n9 9\n255\n1 2 3 4"])
def test_a_picture_written_in_numbers_is_no_text(head: bytes) -> None:
    assert sniff_media_type(head, "contract.txt") is MediaType.IMAGE
    assert sniff_media_type(b"P5 of the lease is void.\n", "contract.txt") is MediaType.TEXT


def test_a_file_that_is_gone_and_a_folder_are_refused(tmp_path: Path) -> None:
    refused(tmp_path / "gone.txt", "there is no such file")
    refused(tmp_path, "this is a folder")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.txt")
        refused(tmp_path / "pipe.txt", "this is a device or pipe")


def test_a_file_that_may_not_be_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system's refusal is imitated, since it does not refuse the superuser anything."""
    path = tmp_path / "locked.txt"
    path.write_text(WORDS)

    def refuse(path: Path, flags: int) -> int:  # noqa: ARG001
        raise PermissionError(13, "Permission denied", str(path))

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", refuse)
        refused(path, "no permission to read it")


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"<?xml version='1.0'?><contract/>", "XML file"),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "__substg1.0_0037".encode("utf-16-le"),
            "Outlook message",
        ),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
            "password-protected Office document",
        ),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512), "old Office file"),
        (zipped(readme="hello"), "ZIP archive"),
        (zipped(xl__workbook="", **{"[Content_Types]_dot_xml": ""}), "Excel workbook"),
        (b"\x7fELF" + bytes(range(256)) * 4, "binary file of no known kind"),
        (b"PK\x03\x04 and then nothing of the kind", "ZIP archive"),
    ],
)
def test_a_format_that_is_not_read_is_named(tmp_path: Path, content: bytes, kind: str) -> None:
    path = tmp_path / "contract.txt"
    path.write_bytes(content)
    refused(path, f"format not supported yet: {kind}")


def test_a_filing_with_tags_is_still_text(tmp_path: Path) -> None:
    path = tmp_path / "filing.txt"
    path.write_text(f"<DOCUMENT>\n<TYPE>EX-10.1\n<TEXT>\n{WORDS}")
    assert read_document(path).media_type == "text/plain"
    path.write_text(f"Date: today\nTo: Birch GmbH\nSubject: Services\n\n{WORDS}")
    assert read_document(path).media_type == "text/plain"


def test_twenty_megabytes_of_text_are_read_in_seconds(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    text = f"{WORDS} \u201cFee\u201d\r\n" * 320_000
    path.write_text(text, encoding="utf-8", newline="")
    assert path.stat().st_size > 20_000_000
    start = time.process_time()
    assert read_document(path).text == text
    assert time.process_time() - start < 20
