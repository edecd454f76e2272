"""The extraction benchmark: the program's own review, on both layouts of the data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fourcorners.errors import LibraryError
from fourcorners.library.store import Library
from fourcorners.playbooks.load import load_playbook
from fourcorners.settings import Settings
from fourcorners_bench.extraction import loader as cuad
from fourcorners_bench.extraction import run as extracting
from fourcorners_bench.extraction.loader import (
    CATEGORIES,
    CATEGORY_PROVISIONS,
    PLAYBOOKS,
    Extraction,
)
from fourcorners_bench.extraction.score import score_run

LAW = "This Agreement is governed by the laws of the State of Ohio."
TEXTS = {
    "one.txt": f"SUPPLY AGREEMENT\r\n\r\n1. Supply. The Supplier sells.\r\n\r\n2. Law. {LAW}\r\n",
    "two.txt": "LEASE\n\n1. Rent. The Tenant pays rent each month, in advance and in full.\n",
}
SETTINGS = Settings(jobs=1)


def ours(folder: Path) -> Path:
    (folder / "contracts").mkdir(parents=True)
    lines = []
    for name, text in TEXTS.items():
        (folder / "contracts" / name).write_bytes(text.encode())
        marked: dict[str, list[list[int]]] = {category: [] for category in CATEGORIES}
        if LAW in text:
            marked["Governing Law"] = [[text.index(LAW), text.index(LAW) + len(LAW)]]
        lines.append(json.dumps({"name": name, "group": name, "annotations": marked}))
    (folder / "annotations.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return folder


def official(folder: Path) -> Path:
    folder.mkdir()
    data = []
    for name, text in TEXTS.items():
        answers = [{"text": LAW, "answer_start": text.index(LAW)}] if LAW in text else []
        questions = [{"id": f"{name}__Governing Law", "answers": answers}]
        entry = {"context": text, "qas": questions}
        data.append({"title": name.removesuffix(".txt"), "paragraphs": [entry]})
    (folder / "CUAD_v1.json").write_text(json.dumps({"data": data}), encoding="utf-8")
    return folder


def run(folder: Path, database: Path) -> tuple[list[cuad.AnnotatedContract], list[Extraction]]:
    contracts = cuad.load_cuad(folder)
    with Library.open(database) as library:
        report = extracting.fill_library(
            library, contracts, folder, encoder=None, settings=SETTINGS
        )
        assert (report.added, report.failed) == (2, ())
        answers = extracting.run_extraction(library, contracts, encoder=None, settings=SETTINGS)
    return contracts, answers


@pytest.mark.parametrize("layout", [ours, official])
def test_every_contract_and_category_has_a_line(tmp_path: Path, layout: object) -> None:
    make = ours if layout is ours else official
    contracts, answers = run(make(tmp_path / "data"), tmp_path / "bench.db")
    assert [(line.name, line.provision) for line in answers] == [
        (contract.name, category) for contract in contracts for category in CATEGORIES
    ]
    law = {line.name: line for line in answers if line.provision == "Governing Law"}
    (quote,) = law["one.txt"].quotes
    assert LAW in quote.text_in(contracts[0].text)
    assert law["two.txt"].quotes == ()
    assert all(line.candidates for line in law.values())
    figures = score_run(contracts, answers).provisions["Governing Law"]
    assert (figures.recall, figures.precision()) == (1.0, 1.0)


def test_a_contract_the_library_does_not_hold_is_an_error(tmp_path: Path) -> None:
    folder = ours(tmp_path / "data")
    contracts = cuad.load_cuad(folder)
    with Library.open(tmp_path / "bench.db") as library:
        report = extracting.fill_library(
            library, contracts[:1], folder, encoder=None, settings=SETTINGS
        )
        assert (report.added, report.failed) == (1, ())
        with pytest.raises(LibraryError, match=r"two\.txt"):
            extracting.run_extraction(library, contracts, encoder=None, settings=SETTINGS)


def test_every_category_is_answered_by_a_provision_that_there_is() -> None:
    assert set(CATEGORY_PROVISIONS) == set(CATEGORIES)
    known = {
        (name, provision.id) for name in PLAYBOOKS for provision in load_playbook(name).provisions
    }
    assert set(CATEGORY_PROVISIONS.values()) <= known
    assert len(set(CATEGORY_PROVISIONS.values())) == len(CATEGORIES)
