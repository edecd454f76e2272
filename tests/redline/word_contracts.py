"""Five Word contracts that are hard to write into: lists, tables, fields, notes, changes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Sequence

from tests.documents.conftest import word_parts

AUTHOR = 'w:author="Other Side" w:date="2026-01-05T10:00:00Z"'


def run(words: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{words}</w:t></w:r>'


def paragraph(*runs: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{''.join(runs)}</w:p>"


def listed(at: int) -> str:
    return f'<w:numPr><w:ilvl w:val="{at}"/><w:numId w:val="1"/></w:numPr>'


def inserted(words: str, number: int = 900) -> str:
    return f'<w:ins w:id="{number}" {AUTHOR}>{run(words)}</w:ins>'


def deleted(words: str, number: int = 901) -> str:
    gone = f'<w:r><w:delText xml:space="preserve">{words}</w:delText></w:r>'
    return f'<w:del w:id="{number}" {AUTHOR}>{gone}</w:del>'


def field(code: str, shown: str) -> str:
    return (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
        f'<w:r><w:instrText xml:space="preserve"> {code} </w:instrText></w:r>'
        f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{run(shown)}'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


def simple_field(code: str, shown: str) -> str:
    return f'<w:fldSimple w:instr=" {code} ">{run(shown)}</w:fldSimple>'


def note(number: int) -> str:
    raised = '<w:rPr><w:vertAlign w:val="superscript"/></w:rPr>'
    return f'<w:r>{raised}<w:footnoteReference w:id="{number}"/></w:r>'


NUMBERING = (
    '<w:abstractNum w:abstractNumId="1"><w:multiLevelType w:val="multilevel"/>'
    '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/>'
    '<w:pPr><w:ind w:left="720" w:hanging="720"/></w:pPr></w:lvl>'
    '<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2"/>'
    '<w:pPr><w:ind w:left="720" w:hanging="720"/></w:pPr></w:lvl>'
    '</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>'
)
_CONSENT = (
    "Neither party may assign this Agreement without the prior written consent of the other party."
)
_NOTICE = (
    "Either party may terminate this Agreement at any time, for any reason or no reason, by giving "
    "the other party ninety (90) days’ prior written notice."
)


def contract(
    *,
    consent: Sequence[str] = (run(_CONSENT),),
    notice: Sequence[str] = (run(_NOTICE),),
    between: str = "",
    typed: bool = False,
) -> str:
    """Return the body of a supply agreement; the clauses on transfer and on ending may differ.

    Its numbers are Word's, or `typed`; `between` stands before the clause on prices ends.
    """
    counts = [0, 0]

    def number(at: int) -> tuple[str, str]:
        counts[at] += 1
        if at == 0:
            counts[1] = 0
        shown = f"{counts[0]}. " if at == 0 else f"{counts[0]}.{counts[1]} "
        return ("", run(shown)) if typed else (listed(at), "")

    def head(words: str) -> str:
        properties, shown = number(0)
        bold = "<w:b/>"
        return paragraph(shown, run(words, bold), properties=properties)

    def clause(*runs: str) -> str:
        properties, shown = number(1)
        return paragraph(shown, *runs, properties=properties)

    def words(text: str, bookmark: int = 0) -> str:
        if not bookmark:
            return clause(run(text))
        start = f'<w:bookmarkStart w:id="{bookmark}" w:name="_Ref{bookmark}"/>'
        return clause(start, run(text), f'<w:bookmarkEnd w:id="{bookmark}"/>')

    return "".join(
        (
            paragraph(run("SUPPLY AGREEMENT", "<w:b/>"), properties='<w:jc w:val="center"/>'),
            paragraph(
                run(
                    "This Supply Agreement (this “Agreement”) is made on 4 March 2024 between "
                    "Alder Components Limited, a company of England (the “Supplier”), and Birch "
                    "Retail Limited, a company of England (the “Customer”)."
                )
            ),
            head("Supply"),
            words("The Supplier shall deliver the Goods that the Customer orders in writing."),
            words("“Goods” means the components that are listed in an order."),
            head("Prices"),
            words(
                "The Customer shall pay the price of the Goods within thirty days of an invoice."
            ),
            between,
            words("The Supplier may change its prices once in a calendar year."),
            head("Delivery"),
            words("Risk in the Goods passes to the Customer when they are delivered."),
            words("The Customer shall inspect the Goods within ten days of delivery."),
            head("Confidentiality"),
            words("Each party shall keep secret what it learns of the other’s business.", 2),
            words("This does not apply to what is public, or must be disclosed by law."),
            head("Term and Termination"),
            words("This Agreement begins on its date and goes on until it is terminated."),
            clause(*notice),
            words("Each party may terminate this Agreement if the other is in material breach.", 1),
            head("Miscellaneous"),
            clause(*consent),
            words("This Agreement is the entire agreement of the parties about its subject."),
            words("This Agreement is governed by the laws of England and Wales."),
            paragraph(run("IN WITNESS WHEREOF the parties have signed this Agreement.")),
            paragraph(run("Alder Components Limited"), run("  By: ____________________")),
            paragraph(run("Birch Retail Limited"), run("  By: ____________________")),
        )
    )


def _numbered() -> dict[str, str]:
    return {"body": contract(), "numbering": NUMBERING}


def _tables() -> dict[str, str]:
    cells = (("Goods", "Price"), ("Bolts", "£10"), ("Nuts", "£5"))
    rows = "".join(
        f"<w:tr>{''.join(f'<w:tc><w:tcPr/>{paragraph(run(each))}</w:tc>' for each in row)}</w:tr>"
        for row in cells
    )
    table = f"<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid>{rows}</w:tbl>"
    return {"body": contract(between=table, typed=True)}


def _fields() -> dict[str, str]:
    consent = (
        run("Subject to clause "),
        field("REF _Ref1 \\r \\h", "5.3"),
        run(" and Section "),
        simple_field("REF _Ref2 \\r \\h", "4.1"),
        run(", neither party may assign this Agreement without the prior written "),
        run("consent", "<w:i/>"),
        run(" of the other party."),
    )
    return {"body": contract(consent=consent), "numbering": NUMBERING}


def _notes() -> dict[str, str]:
    consent = (
        run("Neither party may assign this Agreement without the prior written consent"),
        note(2),
        run(" of the other party."),
    )
    notes = f'<w:footnote w:id="2">{paragraph(run("Consent may be given by e-mail."))}</w:footnote>'
    return {"body": contract(consent=consent), "numbering": NUMBERING, "footnotes": notes}


def _changed() -> dict[str, str]:
    consent = (
        run("Neither party may assign this Agreement without the "),
        deleted("express", 902),
        inserted("prior written con", 903),
        inserted("sent of the other", 904),
        run(" party."),
    )
    notice = (
        run("Either party may terminate this Agreement at any time, for any reason or no reason, "),
        '<w:commentRangeStart w:id="7"/>',
        run("by giving the other party "),
        deleted("sixty (60)", 905),
        inserted("ninety (90)", 906),
        run(" days’ prior written notice"),
        '<w:commentRangeEnd w:id="7"/><w:r><w:commentReference w:id="7"/></w:r>',
        run("."),
    )
    comments = f'<w:comment w:id="7" {AUTHOR}>{paragraph(run("Our usual notice."))}</w:comment>'
    return {
        "body": contract(consent=consent, notice=notice),
        "numbering": NUMBERING,
        "comments": comments,
    }


WORD_CONTRACTS: dict[str, Callable[[], dict[str, str]]] = {
    "automatic-numbering": _numbered,
    "tables": _tables,
    "fields": _fields,
    "footnotes": _notes,
    "tracked-changes": _changed,
}


def word_file(parts: dict[str, str]) -> bytes:
    """Return a Word file of the XML of its parts."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in word_parts(**parts).items():
            archive.writestr(name, content)
    return held.getvalue()
