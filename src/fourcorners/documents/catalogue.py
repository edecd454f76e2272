"""The formats that are read, and what to do about those that are not."""

from __future__ import annotations

from fourcorners.documents import docx, html, mail, markdown, odt, office, pdf, picture, plain, rtf
from fourcorners.documents.reader import Reader
from fourcorners.documents.sniff import MediaType

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

_CONVERT = "Save it as DOCX or PDF and add that file."

# What each known format that is not read is called, and the way out.
UNREAD: dict[MediaType, tuple[str, str]] = {
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
    MediaType.OLE: ("old Office file", _CONVERT),
    MediaType.XML: ("XML file", _CONVERT),
    MediaType.UNKNOWN: (
        "binary file of no known kind",
        "Check that it is the contract and not damaged; save it as DOCX, PDF or UTF-8 text.",
    ),
}
