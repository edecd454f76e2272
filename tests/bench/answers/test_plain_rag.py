"""The baseline of reports: the nearest chunks, one call, and quotations that are looked up."""

from __future__ import annotations

from pathlib import Path

from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.llm import Request
from fourcorners.research.answer import Verdict, Verification
from fourcorners.settings import Settings
from fourcorners_bench.answers.plain_rag import CHUNKS, answer_from_passages
from tests.models.fake import HashEncoder
from tests.review import asked

NOTICE = "Either party may end this Agreement on sixty days' notice."
FILLER = "The parties shall meet each month to review the work and its costs. "


def test_an_answer_rests_on_words_of_the_nearest_chunks(tmp_path: Path) -> None:
    clauses = [f"{at}. Meetings. {FILLER * 13}" for at in range(1, 15)]
    clauses[7] = f"8. Notice. {NOTICE}"
    (tmp_path / "deed.txt").write_text("SERVICES AGREEMENT\n\n" + "\n\n".join(clauses), "utf-8")

    def reply(request: Request) -> dict[str, object]:
        prompt = request.messages[-1].text
        assert f"passage {CHUNKS}" in prompt
        assert f"passage {CHUNKS + 1}" not in prompt
        assert NOTICE in prompt
        sentences = [
            {"text": "Yes, on sixty days' notice.", "quotes": [NOTICE]},
            {"text": "And for cause.", "quotes": ["Either party may end it for cause."]},
        ]
        return {"ruling": "yes", "sentences": sentences}

    port, model = asked.port({"rag": reply})
    encoder = HashEncoder(64)
    with Library.open(tmp_path / "firm.db") as library, port:
        add_files(
            library,
            [tmp_path / "deed.txt"],
            collection="x",
            encoder=None,
            settings=Settings(jobs=1),
        )
        (entry,) = library.documents()
        answer = answer_from_passages(library, f"notice {NOTICE}", [entry.id], port, encoder)
        text = library.text(entry.id)
    assert len(model.requests) == 1
    assert answer.answer.ruling is Verdict.YES
    quoted, invented = answer.answer.sentences
    (citation,) = quoted.quotes
    assert citation.quote.span is not None
    assert citation.quote.span.text_in(text) == NOTICE
    assert quoted.standing is Verification.UNCHECKED
    assert invented.standing is Verification.UNVERIFIED
    assert invented.claims == ("Either party may end it for cause.",)


def test_a_model_that_fails_leaves_the_question_open(tmp_path: Path) -> None:
    (tmp_path / "deed.txt").write_text(f"SERVICES AGREEMENT\n\n1. Notice. {NOTICE}", "utf-8")
    port, _ = asked.port({"rag": "no JSON"})
    with Library.open(tmp_path / "firm.db") as library, port:
        add_files(
            library,
            [tmp_path / "deed.txt"],
            collection="x",
            encoder=None,
            settings=Settings(jobs=1),
        )
        (entry,) = library.documents()
        answer = answer_from_passages(library, "Can they leave?", [entry.id], port, HashEncoder(64))
    assert answer.answer.ruling is Verdict.UNSURE
    assert answer.stopped
    assert not answer.answer.sentences
