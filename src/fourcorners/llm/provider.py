"""`ProviderModel`: a real model, through pydantic-ai and the client that `net` makes.

Whatever a provider's library raises becomes a `AttemptError` with an error of the tree.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from typing import TYPE_CHECKING, Literal, TypeAlias

from fourcorners.errors import (
    CallError,
    LlmRefused,
    LlmRejected,
    LlmTimedOut,
    LlmUnreachable,
)
from fourcorners.llm.exchange import (
    AttemptError,
    Finish,
    Message,
    Pieces,
    Request,
    Response,
    Speaker,
)
from fourcorners.net import server_words

if TYPE_CHECKING:
    from pydantic_ai.exceptions import ModelAPIError
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

    from fourcorners.net import HttpClient

Structured: TypeAlias = Literal["native", "tool", "prompted"]

_TALKATIVE = ("openai", "anthropic", "google_genai", "httpx2", "httpcore2")
_TOOL = "answer"
_FINISHES = {"length": Finish.LENGTH, "content_filter": Finish.REFUSED}
_MAX_SERVER_WORDS = 200  # characters of a server's own words
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


class ProviderModel:
    """A model behind a provider's API; used on one event loop.

    Args:
        client: What the model speaks through; closed with it.
        structured: How an answer's schema is said; by default as the model is known to do best.
        is_list_price: Whether what the library computes by its price list is what calls cost.
    """

    def __init__(
        self,
        model: Model,
        *,
        name: str,
        client: HttpClient | None = None,
        structured: Structured | None = None,
        secret: str = "",
        is_list_price: bool = False,
    ) -> None:
        self._model = model
        self._name = name
        self._client = client
        self._secret = secret
        self._is_list_price = is_list_price
        profile = model.profile
        self._takes_temperature = _takes_temperature(profile)
        native = bool(profile.get("supports_json_schema_output", False))
        self._structured: Structured = structured or ("native" if native else "tool")
        for each in _TALKATIVE:  # at their finest level they log what is sent
            logging.getLogger(each).setLevel(logging.WARNING)

    async def send(self, request: Request, seconds: float) -> Response:
        """Return the answer.

        Raises:
            AttemptError: If none came.
        """
        from pydantic_ai.direct import model_request

        with provider_errors(self._name, request, self._secret):
            answer = await model_request(
                self._model,
                _messages(request.messages),
                model_settings=self._settings(request, seconds),
                model_request_parameters=self._parameters(request),
                instrument=False,
            )
            return _response(answer, request, is_list_price=self._is_list_price)

    async def stream(self, request: Request, seconds: float) -> Pieces:
        """Yield the answer in pieces as they come, and at last the whole.

        Raises:
            AttemptError: If none came, or it broke off.
        """
        from pydantic_ai.direct import model_request_stream
        from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta

        with provider_errors(self._name, request, self._secret):
            async with model_request_stream(
                self._model,
                _messages(request.messages),
                model_settings=self._settings(request, seconds),
                model_request_parameters=self._parameters(request),
                instrument=False,
            ) as stream:
                async for event in stream:
                    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
                        piece = event.part.content
                    elif isinstance(event, PartDeltaEvent) and isinstance(
                        event.delta, TextPartDelta
                    ):
                        piece = event.delta.content_delta
                    else:
                        continue
                    if piece:
                        yield piece
                yield _response(stream.get(), request, is_list_price=self._is_list_price)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()

    def _settings(self, request: Request, seconds: float) -> ModelSettings:
        options = request.options
        found: ModelSettings = {
            "max_tokens": options.max_tokens,
            "timeout": seconds,
            "max_retries": 0,
        }
        if options.temperature is not None and self._takes_temperature:
            found["temperature"] = options.temperature
        if options.seed is not None:
            found["seed"] = options.seed + request.sample
        return found

    def _parameters(self, request: Request) -> ModelRequestParameters:
        from pydantic_ai.models import ModelRequestParameters
        from pydantic_ai.output import OutputObjectDefinition
        from pydantic_ai.tools import ToolDefinition

        if request.shape is None:
            return ModelRequestParameters()
        schema = json.loads(request.shape.schema)
        description = schema.get("description")
        if self._structured == "tool":
            tool = ToolDefinition(
                name=_TOOL,
                parameters_json_schema=schema,
                description=description or "Give the answer.",
                kind="output",
            )
            return ModelRequestParameters(
                output_mode="tool", output_tools=[tool], allow_text_output=False
            )
        return ModelRequestParameters(
            output_mode=self._structured,
            output_object=OutputObjectDefinition(
                json_schema=schema, name=request.shape.name, description=description
            ),
        )


def _messages(messages: tuple[Message, ...]) -> list[ModelMessage]:
    from pydantic_ai.messages import (
        ModelRequest,
        ModelResponse,
        SystemPromptPart,
        TextPart,
        UserPromptPart,
    )

    found: list[ModelMessage] = []
    waiting: list[SystemPromptPart | UserPromptPart] = []
    for message in messages:
        if message.speaker is Speaker.SYSTEM:
            waiting.append(SystemPromptPart(message.text))
        elif message.speaker is Speaker.USER:
            waiting.append(UserPromptPart(message.text))
        else:
            found += [ModelRequest(list(waiting)), ModelResponse([TextPart(message.text)])]
            waiting = []
    return [*found, ModelRequest(list(waiting))]


def _takes_temperature(profile: Mapping[str, object]) -> bool:
    """Tell whether a model knows a temperature; those that always think first refuse one."""
    if profile.get("anthropic_disallows_sampling_settings"):
        return False
    can_be_off = profile.get("openai_supports_reasoning_effort_none")
    is_on = profile.get("thinking_enabled_by_default") or not can_be_off
    return not (profile.get("openai_supports_reasoning") and is_on)


def _response(answer: ModelResponse, request: Request, *, is_list_price: bool) -> Response:
    from pydantic_ai.messages import TextPart, ToolCallPart

    texts = [part.content for part in answer.parts if isinstance(part, TextPart)]
    calls = [part for part in answer.parts if isinstance(part, ToolCallPart)]
    text = "".join(texts)
    if request.shape is not None and calls:
        text = calls[-1].args_as_json_str()
    usage = answer.usage
    is_measured = not usage.unmeasured_requests and usage.input_tokens > 0
    estimated = len(text.encode("utf-8", "replace")) // 4
    return Response(
        text=text,
        model=answer.model_name or "",
        tokens_in=usage.input_tokens if is_measured else request.size // 4,
        tokens_out=usage.output_tokens if is_measured else estimated,
        measured=is_measured,
        finish=_FINISHES.get(answer.finish_reason or "", Finish.STOP),
        cost=float(usage.cost) if is_list_price and isinstance(usage.cost, Decimal) else None,
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
        reason = _safe(str(error), request, secret)
        raise AttemptError(LlmRejected(f"{name}: {reason}", remedy=_MODEL)) from None
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
    server_text = (
        _safe(server_words(error.body), request, secret) if status not in {401, 403} else ""
    )
    what = f"the server answered {status}" if status else "the server refused"
    message = f"{name}: {what}{f': {server_text}' if server_text else ''}"
    message = message if message.endswith((".", "!", "?", "…")) else f"{message}."
    if isinstance(error, known.ModelQuotaExceededError):
        return AttemptError(LlmRejected(message, remedy="Raise the quota or the credit there."))
    if isinstance(error, known.ModelRateLimitError):
        return AttemptError(LlmUnreachable(message, remedy=_LATER), may_pass=True, wait=wait)
    if isinstance(error, known.ModelUnavailableError | known.ModelServerError) or (
        status is not None and (status >= 500 or status in {408, 425, 429})
    ):
        return AttemptError(LlmUnreachable(message, remedy=_SERVER), may_pass=True, wait=wait)
    remedy = "Check model, max_tokens, temperature and structured under [llm]."
    if isinstance(error, known.ModelAuthenticationError):
        remedy = _KEY
    elif isinstance(error, known.ModelNotFoundError):
        remedy = _MODEL
    elif isinstance(error, known.ModelContextWindowExceededError):
        remedy = _LONG
    return AttemptError(LlmRejected(message, remedy=remedy))


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
    return line if len(line) <= _MAX_SERVER_WORDS else f"{line[: _MAX_SERVER_WORDS - 1]}…"


def _caused(error: BaseException | None) -> CallError | None:
    """Return the error that the rules of `net` raised below a library, if they did."""
    return next((each for each in _causes(error) if isinstance(each, CallError)), None)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
