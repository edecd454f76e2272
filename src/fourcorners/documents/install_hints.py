"""What a machine may lack to read a file: how its operator installs it, and what others can do."""

from __future__ import annotations

TESSERACT = (
    "Install Tesseract (`apt-get install tesseract-ocr`, `brew install tesseract`) "
    "or `pip install 'fourcorners[ocr]'`"
)
LIBREOFFICE = "Install LibreOffice (`apt-get install libreoffice-writer`)"
OCR_OFF = "Switch text recognition on (the setting `ocr`)"
MORE_TIME = "Allow more time (the setting `seconds`)"

_FOR_OTHERS = {
    TESSERACT: "Ask your administrator to install text recognition",
    LIBREOFFICE: "Ask your administrator to install LibreOffice",
    OCR_OFF: "Ask your administrator to switch on text recognition",
    MORE_TIME: "Ask your administrator to allow more time for text recognition",
}


def remedy_for_readers(remedy: str) -> str:
    """Return a remedy for who does not operate the machine: without commands and settings."""
    for hint, words in _FOR_OTHERS.items():
        remedy = remedy.replace(hint, words)
    return remedy
