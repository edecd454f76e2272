"""The formats that are read, and what to do about those that are not."""

from __future__ import annotations

from fourcorners.documents import image as picture
from fourcorners.documents import libreoffice as office
from fourcorners.documents import markdown, plain
from fourcorners.documents.docx import reader as docx
from fourcorners.documents.html import reader as html
from fourcorners.documents.mail import reader as mail
from fourcorners.documents.media_types import MediaType
from fourcorners.documents.odf import reader as odt
from fourcorners.documents.pdf import reader as pdf
from fourcorners.documents.reader import Reader
from fourcorners.documents.rtf import reader as rtf

READERS: dict[MediaType, Reader] = {
    media_type: reader
    for reader in (
        plain.READER,
        markdown.READER,
        pdf.READER,
        docx.READER,
        html.READER,
        mail.READER,
        odt.READER,
        office.READER,
        rtf.READER,
        picture.READER,
    )
    for media_type in sorted(reader.media_types)
}

_CONVERT_REMEDY = "Save it as DOCX or PDF and add that file."

# What each known format that is not read is called, and the way out.
UNSUPPORTED: dict[MediaType, tuple[str, str]] = {
    MediaType.XLSX: ("Excel workbook", "Export the sheet that holds the contract as PDF."),
    MediaType.PPTX: ("PowerPoint presentation", "Export it as PDF and add that file."),
    MediaType.ZIP: (
        "ZIP archive, which is several documents",
        "Add it as a whole, or name a file in it, such as deal.zip/contract.pdf.",
    ),
    MediaType.LOCKED_OFFICE: (
        "password-protected Office document",
        "Open it with its password, save it without one and add that file.",
    ),
    MediaType.OUTLOOK: (
        "Outlook message (.msg)",
        "Save it from Outlook as .eml, or save its attachments, and add those.",
    ),
    MediaType.OLE: ("old Office file", _CONVERT_REMEDY),
    MediaType.XML: ("XML file", _CONVERT_REMEDY),
    MediaType.UNKNOWN: (
        "binary file of no known kind",
        "Check that it is the contract and not damaged; save it as DOCX, PDF or UTF-8 text.",
    ),
}
