"""What calls to models behind HTTP share: where they go, with which key, and what fails."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import urlsplit, urlunsplit

from fourcorners.errors import CallError, ConfigError, ModelError
from fourcorners.net import RetryPolicy, post_json, redact_url, require_url

if TYPE_CHECKING:
    from pydantic import SecretStr

MAX_CHARACTERS = 8_000  # servers refuse, rather than cut, what is longer than their model reads
_AZURE = ".azure.com"  # its servers know a key by a header of their own


@dataclass(kw_only=True)
class RemoteModel:
    """A model behind HTTP, as a section of the settings names it.

    Attributes:
        url: Up to the version, such as `http://localhost:11434/v1`, or the whole endpoint.
        key: What the server knows this user by; empty if it wants none.
        batch: How many texts one request has.
    """

    section: ClassVar[str]
    path: ClassVar[str]
    url: str
    model: str
    key: SecretStr | None = None
    batch: int = 64
    retry_policy: RetryPolicy = field(default_factory=RetryPolicy)

    def __post_init__(self) -> None:
        require_url(self.url)
        self.endpoint = _endpoint_url(self.url, self.path)

    @property
    def name(self) -> str:
        """Name the model; where it runs may change."""
        return f"remote/{self.model}"

    def post(self, body: Mapping[str, object]) -> object:
        """Send a request; return the JSON of the answer.

        Raises:
            CallError: If the server cannot be reached, or refuses.
        """
        headers = _key_headers(self.endpoint, self.key)
        try:
            return post_json(
                self.endpoint,
                {"model": self.model, **body},
                headers=headers,
                retry_policy=self.retry_policy,
            )
        except CallError as error:
            error.remedy = _remedy(error.status, self.section, self.model)
            raise

    def wrong_answer(self, what: str, protocol: str, meant: str) -> ModelError:
        """Return an error for an answer that cannot be used."""
        return ModelError(
            f"{redact_url(self.endpoint)}: the answer {what}.",
            remedy=f"Check that url under [{self.section}] is {protocol}, and that model names "
            f"{meant}.",
        )


def require_settings(section: str, settings: object, *names: str) -> None:
    """Refuse settings of a remote model that lack any of these.

    Raises:
        ConfigError: If they do.
    """
    if missing := [name for name in names if not getattr(settings, name)]:
        raise ConfigError(
            f"a remote {section} needs {' and '.join(missing)}.",
            remedy=f"Say {missing[0]} under [{section}] in fourcorners.toml, or "
            f"FOURCORNERS_{section.upper()}_{missing[0].upper()} in the environment.",
        )


def _endpoint_url(url: str, path: str) -> str:
    """Return the whole URL of an endpoint: the query of Azure's deployments stays at its end."""
    parts = urlsplit(url)
    place = parts.path.rstrip("/")
    if not place.endswith(path):
        place += path
    return urlunsplit((parts.scheme, parts.netloc, place, parts.query, ""))


def request_text(text: str) -> str:
    """Return a text as servers take it: cut, whole characters only, and never empty."""
    words = text[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
    return words if words.strip() else " "


def _key_headers(url: str, key: SecretStr | None) -> dict[str, str]:
    """Return the header by which a server knows its user; none without a key."""
    words = key.get_secret_value().strip() if key else ""
    if not words:
        return {}
    if (urlsplit(url).hostname or "").endswith(_AZURE):
        return {"api-key": words}
    return {"Authorization": f"Bearer {words}"}


def _remedy(status: int | None, section: str, model: str) -> str:
    """Return what to do about a failed call in the section of the settings."""
    if status is None:
        return f"Check that the server runs, and url under [{section}]; then do the same again."
    if status in {401, 403}:
        variable = f"FOURCORNERS_{section.upper()}_KEY"
        return f"Check key under [{section}], or {variable} in the environment."
    if status in {404, 405} or 300 <= status < 400:
        return f"Check url and model under [{section}]: is {model!r} there, and the URL up to /v1?"
    if status == 429:
        return f"Do the same again later, or set a smaller batch under [{section}]."
    if status in {400, 413, 422}:
        return f"Check model under [{section}], or set a smaller batch."
    if status >= 500:
        return "See the server's log; then do the same again."
    return f"Check that url under [{section}] is that of the protocol which it names."
