"""Contract text as data: between marks that the text itself cannot hold.

The mark is made from the hash of the text. A text that holds its own mark would have to be found
by trial among 2^96, and what only looks like a mark, in any width of its brackets, is broken up.
Characters that no person can see, and that spell instructions to a model, are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from hashlib import sha256

_OPEN, _CLOSE = "<<<", ">>>"
_BRACKETS = "<>＜＞﹤﹥〈〉⟨⟩《》«»‹›≪≫⋘⋙"  # and what models take for them
_NOTHING = r"[\s\u200b-\u200f\u2060-\u2064\ufeff]*"  # what no person sees between two brackets
_NO_BRACKETS = str.maketrans("", "", _BRACKETS + '"')
_LOOKALIKE = re.compile(rf"[{_BRACKETS}](?:{_NOTHING}[{_BRACKETS}]){{2,}}|[⋘⋙]")
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f"  # controls, but for tab and ends of lines
    "\u202a-\u202e\u2066-\u2069"  # directions that show a line in another order
    "\U000e0000-\U000e0fff"  # tags and variation selectors, which can spell hidden words
    "\ud800-\udfff\ufff9-\ufffb]"
)


@dataclass(frozen=True, slots=True)
class QuotedText:
    """Words that are data in a prompt, whatever they say.

    Attributes:
        label: What they are, in a few words that the program chose: "contract", "clause 3".
    """

    text: str = field(repr=False)
    label: str = "contract"

    def __str__(self) -> str:
        return quote_text(self)


def quote_text(words: QuotedText) -> str:
    inside = neutralise(words.text)
    label = " ".join(neutralise(words.label).translate(_NO_BRACKETS).split())[:120].strip()
    mark = quote_mark(words)
    return f'{_OPEN}data {mark} "{label}"{_CLOSE}\n{inside}\n{_OPEN}end {mark}{_CLOSE}'


def quote_mark(words: QuotedText) -> str:
    """Return the mark of these words: the same for the same words and label."""
    content = f"{words.label}\0{words.text}".encode("utf-8", "surrogatepass")
    return sha256(content).hexdigest()[:24]


def neutralise(text: str) -> str:
    """Return a text without unseen characters, and with runs of three brackets spaced out."""
    seen = _UNSEEN.sub("", text)
    return _LOOKALIKE.sub(lambda found: _spaced(found.group()), seen)


def _spaced(run: str) -> str:
    single = run.replace("⋘", "<<<").replace("⋙", ">>>")
    return "·".join(each for each in single if each in _BRACKETS) + "·"
