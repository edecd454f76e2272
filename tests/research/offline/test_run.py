from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from fourcorners.errors import ConfigError, InputError
from fourcorners.library.ingest import add_files
from fourcorners.library.store import Library
from fourcorners.models import Encoder
from fourcorners.models.registry import default_encoder, default_reader
from fourcorners.playbooks.concepts import default_concepts
from fourcorners.playbooks.load import load_playbook
from fourcorners.research import events, store
from fourcorners.research.answer import Answer, Role, Verdict, Verification
from fourcorners.research.offline.extract import MAX_CHARACTERS, MAX_NEAREST, MAX_QUOTES
from fourcorners.research.run import ResearchQuestion, ask, final_answer
from fourcorners.review.finding import ReviewState
from fourcorners.review.people.review_actions import NewAnnotation, annotate_finding
from fourcorners.review.run import review_library
from fourcorners.search.concepts import Concept
from fourcorners.settings import Settings
from tests.research.conftest import LEASE, LETTER

Answered = Callable[..., Answer]


@pytest.fixture
def answered(library: Library, encoder: Encoder, concepts: Sequence[Concept]) -> Answered:
    def answer(question: str, *contracts: str) -> Answer:
        return final_answer(
            ask(
                library,
                ResearchQuestion(question, contracts=contracts),
                encoder=encoder,
                concepts=concepts,
            )
        )

    return answer


def test_every_statement_is_verified_in_its_contract(answered: Answered, library: Library) -> None:
    answer = answered("Can the Tenant assign the lease, and on what conditions?", "lease")
    assert answer.counts.verified == len((*answer.statements, *answer.beside)) > 0
    assert answer.made.by == "no language model"
    for statement in (*answer.statements, *answer.beside):
        assert statement.standing is Verification.VERIFIED
        for cited in statement.quotes:
            text = library.text(cited.document)
            assert cited.quote.span is not None
            assert cited.quote.span.text_in(text) == cited.quote.words
    quoted = " ".join(each.quote.words for s in answer.statements for each in s.quotes)
    assert "shall not assign" in quoted
    assert "Notwithstanding clause 3.1" in quoted


def test_places_are_told_as_a_lawyer_cites_them(answered: Answered) -> None:
    answer = answered("What is the governing law?", "lease")
    assert answer.answer.ruling is Verdict.SAYS
    assert answer.findings[0].quotes[0].where == "clause 5.1"


def test_what_is_not_there_is_said_to_be_absent(answered: Answered) -> None:
    answer = answered("Is there a source code escrow?", "lease")
    assert answer.answer.ruling is Verdict.ABSENT
    assert not answer.findings
    assert answer.answer.headline == "No answer found."
    assert answer.gaps[0].what == "Nothing was found that answers this."
    assert answer.gaps[0].nearest is not None
    *near, note = answer.gaps
    assert len(near) <= MAX_NEAREST
    assert "were set apart" in note.what or "was set apart" in note.what


@pytest.mark.parametrize(
    "term",
    [
        (
            "The initial term of this Agreement shall be for a period of three (3) years from the "
            "date first set forth above and shall thereafter automatically renew for additional "
            "one (1) year terms unless either party gives notice 60 days before the end of a term."
        ),
        (
            "This Agreement begins on 1 May 2015 and expires on 30 April 2018.\n\n2.2 After that "
            "it shall automatically renew for additional one (1) year terms unless either party "
            "gives notice 60 days before the end of a term."
        ),
    ],
)
def test_what_two_parts_of_a_question_ask_is_said_once(
    tmp_path: Path, encoder: Encoder, concepts: Sequence[Concept], term: str
) -> None:
    text = (
        "CARRIAGE AGREEMENT\n\nThis Carriage Agreement is dated 1 May 2015 and made between Ostler "
        'Ferries Limited ("Operator") and Merrin Glass Limited ("Customer").\n\n1. SERVICES\n\n1.1 '
        f"The Operator shall carry the Customer's crates.\n\n2. TERM\n\n2.1 {term}\n"
    )
    (tmp_path / "carriage.txt").write_text(text)
    with Library.open(tmp_path / "l.db") as library:
        add_files(library, [tmp_path / "carriage.txt"], collection="Quay", encoder=encoder)
        asked = ResearchQuestion("When does the agreement end, and does it renew by itself?")
        answer = final_answer(ask(library, asked, encoder=encoder, concepts=concepts))
    headline = answer.answer.headline
    assert headline.count("It renews by itself for 1 year at a time") == 1
    assert "clause 2.1, clause 2.1" not in headline
    said = [(each.text, each.quotes) for each in answer.findings]
    assert len(said) == len(set(said))


def test_the_headline_says_what_a_review_made_of_the_kind_of_clause_asked_for(
    tmp_path: Path, encoder: Encoder, concepts: Sequence[Concept]
) -> None:
    (tmp_path / "lease.txt").write_text(LEASE)
    with Library.open(tmp_path / "l.db") as library:
        add_files(library, [tmp_path / "lease.txt"], collection="Quay", encoder=encoder)

        def headline(question: str) -> str:
            asked = ResearchQuestion(question)
            answer = final_answer(ask(library, asked, encoder=encoder, concepts=concepts))
            return answer.answer.headline

        silent = headline("Is there a non-compete?")
        assert silent == "No answer found."
        law = headline("What is the governing law?")
        review_library(library, load_playbook("due-diligence"), encoder=encoder)
        none = "The review identified no clause of the kind “Non-compete”."
        assert headline("Is there a non-compete?") == f"{silent} {none}"
        assert headline("What is the governing law?").startswith(f"{law} Governing law: England")
        assert "review identified" not in headline("What is the rent?")

        def remark(provision: str, given: NewAnnotation) -> None:
            book = load_playbook("due-diligence")
            (entry,) = library.documents()
            annotate_finding(library, book, entry.id, provision, given)

        remark("governing-law", NewAnnotation("Ann", value="Law of Scotland, by side letter"))
        assert "Governing law: Law of Scotland" in headline("What is the governing law?")
        remark("governing-law", NewAnnotation("Ann", ReviewState.REJECTED))
        assert headline("What is the governing law?") == law
        (tmp_path / "letter.txt").write_text(LETTER)
        add_files(library, [tmp_path / "letter.txt"], collection="Quay", encoder=encoder)
        asked = ResearchQuestion("May the Tenant terminate for convenience?", contracts=("lease",))
        answer = final_answer(ask(library, asked, encoder=encoder, concepts=concepts))
        assert "180) days" in answer.answer.headline
        assert "Notice of 90 days" not in answer.answer.headline


def test_the_headline_quotes_what_answers_and_leaves_yes_and_no_to_a_person(
    answered: Answered,
) -> None:
    value = answered("Which laws govern the lease?", "lease")
    assert value.answer.headline.endswith("(clause 5.1).") or "5.1 says: “" in value.answer.headline
    changed = answered("On how many days' notice may the Tenant end the lease?", "lease")
    assert "one hundred and eighty (180) days" in changed.answer.headline
    assert "which changes clause 2.2" in changed.answer.headline
    whether = answered("Can the Tenant assign the lease?", "lease")
    assert whether.answer.headline.startswith("Not answered yes or no. Clause 3.")
    assert "assign this Lease" in whether.answer.headline
    assert whether.answer.ruling is Verdict.UNSURE


def test_an_answer_is_short_and_quotes_nothing_twice(answered: Answered) -> None:
    answer = answered("Can the Tenant assign the lease?", "lease")
    spans = [
        (cited.document, cited.quote.span)
        for each in answer.findings
        for cited in each.quotes
        if cited.quote.span
    ]
    assert len(set(spans)) == len(spans) <= MAX_QUOTES
    assert sum(len(span) for _, span in spans) <= MAX_CHARACTERS


def test_the_day_a_contract_ends_is_told_from_its_words(answered: Answered) -> None:
    answer = answered("What is the expiration date of this contract?", "lease")
    told = [each.text for each in answer.findings if each.role is Role.COMPUTED]
    assert any("2029-03-31" in text for text in told)


def test_words_that_an_amendment_replaced_never_lead(answered: Answered) -> None:
    answer = answered("Can the Tenant terminate this lease for convenience?", "lease")
    (first,) = answer.answer.sentences
    assert first.role is Role.AMENDMENT
    assert "180" in first.quotes[0].quote.words
    assert "Amendment Letter" in answer.answer.headline
    before = [each for each in answer.answer.conditions if each.text.startswith("Before that")]
    assert ["ninety" in each.quotes[0].quote.words for each in before] == [True]


@pytest.mark.parametrize(
    ("party", "leading", "told"),
    [
        ("Quill & Sons", "the Tenant may terminate", "Asked for: Tenant (Quill & Sons Ltd)."),
        ("Landlord", "Landlord shall insure", "Asked for: Landlord (Harbour Estates Limited)."),
    ],
)
def test_we_is_who_asks(
    library: Library, encoder: Encoder, party: str, leading: str, told: str
) -> None:
    question = "May we terminate it?" if party != "Landlord" else "What must we insure?"
    answer = final_answer(
        ask(
            library,
            ResearchQuestion(question, contracts=["lease"], read_for=[party]),
            encoder=encoder,
        )
    )
    assert answer.answer.headline.endswith(told)
    words = answer.answer.sentences[0].quotes[0].quote.words
    assert leading.casefold() in words.casefold()
    assert ("for", party) in answer.made.settings


def test_another_partys_duty_does_not_lead(library: Library, encoder: Encoder) -> None:
    def first(party: str) -> str:
        run = ask(
            library,
            ResearchQuestion("What must we do?", contracts=["lease"], read_for=[party]),
            encoder=encoder,
        )
        return final_answer(run).answer.sentences[0].quotes[0].quote.words

    assert "4.1 The Landlord shall" in first("Landlord")
    assert "the tenant shall" in first("Tenant").casefold()


def test_an_asker_who_is_no_party_is_told_so(library: Library, encoder: Encoder) -> None:
    run = ask(
        library,
        ResearchQuestion("May we assign it?", contracts=["lease"], read_for=["Ogilvy"]),
        encoder=encoder,
    )
    assert final_answer(run).answer.headline.endswith(
        "Ogilvy is no party to “Lease of Premises”; the parties are "
        "Landlord (Harbour Estates Limited) and Tenant (Quill & Sons Ltd)."
    )


def test_an_answer_survives_json_and_the_library(answered: Answered, library: Library) -> None:
    answer = answered("Who insures the premises?", "lease")
    assert Answer.from_json(answer.to_json()) == answer
    identity = store.save_answer(library, answer)
    assert store.load_answer(library, identity[:6]) == answer
    (listed,) = [each for each in store.list_answers(library) if each.id == identity]
    assert listed.question == answer.question
    with pytest.raises(ConfigError):
        store.load_answer(library, "ffffffffffff")
    with pytest.raises(InputError):
        Answer.from_json("{}")


def test_the_same_question_makes_the_same_report(answered: Answered) -> None:
    first, second = (answered("Who insures the premises?", "lease") for _ in range(2))
    assert (first.findings, first.answer, first.gaps) == (
        second.findings,
        second.answer,
        second.gaps,
    )


def test_events_come_in_order(
    library: Library, encoder: Encoder, concepts: Sequence[Concept]
) -> None:
    run = ask(
        library,
        ResearchQuestion("Who insures it?", contracts=["lease"]),
        encoder=encoder,
        concepts=concepts,
    )
    kinds = [type(event) for event in run]
    assert kinds[0] is events.PlanEvent
    assert kinds[-1] is events.AnswerEvent
    assert kinds.index(events.QuestionEvent) < kinds.index(events.EvidenceEvent)


def test_without_vectors_words_answer(library: Library) -> None:
    answer = final_answer(
        ask(library, ResearchQuestion("Which laws govern this lease?", contracts=["lease"]))
    )
    assert "by words alone" in answer.made.engine
    assert answer.answer.ruling in (Verdict.SAYS, Verdict.ABSENT)


def test_a_report_names_the_models_that_it_goes_by(answered: Answered, library: Library) -> None:
    engine = answered("Who insures it?", "lease").made.engine
    assert default_encoder().name in engine
    assert default_reader().name in engine
    plain = final_answer(ask(library, ResearchQuestion("Who insures it?", contracts=["lease"])))
    assert "reader" not in plain.made.engine


def test_nothing_asked_is_refused(library: Library) -> None:
    with pytest.raises(ConfigError):
        ask(library, ResearchQuestion("  "))
    with pytest.raises(ConfigError):
        ask(library, ResearchQuestion("Who pays?", contracts=["nowhere"]))


def test_whom_another_collection_knows_is_a_stranger(tmp_path: Path, encoder: Encoder) -> None:
    lease = (
        "LEASE\n\nThis lease is made between Harbour Ltd (the Landlord) and Quill Ltd (the Tenant)."
        "\n\n1. The Tenant may end this lease by ninety days' notice.\n"
    )
    supply = lease.replace("Harbour", "Pellworth").replace("LEASE", "SUPPLY LEASE")
    with Library.open(tmp_path / "firm.db") as library:
        for name, text, collection in (("a", lease, "Quay"), ("b", supply, "Secret")):
            (tmp_path / f"{name}.txt").write_text(text, "utf-8")
            add_files(
                library,
                [tmp_path / f"{name}.txt"],
                collection=collection,
                encoder=encoder,
                settings=Settings(jobs=1),
            )

        def headline(question: str) -> str:
            run = ask(library, ResearchQuestion(question, contracts=["a.txt"]), encoder=encoder)
            return final_answer(run).answer.headline

        assert headline("May Pellworth end it?") == headline("May Pellwurth end it?")


def test_a_value_next_to_a_blank_is_not_the_answer(tmp_path: Path) -> None:
    form = tmp_path / "form.txt"
    form.write_text(
        "SUPPLY OF KILNS\n\n1. Kilns\nThe Maker delivers the kilns by 1 May 2031.\n\n2. Notice\n"
        "The Buyer ends this contract by notice of ____ days, in any case within 90 days.\n"
    )
    encoder = default_encoder(threads=1)
    with Library.open(tmp_path / "forms.db") as library:
        add_files(library, [form], collection="Forms", encoder=encoder, settings=Settings(jobs=1))
        question = ResearchQuestion("On how many days' notice may the Buyer end the contract?")
        answer = final_answer(ask(library, question, encoder=encoder))
    assert "____ days" in answer.answer.headline


LOAN = """LOAN AGREEMENT

This Loan Agreement is made between Teasel Finance Limited (the "Lender") and Sedge Farms Limited \
(the "Borrower").

1. LOAN
1.1 The Lender shall lend GBP 90,000 to the Borrower.
1.2 The Borrower shall repay the loan within four years.
"""
PLEDGE = """PLEDGE OF CROPS

This Pledge of Crops is made between Burdock Barns Limited (the "Keeper") and Thistle Mills \
Limited (the "Miller").

1. CROPS
1.1 The Keeper holds the crops for Teasel, to which Burdock is affiliated.
1.2 The Miller may see the crops on each Monday.
"""


@pytest.mark.parametrize(
    ("question", "contracts", "names_it"),
    [
        ("How is Teasel secured besides the loan itself?", (), True),
        ("Which contracts say anything of Teasel?", (), True),
        ("Within how many years must the loan be repaid?", (), False),
        ("What does Teasel lend?", ("loan",), False),
    ],
)
def test_who_is_asked_about_is_quoted_from_all_contracts(
    tmp_path: Path, question: str, contracts: Sequence[str], names_it: bool
) -> None:
    for name, text in (("loan", LOAN), ("pledge", PLEDGE)):
        (tmp_path / f"{name}.txt").write_text(text)
    with Library.open(tmp_path / "farm.db") as library:
        add_files(
            library,
            [*tmp_path.glob("*.txt")],
            collection="Farm",
            encoder=None,
            settings=Settings(jobs=1),
        )
        answer = final_answer(ask(library, ResearchQuestion(question, contracts=contracts)))
    named = [each for each in answer.beside if each.quotes[0].because == "names Teasel"]
    words = [cited.quote.words for each in named for cited in each.quotes]
    assert any("holds the crops for Teasel" in each for each in words) is names_it
    shown = [cited.quote.words for each in answer.statements for cited in each.quotes]
    assert not {*words} & {*shown}
    assert all(each.standing is Verification.VERIFIED for each in named)
    assert answer.counts.verified == len((*answer.statements, *answer.beside))


KENNEL = """LEASE OF A KENNEL

This Lease is made on 1 March 2024 between Harbour Estates Limited (the "Landlord") and Quill & \
Sons Ltd (the "Tenant").

1. USE
1.1 The Tenant shall not, without the Landlord's consent:
(a) keep cats in the Kennel;
(b) sublet the Kennel to a breeder of hounds; or
(c) paint its doors.

2. RENT
2.1 The rent is GBP 400 a month.
"""


def test_a_headline_quotes_what_leads_to_a_point_of_a_list(
    tmp_path: Path, encoder: Encoder, concepts: Sequence[Concept]
) -> None:
    (tmp_path / "kennel.txt").write_text(KENNEL)
    with Library.open(tmp_path / "l.db") as library:
        add_files(library, [tmp_path / "kennel.txt"], collection="Quay", encoder=encoder)
        asked = ResearchQuestion("May the Tenant paint the doors of the Kennel?")
        answer = final_answer(ask(library, asked, encoder=encoder, concepts=concepts))
    words = "The Tenant shall not, without the Landlord's consent … paint its doors"
    assert words in answer.answer.headline
    assert "Clause 1.1(c)" in answer.answer.headline
    *_, point = answer.answer.sentences[0].quotes
    assert point.where == "clause 1.1(c)"


HIRE = """BARGE HIRE AGREEMENT

This Barge Hire Agreement is dated 1 March 2023 and made between Hollin Boats Limited \
(the "Owner") and Wray Bridges Limited (the "Hirer").

1. RENT
1.1 The Hirer shall pay a rent of GBP 700 in each month.

2. LIABILITY
2.1 The Owner's liability in each year is limited to GBP 40,000.

3. LAW
3.1 This Agreement is governed by the laws of England and Wales.
"""
VARIATION = """DEED OF VARIATION

This Deed is made on 5 May 2024 between Hollin Boats Limited and Wray Bridges Limited and varies \
the Barge Hire Agreement between the parties dated 1 March 2023.

1. {change}

2. All else stays as it is.
"""


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("Clause 2.1 shall be read as if the sum stated were GBP 90,000.", "is changed by “Deed"),
        ("Clause 2.1 is amended to reflect the parties' discussions.", "is changed by “Deed"),
        ('In clause 2.1, "GBP 40,000" is replaced by "GBP 90,000".', "90,000"),
        ('In clause 1.1, "GBP 700" is replaced by "GBP 800".', "40,000"),
    ],
)
def test_a_headline_states_no_words_that_an_amendment_may_have_changed(
    tmp_path: Path, encoder: Encoder, concepts: Sequence[Concept], change: str, says: str
) -> None:
    (tmp_path / "hire.txt").write_text(HIRE)
    (tmp_path / "deed.txt").write_text(VARIATION.format(change=change))
    with Library.open(tmp_path / "l.db") as library:
        paths = [tmp_path / "hire.txt", tmp_path / "deed.txt"]
        add_files(library, paths, collection="Quay", encoder=encoder)
        asked = ResearchQuestion("What is the cap on the Owner's liability?", contracts=("hire",))
        answer = final_answer(ask(library, asked, encoder=encoder, concepts=concepts))
    headline = answer.answer.headline
    assert says in headline
    assert ("GBP 40,000” (" in headline or "limited to GBP 40,000" in headline) is (
        says == "40,000"
    )


def _ask_of_law(folder: Path, encoder: Encoder, law: str, question: str) -> Answer:
    text = (
        "CARRIAGE AGREEMENT\n\nThis Carriage Agreement is dated 1 May 2015 and made between Ostler "
        'Ferries Limited ("Operator") and Merrin Glass Limited ("Customer").\n\n1. SERVICES\n\n1.1 '
        f"The Operator shall carry the Customer's crates.\n\n2. GENERAL\n\n2.1 {law}\n"
    )
    (folder / "carriage.txt").write_text(text)
    with Library.open(folder / "l.db") as library:
        add_files(library, [folder / "carriage.txt"], collection="Quay", encoder=encoder)
        return final_answer(
            ask(library, ResearchQuestion(question), encoder=encoder, concepts=default_concepts())
        )


@pytest.mark.parametrize(
    ("law", "question", "ruling"),
    [
        (
            "This Agreement is governed by the laws of the State of Ohio.",
            "Is the agreement governed by Ohio law?",
            Verdict.YES,
        ),
        (
            "The laws of England and Wales govern this Agreement.",
            "Does English law apply?",
            Verdict.YES,
        ),
        (
            "This Agreement is governed by the laws of Norway.",
            "Is this agreement under Danish law?",
            Verdict.NO,
        ),
        (
            "This Agreement is governed by the laws of the State of Ohio.",
            "Is it subject to the law of Texas?",
            Verdict.NO,
        ),
    ],
)
def test_yes_or_no_is_given_to_a_question_of_the_governing_law(
    tmp_path: Path, encoder: Encoder, law: str, question: str, ruling: Verdict
) -> None:
    answer = _ask_of_law(tmp_path, encoder, law, question)
    assert answer.answer.ruling is ruling
    assert answer.answer.headline.startswith(f"{ruling.capitalize()}. Clause 2.1 says: “")
    assert answer.answer.because
    (first,) = answer.answer.sentences
    assert law in first.quotes[0].quote.words
    quoted = [each.quote.words for said in answer.findings for each in said.quotes]
    assert len(quoted) == len(set(quoted))
    assert not answer.gaps


@pytest.mark.parametrize(
    ("law", "question"),
    [
        ("Notices are given in writing.", "Is the agreement governed by Ohio law?"),
        *(
            (chosen, "Is the agreement governed by the law of France?")
            for chosen in (
                "This Agreement shall in no circumstances be governed by the laws of France.",
                "Neither this Agreement nor any Order is governed by the laws of France.",
                (
                    "The Framework Agreement is governed by the laws of France. This Agreement is "
                    "governed by the laws of Germany."
                ),
                "Schedule 2 is governed by the laws of France.",
                "The formation of this Agreement is governed by the laws of France.",
                "The guarantee given by the Buyer's parent is governed by the laws of France.",
                "Each Order placed under this Agreement is governed by the laws of France.",
                (
                    "This Agreement is governed by the laws of Germany. Orders are governed by the "
                    "laws of France."
                ),
            )
        ),
        (
            "This Agreement is governed by the laws of Ontario and the federal laws of Canada.",
            "Is the agreement governed by the law of Canada?",
        ),
        (
            "This Agreement is governed by the laws of the State of Ohio.",
            "Is the agreement governed by the law of the United States?",
        ),
        (
            "This Agreement is governed by the laws of Ohio, and clause 1.1 by the laws of Texas.",
            "Is the agreement governed by Texas law?",
        ),
        (
            "This Agreement is governed by the laws of Ohio, and clause 1.1 by the laws of Texas.",
            "Is the agreement governed by Ohio law?",
        ),
        (
            "This Agreement is governed by the laws of Norway.",
            "Is the agreement governed by Norwegian law, and may the Customer assign it?",
        ),
        (
            "This Agreement is governed by the laws of Norway.",
            "Is the Customer's insurance governed by Norwegian law?",
        ),
        (
            "This Agreement is governed by the laws of Norway.",
            "Isn't the agreement governed by Danish law?",
        ),
        (
            "This Agreement is governed by the laws of Norway.",
            "Is the agreement not governed by Norwegian law?",
        ),
        (
            "This Agreement is governed by the laws of Norway.",
            "Was the agreement governed by Danish law before 2010?",
        ),
    ],
)
def test_yes_or_no_is_left_to_a_person_where_the_law_does_not_decide(
    tmp_path: Path, encoder: Encoder, law: str, question: str
) -> None:
    answer = _ask_of_law(tmp_path, encoder, law, question)
    assert answer.answer.ruling not in (Verdict.YES, Verdict.NO)


def test_of_a_long_sentence_the_words_that_choose_the_law_are_quoted(
    tmp_path: Path, encoder: Encoder
) -> None:
    chosen = "governed by and construed in accordance with the laws of the State of Ohio"
    law = (
        f"This Agreement, with all disputes and claims that arise out of it or in connection with "
        f"it, its subject matter or its formation, shall be {chosen}, and the parties waive, as "
        "far as they may, every right to a trial by jury and every objection to the place of it."
    )
    answer = _ask_of_law(tmp_path, encoder, law, "Is this agreement governed by Ohio law?")
    assert answer.answer.headline == f"Yes. Clause 2.1 says: “{chosen}”"
    assert answer.answer.sentences[0].quotes[0].quote.words.endswith(law)


def test_words_that_may_be_changed_give_no_yes_or_no(tmp_path: Path, encoder: Encoder) -> None:
    law = "This Agreement is governed by the laws of Norway."
    question = "Is the agreement governed by Norwegian law?"
    assert _ask_of_law(tmp_path, encoder, law, question).answer.ruling is Verdict.YES
    (tmp_path / "letter.txt").write_text(
        "AMENDMENT NO. 1 TO THE CARRIAGE AGREEMENT\n\nThis Amendment No. 1 is made on 3 August "
        "2024 between Ostler Ferries Limited and Merrin Glass Limited and amends the Carriage "
        "Agreement dated 1 May 2015.\n\n1. If the Customer so elects, clause 2.1 is replaced by: "
        '"2.1 This Agreement is governed by the laws of France."\n'
    )
    with Library.open(tmp_path / "l.db") as library:
        add_files(library, [tmp_path / "letter.txt"], collection="Quay", encoder=encoder)
        asked = ResearchQuestion(question, contracts=("carriage",))
        answer = final_answer(ask(library, asked, encoder=encoder, concepts=default_concepts()))
    assert answer.answer.ruling is Verdict.UNSURE


@pytest.mark.parametrize(
    ("first", "question", "says"),
    [
        ("Who must repay the premium?", "And in what time must they do so?", "thirty (30) days"),
        ("Who may not assign the lease?", "And when may she do so?", "Ask the whole question"),
        ("Who may not assign the lease?", "In how many days must they pay?", "Ask the whole"),
    ],
)
def test_a_follow_up_about_somebody_unnamed_is_answered_from_the_clause_before_or_not_at_all(
    library: Library, encoder: Encoder, concepts: Sequence[Concept],
    first: str, question: str, says: str,
) -> None:  # fmt: skip
    def put(question: str, earlier: Answer | None = None) -> Answer:
        asked = ResearchQuestion(question, contracts=("lease",), earlier=earlier)
        return final_answer(ask(library, asked, encoder=encoder, concepts=concepts))

    before = put(first)
    places = {quote.where for each in before.answer.sentences for quote in each.quotes}
    answer = put(question, before)
    assert {q.where for each in answer.answer.sentences for q in each.quotes} <= places
    assert says in answer.answer.headline
