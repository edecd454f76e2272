"""The places of a web page."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from tests.attacks.places.place import AFTER, BEFORE, Place, Reach, inline, lines


def _page(body: str, head: str = "") -> bytes:
    whole = "".join(f"<p>{inline(each)}</p>" for each in BEFORE) + body
    whole += "".join(f"<p>{inline(each)}</p>" for each in AFTER)
    start = f'<!DOCTYPE html><html><head><meta charset="utf-8">{head}</head>'
    return f"{start}<body>{whole}</body></html>".encode()


def _at(markup: str) -> Callable[[str], bytes]:
    return lambda words: _page(markup.replace("WORDS", "<br>".join(lines(words))))


def _said(markup: str) -> Callable[[str], bytes]:
    """Put words into an attribute."""
    return lambda words: _page(markup.replace("WORDS", escape(" ".join(words.split()))))


def _head(markup: str) -> Callable[[str], bytes]:
    return lambda words: _page("<p>Agreed.</p>", markup.replace("WORDS", inline(words)))


def _comment(words: str) -> bytes:
    return _page(f"<p>Agreed.</p><!-- {words.replace('--', '')} -->")


def _script(words: str) -> bytes:
    return _page(f"<p>Agreed.</p><script>var a = `{words.replace('</', '')}`</script>")


_HIDING = (
    "display:none", "visibility:hidden", "color:#fff", "font-size:0", "opacity:0",
    "color:#1f3864;background:#1f3864", "position:absolute;left:-9999px", "text-indent:-9999px",
    "height:0;overflow:hidden", "position:absolute;clip:rect(0,0,0,0)", "clip-path:inset(100%)",
    "transform:scale(0)", "margin-left:-9999em", "max-height:0;overflow:hidden",
    "width:1px;height:1px;overflow:hidden", "filter:opacity(0)", "content-visibility:hidden",
)  # fmt: skip
_BUILDERS: dict[tuple[str, Reach], Callable[[str], bytes]] = {
    ("body", Reach.SHOWN): _at("<p>WORDS</p>"),
    ("cell", Reach.SHOWN): _at("<table><tr><td>Notes</td><td>WORDS</td></tr></table>"),
    ("aria-hidden", Reach.SHOWN): _at('<p aria-hidden="true">WORDS</p>'),
    ("struck through", Reach.STRUCK): _at("<p><s>WORDS</s></p>"),
    ("header", Reach.SHOWN): _at("<header>WORDS</header>"),
    ("details", Reach.SHOWN): _at("<details><summary>More</summary>WORDS</details>"),
    ("typed", Reach.SHOWN): _said('<p><input value="WORDS"></p>'),
    ("insertion", Reach.SHOWN): _at("<p>Agreed. <ins>WORDS</ins></p>"),
    ("deletion", Reach.MARK): _at("<p>Agreed. <del>WORDS</del></p>"),
    ("hidden", Reach.HIDDEN): _at("<p hidden>WORDS</p>"),
    **{(each, Reach.HIDDEN): _at(f'<p style="{each}">WORDS</p>') for each in _HIDING},
    ("comment", Reach.NOWHERE): _comment,
    ("script", Reach.NOWHERE): _script,
    ("noscript", Reach.NOWHERE): _at("<p>Agreed.</p><noscript>WORDS</noscript>"),
    ("template", Reach.NOWHERE): _at("<p>Agreed.</p><template>WORDS</template>"),
    ("frame", Reach.NOWHERE): _said('<p>Agreed.</p><iframe srcdoc="WORDS"></iframe>'),
    ("alternative text", Reach.NOWHERE): _said('<p>Agreed. <img src="x" alt="WORDS"></p>'),
    ("tooltip", Reach.NOWHERE): _said('<p title="WORDS" data-x="WORDS">Agreed.</p>'),
    ("label", Reach.NOWHERE): _said('<p aria-label="WORDS">Agreed.</p>'),
    ("hidden field", Reach.NOWHERE): _said('<p>Agreed.<input type="hidden" value="WORDS"></p>'),
    ("placeholder", Reach.SHOWN): _said('<p>Agreed.<input placeholder="WORDS"></p>'),
    ("choice", Reach.SHOWN): _at("<p>Agreed.<select><option>WORDS</select></p>"),
    ("drawing's description", Reach.NOWHERE): _at(
        "<p>Agreed.<svg><title>WORDS</title><desc>WORDS</desc><metadata>WORDS</metadata></svg></p>"
    ),
    ("title", Reach.NOWHERE): _head("<title>WORDS</title>"),
    ("properties", Reach.NOWHERE): _head('<meta name="description" content="WORDS">'),
    ("style", Reach.NOWHERE): _head('<style>p::before { content: "WORDS" }</style>'),
}  # fmt: skip
PLACES = tuple(Place(".html", name, reach, made) for (name, reach), made in _BUILDERS.items())
