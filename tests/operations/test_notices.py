"""A notice follows its collection, and nobody is notified of what they did themselves."""

from __future__ import annotations

from pathlib import Path

from fourcorners.library.store import Library
from fourcorners.operations.notices import Notice, NoticeKind, notify, withdraw_notice
from fourcorners.server.store.collections import delete_collection, rename_collection

KEPT = "SELECT person, kind, by, collection FROM server_notices"


def test_a_notice_is_renamed_and_deleted_with_its_collection(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library.db", create=True) as library:
        library.add_collection("Larch")
        with library.transaction():
            for person in ("ada", "bram"):
                notice = Notice(kind=NoticeKind.ASSIGNED, by="bram", collection="Larch")
                notify(library, person, notice)
        assert library.execute(KEPT) == [("ada", "assigned", "bram", "larch")]
        rename_collection(library, "Larch", "Finch", by="bram")
        assert library.execute(KEPT) == [("ada", "assigned", "bram", "finch")]
        delete_collection(library, "Finch", by="bram")
        assert library.execute(KEPT) == []


def test_only_an_unread_notice_of_what_was_done_then_is_withdrawn(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library.db", create=True) as library:
        library.add_collection("Larch")
        notice = Notice(kind=NoticeKind.ASSIGNED, by="bram", collection="Larch", playbook="house")
        for seen in ("", "2026-01-02"):
            with library.transaction():
                entry = library.record("findings marked", {"by": "bram"}).seq
                notify(library, "ada", notice.model_copy(update={"playbook": "other"}))
                notify(library, "ada", notice)
            library.execute("UPDATE server_notices SET seen = ? WHERE playbook = 'house'", (seen,))
            withdraw_notice(library, entry, "bram", "Larch", "house")
            left = library.execute("SELECT playbook FROM server_notices ORDER BY row")
            assert ("house",) in left if seen else left == [("other",)]
