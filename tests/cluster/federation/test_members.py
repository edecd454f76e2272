"""The file of a federation says which libraries it has, or why it cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from fourcorners.errors import ConfigError

pytest.importorskip("psycopg")

from fourcorners.cluster.federation.members import read_federation

TWO = """
[libraries]
deals = "postgresql://db1/contracts"
leases = "postgresql://db2/contracts"
"""


def test_libraries_have_names_numbers_and_rows(tmp_path: Path) -> None:
    file = tmp_path / "firm.toml"
    file.write_text(TWO)
    found = read_federation(f"federation:{file}")
    assert [each.name for each in found.members] == ["deals", "leases"]
    assert found.members[0].end_row == found.members[1].first_row
    assert found.member_of_row(found.members[1].first_row + 7) == found.members[1]
    assert found.split_id("leases:0a1b") == (found.members[1], "0a1b")
    assert found.split_id("0a1b") is None
    assert found.url == f"federation:{file}"


def test_one_left_out_leaves_the_others_their_numbers(tmp_path: Path) -> None:
    file = tmp_path / "firm.toml"
    file.write_text(TWO)
    found = read_federation(f"federation:{file}?without=deals")
    assert [(each.name, each.number) for each in found.members] == [("leases", 1)]
    assert found.url == f"federation:{file}?without=deals"
    assert read_federation(found.url) == found


@pytest.mark.parametrize(
    ("text", "query", "message"),
    [
        ("", "", "no table"),
        ("[libraries", "", "cannot be read"),
        ('[libraries]\nDeals = "postgresql://db1/a"', "", "other characters"),
        ('[libraries]\ndeals = "firm.db"', "", "not the URL of a library in PostgreSQL"),
        ("[libraries]\ndeals = 1", "", "not the URL"),
        ('[libraries]\na = "postgresql://h/a"\nb = "postgresql://h/a"', "", "twice"),
        ('[libraries]\na = "postgresql://u:secret@h/a"', "", "must not contain a password"),
        (TWO, "?without=wills", "no library 'wills'"),
        (TWO, "?without=deals,leases", "all its libraries are left out"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, text: str, query: str, message: str) -> None:
    file = tmp_path / "firm.toml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=message):
        read_federation(f"federation:{file}{query}")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        read_federation(f"federation:{tmp_path / 'none.toml'}")
