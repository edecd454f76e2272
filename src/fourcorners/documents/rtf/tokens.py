"""Split rich text into groups, control words and characters."""

from __future__ import annotations

import re
from collections.abc import Iterator

_TOKEN = re.compile(
    rb"(?P<control>\\(?:(?P<word>[a-zA-Z]{1,40})(?P<number>-?\d{1,10})? ?|'(?P<hex>[0-9a-fA-F]{2})"
    rb"|(?P<sign>[^a-zA-Z'])|'))|(?P<open>\{)|(?P<close>\})|(?P<text>[^\\{}\r\n]+)|[\r\n]+|\\\Z",
    re.DOTALL,
)


def rtf_tokens(data: bytes, start: int) -> Iterator[re.Match[bytes]]:
    """Yield the tokens, without the bytes of binary data (`bin`).

    A `bin` with more bytes than remain is invalid: it hides nothing, and is yielded as a token.
    """
    while True:
        for token in _TOKEN.finditer(data, start):
            if token["word"] == b"bin":
                start = token.end() + max(0, int(token["number"] or 0))
                if start <= len(data):
                    break
            yield token
        else:
            return
