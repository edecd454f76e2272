from __future__ import annotations

from collections.abc import Callable

import pytest

from fourcorners.errors import ConfigError, QueryError
from fourcorners.library.contract import read_contract
from fourcorners.library.store import Library
from fourcorners.search.concepts import Concept
from fourcorners.search.filters import Filters
from fourcorners.search.query import parse_query
from fourcorners.search.scope import QuestionScope
from fourcorners.search.sentences.retrieve import Retrieval, retrieve_snippets
from fourcorners.search.sentences.units import SentenceIndex, sentence_index
from tests.models.fake import HashEncoder


def index_of(library: Library, document: str) -> SentenceIndex:
    return sentence_index(read_contract(library, document))


Add = Callable[..., str]

CLAUSES = (
    "The Tenant shall pay the rent on the first day of each month. Rent unpaid bears interest.",
    "The Tenant shall insure the warehouse against fire. It shows the policy when it is asked to.",
    "The Landlord may look at the books of the Tenant, and at its accounts, once a year.",
    "Neither of them may pass this lease on to anyone else without the consent of the other.",
)
AUDIT = Concept(
    "audit", "Audit rights", ("Inspection",), parse_query('"look books"~6^6 OR accounts^3'), None
)


@pytest.fixture
def lease(add: Add) -> str:
    return add(*CLAUSES)


def sure(document: str, asked: str) -> QuestionScope:
    return QuestionScope(asked, "the lease", ((document, 0.99),), is_certain=True)


def ask(library: Library, question: str | QuestionScope, **more: object) -> Retrieval:
    return retrieve_snippets(library, question, **more)  # type: ignore[arg-type]


def test_snippets_are_the_words_of_the_document_and_disjoint(
    library: Library, lease: str, encoder: HashEncoder
) -> None:
    found = ask(library, "Who insures the warehouse?", encoder=encoder)
    text = library.text(lease)
    assert found.searched == (lease,)
    assert found.snippets[0].words.startswith("The Tenant shall insure")
    covered: set[int] = set()
    for snippet in found.snippets:
        assert snippet.span.text_in(text) == snippet.words
        assert not covered & set(range(snippet.span.start, snippet.span.end))
        covered |= set(range(snippet.span.start, snippet.span.end))
        assert 0 < snippet.score < 1
    scores = [snippet.score for snippet in found.snippets]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.usefixtures("lease")
def test_forms_of_words_count(library: Library) -> None:
    found = ask(library, "Is there any insurance or insuring?")
    assert "insure" in found.snippets[0].words


@pytest.mark.usefixtures("lease")
def test_concept_finds_a_clause_that_shares_no_word_with_the_question(
    library: Library, encoder: HashEncoder
) -> None:
    question = "What audit rights are there?"
    found = ask(library, question, encoder=encoder, concepts=[AUDIT])
    assert found.concepts == ((AUDIT, 1.0),) or found.concepts[0][0].id == "audit"
    best = found.snippets[0]
    assert best.words == CLAUSES[2]
    assert best.because == ("audit",)
    assert best.parts["known_words"] > 0
    plain = ask(library, question, encoder=encoder)
    assert plain.concepts == ()
    assert all(snippet.because == () for snippet in plain.snippets)


@pytest.mark.usefixtures("lease")
def test_sure_scope_searches_its_document_alone_and_asks_what_is_asked(
    library: Library, add: Add
) -> None:
    other = add("The Buyer shall insure the goods against fire and theft.", name="sale.txt")
    scope = sure(other, "Who insures against fire?")
    found = ask(library, scope)
    assert found.asked == "Who insures against fire?"
    assert found.searched == (other,)
    assert {snippet.document for snippet in found.snippets} == {other}


def test_unsure_scope_prefers_its_document_and_searches_the_rest(
    library: Library, add: Add, lease: str
) -> None:
    other = add("The Buyer shall insure the goods against fire and theft.", name="sale.txt")
    for preferred in (lease, other):
        scope = QuestionScope("Who insures against fire?", "that one", ((preferred, 0.6),))
        found = ask(library, scope)
        assert set(found.searched) == {lease, other}
        assert found.snippets[0].document == preferred


@pytest.mark.usefixtures("lease")
def test_filters_hold_where_no_document_is_named(library: Library, add: Add) -> None:
    other = add("The Buyer shall insure the goods against fire.", name="sale.txt", kind="Sale")
    found = ask(library, "Who insures against fire?", filters=Filters(types=("Sale",)))
    assert found.searched == (other,)


@pytest.mark.usefixtures("lease")
def test_limit(library: Library) -> None:
    every = ask(library, "Who insures the warehouse?")
    assert ask(library, "Who insures the warehouse?", limit=1).snippets == every.snippets[:1]


@pytest.mark.parametrize(
    "question", ["合同何时到期？", "'; DROP TABLE words; --", "NEAR(", "\ud800 x"]
)
@pytest.mark.usefixtures("lease")
def test_odd_questions_are_asked_as_text(library: Library, question: str) -> None:
    assert ask(library, question).asked == question


@pytest.mark.usefixtures("lease")
def test_empty_question_and_bad_limit_are_refused(library: Library) -> None:
    with pytest.raises(QueryError, match="nothing to search for"):
        ask(library, "  ")
    with pytest.raises(ConfigError, match="from 1 to"):
        ask(library, "rent", limit=0)


@pytest.mark.usefixtures("lease")
def test_vectors_of_another_encoder_are_refused(library: Library) -> None:
    with pytest.raises(ConfigError, match="were made by"):
        ask(library, "rent", encoder=HashEncoder(32))


def test_documents_stay_prepared_until_they_leave(library: Library, add: Add, lease: str) -> None:
    first = index_of(library, lease)
    assert index_of(library, lease) is first
    add("Another lease of another house by others.", name="b.txt")
    assert index_of(library, lease) is first
    library.remove(lease)
    with pytest.raises(ConfigError, match="not found"):
        index_of(library, lease)


def test_empty_library_answers_nothing(library: Library) -> None:
    assert ask(library, "Who insures the warehouse?").snippets == ()
