"""Archives and mails as folders: what is in them, under which names, and what is refused."""

from __future__ import annotations

import io
import os
import struct
import time
import zipfile
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from fourcorners.documents.archive import container
from fourcorners.documents.archive.container import load_bytes, open_container
from fourcorners.documents.mail.reader import parse_message
from fourcorners.documents.media_types import MediaType, sniff_media_type
from fourcorners.documents.read import read_document
from fourcorners.errors import InputError

WORDS = "This Agreement is made between Alder Ltd and Birch GmbH.\n"


def zipped(members: dict[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return data.getvalue()


def mail(*attachments: tuple[str, bytes], body: str = "Please find it attached.") -> bytes:
    message = EmailMessage()
    message["From"] = "Ann Alder <ann@example.com>"
    message["To"] = "bo@example.com"
    message["Subject"] = "Übernahme"
    message["Date"] = "Fri, 06 Feb 2026 10:00:00 +0000"
    message["Message-ID"] = "<1@example.com>"
    message.set_content(body)
    for name, data in attachments:
        message.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return message.as_bytes()


def put(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def listed(path: Path) -> list[str]:
    with open_container(path) as members:
        return [member.name for member in members]


def refused(path: Path, reason: str) -> InputError:
    with pytest.raises(InputError) as caught:
        listed(path)
    assert str(path) in caught.value.message
    assert reason in caught.value.message
    assert caught.value.remedy
    return caught.value


def test_a_path_leads_through_an_archive(tmp_path: Path) -> None:
    path = put(tmp_path, "deal.zip", zipped({"contracts/a.txt": WORDS.encode(), "b.md": b"# B"}))
    assert listed(path) == ["contracts/a.txt", "b.md"]
    document = read_document(path / "contracts" / "a.txt")
    assert document.text == WORDS
    assert (document.name, document.path) == ("a.txt", str(path / "contracts" / "a.txt"))


def test_a_path_leads_through_mails_in_archives_to_what_was_attached(tmp_path: Path) -> None:
    inner = zipped({"annex.txt": WORDS.encode()})
    path = put(tmp_path, "deal.zip", zipped({"offer.eml": mail(("more.zip", inner))}))
    place = path / "offer.eml" / "more.zip" / "annex.txt"
    assert read_document(place).text == WORDS
    assert listed(place.parent) == ["annex.txt"]


def test_three_within_each_other_are_enough(tmp_path: Path) -> None:
    data = zipped({"deep.txt": WORDS.encode()})
    for _ in range(3):
        data = zipped({"in.zip": data})
    path = put(tmp_path, "deal.zip", data)
    third = path / "in.zip" / "in.zip"
    assert listed(third) == ["in.zip"]
    refused(third / "in.zip", "more than 3 archives or mails within each other")
    with pytest.raises(InputError, match="more than 3"):
        load_bytes(third / "in.zip" / "deep.txt")


def test_an_archive_that_holds_itself_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(tmp_path, "r.zip", zipped({"r.zip": b"PK\x03\x04"}))
    monkeypatch.setattr(container, "_unpack", lambda *_: path.read_bytes())
    place = path
    for _ in range(2):
        (member,) = listed(place)
        place = place / member
    (member,) = listed(place)
    refused(place / member, "more than 3")


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("../../etc/passwd", "etc/passwd"),
        ("/etc/passwd", "etc/passwd"),
        ("C:\\deals\\a.txt", "C:/deals/a.txt"),
        ("a\nb\u202etxt.exe", "a_b_txt.exe"),
        ("./a//b/../c.txt", "a/b/c.txt"),
        ("x" * 400 + ".txt", "x" * 180 + ".txt"),
    ],
)
def test_names_are_names_only(tmp_path: Path, stored: str, shown: str) -> None:
    path = put(tmp_path, "deal.zip", zipped({stored: WORDS.encode()}))
    (member,) = listed(path)
    assert member == shown
    assert load_bytes(path / shown) == WORDS.encode()
    assert [each.name for each in tmp_path.iterdir()] == ["deal.zip"]


def test_names_that_meet_are_numbered(tmp_path: Path) -> None:
    path = put(tmp_path, "deal.zip", zipped({"a.txt": b"1", "../a.txt": b"2", "A.txt": b"3"}))
    assert listed(path) == ["a.txt", "a (2).txt", "A (3).txt"]
    assert load_bytes(path / "a (2).txt") == b"2"


def test_what_systems_leave_behind_is_passed_over(tmp_path: Path) -> None:
    names = ("__MACOSX/._a.txt", "x/.DS_Store", "Thumbs.db", "~$a.docx", "folder/", "a.txt")
    path = put(tmp_path, "deal.zip", zipped(dict.fromkeys(names, b"x")))
    assert listed(path) == ["a.txt"]


def test_a_locked_archive_is_called_so(tmp_path: Path) -> None:
    data = bytearray(zipped({"a.txt": WORDS.encode()}))
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + flags] |= 1
    error = refused(put(tmp_path, "deal.zip", bytes(data)), "locked with a password")
    assert "Unpack it with its password" in error.remedy


def test_a_truncated_archive_is_called_so(tmp_path: Path) -> None:
    data = zipped({"a.txt": WORDS.encode() * 99})
    refused(put(tmp_path, "deal.zip", data[: len(data) // 2]), "may be truncated")


def test_a_damaged_member_does_not_harm_the_others(tmp_path: Path) -> None:
    data = bytearray(zipped({"a.txt": WORDS.encode() * 99, "b.txt": b"whole"}))
    data[45:60] = bytes(15)
    path = put(tmp_path, "deal.zip", bytes(data))
    with pytest.raises(InputError, match="the archive is damaged there"):
        load_bytes(path / "a.txt")
    assert load_bytes(path / "b.txt") == b"whole"


def test_bombs_are_refused_before_they_go_off(tmp_path: Path) -> None:
    path = put(tmp_path, "dense.zip", zipped({"a.txt": bytes(64 << 20)}))
    start = time.process_time()
    with pytest.raises(InputError, match="far more than any data room holds"):
        load_bytes(path / "a.txt")
    many = zipped({f"{number}.txt": b"x" for number in range(10_001)})
    refused(put(tmp_path, "many.zip", many), "far more than any data room holds")
    lying = bytearray(zipped({"a.txt": b"x"}))
    struct.pack_into("<I", lying, lying.rindex(b"PK\x05\x06") + 12, 0x7FFFFFFF)
    refused(put(tmp_path, "lying.zip", bytes(lying)), "far more than any data room holds")
    huge = bytearray(zipped({str(number): b"x" for number in range(5)}))
    at = -1
    while (at := huge.find(b"PK\x01\x02", at + 1)) >= 0:
        struct.pack_into("<I", huge, at + 24, 0xF0000000)
    refused(put(tmp_path, "huge.zip", bytes(huge)), "far more than any data room holds")
    assert time.process_time() - start < 5


def test_what_is_not_in_it_is_told(tmp_path: Path) -> None:
    path = put(tmp_path, "deal.zip", zipped({"a.txt": WORDS.encode()}))
    with pytest.raises(InputError, match=r"deal\.zip holds no such file"):
        load_bytes(path / "b.txt")


def test_an_archive_itself_is_no_document(tmp_path: Path) -> None:
    path = put(tmp_path, "deal.zip", zipped({"a.txt": WORDS.encode()}))
    with pytest.raises(InputError) as caught:
        read_document(path)
    assert "several documents" in caught.value.message
    assert "deal.zip/contract.pdf" in caught.value.remedy


def test_an_archive_that_holds_a_pdf_as_it_is_is_an_archive(tmp_path: Path, make_pdf: Any) -> None:
    pdf = make_pdf([(72, 700, WORDS.strip())])
    path = tmp_path / "deal.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.write(pdf, "a.pdf")
    assert sniff_media_type(path.read_bytes(), path.name) is MediaType.ZIP
    assert read_document(path / "a.pdf").text == read_document(pdf).text


def test_a_mail_with_a_pdf_as_it_is_is_a_mail(tmp_path: Path, make_pdf: Any) -> None:
    data = mail().replace(b"Please find", make_pdf([(72, 700, "x")]).read_bytes() + b"Please find")
    path = put(tmp_path, "offer.eml", data)
    assert sniff_media_type(data, path.name) is MediaType.EMAIL


def test_many_attachments_of_one_name_take_no_time(tmp_path: Path) -> None:
    mail = EmailMessage()
    for name in ("Subject", "From", "To", "Message-ID"):
        mail[name] = "a"
    mail.set_content("words")
    for number in range(3_000):
        mail.add_attachment(b"%d" % number, "application", "x", filename="a.txt")
    path = tmp_path / "a.eml"
    path.write_bytes(mail.as_bytes())
    began = time.monotonic()
    with open_container(path) as members:
        names = [member.name for member in members]
    assert time.monotonic() - began < 20
    assert names[:3] == ["a.txt", "a (2).txt", "a (3).txt"]
    assert len(set(names)) == 3_000


def test_a_file_that_changes_while_it_is_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"words " * 100)
    real = os.fstat
    calls: list[int] = []

    def fstat(number: int) -> os.stat_result:
        if len(calls) == 2:  # its size was taken, and it was read
            with path.open("ab") as file:
                file.write(b"more " * 100_000)
        calls.append(number)
        return real(number)

    before = load_bytes(path)
    with monkeypatch.context() as patched:
        patched.setattr(os, "fstat", fstat)
        with pytest.raises(InputError, match="changed while it was read") as caught:
            load_bytes(path)
    assert "add it again" in caught.value.remedy
    assert load_bytes(path).startswith(before)


def test_a_mail_is_taken_apart_once_for_all_its_attachments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[Path] = []

    def counted(data: bytes, path: Path) -> Any:
        parsed.append(path)
        return parse_message(data, path)

    monkeypatch.setattr(container, "parse_message", counted)
    path = tmp_path / "offer.eml"
    path.write_bytes(mail(*((f"{number}.txt", b"part %d" % number) for number in range(40))))
    assert [load_bytes(path / f"{number}.txt") for number in range(40)] == [
        b"part %d" % number for number in range(40)
    ]
    assert parsed == [path]
    path.write_bytes(mail(("0.txt", b"another")))
    assert load_bytes(path / "0.txt") == b"another"
    inside = tmp_path / "deal.zip"
    mails = {
        f"{each.decode()}.eml": mail(("a.txt", each), ("b.txt", each)) for each in (b"x", b"y")
    }
    inside.write_bytes(zipped(mails))
    del parsed[:]
    for name in mails:
        assert load_bytes(inside / name / "a.txt") == load_bytes(inside / name / "b.txt")
    assert len(parsed) == 2


def test_the_directory_of_an_archive_is_read_once_for_all_its_members(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "deal.zip"
    path.write_bytes(zipped({f"a/{number}.txt": b"part %d" % number for number in range(40)}))
    asked: list[Path] = []
    archived = container._archive_members

    def counted(stream: Any, at: Path) -> Any:
        asked.append(at)
        return archived(stream, at)

    monkeypatch.setattr(container, "_archive_members", counted)
    assert [load_bytes(path / "a" / f"{number}.txt") for number in range(40)] == [
        b"part %d" % number for number in range(40)
    ]
    assert asked == [path]
    path.write_bytes(zipped({"a/0.txt": b"another"}))
    assert load_bytes(path / "a" / "0.txt") == b"another"
