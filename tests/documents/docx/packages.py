"""Word files as the bytes of their parts."""

from __future__ import annotations

import io
import zipfile


def parts(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rewritten(data: bytes, name: str, old: bytes, new: bytes) -> bytes:
    """Return a file in one part of which some bytes are others, the first time they are there."""
    held = parts(data)
    assert old in held[name]
    held[name] = held[name].replace(old, new, 1)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for each, content in held.items():
            archive.writestr(each, content)
    return buffer.getvalue()
