"""A notice follows its collection, and nobody is notified of what they did themselves."""

from __future__ import annotations

from pathlib import Path

from fourcorners.library.store import Library
from fourcorners.operations.notices import Notice, NoticeKind, notify
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
