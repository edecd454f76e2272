"""Opening a PDF and its pages with pdfium, and saying in words what stands in the way.

pdfium is not thread-safe: whatever uses this belongs in a process of its own (`Workers`).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.errors import InputError

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfPage

MAX_PAGES = 20_000
MAX_ANNOTATIONS = 10_000  # looked at on one page
REFETCH_REMEDY = (
    "Fetch it again from its source, or open it in a PDF viewer and print it to a new PDF."
)


def open_pdf(data: bytes, path: Path) -> PdfDocument:
    """Open a PDF.

    Raises:
        InputError: If it is locked, damaged, or has no pages or far too many.
    """
    import pypdfium2
    from pypdfium2 import raw

    try:
        pdf = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        code = error.err_code
        if code == raw.FPDF_ERR_PASSWORD:
            raise InputError(
                f"{path}: the PDF is protected by a password.",
                remedy="Open it with the password, save it without one and add that file.",
            ) from error
        if code == raw.FPDF_ERR_SECURITY:
            raise InputError(
                f"{path}: the PDF is encrypted in a way that is not supported.",
                remedy="Print it to a new PDF from a viewer that opens it.",
            ) from error
        if code == raw.FPDF_ERR_SUCCESS:  # nothing is wrong with it but that
            raise InputError(f"{path}: the PDF holds no pages.", remedy=REFETCH_REMEDY) from error
        if b"%%EOF" not in data[-2048:]:
            raise InputError(
                f"{path}: the PDF is truncated: its end is missing.", remedy=REFETCH_REMEDY
            ) from error
        raise InputError(
            f"{path}: the PDF is damaged: it does not open.", remedy=REFETCH_REMEDY
        ) from error
    count = len(pdf)
    if not 0 < count <= MAX_PAGES:
        pdf.close()
        problem = "holds no pages" if count <= 0 else f"claims {count} pages"
        raise InputError(
            f"{path}: the PDF {problem}; 1 to {MAX_PAGES} are read.", remedy=REFETCH_REMEDY
        )
    return pdf


def load_page(
    pdf: PdfDocument, index: int, before: Callable[[PdfPage], None] = lambda _: None
) -> PdfPage:
    """Load a page with what was typed into its form fields, which is no part of its text else.

    `before` is given the page with its annotations, which may not be there any more afterwards.
    """
    from pypdfium2 import raw

    page = pdf.get_page(index)
    before(page)
    typed = (raw.FPDF_ANNOT_WIDGET, raw.FPDF_ANNOT_FREETEXT)
    for number in range(min(raw.FPDFPage_GetAnnotCount(page), MAX_ANNOTATIONS)):
        annotation = raw.FPDFPage_GetAnnot(page, number)
        subtype = raw.FPDFAnnot_GetSubtype(annotation)
        raw.FPDFPage_CloseAnnot(annotation)
        if subtype in typed:
            if raw.FPDFPage_Flatten(page, raw.FLAT_NORMALDISPLAY) == raw.FLATTEN_SUCCESS:
                page.close()
                return pdf.get_page(index)
            break
    return page
