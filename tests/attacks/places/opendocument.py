"""The places of an OpenDocument text."""

from __future__ import annotations

from collections.abc import Callable

from tests.attacks.places.place import AFTER, BEFORE, Place, Reach, inline, lines, packed
from tests.documents.odf.test_reader import KIND, NAMES

_FO = 'xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"'
_SVG = 'xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"'
_NAMES = f"{NAMES} {_FO} {_SVG}"


def _p(words: str) -> str:
    return f"<text:p>{words}</text:p>"


def _all(words: str) -> str:
    return "".join(map(_p, lines(words)))


def _file(body: str = "", *, styles: str = "", first: str = "", **parts: str) -> bytes:
    whole = first + "".join(_p(inline(each)) for each in BEFORE) + body
    whole += "".join(_p(inline(each)) for each in AFTER)
    content = (
        f"<office:document-content {_NAMES}><office:automatic-styles>{styles}"
        f"</office:automatic-styles><office:body><office:text>{whole}</office:text></office:body>"
        "</office:document-content>"
    )
    named = {"master": "styles.xml", "meta": "meta.xml"}
    more = {named[name]: part for name, part in parts.items()}
    return packed(
        {"mimetype": KIND, "content.xml": content, "META-INF/manifest.xml": "<manifest/>"} | more
    )


def _looking(properties: str) -> Callable[[str], bytes]:
    style = (
        '<style:style style:name="H" style:family="text">'
        f"<style:text-properties {properties}/></style:style>"
    )

    def build(words: str) -> bytes:
        spans = (f'<text:span text:style-name="H">{line}</text:span>' for line in lines(words))
        return _file("".join(map(_p, spans)), styles=style)

    return build


def _margin(kind: str) -> Callable[[str], bytes]:
    return lambda words: _file(
        master=f"<office:document-styles {_NAMES}><office:master-styles><style:master-page "
        f'style:name="S"><style:{kind}>{_all(words)}</style:{kind}></style:master-page>'
        "</office:master-styles></office:document-styles>"
    )


def _deletion(words: str) -> bytes:
    region = (
        '<text:tracked-changes><text:changed-region text:id="c1"><text:deletion>'
        "<office:change-info><dc:creator>A. Person</dc:creator></office:change-info>"
        f"{_all(words)}</text:deletion></text:changed-region></text:tracked-changes>"
    )
    return _file(_p('Agreed.<text:change text:change-id="c1"/>'), first=region)


def _insertion(words: str) -> bytes:
    region = (
        '<text:tracked-changes><text:changed-region text:id="c1"><text:insertion>'
        "<office:change-info><dc:creator>A. Person</dc:creator></office:change-info>"
        "</text:insertion></text:changed-region></text:tracked-changes>"
    )
    start, end = (f'<text:change-{each} text:change-id="c1"/>' for each in ("start", "end"))
    return _file(f"{start}{_all(words)}{end}", first=region)


def _note(kind: str) -> Callable[[str], bytes]:
    return lambda words: _file(
        _p(
            f'See the note.<text:note text:note-class="{kind}"><text:note-citation>1'
            f"</text:note-citation><text:note-body>{_all(words)}</text:note-body></text:note>"
        )
    )


def _frame(inside: str) -> str:
    return _p(f"Agreed.<draw:frame>{inside}</draw:frame>")


def _within(markup: str) -> Callable[[str], bytes]:
    return lambda words: _file(_p("Agreed. " + markup.format(inline(words))))


def _meta(words: str) -> bytes:
    meta = f"<m><title>{inline(words)}</title><creator>{inline(words)}</creator></m>"
    return _file(meta=meta)


_BUILDERS: dict[tuple[str, Reach], Callable[[str], bytes]] = {
    ("body", Reach.SHOWN): lambda words: _file(_all(words)),
    ("header", Reach.SHOWN): _margin("header"),
    ("footer", Reach.SHOWN): _margin("footer"),
    ("footnote", Reach.SHOWN): _note("footnote"),
    ("endnote", Reach.SHOWN): _note("endnote"),
    ("comment", Reach.MARK): _within(
        "<office:annotation><dc:creator>A</dc:creator><text:p>{0}</text:p></office:annotation>"
    ),
    ("deletion", Reach.MARK): _deletion,
    ("insertion", Reach.SHOWN): _insertion,
    ("text box", Reach.SHOWN): lambda words: _file(
        _frame(f"<draw:text-box>{_all(words)}</draw:text-box>")
    ),
    ("cell", Reach.SHOWN): lambda words: _file(
        f"<table:table><table:table-row><table:table-cell>{_p('Notes')}</table:table-cell>"
        f"<table:table-cell>{_all(words)}</table:table-cell></table:table-row></table:table>"
    ),
    ("hidden letters", Reach.HIDDEN): _looking('text:display="none"'),
    ("white", Reach.HIDDEN): _looking('fo:color="#ffffff"'),
    ("tiny", Reach.HIDDEN): _looking('fo:font-size="1pt"'),
    ("colour of its ground", Reach.HIDDEN): _looking(
        'fo:color="#1f3864" fo:background-color="#1f3864"'
    ),
    ("struck through", Reach.STRUCK): _looking('style:text-line-through-style="solid"'),
    ("letters of signs", Reach.HIDDEN): _looking('style:font-name="Wingdings"'),
    ("hidden section", Reach.HIDDEN): lambda words: _file(
        f'<text:section text:display="none">{_all(words)}</text:section>'
    ),
    ("hidden field", Reach.HIDDEN): _within(
        '<text:hidden-text text:condition="x" text:string-value="{0}"/>'
    ),
    ("hidden paragraph", Reach.HIDDEN): lambda words: _file(
        "".join(
            _p(f'<text:hidden-paragraph text:condition="x" text:is-hidden="true"/>{line}')
            for line in lines(words)
        )
    ),
    ("title of a picture", Reach.NOWHERE): lambda words: _file(
        _frame(f"<svg:title>{inline(words)}</svg:title>")
    ),
    ("alternative text", Reach.NOWHERE): lambda words: _file(
        _frame(f"<svg:desc>{inline(words)}</svg:desc>")
    ),
    ("properties", Reach.NOWHERE): _meta,
    ("field code", Reach.NOWHERE): _within(
        '<text:user-field-get text:name="{0}">Agreed.</text:user-field-get>'
    ),
    ("field result", Reach.SHOWN): _within('<text:sequence text:name="x">{0}</text:sequence>'),
    ("script", Reach.NOWHERE): _within("<text:script>{0}</text:script>"),
    ("tooltip", Reach.NOWHERE): _within('<text:a office:title="{0}">Agreed.</text:a>'),
    ("bookmark", Reach.NOWHERE): _within('<text:bookmark text:name="{0}"/>'),
}  # fmt: skip
PLACES = tuple(Place(".odt", name, reach, made) for (name, reach), made in _BUILDERS.items())
