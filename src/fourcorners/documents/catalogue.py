"""The formats that are read, and what to do about those that are not."""

from __future__ import annotations

from fourcorners.documents import docx, markdown, pdf, plain
from fourcorners.documents.reader import Reader
from fourcorners.documents.sniff import MediaType

READERS: dict[MediaType, Reader] = {
    media_type: reader
    for reader in (plain.READER, markdown.READER, pdf.READER, docx.READER)
    for media_type in sorted(reader.media_types)
}

_CONVERT = "Save it as DOCX or PDF and add that file."

# What each known format that is not read is called, and the way out.
UNREAD: dict[MediaType, tuple[str, str]] = {
    MediaType.XLSX: ("Excel workbook", "Export the sheet that holds the contract as PDF."),
    MediaType.PPTX: ("PowerPoint presentation", "Export it as PDF and add that file."),
    MediaType.ODT: ("OpenDocument text", _CONVERT),
    MediaType.ZIP: ("ZIP archive", "Unpack it and add the folder."),
    MediaType.DOC: ("Word 97-2003 document", _CONVERT),
    MediaType.LOCKED_OFFICE: (
        "password-protected Office document",
        "Open it with its password, save it without one and add that file.",
    ),
    MediaType.OLE: ("old Office file", _CONVERT),
    MediaType.RTF: ("rich text (RTF)", _CONVERT),
    MediaType.HTML: ("web page (HTML)", "Print it to PDF or save it as DOCX and add that file."),
    MediaType.XML: ("XML file", _CONVERT),
    MediaType.EMAIL: ("e-mail message", "Save its attachments, or print it to PDF, and add those."),
    MediaType.IMAGE: ("picture", "Run text recognition (OCR) on it and add the PDF that it makes."),
    MediaType.UNKNOWN: (
        "binary file of no known kind",
        "Check that it is the contract and not damaged; save it as DOCX, PDF or UTF-8 text.",
    ),
}
