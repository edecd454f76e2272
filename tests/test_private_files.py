"""Libraries, uploads and backups are their owner's alone, whatever the umask."""

from __future__ import annotations

import os
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import apsw
import pytest

from fourcorners import private_files
from fourcorners.library.store import Library
from fourcorners.server.store.backup import restore_backup, write_backup
from fourcorners.server.store.uploads import UploadFolder

pytestmark = pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")


@pytest.fixture(autouse=True)
def _open_to_all() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    """The permissions that others have, of all that lies in a folder."""
    return {
        str(each.relative_to(folder)): each.stat().st_mode & 0o077 for each in folder.rglob("*")
    }


def test_a_new_library_and_the_folders_made_for_it(tmp_path: Path) -> None:
    with Library.open(tmp_path / "firm" / "deals" / "larch.db") as library:
        library.record("test", {})
        found = modes(tmp_path)
    assert {"firm", "firm/deals", "firm/deals/larch.db", "firm/deals/larch.db-wal"} <= {*found}
    assert not any(found.values()), found


def test_a_library_of_before_is_restricted_when_it_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "larch.db"
    first = Library.open(path)
    first.record("test", {})
    for each in tmp_path.iterdir():
        each.chmod(0o666)
    with Library.open(path, create=False):
        found = modes(tmp_path)
    first.close()
    assert {"larch.db", "larch.db-wal", "larch.db-shm"} <= {*found}
    assert not any(found.values()), found


def test_what_is_no_library_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "photos.db"
    other = apsw.Connection(str(path))
    other.execute("CREATE TABLE photos(name)")
    other.close()
    path.chmod(0o644)
    with pytest.raises(Exception, match="another application"):
        Library.open(path)
    assert path.stat().st_mode & 0o777 == 0o644


def test_uploaded_files_and_backups(tmp_path: Path) -> None:
    path = tmp_path / "larch.db"
    root = tmp_path / "larch.db-files"
    root.mkdir()
    with Library.open(path) as library:
        upload = UploadFolder(root).create(library)
    upload.save_file("leases/one.txt", BytesIO(b"A LEASE"))
    write_backup(path, tmp_path / "backup.zip")
    restore_backup(tmp_path / "backup.zip", tmp_path / "elsewhere" / "firm.db")
    found = modes(tmp_path)
    assert any(name.endswith("firm.db-files") for name in found)
    assert sum(name.endswith("one.txt") for name in found) == 2
    assert not any(found.values()), found


def test_what_its_owner_may_not_write_stays_so(tmp_path: Path) -> None:
    file = tmp_path / "read-only"
    file.touch()
    file.chmod(0o444)
    private_files.restrict(file)
    assert file.stat().st_mode & 0o777 == 0o400
