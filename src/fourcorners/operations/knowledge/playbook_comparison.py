"""What differs between two versions of a house playbook."""

from __future__ import annotations

from fourcorners.operations.access import Access
from fourcorners.operations.knowledge.playbooks import playbook_version
from fourcorners.playbooks.differences import Kind, compare_texts
from fourcorners.text.word_differences import EditKind, diff_words
from fourcorners.value import Value


class WordChange(Value):
    """Words that stay, go or come on the way from one version to another."""

    kind: EditKind
    text: str


class FieldChange(Value):
    """A value of the playbook's file that two versions have differently."""

    field: str
    words: list[WordChange]


class ProvisionChange(Value):
    """A provision that differs; the one without an id is the playbook itself."""

    provision: str
    name: str
    kind: Kind
    fields: list[FieldChange]


class VersionComparison(Value):
    """What differs between two versions of a playbook, which are named by their numbers."""

    playbook: str
    before: int
    after: int
    changes: list[ProvisionChange]


def compare_versions(
    access: Access, name: str, before: int, after: int, collection: str | None = None
) -> VersionComparison:
    """Return what differs between two versions of a house playbook.

    Raises:
        NotFound: If there are none that they may read.
    """
    old, new = (playbook_version(access, name, each, collection) for each in (before, after))
    changes = [
        ProvisionChange(
            provision=each.provision,
            name=each.name,
            kind=each.kind,
            fields=[
                FieldChange(
                    field=field.field,
                    words=[WordChange.make(w) for w in diff_words(field.before, field.after)],
                )
                for field in each.fields
            ],
        )
        for each in compare_texts(old.text, new.text)
    ]
    return VersionComparison(playbook=name, before=before, after=after, changes=changes)
