"""Mails: the head, the body, and what was attached."""

from __future__ import annotations

import time
from email.message import EmailMessage
from pathlib import Path

import pytest

from fourcorners.documents.archive.container import load_bytes, open_container
from fourcorners.documents.document import MarkKind
from fourcorners.documents.read import read_document
from fourcorners.errors import InputError

CLAUSE = "The Supplier may assign this Agreement without consent."


def letter(**headers: str) -> EmailMessage:
    message = EmailMessage()
    message["From"] = "Ann Alder <ann@example.com>"
    message["To"] = "bo@example.com"
    message["Subject"] = "Übernahme: side letter"
    message["Date"] = "Fri, 06 Feb 2026 10:00:00 +0000"
    message["Message-ID"] = "<1@example.com>"
    for name, value in headers.items():
        message[name] = value
    return message


def listed(path: Path) -> list[str]:
    with open_container(path) as members:
        return [member.name for member in members]


def put(folder: Path, message: EmailMessage | bytes) -> Path:
    path = folder / "offer.eml"
    path.write_bytes(message if isinstance(message, bytes) else message.as_bytes())
    return path


def test_a_mail_has_a_head_and_a_body(tmp_path: Path) -> None:
    message = letter(Cc="cy@example.com")
    message.set_content(f"Dear Bo,\n\n{CLAUSE}\n")
    message.add_attachment(b"x", maintype="application", subtype="pdf", filename="Anlage ä.pdf")
    document = read_document(put(tmp_path, message))
    assert document.media_type == "message/rfc822"
    assert document.text == (
        "From: Ann Alder <ann@example.com>\nTo: bo@example.com\nCc: cy@example.com\n"
        "Date: Fri, 06 Feb 2026 10:00:00 +0000\nSubject: Übernahme: side letter\n"
        f"Attachments: Anlage ä.pdf\n\nDear Bo,\n\n{CLAUSE}\n"
    )


def test_a_web_page_as_body_is_read_as_one(tmp_path: Path) -> None:
    message = letter()
    message.set_content(
        f"<html><body><h2>Side letter</h2><p>{CLAUSE}</p>"
        "<p style='display:none'>unseen</p></body></html>",
        subtype="html",
    )
    document = read_document(put(tmp_path, message))
    assert document.text.endswith(f"\n\nSide letter\n\n{CLAUSE}\n\nunseen\n")
    marked = [(mark.kind, mark.span.text_in(document.text)) for mark in document.marks]
    assert marked == [(MarkKind.HEADING, "Side letter"), (MarkKind.HIDDEN, "unseen")]


def test_plain_text_is_preferred_and_its_other_form_is_no_attachment(tmp_path: Path) -> None:
    message = letter()
    message.set_content(CLAUSE)
    message.add_alternative(f"<p>{CLAUSE}</p>", subtype="html")
    path = put(tmp_path, message)
    assert read_document(path).text.count(CLAUSE) == 1
    assert listed(path) == []


def test_a_mail_within_a_mail_is_a_document_of_its_own(tmp_path: Path) -> None:
    inner = letter()
    inner.set_content(CLAUSE)
    outer = letter()
    outer.set_content("See below.")
    outer.add_attachment(inner)
    path = put(tmp_path, outer)
    (member,) = listed(path)
    assert member == "Übernahme: side letter.eml"
    assert read_document(path / member).text.endswith(f"\n\n{CLAUSE}\n")


def test_names_of_attachments_lead_nowhere(tmp_path: Path) -> None:
    message = letter()
    message.set_content("x")
    for name in ("../../etc/passwd", "a.txt", "a.txt"):
        message.add_attachment(
            CLAUSE.encode(), maintype="application", subtype="octet-stream", filename=name
        )
    path = put(tmp_path, message)
    assert listed(path) == [".._.._etc_passwd", "a.txt", "a (2).txt"]
    assert load_bytes(path / ".._.._etc_passwd") == CLAUSE.encode()


def test_pictures_in_the_body_are_not_attachments(tmp_path: Path) -> None:
    message = letter()
    message.set_content(f"<p>{CLAUSE}</p><img src=cid:logo>", subtype="html")
    message.add_related(b"\x89PNG", maintype="image", subtype="png", cid="<logo>", filename="l.png")
    assert listed(put(tmp_path, message)) == []


def test_an_encrypted_mail_is_called_so(tmp_path: Path) -> None:
    data = (
        b"From: a@example.com\nTo: b@example.com\nSubject: x\nMIME-Version: 1.0\n"
        b'Content-Type: application/pkcs7-mime; name="smime.p7m"\n'
        b"Content-Transfer-Encoding: base64\n\nMIIB\n"
    )
    with pytest.raises(InputError, match="the email is encrypted"):
        read_document(put(tmp_path, data))


HEAD = b"From: a@example.com\nTo: b@example.com\nSubject: x\nMIME-Version: 1.0\n"


@pytest.mark.parametrize(
    "data",
    [
        HEAD + b"Content-Type: text/plain; charset=nonsense\n\nThe price is \x80 5\n",
        HEAD + b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nThe price is 5\n",
        HEAD + b"Content-Type: multipart/mixed\n\nThe price is 5\n",
        HEAD + b"Content-Transfer-Encoding: base64\n\n!!!! The price is 5\n",
        HEAD + b"Content-Type: text/plain; charset=utf-16\n\nThe price is 5\n",
        HEAD + b"Date: =?utf-8?b?////?=\nCc: =?x?q?a?=\n\nThe price is 5\0\n",
    ],
)
def test_a_damaged_mail_is_read_as_far_as_it_goes(tmp_path: Path, data: bytes) -> None:
    text = read_document(put(tmp_path, data)).text
    assert text.startswith("From: a@example.com\nTo: b@example.com\n")
    assert "\0" not in text
    assert text.endswith("\n")


def test_parts_nested_without_end_are_refused_in_time(tmp_path: Path) -> None:
    layers = (
        b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (level, level)
        for level in range(3000)
    )
    path = put(tmp_path, b"".join((HEAD, *layers)) + b"\nThe price is 5\n")
    start = time.process_time()
    with pytest.raises(InputError, match="nested too deeply"):
        read_document(path)
    assert time.process_time() - start < 20
