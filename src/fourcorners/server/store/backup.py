"""A library with its uploaded files in one archive, taken while it is in use, and put back.

The archive is a ZIP of the library as SQLite's backup gives it (a state between two writes), of the
files next to it, and, last, of a list with the hash of each; without the list it is invalid.
"""

from __future__ import annotations

import os
import re
import shutil
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO

import apsw
from pydantic import BaseModel, ConfigDict

from fourcorners.errors import ConfigError, InputError, LibraryError
from fourcorners.library.audit import utc_now
from fourcorners.library.originals.files import stored_documents
from fourcorners.library.store import Library, scheme_of, sqlite_path, upload_folder
from fourcorners.library.tables.sqlite import library_errors
from fourcorners.server.store.uploads import PAGES_FOLDER, UploadFolder
from fourcorners.system import private_files
from fourcorners.version import __version__
from fourcorners.work_folder import make_work_folder

_LIBRARY = "library.db"
_LIST = "backup.json"
_FILES = "files/"
_UPLOADS = "files"
_MOVED = "moved"  # there from when the files are put in place: then they may be
_PART = 1 << 20  # bytes read at once
_MOST_LIST = 256 << 20  # bytes of the list of an archive
_REMEDY = "Give an archive that `fourcorners backup` wrote, whole."

_MEND = "Remove what is damaged and add it again, or restore an earlier backup."


@dataclass(frozen=True, slots=True)
class BackupSummary:
    """What an archive holds.

    Attributes:
        missing: Documents that were uploaded and whose file was not there any more.
        made: UTC, in ISO 8601.
        in_buckets: Documents whose original is in a bucket, and not in the archive.
    """

    documents: int
    files: int
    bytes: int
    missing: int
    made: str
    in_buckets: int = 0


class _Manifest(BaseModel):
    """The list of an archive: `root` is where the files lay, `sha256` has each file's hash."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: str
    made: str
    root: str
    documents: int
    missing: int
    in_buckets: int = 0
    sha256: dict[str, str]


def write_backup(library: str | Path, target: Path) -> BackupSummary:
    """Write a library and its uploaded files into an archive, whole or not at all.

    Others may go on reading and writing; what is written meanwhile is not in it. The archive is
    read back: every hash is compared, and its library is checked in full.

    Raises:
        LibraryError: If the library cannot be read, or is damaged.
        ConfigError: If the target is there already, or the library is not one file.
        InputError: If the archive cannot be read back as it was written.
    """
    path = _path_of(library)
    if not path.is_file():
        raise LibraryError(f"there is no library at {path}.", remedy="Name its file.")
    if target.exists():
        raise ConfigError(f"{target} already exists.", remedy="Give another name.")
    with make_work_folder(target) as folder:
        copy, packed = folder / _LIBRARY, folder / "backup.zip"
        with _private(packed) as sink:
            _copy(path, copy)
            made = _write(sink, copy, UploadFolder(upload_folder(path)))
        copy.unlink()
        _unpack(packed, copy, None)
        with Library.open(copy, create=False) as store:
            _require_whole(
                store, path, "Remove what is damaged and add it again, or restore a backup."
            )
        packed.replace(target)
    return made


def add_backup(library: str | Path, folder: Path, keep: int) -> tuple[Path, BackupSummary]:
    """Write a dated archive into a folder, and remove the oldest of the library's beyond `keep`.

    None is removed before the new one has been read back and checked.
    """
    name = _path_of(library).stem
    now = utc_now()[:19].replace("-", "").replace(":", "").replace("T", "-")
    target = folder / f"{name}-{now}.zip"
    made = write_backup(library, target)
    dated = re.compile(rf"{re.escape(name)}-\d{{8}}-\d{{6}}\.zip")
    archives = sorted(each for each in folder.iterdir() if dated.fullmatch(each.name))
    for each in archives[:-keep]:
        each.unlink()
    return target, made


def _require_whole(store: Library, origin: Path, remedy: str) -> None:
    if faults := store.check():
        raise LibraryError(f"the library in {origin} is damaged: {faults[0]}.", remedy=remedy)


def restore_backup(archive: Path, library: str | Path) -> BackupSummary:
    """Restore a library from an archive, with its files, where there is none.

    Every hash is compared, and the library is checked in full, before anything is put in its place.
    In another folder than before, it finds its files there. Remains of an interrupted restore of
    the same library are removed first.

    Raises:
        ConfigError: If there is a library, or a folder of files, already, or another process is
            restoring it.
        InputError: If the archive is damaged, or none.
    """
    path = _path_of(library)
    root = upload_folder(path)
    with make_work_folder(path, partial(_remove_files, root)) as folder:
        for taken in (path, root):
            if taken.exists():
                raise ConfigError(
                    f"{taken} already exists and is not overwritten.",
                    remedy="Give another path, or move it away first.",
                )
        copy, files = folder / _LIBRARY, folder / _UPLOADS
        manifest, former = _unpack(archive, copy, files)
        with Library.open(copy, create=False) as store:
            _move(store, former, str(root))
            _require_whole(store, archive, _REMEDY)
        if files.exists():
            (folder / _MOVED).touch()
            files.rename(root)
        copy.rename(path)  # last: where the library is, its files are
    return manifest


def _remove_files(root: Path, folder: Path) -> None:
    """Remove the files that a restore has put in place before it was killed, without a library."""
    moved = (folder / _MOVED).exists() and not (folder / _UPLOADS).exists()
    if moved and (folder / _LIBRARY).exists():
        shutil.rmtree(root, ignore_errors=True)


def _copy(path: Path, copy: Path) -> None:
    with library_errors(path):
        source = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
        target = apsw.Connection(str(copy))
        try:
            with target.backup("main", source, "main") as copying:
                while not copying.done:
                    copying.step()
            target.execute("PRAGMA journal_mode = delete").fetchall()
        finally:
            target.close()
            source.close()


def _write(sink: BinaryIO, copy: Path, uploads: UploadFolder) -> BackupSummary:
    hashes: dict[str, str] = {}
    size = 0
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as zipped:
        for name, file in [(_LIBRARY, copy), *_upload_files(uploads.root)]:
            try:
                with (
                    file.open("rb") as source,
                    zipped.open(zipfile.ZipInfo(name), "w", force_zip64=True) as packed,
                ):
                    hashes[name], length = _copied(source, packed)
            except FileNotFoundError:  # taken out of the library meanwhile
                continue
            size += length
        with Library.open(copy, create=False) as store:
            paths = {each: store.path_of(each) for each in store.document_ids()}
            stored = stored_documents(store)
        absent = {each for each in paths if not _is_held(paths[each], uploads.root, hashes)}
        made = BackupSummary(
            len(paths), len(hashes) - 1, size, len(absent - stored), utc_now(), len(stored)
        )
        manifest = _Manifest(
            version=__version__,
            made=made.made,
            root=str(uploads.root),
            documents=made.documents,
            missing=made.missing,
            in_buckets=made.in_buckets,
            sha256=hashes,
        )
        # With a name alone it would get the current time, which a ZIP allows from 1980 on only.
        listed = manifest.model_dump_json(indent=1)
        zipped.writestr(zipfile.ZipInfo(_LIST), listed, zipfile.ZIP_DEFLATED)
    return made


def _upload_files(root: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(root.rglob("*")):
        is_made = path.relative_to(root).parts[0] == PAGES_FOLDER  # again, when it is missing
        if path.is_file() and not path.is_symlink() and not is_made:
            yield _FILES + path.relative_to(root).as_posix(), path


def _is_held(path: str, root: Path, names: dict[str, str]) -> bool:
    """Tell whether a document's file, or the archive that it lies in, is among the files."""
    try:
        inside = PurePosixPath(Path(path).relative_to(root).as_posix())
    except ValueError:
        return True  # it was added by a command, from elsewhere
    return any(_FILES + str(each) in names for each in (inside, *inside.parents))


def _unpack(archive: Path, copy: Path, files: Path | None) -> tuple[BackupSummary, str]:
    """Unpack an archive, and compare all hashes; returns what it holds and where its files were.

    Without a folder for its files they are compared and not kept.
    """
    try:
        with zipfile.ZipFile(archive) as zipped:
            manifest = _list_of(zipped)
            for name, expected in manifest.sha256.items():
                target = copy if name == _LIBRARY else files and files / _relative_path(name)
                with zipped.open(name) as source, _sink(target) as sink:
                    digest, _ = _copied(source, sink)
                if digest != expected:
                    raise InputError(f"{archive} is damaged at {name!r}.", remedy=_REMEDY)
            size = sum(zipped.getinfo(name).file_size for name in manifest.sha256)
    except FileNotFoundError as error:
        raise InputError(f"there is no file {archive}.", remedy=_REMEDY) from error
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, ValueError) as error:
        raise InputError(f"{archive} is damaged, or no backup.", remedy=_REMEDY) from error
    counts = manifest.documents, len(manifest.sha256) - 1, size, manifest.missing
    return BackupSummary(*counts, manifest.made, manifest.in_buckets), manifest.root


def read_manifest(archive: Path) -> _Manifest:
    """Return the list of an archive.

    Raises:
        InputError: If it was not written by `fourcorners backup`.
    """
    try:
        with zipfile.ZipFile(archive) as zipped:
            return _list_of(zipped)
    except (OSError, zipfile.BadZipFile, zlib.error, EOFError, KeyError, ValueError) as error:
        raise InputError(f"{archive} is damaged, or no backup.", remedy=_REMEDY) from error


def unpack_library(archive: Path, copy: Path) -> None:
    """Unpack the library of an archive alone."""
    with zipfile.ZipFile(archive) as zipped, zipped.open(_LIBRARY) as source, _sink(copy) as sink:
        _copied(source, sink)


def _list_of(zipped: zipfile.ZipFile) -> _Manifest:
    if zipped.getinfo(_LIST).file_size > _MOST_LIST:
        raise ValueError("its list is larger than any")
    manifest = _Manifest.model_validate_json(zipped.read(_LIST))
    if _LIBRARY not in manifest.sha256:
        raise ValueError("no library is in it")
    return manifest


def _relative_path(name: str) -> PurePosixPath:
    """Return the path of a file below the folder of files; nothing leads out of it."""
    path = PurePosixPath(name.removeprefix(_FILES))
    if not name.startswith(_FILES) or path.is_absolute() or {"..", "."} & {*path.parts}:
        raise ValueError(f"{name!r} leads elsewhere")
    if "\\" in name or not path.parts:
        raise ValueError(f"{name!r} is no path")
    return path


@contextmanager
def _sink(target: Path | None) -> Iterator[BinaryIO | None]:
    if target is None:
        yield None
        return
    private_files.make_folder(target.parent)
    with _private(target) as file:
        yield file


def _copied(source: IO[bytes], sink: IO[bytes] | None) -> tuple[str, int]:
    """Copy a file, or read it alone; returns its hash and its size."""
    digest, size = sha256(), 0
    while part := source.read(_PART):
        digest.update(part)
        size += len(part)
        if sink is not None:
            sink.write(part)
    return digest.hexdigest(), size


def _move(store: Library, former: str, root: str) -> None:
    """Let a library that was moved find its files next to it."""
    if former == root:
        return
    with store.transaction():
        for table in ("documents", "sources", "failures"):
            store.execute(
                f"UPDATE {table} SET path = ?2 || substr(path, length(?1) + 1) "  # noqa: S608
                "WHERE substr(path, 1, length(?1) + 1) = ?1 || '/'",
                (former, root),
            )
        store.execute(
            "UPDATE server_tasks SET spec = json_set(spec, '$.folder', "
            "?2 || substr(spec ->> '$.folder', length(?1) + 1)) "
            "WHERE substr(spec ->> '$.folder', 1, length(?1) + 1) = ?1 || '/'",
            (former, root),
        )
        store.record("restored", {"documents": len(store.document_ids())})


@contextmanager
def _private(path: Path) -> Iterator[BinaryIO]:
    """Open a new file that only its owner may read, and see that it is on the disk at the end."""
    with private_files.open_new(path) as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def _path_of(library: str | Path) -> Path:
    scheme = "" if isinstance(library, Path) else scheme_of(library)
    if scheme == "sqlite":
        return sqlite_path(str(library))
    if scheme:
        raise ConfigError(
            f"{library} is not a library in one file.",
            remedy="Copy it into one first: fourcorners library copy FROM TO.",
        )
    return Path(library).expanduser().absolute()
