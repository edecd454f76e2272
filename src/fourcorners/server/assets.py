"""What pages load: every file from this server, under an address that changes with its content."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

_HERE = Path(__file__).parent / "static"
_PALETTE = Path(__file__).parent.parent / "reports" / "assets" / "palette.css"
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}


@dataclass(frozen=True, slots=True)
class _Asset:
    data: bytes
    packed: bytes
    media_type: str


class Assets:
    """The files of `static/`, in memory: no path of a request ever reaches the disk."""

    def __init__(self) -> None:
        files = [*sorted(_HERE.iterdir()), _PALETTE]
        self._held = {
            file.name: _Asset(data, gzip.compress(data, mtime=0), _TYPES[file.suffix])
            for file in files
            if file.suffix in _TYPES
            for data in (file.read_bytes(),)
        }
        digest = sha256()
        for name, asset in sorted(self._held.items()):
            digest.update(name.encode() + asset.data)
        self._version = digest.hexdigest()[:12]

    def href(self, name: str) -> str:
        """Return the address of a file.

        Raises:
            KeyError: If no file has this name.
        """
        if name not in self._held:
            raise KeyError(name)
        return f"/static/{self._version}/{name}"

    def respond(self, request: Request, name: str) -> Response:
        """Return a file, for browsers to keep for good."""
        asset = self._held.get(name)
        if asset is None:
            return Response(status_code=404)
        headers = {
            "Cache-Control": "public, max-age=31536000, immutable",
            "Vary": "Accept-Encoding",
        }
        if "gzip" in request.headers.get("accept-encoding", ""):
            headers["Content-Encoding"] = "gzip"
            return Response(asset.packed, media_type=asset.media_type, headers=headers)
        return Response(asset.data, media_type=asset.media_type, headers=headers)
