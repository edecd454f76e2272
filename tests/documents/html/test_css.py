"""Words that a page's own styles hide are read, and marked as hidden."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from fourcorners.documents.document import MarkKind
from fourcorners.documents.html.css import MAX_SELECTOR_TESTS, ComputedStyle, StyleSheet
from fourcorners.documents.html.reader import extract_text
from fourcorners.documents.read import read_document

SEEN = "<p>Neither party may assign.</p>"


def hidden(css: str, body: str, head: str = "") -> list[str]:
    page = extract_text(
        f"<html><head><style>{css}</style>{head}</head><body>{SEEN}{body}</body></html>"
    )
    words = page.text.text
    assert "Neither party may assign." in words
    found = [mark.span.text_in(words) for mark in page.text.marks if mark.kind is MarkKind.HIDDEN]
    assert ("It holds hidden text, which is read and marked." in page.warnings) == bool(found)
    return found


@pytest.mark.parametrize(
    "style",
    [
        *("display:none", "DISPLAY : none !important", "visibility:hidden", "visibility:collapse"),
        *("font-size:0", "font-size: 0px", "font-size:1px", "font-size:0em", "opacity:0"),
        *("color:white", "color:#fff", "color:#FEFEFE", "color: rgb(255, 255, 255)"),
        *("color:rgba(0,0,0,0)", "color:transparent", "color:hsl(0,0%,100%)"),
        *("color:red;background:red;color:#00f;background-color:#0000ff", "display:none;.y{a:b}"),
    ],
)
def test_what_hides_does_so_in_a_rule_and_in_the_element(style: str) -> None:
    assert hidden(f".x {{{style}}}", '<p class="a x">unseen</p>') == ["unseen"]
    if "{" not in style:
        assert hidden("", f'<p style="{style}">unseen</p>') == ["unseen"]


@pytest.mark.parametrize(
    "style",
    [
        *("display:block", "visibility:visible", "font-size:9pt", "font-size:80%", "color:#000"),
        *("color:white;background:#000", "color:white;background:url(a.png)", "opacity:0.5"),
        *("border-color:white", "background:black;color:#eee", "color:#777", "display:inline"),
    ],
)
def test_what_shows_is_not_marked(style: str) -> None:
    assert hidden(f".x {{{style}}}", '<p class="x">seen</p>') == []
    assert hidden("", f'<p style="{style}">seen</p>') == []


@pytest.mark.parametrize(
    "selector",
    [
        *(".x", "p.x", "#i", "p", "P", ".x.z", ".z .x", "div > .x", "body .z p", "*", "h1, .x"),
        *("@media screen { .x", "@supports (a:b) { p", "/* } */ .x"),
    ],
)
def test_rules_by_tag_class_id_and_place(selector: str) -> None:
    css = f"{selector} {{ visibility: hidden }}"
    body = '<div class="z"><p class="x z" id="i">unseen</p></div>'
    if selector in ("p", "P", "*", "@supports (a:b) { p"):
        body += '<p style="visibility:visible">seen</p>'
        assert "unseen" in hidden(css, body)
    else:
        assert hidden(css, body) == ["unseen"]


@pytest.mark.parametrize(
    "selector",
    [
        *(".y", "div.x", ".x .x", ".x:hover", ".x::before", "[class=x]", "p + .x", "#x", "a .x"),
        *("@media print { .x", "@font-face { .x", "@keyframes a { .x", "/* .x"),
    ],
)
def test_other_rules_do_not_hide(selector: str) -> None:
    body = '<div class="z"><p class="x" id="i">seen</p></div>'
    assert hidden(f"{selector} {{ display: none }}", body) == []


def test_the_stronger_rule_wins() -> None:
    body = '<p class="x on" id="i">words</p>'
    hide, show = "{display:none}", "{display:block}"
    assert hidden(f".x {hide} .x {show}", body) == []
    assert hidden(f".x.on {show} .x {hide}", body) == []
    assert hidden(f"#i {hide} .x.on {show}", body) == ["words"]
    assert hidden(f".x {{display:none!important}} #i {show}", body) == ["words"]
    assert hidden(f".x {hide}", '<p class="x" style="display:block">words</p>') == []
    important = ".x {display:none !important}"
    assert hidden(important, '<p class="x" style="display:block">words</p>') == ["words"]


def test_what_is_within_is_hidden_unless_it_is_shown_again() -> None:
    assert hidden(".x{display:none}", '<div class="x">a<b style="display:block">b</b></div>') == [
        "ab"
    ]
    body = '<div class="x">a<b style="visibility:visible">b</b></div>'
    assert hidden(".x{visibility:hidden}", body) == ["a"]
    body = '<div class="x">a<b style="font-size:9pt">b</b></div>'
    assert hidden(".x{font-size:0}", body) == ["a"]
    body = '<div style="background:#000"><p class="x">a</p></div><p class="x">b</p>'
    assert hidden(".x{color:#fff}", body) == ["b"]
    assert hidden("", '<table bgcolor="black"><tr><td><font color="white">a</font></table>') == []
    assert hidden("", '<font color="white">a</font>') == ["a"]
    assert hidden("", "<p hidden>a</p>") == ["a"]


def test_a_block_after_the_words_counts_and_one_in_a_comment_does_not() -> None:
    late = '<p class="x">unseen</p><style>.x{display:none}</style>'
    assert hidden("", late) == ["unseen"]
    assert hidden("", f"{late}<!-- <style>.x{{display:block!important}}</style> -->") == ["unseen"]


def test_more_rules_than_are_looked_at_are_told(tmp_path: Path) -> None:
    path = tmp_path / "a.html"
    rules = "".join(f".c{i} .x {{display:none}}" for i in range(MAX_SELECTOR_TESTS + 1))
    path.write_text(f"<html><style>{rules}</style><body>{'<p class=x>words</p>' * 2_000}</body>")
    began = time.monotonic()
    document = read_document(path)
    assert time.monotonic() - began < 20
    assert document.warnings == ("It has more style rules than are checked for hidden text.",)


@pytest.mark.parametrize(
    "style",
    [
        "height:0", "overflow:hidden", "height:40px;overflow:hidden", "left:-9999px",
        "position:relative;left:-20px", "margin-left:-0.5in;text-indent:0.5in", "text-indent:-36pt",
        "transform:scale(0.8)", "transform:translate(-50%, 10px)", "clip-path:inset(10%)",
        "position:absolute;clip:rect(0px,60px,200px,0px)", "filter:opacity(60%)",
        "content-visibility:auto", "max-height:0;max-height:500px;overflow:hidden",
    ],
)  # fmt: skip
def test_what_only_resembles_hiding_is_seen(style: str) -> None:
    look = StyleSheet().compute_style("p", {"style": style}, ComputedStyle(), [])
    assert not look.is_hidden
