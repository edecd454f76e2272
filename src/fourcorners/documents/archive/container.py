"""Files within files: the members of archives and the attachments of emails, as paths.

A path may lead through containers: `deal.zip/contracts/a.pdf` is a file of `deal.zip`, and
`deal.zip/offer.eml/annex.docx` an attachment of an email in it. Nothing is unpacked to disk, so a
hostile member name does no harm: it is never used as a path on disk.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import stat
import struct
import threading
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from fourcorners.documents.discovery import IGNORED_NAMES, is_ignored_name, unreadable_error
from fourcorners.documents.mail.reader import parse_message
from fourcorners.errors import InputError
from fourcorners.system.paths import allowed_name

MAX_DEPTH = 3  # containers within each other
MAX_BYTES = 512 << 20  # bytes of a file or member; a contract is never half a gigabyte
MAX_MEMBERS = 10_000  # guards against archives that unpack without end
MAX_TOTAL = 4 << 30  # bytes of all members, unpacked
MAX_RATIO = 100  # ratio of unpacked to packed size, of each member and of all
RATIO_CHECK_FROM = 8 << 20  # unpacked bytes below which the ratio means nothing
MAX_DIRECTORY = 8 << 20  # bytes of an archive's directory; ten thousand names have some 1 MB

_UNSAFE_CHARACTERS = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_MAX_NAME = 200  # characters of one part of a member's name
_MAX_FOLDERS = 20  # folders of a member's name
# A pipe in place of the file would wait for its writer; Windows lacks this flag, and needs one for
# binary files.
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_UNPACK_REMEDY = "Unpack it yourself and add the folder."
_MAX_CACHED = 128 << 20  # bytes of a container that is cached in memory for the next access


@dataclass(frozen=True, slots=True)
class Member:
    """A file within a file: its name, unique there and safe to show, and how to get its bytes."""

    name: str
    load: Callable[[], bytes]


@dataclass(slots=True)
class _ReopeningFile:
    """A file stream that is closed after each access and reopened for the next."""

    stream: BinaryIO

    def __getattr__(self, name: str) -> object:
        return getattr(self.stream, name)


@dataclass(frozen=True, slots=True)
class _OpenContainer:
    """An open container, its members by name; `version` identifies the state of its file."""

    version: tuple[int, ...]
    path: Path
    depth: int
    members: dict[str, Member]
    source: _ReopeningFile | None


class _ContainerCache(threading.local):
    """The containers opened last, one per depth: their members are read one by one."""

    def __init__(self) -> None:
        self.opened: dict[int, _OpenContainer] = {}


_cache = _ContainerCache()


def load_bytes(path: Path) -> bytes:
    outer, inner = _split_path(path)
    with _open(outer) as stream:
        return _load_member(stream, outer, inner)[0] if inner else _read_unchanged(stream, path)


def load_unchanged(path: Path, sha256: str) -> bytes:
    """Return the bytes of a file that was read before; raise InputError if they have changed."""
    data = load_bytes(path)
    if hashlib.sha256(data).hexdigest() != sha256:
        raise InputError(f"{path}: the file has changed since it was read.", remedy="Add it again.")
    return data


def _read_unchanged(stream: BinaryIO, path: Path) -> bytes:
    """Return the bytes of a file on disk, at most as many as it had when it was opened."""
    try:
        before = os.fstat(stream.fileno())
        data = stream.read(before.st_size + 1)
        after = os.fstat(stream.fileno())
    except OSError as error:
        raise unreadable_error(path, error) from error
    changed = (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns)
    if changed or len(data) != before.st_size:
        raise InputError(
            f"{path}: the file changed while it was read.",
            remedy="Wait until the program that writes it is done, and add it again.",
        )
    return data


def is_member_path(path: Path) -> bool:
    return bool(_split_path(path)[1])


@contextmanager
def open_container(path: Path) -> Iterator[list[Member]]:
    """Open a container, perhaps a member of others; raise InputError if it does not open."""
    outer, inner = _split_path(path)
    with _open(outer) as file:
        if inner:
            data, depth = _load_member(file, outer, inner)
            if depth >= MAX_DEPTH:
                raise _depth_error(path)
            yield list_members(io.BytesIO(data), path)
        else:
            yield list_members(_spool(file, path), path)


def list_members(stream: BinaryIO, path: Path) -> list[Member]:
    archive = stream.read(4).startswith(b"PK")
    stream.seek(0)
    found = list(
        _archive_members(stream, path) if archive else _attachment_members(stream.read(), path)
    )
    if len(found) > MAX_MEMBERS:
        raise _bomb_error(path)
    taken: dict[str, int] = {}  # names in lower case, and their last number
    return [Member(_unique_name(safe_name(name), taken), get) for name, get in found]


def _split_path(path: Path) -> tuple[Path, tuple[str, ...]]:
    for outer in path.parents:
        try:
            if stat.S_ISREG(outer.stat().st_mode):
                return outer, path.parts[len(outer.parts) :]
        except OSError:
            continue
    return path, ()


def _load_member(stream: BinaryIO, outer: Path, inner: tuple[str, ...]) -> tuple[bytes, int]:
    """Return the bytes of a member of a file, and how many containers it is in."""
    whole = outer.joinpath(*inner)
    here = _cached_container(stream, whole) or _open_level(
        _spool(stream, outer), outer, _version(stream), 1
    )
    while True:
        inner = whole.parts[len(here.path.parts) :]
        ends = range(len(inner), 0, -1)
        end = next((end for end in ends if "/".join(inner[:end]) in here.members), None)
        if end is None:
            raise InputError(
                f"{whole}: {here.path.name} holds no such file (any more).",
                remedy="Check the name, or add the file that holds it again.",
            )
        data = here.members["/".join(inner[:end])].load()
        if end == len(inner):
            return data, here.depth
        if here.depth == MAX_DEPTH:
            raise _depth_error(whole)
        at = here.path.joinpath(*inner[:end])
        here = _open_level(io.BytesIO(data), at, here.version, here.depth + 1)


def _version(stream: BinaryIO) -> tuple[int, ...]:
    status = os.fstat(stream.fileno())
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _cached_container(stream: BinaryIO, whole: Path) -> _OpenContainer | None:
    version = _version(stream)
    for _, cached in sorted(_cache.opened.items(), reverse=True):
        if cached.version == version and cached.path in whole.parents:
            if cached.source is not None:
                cached.source.stream = stream
            return cached
    return None


def _open_level(stream: BinaryIO, at: Path, version: tuple[int, ...], depth: int) -> _OpenContainer:
    """Open a container, and cache its contents for the next access."""
    source = None if isinstance(stream, io.BytesIO) else _ReopeningFile(stream)
    found = list_members(cast("BinaryIO", source or stream), at)
    opened = _OpenContainer(version, at, depth, {member.name: member for member in found}, source)
    if not isinstance(stream, io.BytesIO) or stream.getbuffer().nbytes <= _MAX_CACHED:
        _cache.opened[depth] = opened
    return opened


def _open(path: Path) -> BinaryIO:
    try:
        _require_file(path, path.stat())
        file = os.fdopen(os.open(path, _OPEN_FLAGS), "rb")
    except OSError as error:
        raise unreadable_error(path, error) from error
    try:
        _require_file(path, os.fstat(file.fileno()))  # it may have changed in the meantime
    except InputError:
        file.close()
        raise
    return file


def _require_file(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "a device or pipe"
        raise InputError(
            f"{path}: this is {kind}, not a file.", remedy="Name a file, or a folder to add."
        )
    if status.st_size > MAX_BYTES:
        raise InputError(
            f"{path}: the file has {status.st_size >> 20} MB; "
            f"at most {MAX_BYTES >> 20} MB are read.",
            remedy="Split it, or reduce its pictures; unpack an archive and add the folder.",
        )


def _spool(file: BinaryIO, path: Path) -> BinaryIO:
    """Return an archive as a file on disk, and an email, which is small, in memory."""
    archive = file.read(4).startswith(b"PK")
    file.seek(0)
    return file if archive else io.BytesIO(_read_unchanged(file, path))


def _archive_members(stream: BinaryIO, path: Path) -> Iterator[tuple[str, Callable[[], bytes]]]:
    if _directory_size(stream) > MAX_DIRECTORY:
        raise _bomb_error(path)
    try:
        archive = zipfile.ZipFile(stream)
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, struct.error) as error:
        raise InputError(
            f"{path}: the archive is damaged: its directory is missing; it may be truncated.",
            remedy="Fetch it again from its source; or unpack what can be saved, and add that.",
        ) from error
    entries = [entry for entry in archive.infolist() if _is_content_file(entry)]
    total = sum(entry.file_size for entry in entries)
    others = [entry for entry in entries if not _is_dense(entry)]  # refused one by one
    packed = sum(entry.compress_size for entry in others)
    dense = sum(entry.file_size for entry in others) > max(RATIO_CHECK_FROM, MAX_RATIO * packed)
    if len(entries) > MAX_MEMBERS or total > MAX_TOTAL or dense:
        raise _bomb_error(path)
    if entries and all(entry.flag_bits & 1 for entry in entries):
        raise _locked_error(path)
    for entry in entries:
        yield entry.filename, partial(_unpack, archive, entry, path)


def _directory_size(stream: BinaryIO) -> int:
    """Return the size an archive declares for its directory, before reading it."""
    end = stream.seek(0, io.SEEK_END)
    stream.seek(max(0, end - (1 << 16) - 22))
    tail = stream.read()
    stream.seek(0)
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or at + 22 > len(tail):
        return 0
    size: int = struct.unpack_from("<I", tail, at + 12)[0]
    return size


def _is_content_file(entry: zipfile.ZipInfo) -> bool:
    """Return whether it is a file, and not a folder, link, or leftover of a system or program."""
    parts = PurePosixPath(entry.filename.replace("\\", "/")).parts
    link = entry.create_system == 3 and stat.S_ISLNK(entry.external_attr >> 16)
    if not parts or entry.is_dir() or link:
        return False
    return not (is_ignored_name(parts[-1]) or parts[0] in IGNORED_NAMES)


def _is_dense(entry: zipfile.ZipInfo) -> bool:
    return entry.file_size > max(RATIO_CHECK_FROM, MAX_RATIO * entry.compress_size)


def _unpack(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path) -> bytes:
    place = path / safe_name(entry.filename)
    if entry.flag_bits & 1:
        raise _locked_error(place)
    if _is_dense(entry) or entry.file_size > MAX_BYTES:
        raise _bomb_error(place)
    try:
        with archive.open(entry) as member:
            data = member.read(MAX_BYTES + 1)
    except (
        zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, ValueError,
        RuntimeError,
    ) as error:  # fmt: skip
        raise InputError(
            f"{place}: it does not unpack: the archive is damaged there.",
            remedy="Fetch the archive again from its source, or add this file by itself.",
        ) from error
    if len(data) > MAX_BYTES:
        raise _bomb_error(place)
    return data


def _attachment_members(data: bytes, path: Path) -> Iterator[tuple[str, Callable[[], bytes]]]:
    for attachment in parse_message(data, path).attachments:
        # A name is not a folder here, whatever its sender intended.
        yield re.sub(r"[/\\]", "_", attachment.name), partial(bytes, attachment.data)


def safe_name(name: str) -> str:
    """Return a file's given name as a relative path that never leads up or out."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    short = (_UNSAFE_CHARACTERS.sub("_", _shorten(part)) for part in parts[-_MAX_FOLDERS:])
    return "/".join(map(allowed_name, short)) or "unnamed"


def _shorten(part: str) -> str:
    stem, suffix = PurePosixPath(part).stem, PurePosixPath(part).suffix[:20]
    return part if len(part) <= _MAX_NAME else stem[: _MAX_NAME - 20] + suffix


def _unique_name(name: str, taken: dict[str, int]) -> str:
    """Return the name, numbered if it is taken, or if a file would contain others."""
    pure, tried = PurePosixPath(name), name
    number = taken.get(name.casefold(), 0)
    while tried.casefold() in taken:
        number += 1
        tried = str(pure.with_name(f"{pure.stem} ({number}){pure.suffix}"))
        taken[name.casefold()] = number
    taken.setdefault(tried.casefold(), 1)
    return tried


def _locked_error(path: Path) -> InputError:
    return InputError(
        f"{path}: the archive is locked with a password.",
        remedy="Unpack it with its password and add the folder.",
    )


def _depth_error(path: Path) -> InputError:
    return InputError(
        f"{path}: it lies in more than {MAX_DEPTH} archives or mails within each other.",
        remedy=_UNPACK_REMEDY,
    )


def _bomb_error(path: Path) -> InputError:
    return InputError(
        f"{path}: it unpacks to far more than any data room holds "
        f"({MAX_MEMBERS:,} files, {MAX_TOTAL >> 30} GB, {MAX_RATIO} times its size).",
        remedy=f"If you trust it: {_UNPACK_REMEDY[0].lower()}{_UNPACK_REMEDY[1:]}",
    )
