"""The places of a Word document."""

from __future__ import annotations

from collections.abc import Callable

from tests.attacks.places.place import AFTER, BEFORE, Place, Reach, inline, lines, packed
from tests.documents.conftest import OFFICE, word_parts

_AUTHOR = 'w:id="7" w:author="A. Person" w:date="2024-03-04T00:00:00Z"'
_SHAPE = "http://schemas.microsoft.com/office/word/2010/wordprocessingShape"


def _run(words: str, properties: str = "", tag: str = "t") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:{tag} xml:space="preserve">{words}</w:{tag}></w:r>'


def _p(*runs: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{''.join(runs)}</w:p>"


def _all(words: str, properties: str = "") -> str:
    return "".join(_p(_run(line, properties)) for line in lines(words))


def _file(body: str = "", more: dict[str, str] | None = None, /, **parts: str) -> bytes:
    whole = "".join(_p(_run(inline(each))) for each in BEFORE) + body
    whole += "".join(_p(_run(inline(each))) for each in AFTER)
    return packed(word_parts(whole, **parts) | (more or {}))


def _note(kind: str) -> Callable[[str], bytes]:
    refers = f'<w:r><w:{kind}Reference w:id="2"/></w:r>'

    def build(words: str) -> bytes:
        note = f'<w:{kind} w:id="2">{_all(words)}</w:{kind}>'
        return _file(_p(_run("See the note."), refers), **{f"{kind}s": note})

    return build


def _comment(words: str) -> bytes:
    refers = '<w:r><w:commentReference w:id="7"/></w:r>'
    said = f"<w:comment {_AUTHOR}>{_all(words)}</w:comment>"
    return _file(_p(_run("Agreed."), refers), comments=said)


def _box(words: str) -> str:
    return (
        f'<w:r><w:drawing><wp:inline><a:graphic><a:graphicData uri="{_SHAPE}"><wps:wsp><wps:txbx>'
        f"<w:txbxContent>{_all(words)}</w:txbxContent></wps:txbx></wps:wsp></a:graphicData>"
        "</a:graphic></wp:inline></w:drawing></w:r>"
    )


def _field(code: str, result: str) -> str:
    kinds = ("begin", "separate", "end")
    begin, parts, end = (f'<w:r><w:fldChar w:fldCharType="{each}"/></w:r>' for each in kinds)
    return f"{begin}<w:r><w:instrText>{code}</w:instrText></w:r>{parts}{_run(result)}{end}"


def _drawing(name: str) -> Callable[[str], bytes]:
    def build(words: str) -> bytes:
        picture = f'<w:r><w:drawing><wp:docPr id="1" {name}="{inline(words)}"/></w:drawing></w:r>'
        return _file(_p(_run("Agreed."), picture))

    return build


def _cell(words: str) -> str:
    return f"<w:tbl><w:tr><w:tc>{_p(_run('Notes'))}</w:tc><w:tc>{_all(words)}</w:tc></w:tr></w:tbl>"


def _aside(path: str, content: str) -> Callable[[str], bytes]:
    return lambda words: _file("", {path: content.replace("WORDS", inline(words))})


def _changed(words: str, tag: str, kind: str = "t") -> str:
    runs = "".join(_run(line, tag=kind) for line in lines(words))
    return _p(_run("Agreed. "), f"<w:{tag} {_AUTHOR}>{runs}</w:{tag}>")


def _embedded(words: str) -> bytes:
    chunk = f'<w:altChunk xmlns:r="{OFFICE}" r:id="raFChunk"/>'
    return _file(chunk, {"word/aFChunk.xml": f"<html>{inline(words)}</html>"}, aFChunk="")


_WHITE = '<w:color w:val="FFFFFF"/>'
_OWN_GROUND = '<w:color w:val="1F3864"/><w:shd w:val="clear" w:fill="1F3864"/>'
_THEME = '<w:color w:val="000000" w:themeColor="background1"/>'
_CORE = "docProps/core.xml"
_PROPERTY = "<coreProperties><{0}>WORDS</{0}></coreProperties>"
_LINK = '<w:hyperlink w:tooltip="{0}" w:anchor="{0}"><w:r><w:t>Agreed.</w:t></w:r></w:hyperlink>'
_CONTROL = (
    '<w:sdt><w:sdtPr><w:alias w:val="{0}"/><w:tag w:val="{0}"/></w:sdtPr><w:sdtContent>'
    "<w:r><w:t>Agreed.</w:t></w:r></w:sdtContent></w:sdt>"
)
_BOOKMARK = '<w:bookmarkStart w:id="1" w:name="{0}"/><w:bookmarkEnd w:id="1"/>'


def _within(markup: str) -> Callable[[str], bytes]:
    return lambda words: _file(_p(_run("Signed. "), markup.format(inline(words))))


def _looking(properties: str) -> Callable[[str], bytes]:
    return lambda words: _file(_all(words, properties))


_BUILDERS: dict[tuple[str, Reach], Callable[[str], bytes]] = {
    ("body", Reach.SHOWN): lambda words: _file(_all(words)),
    ("header", Reach.SHOWN): lambda words: _file(header=_all(words)),
    ("footer", Reach.SHOWN): lambda words: _file(footer=_all(words)),
    ("footnote", Reach.SHOWN): _note("footnote"),
    ("endnote", Reach.SHOWN): _note("endnote"),
    ("comment", Reach.MARK): _comment,
    ("deletion", Reach.MARK): lambda words: _file(_changed(words, "del", "delText")),
    ("insertion", Reach.SHOWN): lambda words: _file(_changed(words, "ins")),
    ("moved to", Reach.SHOWN): lambda words: _file(_changed(words, "moveTo")),
    ("moved from", Reach.MARK): lambda words: _file(_changed(words, "moveFrom")),
    ("text box", Reach.SHOWN): lambda words: _file(_p(_run("Agreed."), _box(words))),
    ("cell", Reach.SHOWN): lambda words: _file(_cell(words)),
    ("content control", Reach.SHOWN): lambda words: _file(
        f"<w:sdt><w:sdtContent>{_all(words)}</w:sdtContent></w:sdt>"
    ),
    ("vanish", Reach.HIDDEN): _looking("<w:vanish/>"),
    ("white", Reach.HIDDEN): _looking(_WHITE),
    ("white by theme", Reach.HIDDEN): _looking(_THEME),
    ("colour of its ground", Reach.HIDDEN): _looking(_OWN_GROUND),
    ("tiny", Reach.HIDDEN): _looking('<w:sz w:val="2"/>'),
    ("squeezed", Reach.HIDDEN): _looking('<w:w w:val="1"/>'),
    ("row without height", Reach.HIDDEN): lambda words: _file(
        '<w:tbl><w:tr><w:trPr><w:trHeight w:val="1" w:hRule="exact"/></w:trPr>'
        f"<w:tc>{_all(words)}</w:tc></w:tr></w:tbl>"
    ),
    ("letters of signs", Reach.HIDDEN): _looking('<w:rFonts w:ascii="Wingdings"/>'),
    ("struck through", Reach.STRUCK): _looking("<w:strike/>"),
    ("white header", Reach.HIDDEN): lambda words: _file(header=_all(words, _WHITE)),
    ("title", Reach.NOWHERE): _aside(_CORE, _PROPERTY.format("title")),
    ("author", Reach.NOWHERE): _aside(_CORE, _PROPERTY.format("creator")),
    ("keywords", Reach.NOWHERE): _aside(_CORE, _PROPERTY.format("keywords")),
    ("company", Reach.NOWHERE): _aside("docProps/app.xml", "<Properties>WORDS</Properties>"),
    ("custom part", Reach.NOWHERE): _aside("customXml/item1.xml", "<note>WORDS</note>"),
    ("glossary", Reach.NOWHERE): _aside("word/glossary/document.xml", "<g>WORDS</g>"),
    ("field code", Reach.NOWHERE): lambda words: _file(_p(_field(inline(words), "Agreed."))),
    ("field result", Reach.SHOWN): lambda words: _file(_p(_field("REF x", inline(words)))),
    ("alternative text", Reach.NOWHERE): _drawing("descr"),
    ("title of a picture", Reach.NOWHERE): _drawing("title"),
    ("tooltip", Reach.NOWHERE): _within(_LINK),
    ("name of a control", Reach.NOWHERE): _within(_CONTROL),
    ("bookmark", Reach.NOWHERE): _within(_BOOKMARK),
    ("variable", Reach.NOWHERE): lambda words: _file(
        settings=f'<w:docVars><w:docVar w:name="a" w:val="{inline(words)}"/></w:docVars>'
    ),
    ("embedded document", Reach.SHOWN): _embedded,
}  # fmt: skip
PLACES = tuple(Place(".docx", name, reach, made) for (name, reach), made in _BUILDERS.items())
