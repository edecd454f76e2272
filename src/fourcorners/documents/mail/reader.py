"""E-mails (.eml): a short head and the body; what is attached are documents of their own."""

from __future__ import annotations

from fourcorners.documents.encoding import decode_charset, decode_text
from fourcorners.documents.fragment import Fragment
from fourcorners.documents.html import reader as html
from fourcorners.documents.mail.message import MailMessage, parse_message
from fourcorners.documents.media_types import MediaType
from fourcorners.documents.reader import Content, RawFile, Reader


def read_mail(file: RawFile) -> Content:
    mail = parse_message(file.data, file.path)
    text = Fragment()
    for name, words in mail.headers:
        text.add(f"{name}: {words}\n")
    if mail.attachments:
        names = ", ".join(" ".join(each.name.split()) for each in mail.attachments)
        text.add(f"Attachments: {names}\n")
    text.add("\n")
    warnings = _add_body(mail, text)
    if not text.text.endswith("\n"):
        text.add("\n")
    return Content(text.text, marks=tuple(text.marks), warnings=warnings)


def _add_body(mail: MailMessage, text: Fragment) -> tuple[str, ...]:
    if mail.body_type == "text/html":
        decoded = html.decode_html(mail.body, mail.charset)
        page = html.extract_text(decoded.text)
        text.extend(page.text)
        return (*decoded.warnings, *page.warnings)
    try:
        decoded = decode_charset(mail.body, mail.charset) or decode_text(mail.body)
    except ValueError:
        return ("The body of the mail is not text and was left out.",)
    text.add(decoded.text.replace("\r\n", "\n"))
    return decoded.warnings


READER = Reader(name="mail", version=2, media_types=frozenset({MediaType.EMAIL}), read=read_mail)
