"""Read emails (.eml): a short head and the body; attachments are separate documents.

The standard library's parser accepts any bytes as an email; what it cannot decode becomes U+FFFD.
"""

from __future__ import annotations

import email.errors
import email.header
import email.message
import email.policy
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fourcorners.documents.encoding import decode_charset, decode_html, decode_text
from fourcorners.documents.fragment import Fragment
from fourcorners.documents.html import reader as html
from fourcorners.documents.media_types import MediaType
from fourcorners.documents.reader import Content, OcrHints, RawFile, Reader
from fourcorners.errors import InputError

SHOWN_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_MAX_ENCODED = 20_000  # characters of a header that are decoded or split
_CONTENT_ID = re.compile(rb"cid:([^\s\"'<>)]{1,998})")  # the picture shown there
_WORDS = re.compile(r"\w[\w.,']*\w|\w")
_MIN_DIFFERENCES = 3  # words of a page that are not in its plain text
_SUFFIXES = {
    "application/pdf": ".pdf", "application/rtf": ".rtf", "application/zip": ".zip",
    "image/jpeg": ".jpg", "image/png": ".png", "image/tiff": ".tif",
    "message/rfc822": ".eml", "text/html": ".html", "text/plain": ".txt",
}  # fmt: skip


def _read_mail(file: RawFile) -> Content:
    mail = parse_message(file.data, file.path)
    text = Fragment()
    for name, words in mail.headers:
        text.add(f"{name}: {words}\n")
    if mail.attachments:
        names = ", ".join(" ".join(each.name.split()) for each in mail.attachments)
        text.add(f"Attachments: {names}\n")
    text.add("\n" if len(text) else "")
    warnings, pictures = _add_body(mail, text)
    if not text.text.endswith("\n"):
        text.add("\n")
    hints = OcrHints(images=(*pictures, *mail.pictures))
    return Content(text.text, marks=tuple(text.marks), warnings=warnings, ocr_hints=hints)


def _add_body(mail: MailMessage, text: Fragment) -> tuple[tuple[str, ...], tuple[bytes, ...]]:
    warnings: list[str] = []
    pictures: list[bytes] = []
    plain: list[str] = []
    for data, charset in mail.bodies:
        if len(text) and not text.text.endswith("\n"):
            text.add("\n\n")
        if mail.body_type == "text/html":
            decoded = decode_html(data, charset)
            page = html.extract_text(decoded.text)
            text.extend(page.text)
            warnings += page.warnings
            pictures += page.pictures
        else:
            try:
                decoded = decode_charset(data, charset) or decode_text(data)
            except ValueError:
                warnings.append("The body of the mail is not text and was left out.")
                continue
            plain.append(decoded.text)
            text.add(decoded.text.replace("\r\n", "\n"))
        warnings += decoded.warnings
    warnings += _differences("\n".join(plain), mail.page)
    return tuple(dict.fromkeys(warnings)), tuple(pictures)


def _differences(plain: str, page: bytes) -> Iterator[str]:
    """Report words of the page shown by mail programs that are not in the plain text."""
    if not page.strip():
        return
    try:
        shown = html.extract_text(decode_html(page).text).text.text
    except ValueError:
        return
    known = set(_WORDS.findall(plain.casefold()))
    others = [word for word in _WORDS.findall(shown) if word.casefold() not in known]
    if len(others) >= _MIN_DIFFERENCES or any(map(str.isdigit, "".join(others))):
        yield (
            "Mail programs show a page of it whose words differ from the plain text that was read "
            f"(“{others[0]}” first): compare them."
        )


@dataclass(frozen=True, slots=True)
class Attachment:
    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class MailMessage:
    """An email: `bodies` are the displayed bytes, of type `body_type`, each with its charset."""

    headers: tuple[tuple[str, str], ...]
    bodies: tuple[tuple[bytes, str], ...]
    body_type: str
    attachments: tuple[Attachment, ...]
    page: bytes = b""  # the HTML form of the body, if the plain one is read
    pictures: tuple[bytes, ...] = ()  # that the page shows


class _Policy(email.policy.Compat32):
    """The library's policy, except for headers that take quadratic time to split."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        is_parted = name.lower() in ("content-type", "content-disposition")
        return name, value[:_MAX_ENCODED] if is_parted else value


def parse_message(data: bytes, path: Path) -> MailMessage:
    """Parse an email; raise InputError if it is encrypted or nested too deeply."""
    try:
        mail = email.message_from_bytes(data, policy=_Policy())
        parts = list(_parts(mail))
    except RecursionError as error:
        raise InputError(
            f"{path}: the email is damaged: its parts are nested too deeply.",
            remedy="Save its attachments from a mail program, and add those.",
        ) from error
    if mail.get_content_type() in ("application/pkcs7-mime", "multipart/encrypted"):
        raise InputError(
            f"{path}: the email is encrypted.",
            remedy="Open it in a mail program, save it without encryption and add that.",
        )
    plain = [part for part in parts if _is_text(part, "plain") and _payload(part).strip()]
    html_parts = [part for part in parts if _is_text(part, "html")]
    bodies = plain or html_parts
    pages = [_payload(part) for part in html_parts]
    shown = {name for page in pages for name in _CONTENT_ID.findall(page)}
    attachments = [
        Attachment(_attachment_name(part, number), _payload(part))
        for number, part in enumerate(parts, 1)
        if part not in bodies and _is_attachment(part) and not _is_inline_image(part, shown)
    ]
    return MailMessage(
        headers=tuple((name, _decode_header(mail[name])) for name in SHOWN_HEADERS if mail[name]),
        bodies=tuple((_payload(part), part.get_content_charset() or "") for part in bodies),
        body_type="text/plain" if plain else "text/html",
        attachments=tuple(each for each in attachments if each.data.strip()),
        page=pages[0] if pages and plain else b"",
        pictures=tuple(_payload(part) for part in parts if _is_inline_image(part, shown)),
    )


Part = email.message.Message


def _parts(mail: Part) -> Iterator[Part]:
    """Yield the leaves; an attached email is one leaf."""
    stack = [mail]
    while stack:
        part = stack.pop()
        if part.get_content_type() == "message/rfc822" or not part.is_multipart():
            yield part
        else:
            stack += reversed(_subparts(part))


def _subparts(part: Part) -> list[Part]:
    """Return the parts of a part, without letting the library decode a leaf as declared."""
    below = part.get_payload() if part.is_multipart() else []
    return [each for each in below if isinstance(each, Part)] if isinstance(below, list) else []


def _is_text(part: Part, kind: str) -> bool:
    named = part.get_content_disposition() == "attachment" or part.get_filename()
    return part.get_content_type() == f"text/{kind}" and not named


def _is_attachment(part: Part) -> bool:
    kind, disposition = part.get_content_type(), part.get_content_disposition()
    if kind in ("application/pgp-signature", "application/pkcs7-signature", "text/calendar"):
        return False
    return disposition == "attachment" or bool(part.get_filename()) or kind == "message/rfc822"


def _is_inline_image(part: Part, shown: set[bytes]) -> bool:
    name = str(part["Content-ID"] or "").strip(" <>").encode("utf-8", "replace")
    return bool(name) and part.get_content_maintype() == "image" and name in shown


def _payload(part: Part) -> bytes:
    if part.is_multipart():  # an attached mail
        return b"".join(each.as_bytes() for each in _subparts(part))
    decoded = part.get_payload(decode=True)
    return decoded if isinstance(decoded, bytes) else b""


def _attachment_name(part: Part, number: int) -> str:
    named = part.get_filename()
    if named:
        return _decode_header(named)
    suffix = _SUFFIXES.get(part.get_content_type(), "")
    for mail in _subparts(part)[:1]:
        return (_decode_header(mail["Subject"] or "") or f"mail {number}")[:80] + suffix
    return f"attachment {number}{suffix}"


def _decode_header(value: object) -> str:
    written = str(value)
    if len(written) > _MAX_ENCODED and "=?" in written:  # decoding takes quadratic time
        written = f"{written[:_MAX_ENCODED]} […]"
    try:
        words = str(email.header.make_header(email.header.decode_header(written)))
    except (LookupError, ValueError, email.errors.HeaderParseError):
        words = written
    words = words.encode("utf-8", "replace").decode("utf-8")
    return " ".join(words.replace("\0", "\ufffd").split())


READER = Reader(name="mail", version=4, media_types=frozenset({MediaType.EMAIL}), read=_read_mail)
