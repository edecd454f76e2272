"""The places of rich text."""

from __future__ import annotations

from collections.abc import Callable

from tests.attacks.places.place import AFTER, BEFORE, Place, Reach

_COLOURS = r"{\colortbl;\red255\green255\blue255;\red0\green0\blue0;}"


def _rtf(words: str) -> str:
    """Return words as rich text: what is not ASCII in units of UTF-16, signs escaped."""
    out = []
    for letter in words.replace("\n", " "):
        if letter in "\\{}":
            out.append(f"\\{letter}")
        elif letter.isascii():
            out.append(letter)
        else:
            units = letter.encode("utf-16-le")
            codes = (int.from_bytes(units[at : at + 2], "little") for at in range(0, len(units), 2))
            out += [f"\\u{code - 0x10000 if code > 0x7FFF else code}?" for code in codes]
    return "".join(out)


def _all(words: str) -> str:
    return r"\line ".join(map(_rtf, words.split("\n")))


def _at(markup: str) -> Callable[[str], bytes]:
    r"""Put words where WORDS stands in what comes before the last clause."""

    def build(words: str) -> bytes:
        body = "".join(rf"{_rtf(each)}\par " for each in BEFORE)
        body += rf"\pard {markup.replace('WORDS', _all(words))}\par\pard "
        body += "".join(rf"{_rtf(each)}\par " for each in AFTER)
        return rf"{{\rtf1\ansi\deff0{{\fonttbl{{\f0 Times;}}}}{_COLOURS}\pard {body}}}".encode()

    return build


_COMMENT = r"Agreed.{\*\atnauthor A}{\chatn{\*\annotation\pard\plain {\chatn}WORDS\par}}"
_CELL = r"\trowd\cellx3000\cellx9000\intbl Notes\cell WORDS\cell\row\pard"
_BOX = r"Agreed.\par{\shp{\*\shpinst{\shptxt \pard WORDS\par}}}"
_FIELD = r"{\field{\*\fldinst CODE}{\fldrslt RESULT}}"
_PICTURE = r"{\shp{\*\shpinst{\sp{\sn wzDescription}{\sv WORDS}}}}"

_MARKUP: dict[tuple[str, Reach], str] = {
    ("body", Reach.SHOWN): "WORDS",
    ("header", Reach.SHOWN): r"Agreed.{\header WORDS\par}",
    ("footer", Reach.SHOWN): r"Agreed.{\footer WORDS\par}",
    ("footnote", Reach.SHOWN): r"See the note.{\footnote \pard WORDS}",
    ("endnote", Reach.SHOWN): r"See the note.{\footnote\ftnalt \pard WORDS}",
    ("comment", Reach.MARK): _COMMENT,
    ("deletion", Reach.MARK): r"Agreed.{\deleted WORDS}",
    ("insertion", Reach.SHOWN): r"Agreed. {\revised WORDS}",
    ("text box", Reach.SHOWN): _BOX,
    ("cell", Reach.SHOWN): _CELL,
    ("hidden", Reach.HIDDEN): r"{\v WORDS}",
    ("white", Reach.HIDDEN): r"{\cf1 WORDS}",
    ("colour of its ground", Reach.HIDDEN): r"{\cf2\highlight2 WORDS}",
    ("struck through", Reach.STRUCK): r"{\strike WORDS}",
    ("line without height", Reach.HIDDEN): r"\pard\sl-10\slmult0 WORDS\par\pard ",
    ("tiny", Reach.HIDDEN): r"{\fs2 WORDS}",
    ("information", Reach.NOWHERE): r"Agreed.{\info{\title WORDS}{\author WORDS}{\doccomm WORDS}}",
    ("field code", Reach.NOWHERE): _FIELD.replace("CODE", "WORDS").replace("RESULT", "Agreed."),
    ("field result", Reach.SHOWN): _FIELD.replace("CODE", "REF x").replace("RESULT", "WORDS"),
    ("alternative text", Reach.NOWHERE): f"Agreed.{_PICTURE}",
    ("bookmark", Reach.NOWHERE): r"Agreed.{\*\bkmkstart WORDS}{\*\bkmkend WORDS}",
    ("unknown group", Reach.NOWHERE): r"Agreed.{\*\neverheardof WORDS}",
    ("variable", Reach.NOWHERE): r"Agreed.{\*\docvar {a}{WORDS}}",
}  # fmt: skip
PLACES = tuple(Place(".rtf", name, reach, _at(markup)) for (name, reach), markup in _MARKUP.items())
