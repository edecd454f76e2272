"""Libraries, uploads and backups are their owner's alone, whatever the umask."""

from __future__ import annotations

import os
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import apsw
import pytest

from fourcorners.library.store import Library
from fourcorners.llm.offline import FakeModel, Recorder
from fourcorners.playbooks.bank.files import write_beir
from fourcorners.playbooks.bank.store import BankClause
from fourcorners.server.store.backup import restore_backup, write_backup
from fourcorners.server.store.uploads import UploadFolder
from fourcorners.system import private_files
from fourcorners.work_folder import replace_file, replace_text
from fourcorners_bench.retrieval.build import BuiltSet, write_set

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


def test_a_file_is_private_from_its_first_byte_and_when_it_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.touch(0o666)
    seen: list[int] = []

    def write(scratch: Path) -> None:
        with scratch.open("w") as file:
            file.write("the words")
            file.flush()
            seen.append(scratch.stat().st_mode & 0o777)

    replace_file(path, write)
    assert seen == [0o600]
    assert path.stat().st_mode & 0o777 == 0o600

    def write_another(scratch: Path) -> None:
        scratch.unlink()
        scratch.touch(0o666)

    replace_file(path, write_another)
    assert path.stat().st_mode & 0o777 == 0o600
    replace_text(tmp_path / "new.md", "the words")
    assert not any(modes(tmp_path).values())


def test_sets_banks_and_recordings_in_new_folders(tmp_path: Path) -> None:
    write_set(BuiltSet("ours", (), {"leases/one.txt": "A LEASE"}, {}), tmp_path / "set")
    write_beir([BankClause("Term", "It ends in June.", 4, "lease.txt")], tmp_path / "bank" / "beir")
    recording = tmp_path / "calls" / "all.jsonl"
    Recorder(FakeModel([]), recording)
    found = modes(tmp_path)
    assert len(found) == 14, found
    assert not any(found.values()), found
    recording.chmod(0o666)
    Recorder(FakeModel([]), recording)
    assert recording.stat().st_mode & 0o777 == 0o600


def test_devices_and_pipes_keep_their_permissions(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe, 0o666)
    private_files.restrict(pipe)
    assert pipe.stat().st_mode & 0o777 == 0o666
