"""What playbooks and provisions are called, by the ids under which work and notices have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fourcorners.library.tokens import fold_name
from fourcorners.operations.access import Access
from fourcorners.operations.principal import Role

if TYPE_CHECKING:
    from fourcorners.playbooks.playbook import Playbook


class PlaybookTitles:
    """The names of what one person may read; what is gone is named by its id."""

    def __init__(self, access: Access) -> None:
        from fourcorners.operations.knowledge.playbooks import list_playbooks

        self._access = access
        self._books = {
            (fold_name(each.collection), each.id): each.book
            for each in list_playbooks(access)
            if each.book
        }
        self._columns: dict[tuple[str, str], Playbook] = {}

    def playbook(self, collection: str, ids: str) -> str:
        """Return what a playbook of a collection is called, or several with commas between."""
        found = {each: self._book(collection, each) for each in ids.split(",")}
        return ", ".join(book.name if book else each for each, book in found.items())

    def provision(self, collection: str, playbook: str, provision: str) -> str:
        """Return what a provision or a custom column of a review is called."""
        from fourcorners.research.columns.store import PREFIX

        is_column = provision.startswith(PREFIX)
        find = self._columns_of if is_column else self._book
        book = find(collection, playbook)
        names = {each.id: each.name for each in book.provisions} if book else {}
        return names.get(provision, provision)

    def _book(self, collection: str, playbook: str) -> Playbook | None:
        own = self._books.get((fold_name(collection), playbook))
        return own or self._books.get(("", playbook))

    def _columns_of(self, collection: str, playbook: str) -> Playbook:
        from fourcorners.research.columns.store import review_playbook

        key = (fold_name(collection), playbook)
        if key not in self._columns:
            library = self._access.library_for(collection, Role.READER)
            self._columns[key] = review_playbook(library, collection, playbook)
        return self._columns[key]
