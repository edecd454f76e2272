"""From what a provider's library raises to an error of the tree, without key or contract text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from fourcorners.errors import CallError, LlmRefused, LlmRejected, LlmTimedOut, LlmUnreachable
from fourcorners.llm.exchange import AttemptError, Request

if TYPE_CHECKING:
    from pydantic_ai.exceptions import ModelAPIError

_TOLD = 200  # characters of a server's own words
_SHARED = 16  # so many characters in a row that were sent too are taken for contract text
_LATER = "Go on later with the same command, or ask less at once: concurrency under [llm]."
_SERVER = "Check that the server runs, and url under [llm]; then go on with the same command."
_KEY = "Check key under [llm], or FOURCORNERS_LLM_KEY in the environment."
_MODEL = "Check model and url under [llm]: is the model there, and the URL up to /v1?"
_LONG = "Name a model that reads more for this role, or send less at once."
_PROTOCOL = "Check that url under [llm] is that of the API that model names."

# What the libraries stumble over where a server sends garbage; each is told with its kind.
_UNFORESEEN = (
    CallError,
    OSError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    AssertionError,
    RuntimeError,
    ExceptionGroup,
)


@contextmanager
def provider_errors(name: str, request: Request, secret: str) -> Iterator[None]:
    from pydantic_ai import exceptions

    try:
        yield
    except exceptions.ModelAPIError as error:
        raise _api_trouble(error, name, request, secret) from None
    except exceptions.ContentFilterError:
        held = LlmRefused(
            f"{name}: the provider's filter held the answer back.",
            remedy="Ask otherwise, or name another model for this role.",
        )
        raise AttemptError(held, sent=True) from None
    except exceptions.UnexpectedModelBehavior:
        strange = LlmUnreachable(f"{name}: the answer is not of the protocol.", remedy=_PROTOCOL)
        raise AttemptError(strange, may_pass=True, sent=True) from None
    except exceptions.UserError as error:
        told = _safe(str(error), request, secret)
        raise AttemptError(LlmRejected(f"{name}: {told}", remedy=_MODEL)) from None
    except _UNFORESEEN as error:
        found = _caused(error)
        what = (
            found.message
            if found
            else f"the answer is not of the protocol ({type(error).__name__})."
        )
        strange = LlmUnreachable(f"{name}: {found.message if found else what}", remedy=_PROTOCOL)
        raise AttemptError(strange, may_pass=found is None, sent=True) from None


def _api_trouble(error: ModelAPIError, name: str, request: Request, secret: str) -> AttemptError:
    from pydantic_ai import exceptions as known

    wait = max(0.0, error.retry_after or 0.0)
    if ours := _caused(error):
        return AttemptError(LlmUnreachable(f"{name}: {ours.message}", remedy=_PROTOCOL), sent=True)
    if isinstance(error, known.ModelTimeoutError | known.ModelRequestTimeout):
        late = LlmTimedOut(f"{name}: no answer in time.", remedy="Raise timeout under [llm].")
        return AttemptError(late, may_pass=True, sent=True, silent=True)
    if isinstance(error, known.ModelConnectionError):
        unreached = error.phase in {"pool", "connect"}
        why = "no connection" if unreached else "the connection broke off"
        if any("CERTIFICATE_VERIFY_FAILED" in str(each)[:500] for each in _causes(error)):
            broken = LlmUnreachable(
                f"{name}: its certificate is not trusted.",
                remedy="Say where your certificates are: SSL_CERT_FILE in the environment.",
            )
            return AttemptError(broken)
        lost = LlmUnreachable(f"{name}: {why}.", remedy=_SERVER)
        return AttemptError(lost, may_pass=True, sent=not unreached, silent=True)
    status = error.status_code if isinstance(error, known.ModelHTTPError) else None
    said = _said(error, request, secret) if status not in {401, 403} else ""
    what = f"the server answered {status}" if status else "the server refused"
    told = f"{name}: {what}{f': {said}' if said else ''}"
    told = told if told.endswith((".", "!", "?", "…")) else f"{told}."
    if isinstance(error, known.ModelQuotaExceededError):
        return AttemptError(LlmRejected(told, remedy="Raise the quota or the credit there."))
    if isinstance(error, known.ModelRateLimitError):
        return AttemptError(LlmUnreachable(told, remedy=_LATER), may_pass=True, wait=wait)
    if isinstance(error, known.ModelUnavailableError | known.ModelServerError) or (
        status is not None and (status >= 500 or status in {408, 425, 429})
    ):
        return AttemptError(LlmUnreachable(told, remedy=_SERVER), may_pass=True, wait=wait)
    remedy = "Check model, max_tokens, temperature and structured under [llm]."
    if isinstance(error, known.ModelAuthenticationError):
        remedy = _KEY
    elif isinstance(error, known.ModelNotFoundError):
        remedy = _MODEL
    elif isinstance(error, known.ModelContextWindowExceededError):
        remedy = _LONG
    return AttemptError(LlmRejected(told, remedy=remedy))


def _said(error: ModelAPIError, request: Request, secret: str) -> str:
    """Return the server's own words, where they hold nothing of what was sent to it."""
    body = error.body
    for key in ("error", "message", "detail"):
        while isinstance(body, dict) and key in body:
            body = body[key]
    return _safe(body, request, secret) if isinstance(body, str) else ""


def _safe(words: str, request: Request, secret: str) -> str:
    """Return words for one line; none if they hold the key or a run of what was sent."""
    line = " ".join("".join(each if each.isprintable() else " " for each in words).split())
    if secret and secret in line:
        return ""
    sent = [" ".join(message.text.split()).casefold() for message in request.messages]
    folded = line.casefold()
    for at in range(max(1, len(folded) - _SHARED + 1)):
        piece = folded[at : at + _SHARED]
        if len(piece) == _SHARED and any(piece in text for text in sent):
            return ""
    line = re.sub(r"\b(sk|key|pk)-[\w*.-]{4,}", "…", line)
    return line if len(line) <= _TOLD else f"{line[: _TOLD - 1]}…"


def _caused(error: BaseException | None) -> CallError | None:
    """Return the error that the rules of `net` raised below a library, if they did."""
    return next((each for each in _causes(error) if isinstance(each, CallError)), None)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
