"""The places of an e-mail."""

from __future__ import annotations

from collections.abc import Callable
from email.message import EmailMessage

from tests.attacks.places.place import AFTER, BEFORE, Place, Reach, inline

_FROM = "a.person@example.com"


def _flat(words: str) -> str:
    return " ".join(words.split())


def _filed(words: str) -> str:
    """Return words as the name of a file."""
    return _flat(words).replace("/", " ").replace("\\", " ")


def _body(words: str = "") -> str:
    middle = (words,) if words else ()
    return "\n\n".join((*BEFORE, *middle, *AFTER)) + "\n"


def _mail(body: str = "", **headers: str) -> EmailMessage:
    mail = EmailMessage()
    for name, value in ({"From": _FROM, "Subject": "Agreement"} | headers).items():
        mail[name.replace("_", "-")] = value
    mail.set_content(body or _body(), cte="base64")
    return mail


def _attached(words: str) -> bytes:
    mail = _mail()
    name = _filed(words)
    mail.add_attachment(b"scan", maintype="image", subtype="png", filename=name)
    return mail.as_bytes()


def _page(words: str) -> bytes:
    mail = _mail()
    mail.add_alternative(f"<p>{inline(_body(words))}</p>", subtype="html", cte="base64")
    return mail.as_bytes()


def _plain(words: str) -> bytes:
    mail = _mail(_body(words))
    mail.add_alternative(f"<p>{inline(_body())}</p>", subtype="html", cte="base64")
    return mail.as_bytes()


def _around(words: str) -> bytes:
    mail = _mail()
    mail.add_attachment(b"scan", maintype="image", subtype="png", filename="scan.png")
    mail.preamble = mail.epilogue = words.encode("ascii", "replace").decode()
    return mail.as_bytes()


def _head(name: str, form: str = "{}") -> Callable[[str], bytes]:
    return lambda words: _mail(**{name: form.format(_flat(words))}).as_bytes()


_BUILDERS: dict[tuple[str, Reach], Callable[[str], bytes]] = {
    ("body", Reach.SHOWN): lambda words: _mail(_body(words)).as_bytes(),
    ("subject", Reach.SHOWN): _head("Subject"),
    ("plain form of a page", Reach.SHOWN): _plain,
    ("name of an attachment", Reach.SHOWN): _attached,
    ("page of a plain form", Reach.NOWHERE): _page,
    ("around the parts", Reach.NOWHERE): _around,
    ("other header", Reach.NOWHERE): _head("X_Note"),
    ("comments header", Reach.NOWHERE): _head("Comments"),
    ("keywords header", Reach.NOWHERE): _head("Keywords"),
}  # fmt: skip
_SAYS = {"name of an attachment": _filed}
PLACES = tuple(
    Place(".eml", name, reach, made, _SAYS.get(name, str))
    for (name, reach), made in _BUILDERS.items()
)
