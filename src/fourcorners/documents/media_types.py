"""Recognise the type of a file by its content; its extension may be wrong."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath

from fourcorners.documents.encoding import decode_text, is_probably_text


class MediaType(StrEnum):
    TEXT = "text/plain"
    MARKDOWN = "text/markdown"
    PDF = "application/pdf"
    DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
    ODT = "application/vnd.oasis.opendocument.text"
    ZIP = "application/zip"
    DOC = "application/msword"
    LOCKED_OFFICE = "application/encrypted-office"
    OUTLOOK = "application/vnd.ms-outlook"
    OLE = "application/x-ole-storage"
    RTF = "application/rtf"
    HTML = "text/html"
    XML = "application/xml"
    EMAIL = "message/rfc822"
    IMAGE = "image"
    UNKNOWN = "application/octet-stream"


@dataclass(frozen=True, slots=True)
class Format:
    """What a media type is called, its extensions and, if no reader supports it, what to do."""

    name: str
    extensions: tuple[str, ...] = ()
    remedy: str = ""


FORMATS = {
    MediaType.TEXT: Format("plain text", (".txt",)),
    MediaType.MARKDOWN: Format("Markdown text", (".md",)),
    MediaType.PDF: Format("a PDF", (".pdf",)),
    MediaType.DOCX: Format("a Word document", (".docx",)),
    MediaType.XLSX: Format(
        "Excel workbook", remedy="Export the sheet that holds the contract as PDF."
    ),
    MediaType.PPTX: Format("PowerPoint presentation", remedy="Export it as PDF and add that file."),
    MediaType.ODT: Format("an OpenDocument text", (".odt",)),
    MediaType.ZIP: Format(
        "ZIP archive, which is several documents",
        remedy="Add it as a whole, or name a file in it, such as deal.zip/contract.pdf.",
    ),
    MediaType.DOC: Format("an old Word document", (".doc",)),
    MediaType.LOCKED_OFFICE: Format(
        "password-protected Office document",
        remedy="Open it with its password, save it without one and add that file.",
    ),
    MediaType.OUTLOOK: Format(
        "Outlook message (.msg)",
        remedy="Save it from Outlook as .eml, or save its attachments, and add those.",
    ),
    MediaType.OLE: Format("old Office file", remedy="Save it as DOCX or PDF and add that file."),
    MediaType.RTF: Format("rich text (RTF)", (".rtf",)),
    MediaType.HTML: Format("a web page", (".html", ".htm")),
    MediaType.XML: Format("XML file", remedy="Save it as DOCX or PDF and add that file."),
    MediaType.EMAIL: Format("an e-mail", (".eml", ".mht", ".mhtml")),
    MediaType.IMAGE: Format("a picture"),
    MediaType.UNKNOWN: Format(
        "binary file of no known kind",
        remedy="Check that the file is complete; save it as DOCX, PDF or UTF-8 text.",
    ),
}

_IMAGES = (
    b"\x89PNG\r\n\x1a\n",
    b"\xff\xd8\xff",
    b"GIF87a",
    b"GIF89a",
    b"II*\x00",
    b"MM\x00*",
    b"BM",
)
# A portable anymap: a picture, whose pixels may be written as numbers.
_ANYMAP = re.compile(rb"P[1-6]\s+(?:#[^\n]{0,200}\n\s*){0,20}\d{1,6}\s+\d{1,6}\s")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HTML = re.compile(
    rb"(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body|title)\b",
    re.IGNORECASE | re.DOTALL,
)
_MAIL_HEADER = re.compile(
    rb"(?:received|from|to|subject|date|mime-version|message-id|return-path|delivered-to)\s*:",
    re.IGNORECASE,
)
# A page without an `<html>` frame, recognised by its name and by a tag that no text has.
_HTML_TAG = re.compile(
    rb"</?(?:p|div|table|span|font|br|h[1-6]|center)\b[^<>]{0,500}>", re.IGNORECASE
)
_HTML_EXTENSIONS = frozenset({".html", ".htm", ".xhtml"})
_EDGAR_FILING = re.compile(
    rb"<document>\s*<type>.{0,2000}?<text>\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL
)
_MARKDOWN_EXTENSIONS = frozenset({".md", ".markdown", ".mdown"})


def sniff_media_type(data: bytes, name: str) -> MediaType:
    head = data[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()
    if data.startswith(b"PK\x03\x04"):  # before PDF, which it may contain uncompressed
        return _zip_kind(data, PurePath(name).suffix.lower())
    if data.startswith(_OLE):
        return _ole_kind(data)
    if _is_mail(head):
        return MediaType.EMAIL
    if _is_pdf(data, head):
        return MediaType.PDF
    if head.startswith(b"{\\rtf"):
        return MediaType.RTF
    if _ANYMAP.match(data):
        return MediaType.IMAGE
    if not is_probably_text(data):
        image = data.startswith(_IMAGES) or data[:4] + data[8:12] == b"RIFFWEBP"
        return MediaType.IMAGE if image else MediaType.UNKNOWN
    if _is_html(data, head, name):
        return MediaType.HTML
    if head.startswith(b"<?xml"):
        return MediaType.XML
    markdown = PurePath(name).suffix.lower() in _MARKDOWN_EXTENSIONS
    return MediaType.MARKDOWN if markdown else MediaType.TEXT


def _is_html(data: bytes, head: bytes, name: str) -> bool:
    """Recognise a web page: by its frame, as a filing of one, or by its name and tags."""
    text = decode_text(data).text[:4096].encode() if b"\0" in head[:64] else head
    text = text.lstrip(b"\xef\xbb\xbf \t\r\n")
    if _HTML.match(text) or _EDGAR_FILING.match(text):
        return True
    return PurePath(name).suffix.lower() in _HTML_EXTENSIONS and bool(_HTML_TAG.search(text))


def _is_pdf(data: bytes, head: bytes) -> bool:
    """Recognise a PDF, also with up to a kilobyte of garbage before its header."""
    if head.startswith(b"%PDF-"):
        return True
    return b"%PDF-" in data[:1024] and (b"startxref" in data or b"%%EOF" in data)


def _zip_kind(data: bytes, suffix: str) -> MediaType:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
            opendocument = _opendocument_kind(archive) if "mimetype" in names else None
    except (zipfile.BadZipFile, ValueError, NotImplementedError, RuntimeError, OSError):
        # Damaged: the intended type decides which reader explains the damage.
        intended = {".docx": MediaType.DOCX, ".odt": MediaType.ODT}
        return intended.get(suffix, MediaType.DOCX if b"word/" in data[:65536] else MediaType.ZIP)
    if opendocument is not None:
        return opendocument
    if "[Content_Types].xml" in names:
        kinds = {"word/": MediaType.DOCX, "xl/": MediaType.XLSX, "ppt/": MediaType.PPTX}
        for folder, kind in kinds.items():
            if any(name.startswith(folder) for name in names):
                return kind
    return MediaType.ZIP


def _opendocument_kind(archive: zipfile.ZipFile) -> MediaType | None:
    with archive.open("mimetype") as member:
        return MediaType.ODT if member.read(200).startswith(MediaType.ODT.encode()) else None


def _ole_kind(data: bytes) -> MediaType:
    """Recognise an OLE file by the names of its streams, which are in UTF-16."""
    kinds = {
        "EncryptedPackage": MediaType.LOCKED_OFFICE,
        "WordDocument": MediaType.DOC,
        "__substg1.0_": MediaType.OUTLOOK,
    }
    found = (kind for name, kind in kinds.items() if name.encode("utf-16-le") in data)
    return next(found, MediaType.OLE)


def _is_mail(head: bytes) -> bool:
    """Recognise an email by three header lines at its very start, one of them technical."""
    start = head[:1000].lower()
    if start.startswith(b"mime-version:") and b"multipart/related" in start:
        return True  # a page with its pictures in one file, as browsers save it (RFC 2557)
    lines = [line for line in head.splitlines()[:40] if line[:1] not in (b" ", b"\t")]
    known = [line for line in lines if _MAIL_HEADER.match(line)]
    if len(known) < 3 or known[0] is not lines[0]:
        return False
    technical = (b"received", b"mime-version", b"message-id", b"return-path")
    return any(line.lower().startswith(technical) for line in known)
