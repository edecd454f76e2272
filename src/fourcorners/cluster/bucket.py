"""List contracts in a bucket, and fetch one of them to this machine's disk.

An object is handled by a path, `s3:/bucket/key`. Fetched below a folder, it lies at that very path
for a process that works in the folder; so what reads files reads it as any other.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from pyarrow import fs

from fourcorners.documents.archive.container import MAX_BYTES
from fourcorners.documents.discovery import UnreadPath, is_ignored_name, path_or_url
from fourcorners.errors import InputError
from fourcorners.net import require_url
from fourcorners.system import private_files

_CHECK = "Check the bucket's name, and region, keys and AWS_ENDPOINT_URL in the environment."
_SECONDS = 30.0  # for one request
_CONNECT = 10.0  # seconds
_ATTEMPTS = 5  # of a request, the first included


@cache
def _store() -> fs.S3FileSystem:
    endpoint = urlsplit(_s3_endpoint())
    return fs.S3FileSystem(
        endpoint_override=endpoint.netloc or None,
        scheme=endpoint.scheme or "https",
        request_timeout=_SECONDS,
        connect_timeout=_CONNECT,
        retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=_ATTEMPTS),
    )


def list_objects(path: Path) -> Iterator[Path | UnreadPath]:
    place = _place(path)
    try:
        [there] = _store().get_file_info([place])
        if there.type is fs.FileType.File:
            names = [place]
        else:
            below = _store().get_file_info(fs.FileSelector(place, recursive=True))
            names = sorted(each.path for each in below if each.type is fs.FileType.File)
    except OSError as error:
        yield UnreadPath(path, f"the bucket cannot be listed: {_short(error)}", _CHECK)
        return
    for name in names:
        inner = PurePosixPath(name).relative_to(place).parts
        if any(is_ignored_name(part) for part in inner):
            continue
        found = Path(f"s3:/{name}")
        if str(found) != f"s3:/{name}" or ".." in found.parts or "\0" in name:
            why = "the key of this object is not a file path."
            yield UnreadPath(found, why, "Give the object a plain name.")
        else:
            yield found


def fetch_object(path: Path, folder: Path) -> Path | None:
    """Fetch an object, or the one that a path leads into, into a folder.

    Returns the fetched file's name there; None if there is no such object, which is reported when
    it is opened.

    Raises:
        InputError: If it cannot be fetched, or is too large.
    """
    for name in (path, *path.parents):
        if len(name.parts) < 3:
            return None
        target = folder / name
        if target.is_file():
            return name
        try:
            [info] = _store().get_file_info([_place(name)])
            if info.type is not fs.FileType.File:
                continue
            if info.size > MAX_BYTES:
                raise InputError(
                    f"{path_or_url(name)}: the object has {info.size >> 20} MB; "
                    f"at most {MAX_BYTES >> 20} MB are read.",
                    remedy="Split it; unpack an archive and add its folder.",
                )
            private_files.make_folder(target.parent)
            with (
                _store().open_input_stream(_place(name)) as stream,
                private_files.open_new(target) as file,
            ):
                file.write(stream.read(MAX_BYTES))
        except OSError as error:
            target.unlink(missing_ok=True)
            raise InputError(
                f"{path_or_url(name)}: it cannot be fetched: {_short(error)}", remedy=_CHECK
            ) from (error)
        return name
    return None


def _s3_endpoint() -> str:
    """Return the URL of the S3-compatible server of the environment; empty for Amazon's.

    Raises:
        ConfigError: If it is no URL of a server.
    """
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL") or ""
    if endpoint:
        require_url(endpoint)
    return endpoint


def _place(path: Path) -> str:
    return "/".join(path.parts[1:])


def _short(error: OSError) -> str:
    message = " ".join(str(error).split())
    return message if len(message) <= 200 else f"{message[:199]}…"
