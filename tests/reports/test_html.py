"""The page as text: what is in it, and what cannot be."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from pathlib import Path

import lxml.html
import pytest

from fourcorners import reports
from fourcorners.errors import EvidenceError
from fourcorners.library.entries import Failure
from fourcorners.review.finding import CellState, Finding, Review, ReviewState
from fourcorners.text.invisible_characters import show_invisible
from fourcorners.text.quote import Match, Quote
from fourcorners.text.span import Span
from tests.reports import spoken


def page_of(review: Review, folder: Path) -> tuple[str, lxml.html.HtmlElement]:
    path = folder / "report.html"
    reports.write(review, path)
    text = path.read_text(encoding="utf-8")
    return text, lxml.html.fromstring(text)


@pytest.fixture(scope="module")
def page(
    review: Review, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, lxml.html.HtmlElement]:
    return page_of(review, tmp_path_factory.mktemp("page"))


def content(element: lxml.html.HtmlElement) -> str:
    return "".join(element.itertext())


def test_every_cell_has_a_link_and_every_link_a_target(
    page: tuple[str, lxml.html.HtmlElement], review: Review
) -> None:
    _, tree = page
    links = tree.xpath("//table[@id='cells']/tbody//td/a")
    assert len(links) == len(review.documents) * len(review.columns)
    ids = [element.get("id") for element in tree.xpath("//*[@id]")]
    assert len(ids) == len(set(ids))
    assert {a.get("href").removeprefix("#") for a in tree.xpath("//a[@href]")} <= set(ids)


def test_every_quote_is_marked_in_its_clause_character_for_character(
    page: tuple[str, lxml.html.HtmlElement], review: Review
) -> None:
    _, tree = page
    for i, document in enumerate(review.documents):
        for j, head in enumerate(review.columns):
            article = tree.get_element_by_id(f"f-{i}-{j}")
            marked = [content(mark) for mark in article.xpath(".//mark[not(@class)]")]
            quotes = [e.quote.words for e in review.cell(document.id, head.id).evidence]
            assert marked == quotes


def test_a_clause_stands_in_the_page_once_with_the_texts_own_words(
    page: tuple[str, lxml.html.HtmlElement], review: Review
) -> None:
    _, tree = page
    for i, document in enumerate(review.documents):
        section = tree.get_element_by_id(f"d-{i}")
        clauses = [content(c) for c in section.xpath(".//*[@class='whole']/blockquote")]
        wanted = {
            evidence.clause.text_in(document.text)
            for finding in review.findings
            if finding.document == document.id
            for evidence in finding.evidence
        }
        assert sorted(clauses) == sorted(wanted)
        # The clause, its neighbours, never the whole contract.
        assert document.text not in content(section)


def test_absence_and_failure_say_what_was_done(
    page: tuple[str, lxml.html.HtmlElement], review: Review
) -> None:
    _, tree = page
    for i, document in enumerate(review.documents):
        for j, head in enumerate(review.columns):
            finding = review.cell(document.id, head.id)
            said = content(tree.get_element_by_id(f"f-{i}-{j}"))
            if finding.state is CellState.NOT_FOUND:
                assert finding.searched is not None
                assert "None was identified." in said
                if finding.searched.best:
                    assert "Closest words (not a match)" in said
            if finding.state is CellState.FAILED:
                assert finding.error in said
                assert finding.remedy in said
    summary = content(tree.get_element_by_id("summary"))
    for file in review.unread:
        assert file.path in summary
        assert file.remedy in summary
    assert "No text on pages 29, 30" in summary


def test_the_policy_allows_these_very_scripts_and_styles(
    page: tuple[str, lxml.html.HtmlElement],
) -> None:
    text, tree = page
    (meta,) = tree.xpath("//meta[@http-equiv='Content-Security-Policy']")
    policy = meta.get("content")
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    for kind in ("style", "script"):
        found = re.findall(rf"<{kind}>(.*?)</{kind}>", text, re.DOTALL)
        assert len(found) == (1 if kind == "style" else 2)
        for words in found:
            digest = base64.b64encode(hashlib.sha256(words.encode()).digest()).decode()
            assert f"'sha256-{digest}'" in policy


def test_nothing_is_asked_of_the_network_and_no_handler_is_inline(
    page: tuple[str, lxml.html.HtmlElement],
) -> None:
    text, tree = page
    assert not tree.xpath("//@src | //link | //iframe | //object | //embed | //base | //@style")
    assert not [name for e in tree.iter() for name in e.attrib if str(name).startswith("on")]
    assert all(a.get("href").startswith("#") for a in tree.xpath("//a"))
    assert not re.search(r"https?://|url\(|@import", text)


def test_the_scripts_never_parse_text_as_markup() -> None:
    script = (Path(reports.__file__).parent / "assets" / "report.js").read_text()
    banned = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(|srcdoc"
    assert not re.search(banned, script)
    assert "</script" not in script.lower()
    assert "<!--" not in script


def test_a_hostile_review_adds_no_element_and_hides_no_character(
    hostile_review: Review, tmp_path: Path
) -> None:
    text, tree = page_of(hostile_review, tmp_path)
    assert len(tree.xpath("//script")) == 2
    assert not tree.xpath("//img")
    assert not [name for e in tree.iter() for name in e.attrib if str(name).startswith("on")]
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\ufeff\x00\u2028\u2029]", text)
    article = tree.get_element_by_id("f-0-0")
    (mark,) = article.xpath(".//mark")
    assert content(mark) == show_invisible(hostile_review.documents[0].name)
    assert "⟦U+202E⟧" in content(mark)
    assert "{{ 7*7 }}" in content(mark)


def test_the_label_of_a_page_keeps_its_letters(review: Review, tmp_path: Path) -> None:
    found = next(each for each in review.findings if each.evidence)
    cited = replace(found, evidence=(replace(found.evidence[0], pages=("I", "Annex A")),))
    findings = tuple(cited if each is found else each for each in review.findings)
    text, _ = page_of(replace(review, findings=findings), tmp_path)
    assert ">Pages I–Annex A<" in text


def test_a_claim_is_never_shown_as_evidence(review: Review, tmp_path: Path) -> None:
    place = next(i for i, finding in enumerate(review.findings) if finding.evidence)
    finding = review.findings[place]
    claim = replace(
        finding.evidence[0], quote=Quote("The Seller may do as it likes", None, Match.UNVERIFIED)
    )
    findings = list(review.findings)
    findings[place] = replace(finding, evidence=(claim,))
    _, tree = page_of(replace(review, findings=tuple(findings)), tmp_path)
    row, column = divmod(place, len(review.columns))
    article = tree.get_element_by_id(f"f-{row}-{column}")
    assert not article.xpath(".//mark")
    assert "Not verified: not in the text, so no evidence" in content(article)
    (shown,) = article.xpath(".//blockquote")
    assert "claim" in shown.get("class")
    assert "1 not in the text, so that nothing rests on them" in content(
        tree.get_element_by_id("about")
    )


def test_a_long_list_of_gaps_is_counted_and_kept_whole_in_the_grid(
    review: Review, tmp_path: Path
) -> None:
    unread = tuple(Failure(f"scan {i:03d}.pdf", "Damaged.", "Ask again.") for i in range(90))
    _, tree = page_of(replace(review, unread=unread), tmp_path)
    assert "78 more files" in content(tree.get_element_by_id("summary"))
    rows = tree.xpath("//tbody[@class='unread']/tr")
    assert all(content(row).startswith(f.path) for row, f in zip(rows, unread, strict=True))
    assert len(rows) == 90


def channels(colour: str) -> list[float]:
    return [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]


def luminance(colour: str) -> float:
    """Return the relative luminance (WCAG 2.2, definition)."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_pair_of_colours_has_the_contrast_of_wcag_aa(theme: str) -> None:
    style = (Path(reports.__file__).parent / "assets" / "palette.css").read_text(encoding="utf-8")
    light, dark = (
        dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", block))
        for block in re.findall(r":root \{(.*?)\}", style, re.DOTALL)[:2]
    )
    colours = light if theme == "light" else dark
    assert light.keys() == dark.keys()
    pairs = [(ink, paper) for ink in ("ink", "soft", "faint", "none", "accent")
             for paper in ("paper", "sheet")]  # fmt: skip
    tones = ("high", "medium", "low", "found", "failed")
    pairs += [(tone, paper) for tone in tones for paper in ("paper", "sheet", f"{tone}-bg")]
    pairs += [("soft", "sunk"), ("soft", "failed-bg"), ("ink", "failed-bg"), ("ink", "mark"),
              ("on-accent", "accent")]  # fmt: skip
    low = {
        pair: round(ratio, 2)
        for pair in pairs
        if (ratio := contrast(colours[pair[0]], colours[pair[1]])) < 4.5
    }
    assert low == {}


def test_what_people_said_and_what_changes_a_finding_is_shown(
    review: Review, tmp_path: Path
) -> None:
    told = spoken.spoken(review)
    _, tree = page_of(told, tmp_path)
    columns = [column.id for column in told.columns]
    rows = [document.id for document in told.documents]

    def article(finding: Finding) -> lxml.html.HtmlElement:
        at = f"f-{rows.index(finding.document)}-{columns.index(finding.provision)}"
        return tree.get_element_by_id(at)

    doubted = next(f for f in told.findings if f.review is ReviewState.SECOND_LOOK)
    said = " ".join(content(article(doubted)).split())
    for words in (
        "Second look by Ada Byron, 18 February 2025", spoken.COMMENT, spoken.AGAINST,
        "Yes – the Buyer", "(by a language model)", "Left to a person", "Source text",
        f"Amended by{told.documents[1].name}", "The Seller may do as it likes",
        "Seek the consent of the other side before completion.",
    ):  # fmt: skip
        assert words in said
    corrected = next(f for f in told.findings if f.review is ReviewState.CORRECTED)
    box = article(corrected).xpath(".//*[@class='corrected']/blockquote")
    assert [content(each) for each in box] == [spoken.VALUE]
    assert article(corrected).xpath(".//mark")  # what was proposed stands beside it
    (unlike,) = article(corrected).xpath(".//details[@class='unlike']/p[1]")
    assert "too little in common" in content(unlike)
    signs = {content(each) for each in tree.xpath("//table[@id='cells']//td/a/em")}
    assert {"✎, corrected", "✗, rejected", "?, second look", "≠, unlike the others"} <= signs


def test_a_quote_that_is_not_the_text_is_refused_wherever_it_stands(review: Review) -> None:
    told = spoken.spoken(review)
    finding = next(f for f in told.findings if f.answers and f.amendments)
    wrong = Quote("Other words", Span(0, 11), Match.EXACT)
    for damaged in (
        replace(finding, answers=(replace(finding.answers[0], quotes=(wrong,)),)),
        replace(finding, answers=(replace(finding.answers[0], against_quotes=(wrong,)),)),
        replace(finding, amendments=(replace(finding.amendments[0], quote=wrong),)),
    ):
        findings = tuple(damaged if f is finding else f for f in told.findings)
        with pytest.raises(EvidenceError, match="is not the text at"):
            reports.Grid(replace(told, findings=findings))
