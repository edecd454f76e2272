"""Finding files: order, what is passed over, and what cannot be entered."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from fourcorners.documents.discovery import UnreadPath, find_files


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    room = tmp_path / "room"
    for name in ("b.txt", "a/z.pdf", "a/y.docx", "c/d/e.md", "naïve Straße 契約.txt"):
        path = room / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    for name in (".DS_Store", "a/~$y.docx", ".git/config", "Thumbs.db", "__MACOSX/x"):
        path = room / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("noise")
    return room


def names(tree: Path, *paths: Path) -> list[str]:
    found = []
    for path in find_files(paths or (tree,)):
        assert isinstance(path, Path), path
        found.append(path.relative_to(tree).as_posix())
    return found


def test_files_come_in_order_without_noise(tree: Path) -> None:
    assert names(tree) == ["a/y.docx", "a/z.pdf", "b.txt", "c/d/e.md", "naïve Straße 契約.txt"]


def test_a_file_comes_once_however_often_it_is_named(tree: Path) -> None:
    assert names(tree, tree / "b.txt", tree / "a", tree / "b.txt", tree / "a" / "z.pdf") == [
        "b.txt",
        "a/y.docx",
        "a/z.pdf",
    ]


def test_a_hidden_file_named_outright_is_found(tree: Path) -> None:
    assert names(tree, tree / ".DS_Store") == [".DS_Store"]


def test_links_in_a_circle_end(tree: Path) -> None:
    (tree / "c" / "up").symlink_to(tree)
    (tree / "c" / "self").symlink_to(tree / "c" / "self")
    found = list(find_files([tree]))
    assert sum(isinstance(path, Path) for path in found) == 5
    (odd,) = [path for path in found if isinstance(path, UnreadPath)]
    assert "leads back to itself" in odd.reason
    assert odd.remedy


def test_a_path_that_is_not_there_is_a_value(tree: Path) -> None:
    missing, *rest = find_files([tree / "nowhere", tree / "b.txt"])
    assert isinstance(missing, UnreadPath)
    assert missing.path == tree / "nowhere"
    assert "there is no such file" in missing.reason
    assert missing.remedy
    assert rest == [tree / "b.txt"]


def test_a_folder_without_permission_is_a_value(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system's refusal is imitated, since it does not refuse the superuser anything."""
    iterdir = Path.iterdir

    def refuse(self: Path) -> Iterator[Path]:
        if self.name == "a":
            raise PermissionError(13, "Permission denied", str(self))
        return iterdir(self)

    monkeypatch.setattr(Path, "iterdir", refuse)
    first, *rest = find_files([tree])
    assert isinstance(first, UnreadPath)
    assert first.path == tree / "a"
    assert "no permission" in first.reason
    assert first.remedy
    assert [Path(str(path)).name for path in rest] == ["b.txt", "e.md", "naïve Straße 契約.txt"]


def test_a_link_out_of_the_folder_is_not_followed_and_is_told(tree: Path) -> None:
    outside = tree.parent / "secret"
    outside.mkdir()
    (outside / "salaries.txt").write_text("secret")
    (tree / "a" / "folder").symlink_to(outside)
    (tree / "a" / "file.txt").symlink_to(outside / "salaries.txt")
    (tree / "a" / "within.txt").symlink_to(tree / "b.txt")
    found = list(find_files([tree]))
    told = {path.path.name: path for path in found if isinstance(path, UnreadPath)}
    assert sorted(told) == ["file.txt", "folder"]
    assert "leads out of the folder" in told["folder"].reason
    assert told["folder"].remedy
    paths = [path for path in found if isinstance(path, Path)]
    assert tree / "a" / "within.txt" in paths
    assert len(paths) == 5
    (tree.parent / "link").symlink_to(tree)  # what is named outright is meant
    assert len([each for each in find_files([tree.parent / "link"]) if isinstance(each, Path)]) == 5


def test_what_is_no_file_is_reported(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tree / "a" / "pipe")
    (tree / "a" / "gone.txt").symlink_to(tree / "never.txt")
    monkeypatch.chdir(tree)  # the path of a socket is short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        found = [each for each in find_files([tree]) if isinstance(each, UnreadPath)]
    said = {each.path.name: each.reason for each in found}
    assert said == {
        "pipe": "this is a pipe, not a file.",
        "gone.txt": "this link leads to a file that is not there.",
        "socket": "this is a socket, not a file.",
    }
    assert all(each.remedy for each in found)
    (device,) = find_files([Path("/dev/null")])
    assert isinstance(device, UnreadPath)
    assert "a device" in device.reason


def test_folders_may_be_very_deep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(1_200):
        Path("d").mkdir()
        os.chdir("d")
    Path("deed.txt").write_text("A DEED")
    found = list(find_files([tmp_path]))
    Path("deed.txt").unlink()
    for _ in range(1_200):  # what clears away after the tests is recursive
        os.chdir("..")
        Path("d").rmdir()
    (path,) = found
    assert isinstance(path, Path)
    assert path.name == "deed.txt"
