"""One version of a comparison as a plain Word file, for versions that are no Word files."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from typing import Final

from fourcorners.comparison.comparison import Clause
from fourcorners.reports.word.package import open_template

_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_plain_word(clauses: Iterable[Clause], text: str) -> bytes:
    """Return a Word file with a paragraph for each clause, and nothing of how it was set.

    What is printed on every page is left out.
    """
    document = open_template(None)
    for clause in sorted(clauses, key=lambda each: each.span):
        words = " ".join(clause.span.text_in(text).split())
        document.add_paragraph(_NOT_XML.sub("\ufffd", words))
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()
