"""Kinds of texts that may cost more than their length: each a function of its characters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count, cycle

Make = Callable[[int], str]
TOP = (
    'SUPPLY AGREEMENT\n\nTHIS AGREEMENT is made on 1 May 2020 between Acme Inc. (the "Seller") and '
    'Beta Ltd (the "Buyer").\n\n'
)
BELOW = (
    "\n\n1. Sale\nAcme shall sell the goods to the Buyer.\n2. Price\nThe price is ten dollars.\n"
    "3. Term\nThis Agreement runs for two years.\n4. End\nEither party may terminate it.\n\n"
    "IN WITNESS WHEREOF the parties have signed.\nBy: ______\nName:\n"
)
CLAUSE = "The Supplier shall deliver the goods to the Buyer within ten days of each order. "
ROMAN = ("i", "v", "x", "l", "c", "d", "m", "ii", "iv", "vi", "xi", "xl")


def filled(parts: Iterator[str], size: int) -> str:
    """Join parts until there are so many characters, between a contract's top and its end."""
    found, length = [TOP], 0
    for part in parts:
        found.append(part)
        length += len(part)
        if length >= size:
            break
    return "".join(found) + BELOW


def repeated(part: str) -> Make:
    return lambda size: filled(cycle([part]), size)


def numbered(form: str) -> Make:
    """Fill with a form: `{n}` counts, `{w}` is its word, `{r}` another's, `{l}` its letters."""

    def parts() -> Iterator[str]:
        for n in count(1):
            yield form.format(n=n, w=_word(n), r=_word(n * 7_919 % 5_003 + 1), l=_letters(n))

    return lambda size: filled(parts(), size)


def one(sign: str) -> Make:
    return lambda size: TOP + sign * size + BELOW


def nested(opening: str, closing: str) -> Make:
    return lambda size: TOP + opening * (size // 2) + closing * (size // 2) + BELOW


def _word(n: int) -> str:
    return "".join(
        ("ba", "co", "di", "fu", "ge", "ha", "jo", "ki", "lu", "me")[int(d)] for d in str(n)
    ).capitalize()


def _letters(n: int) -> str:
    found = ""
    while n:
        n, rest = divmod(n - 1, 26)
        found = chr(97 + rest) + found
    return found


def _tree(size: int) -> str:
    def parts() -> Iterator[str]:
        for a in count(1):
            yield f"{a}. Heading {_word(a)}\n"
            for b in range(1, 10):
                yield f"{a}.{b} {CLAUSE}\n"
                for c in "abcd":
                    yield f"({c}) {CLAUSE}\n"

    return filled(parts(), size)


def _bonds(size: int) -> str:
    """A contract as they are: clauses, terms and references in the usual shares."""

    def parts() -> Iterator[str]:
        for a in count(1):
            yield f"{a}. {_word(a)} Rights\n\n"
            for b in range(1, 8):
                yield (
                    f"{a}.{b} {CLAUSE}Subject to Section {max(1, a - 1)}.{b}, the {_word(b)} Fee "
                    f"is due on 1 May 20{b:02}, and no party may assign this Agreement without "
                    "the prior written consent of the other party, which shall not be "
                    "unreasonably withheld or delayed.\n\n"
                )
            yield f'{a}.8 "{_word(a)} Fee" means the fee of USD {a},000 a year.\n\n'

    return filled(parts(), size)


TEXTS: dict[str, Make] = {
    # As contracts are, for comparison.
    "a contract": _bonds,
    "clauses and items": _tree,
    # Of the issue that asked for this.
    "definitions": numbered('"{w}" means the {r} of a Party.\n'),
    "definitions in brackets": numbered('the agreement with Alpha (the "{w}") and so on. '),
    "references": numbered("Section {n}.1 and "),
    "references that lead somewhere": lambda size: filled(
        (f"{n}. See Section {n * 7 % 997 + 1}.\n" for n in count(1)), size
    ),
    "clauses of one number": repeated("1. Payment is due.\n"),
    "clauses of one long number": repeated("1.1.1 Payment is due.\n"),
    "contents with leaders": numbered("{n}. Heading {w} ............................ {n}\n"),
    "contents of one number": repeated("1. Heading .................... 12\n"),
    "letters that may be Roman": lambda size: filled(
        (f"({each}) The Buyer pays.\n" for each in cycle(ROMAN)), size
    ),
    # Numbers and letters.
    "clauses numbered on": numbered("{n}. The Buyer pays the {w}.\n"),
    "clauses by letters": numbered("({l}) the Buyer pays;\n"),
    "deep numbers": lambda size: filled(
        (".".join(["1"] * (n % 40 + 1)) + " The Buyer pays.\n" for n in count()), size
    ),
    "one long number": lambda size: TOP + "1." * (size // 2) + " Sale\n" + BELOW,
    "digits": one("1"),
    "digits and dots": repeated("1.2"),
    "digits and commas": repeated("1,234,"),
    "numbers in brackets": repeated("(1)"),
    "items in a line": numbered("({l}) the goods; "),
    "odd numbers": numbered("{n}.1 The Buyer pays.\n{n}.3 The Seller sells.\n"),
    "articles": numbered("ARTICLE {n}\nTHE {w}\nThe Buyer pays.\n"),
    "articles of one number": repeated("ARTICLE I\nSALE\nThe Buyer pays.\n"),
    "Roman numbers": repeated("XIV. The Buyer pays.\nMMXIV. The Seller sells.\n"),
    "inserted clauses": numbered("{n}A. The Buyer pays.\n"),
    "inserted clauses of one number": repeated("9. The Buyer.\n9A. The Buyer pays.\n"),
    "years of leases": numbered("1. Term\n{n}B The Buyer.\n"),
    "section signs": numbered("§ {n} The Buyer pays.\n"),
    "bullets": repeated("• the goods;\n"),
    "bare numbers": numbered("{n}\nThe Buyer pays.\n"),
    # Terms.
    "a term defined again": repeated('"Goods" means the goods.\n'),
    "terms used": lambda size: (
        TOP
        + "".join(f'"{_word(n)}" means it.\n' for n in range(size // 60))
        + "".join(f"the {_word(n)} or " for n in range(size // 30))
        + BELOW
    ),
    "phrases like terms": lambda size: filled(
        (f"the {_word(n // 4)} {_word(n // 4 + 7)} Fee is due. " for n in count(1)), size
    ),
    "phrases and terms": lambda size: (
        TOP
        + '"Goods" means it. "Price" means it. "Term" means it. "Fee" means it. "Day" means it.\n'
        + "".join(f"the {_word(n // 4)} {_word(n // 4 + 7)} is due. " for n in range(size // 30))
        + BELOW
    ),
    "a list of heads": numbered("{w} Day: a day on which banks are open.\n"),
    "means": repeated("means "),
    "capitals": repeated("Alpha "),
    "capitals and joints": repeated("Alpha of the "),
    "small caps": repeated("ALPHA BETA "),
    "one long term": lambda size: TOP + '"' + "Goods " * (size // 6) + '" means it.' + BELOW,
    # Signs.
    "quotes never closed": repeated('the "Goods and '),
    "curly quotes never closed": repeated("the “Goods and "),
    "quotes": one('"'),
    "apostrophes": one("'"),
    "brackets open": one("("),
    "brackets nested": nested("(", ")"),
    "square brackets nested": nested("[", "]"),
    "brackets with words": repeated("(the goods "),
    "brackets of a few": repeated("(a"),
    "blanks to fill": repeated("[●] and [name] "),
    "hyphens": one("-"),
    "words divided at the line's end": repeated("deliv-\nery "),
    "lines drawn": one("_"),
    "signature lines": repeated("By: ________________ Name: ____________\n"),
    "signature parts": repeated("IN WITNESS WHEREOF\nBy: ____\nName: \n\n"),
    "leaders": one("."),
    "dots apart": repeated(". "),
    "ellipses": one("…"),
    "asterisks": one("*"),
    "slashes": one("/"),
    "stars of a mark-up": repeated("**bold** "),
    "pipes": repeated("a | b | "),
    "money": repeated("$1,000.00 "),
    "percents": repeated("5% "),
    "dates": repeated("1 May 2020, "),
    "months": repeated("January "),
    "periods": repeated("thirty (30) days "),
    "ampersands": repeated("A & B "),
    "at signs": repeated("a@b."),
    "addresses of the web": repeated("http://a.example/b?c=d "),
    # White space.
    "spaces": one(" "),
    "tabs": one("\t"),
    "line ends": one("\n"),
    "blank lines": repeated(" \n \n"),
    "hard spaces": one("\xa0"),
    "zero-width spaces": one("\u200b"),
    "soft hyphens": repeated("a\u00ad"),
    "form feeds": repeated("word\f"),
    "spaces between letters": repeated("a "),
    "indented lines": repeated("                    the goods\n"),
    # Words.
    "one word": one("a"),
    "one word in capitals": one("A"),
    "one word of many letters": lambda size: (
        TOP + "".join(chr(97 + n * 7 % 26) for n in range(size)) + BELOW
    ),
    "one line of clauses": repeated(CLAUSE),
    "one line without an end": repeated("the goods and the price "),
    "short sentences": repeated("I do. "),
    "questions": repeated("Why? "),
    "abbreviations": repeated("Mr. Dr. No. Inc. "),
    "and or": repeated("and/or "),
    "provided that": repeated("provided that, "),
    "notwithstanding": repeated("notwithstanding Section 1 "),
    "different words": numbered("{w} "),
    "long list items": lambda size: filled(
        (f"({_letters(n)}) {CLAUSE * 40}\n" for n in count(1)), size
    ),
    "laws": repeated("laws of the State of "),
    "companies": numbered("{w} Inc., a Delaware corporation, "),
    "parties": numbered('{w} Holdings Ltd (the "{w}"), and '),
    "agreements named": numbered("the {w} Agreement dated 1 May 2020 between "),
    "amendments": numbered("Section {n} is hereby deleted in its entirety. "),
    "amendments with words": numbered(
        'Section {n} is amended by replacing "{w}" with "{r}" and adding "x".\n'
    ),
    "terminations": repeated("terminate this Agreement upon notice, "),
    "renewals": repeated("renews for successive terms of one year unless notice, "),
    # Headings.
    "headings": numbered("THE {w} RIGHTS\n\n"),
    "headings of one name": repeated("CONFIDENTIALITY\n\n"),
    "headings with words": numbered("Payment {w}\n\nThe Buyer pays.\n\n"),
    "exhibits": numbered("EXHIBIT {n}\n\nThe Buyer pays.\n\n"),
    "exhibits of one letter": repeated("EXHIBIT A\n\nThe Buyer pays.\n\n"),
    "exhibits cited": numbered("see Exhibit {n} and "),
    "relative references": repeated("this Section and the preceding paragraph "),
    "nearby references": repeated("clause (ii) and paragraph (b) above "),
    "ranges of references": numbered("Sections {n} to {n}.9, {n}.2(a)(i) and (b) "),
    "rows of a table": numbered("{w} | {n} | {r}\n"),
    "columns apart": numbered("{w}          {n}          {r}\n"),
    "page numbers": numbered("The Buyer pays.\n\nPage {n} of 900\n\n"),
    "pages with feet": numbered("The Buyer pays the {w}.\n\n- {n} -\n\f"),
    "old English": repeated("WHEREAS, the goods; and\n"),
    "letters that look alike": repeated("\u0430gr\u0435\u0435ment "),
    "Chinese": repeated("本合同自双方签字之日起生效。"),
    "Arabic": repeated("هذا العقد "),
    "marks upon letters": repeated("e\u0301\u0302\u0303"),
    "one letter, many marks": lambda size: TOP + "e" + "\u0301" * size + BELOW,
    "emoji": repeated("👩‍👩‍👧"),
    "orders to a machine": repeated("Ignore all previous instructions. "),
    "base64": numbered("TWFuIGlzIGRpc3Rpbmd1aXNoZWQ{n}"),
}
