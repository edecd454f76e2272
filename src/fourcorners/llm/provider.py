"""`ProviderModel`: a real model, through pydantic-ai and the client that `net` makes.

Whatever a provider's library raises becomes an `AttemptError` with an error of the tree.
"""

from __future__ import annotations

import json
import logging
import re
import warnings
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import groupby
from typing import TYPE_CHECKING, Literal, TypeAlias
from urllib.parse import parse_qs, urlsplit, urlunsplit

from fourcorners.errors import (
    CallError,
    LlmError,
    LlmRefused,
    LlmRejected,
    LlmTimedOut,
    LlmUnreachable,
)
from fourcorners.llm.exchange import (
    AttemptError,
    Finish,
    LanguageModel,
    Message,
    OnPiece,
    Request,
    Response,
    Speaker,
)
from fourcorners.net import plain_text, server_words

if TYPE_CHECKING:
    from pydantic_ai.exceptions import ModelAPIError
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.providers import Provider
    from pydantic_ai.settings import ModelSettings

    from fourcorners.net import HttpClient

Structured: TypeAlias = Literal["native", "tool", "prompted"]

_TALKATIVE = ("openai", "anthropic", "google_genai", "httpx2", "httpcore2")
_FINISHES = {"length": Finish.LENGTH, "content_filter": Finish.REFUSED}
_SHARED = 16  # so many characters in a row that were sent too are taken for contract text
_TRANSIENT = frozenset({408, 425, 429})  # statuses below 500 that another attempt may mend
_LATER = "Run the same command later, or lower concurrency under [llm]."
_SERVER = "Check that the server runs, and url under [llm]; then run the same command again."
_KEY = "Check key under [llm], or FOURCORNERS_LLM_KEY in the environment."
_MODEL = "Check model and url under [llm]: is the model there, and the URL up to /v1?"
_LONG = "Name a model that reads more for this role, or send less at once."
_QUOTA = "Raise the quota or the credit there."
_SETTINGS = "Check model, max_tokens, temperature and structured under [llm]."
_PROTOCOL = "Check that url under [llm] is that of the API that model names."

# What the libraries raise, and stumble over where a server sends garbage.
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


def open_model(provider: str, model: str, url: str, key: str, client: HttpClient) -> Model:
    """Return pydantic-ai's model of a provider; any other name is a server of OpenAI's protocol."""
    from pydantic_ai.models import infer_model
    from pydantic_ai.providers import infer_provider_class

    if provider not in {"openai", "anthropic", "google", "azure"}:
        return _open_compatible_model(model, url, key, client)
    name = "openai-chat" if provider == "openai" else provider
    where: dict[str, str | None] = {"base_url": url}
    if provider == "anthropic":  # its library adds the version itself
        where = {"base_url": url.rstrip("/").removesuffix("/v1")}
    elif provider == "azure":
        parts = urlsplit(url)
        endpoint = urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))
        version = parse_qs(parts.query).get("api-version", [None])[0]
        where = {"azure_endpoint": endpoint, "api_version": version}
    make: Callable[..., Provider[object]] = infer_provider_class(name)
    opened = make(**where, api_key=key, http_client=client)
    return infer_model(f"{name}:{model}", lambda _: opened)


def _open_compatible_model(model: str, url: str, key: str, client: HttpClient) -> Model:
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles import merge_profile
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    server = OpenAICompatibleProvider(
        "openai-compatible", base_url=url, api_key=key or None, http_client=client
    )
    # Ollama and older servers know only the older of the two names of the limit.
    older = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)
    profile = merge_profile(server.model_profile(model), older)
    return OpenAIChatModel(model, provider=server, profile=profile)


class ProviderModel(LanguageModel):
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
        client: HttpClient,
        timeout: float,
        structured: Structured | None = None,
        secret: str = "",
        is_list_price: bool = False,
    ) -> None:
        self._model = model
        self._name = name
        self._client = client
        self._timeout = timeout
        self._secret = secret
        self._is_list_price = is_list_price
        native = bool(model.profile.get("supports_json_schema_output", False))
        self._structured: Structured = structured or ("native" if native else "tool")
        for each in _TALKATIVE:  # at their finest level they log what is sent
            logging.getLogger(each).setLevel(logging.WARNING)
        # Models that always think first know no temperature: the library leaves it out.
        warnings.filterwarnings("ignore", "Sampling parameters", UserWarning)

    async def send(self, request: Request, on_piece: OnPiece | None = None) -> Response:
        from pydantic_ai import direct
        from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta

        messages, settings = _messages(request.messages), self._settings(request)
        form = self._parameters(request)
        try:
            if on_piece is None:
                answer = await direct.model_request(
                    self._model,
                    messages,
                    model_settings=settings,
                    model_request_parameters=form,
                    instrument=False,
                )
                return self._response(answer, request)
            async with direct.model_request_stream(
                self._model,
                messages,
                model_settings=settings,
                model_request_parameters=form,
                instrument=False,
            ) as stream:
                async for event in stream:
                    match event:
                        case (
                            PartStartEvent(part=TextPart(content=piece))
                            | PartDeltaEvent(delta=TextPartDelta(content_delta=piece))
                        ) if piece:
                            on_piece(piece)
                return self._response(stream.get(), request)
        except _UNFORESEEN as error:
            raise _attempt_error(error, self._name, request, self._secret) from None

    async def close(self) -> None:
        await self._client.aclose()

    def _settings(self, request: Request) -> ModelSettings:
        options = request.options
        found: ModelSettings = {
            "max_tokens": options.max_tokens,
            "timeout": self._timeout,
            "max_retries": 0,  # the port tries again, and writes each attempt down
        }
        if options.temperature is not None:
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
                name="answer",
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

    def _response(self, answer: ModelResponse, request: Request) -> Response:
        from pydantic_ai.messages import TextPart, ToolCallPart

        text = "".join(part.content for part in answer.parts if isinstance(part, TextPart))
        calls = [part for part in answer.parts if isinstance(part, ToolCallPart)]
        if request.shape is not None and calls:
            text = calls[-1].args_as_json_str()
        usage = answer.usage
        is_measured = not usage.unmeasured_requests and usage.input_tokens > 0
        estimated = len(text.encode("utf-8", "replace")) // 4
        has_cost = self._is_list_price and isinstance(usage.cost, Decimal)
        return Response(
            text=text,
            model=answer.model_name or "",
            tokens_in=usage.input_tokens if is_measured else request.size // 4,
            tokens_out=usage.output_tokens if is_measured else estimated,
            measured=is_measured,
            finish=_FINISHES.get(answer.finish_reason or "", Finish.STOP),
            cost=float(usage.cost or 0) if has_cost else None,
        )


def _messages(messages: tuple[Message, ...]) -> list[ModelMessage]:
    from pydantic_ai.messages import (
        ModelRequest,
        ModelResponse,
        SystemPromptPart,
        TextPart,
        UserPromptPart,
    )

    parts = {Speaker.SYSTEM: SystemPromptPart, Speaker.USER: UserPromptPart}
    found: list[ModelMessage] = []
    for is_answer, turn in groupby(messages, lambda each: each.speaker is Speaker.ASSISTANT):
        if is_answer:
            found.append(ModelResponse([TextPart(each.text) for each in turn]))
        else:
            found.append(ModelRequest([parts[each.speaker](each.text) for each in turn]))
    return found


def _attempt_error(error: Exception, name: str, request: Request, secret: str) -> AttemptError:
    """Return what an error of a library means for the attempt."""
    from pydantic_ai import exceptions as known

    if ours := next((each for each in _causes(error) if isinstance(each, CallError)), None):
        refused = LlmUnreachable(f"{name}: {ours.message}", remedy=_PROTOCOL)
        return AttemptError(refused, sent=True)
    if isinstance(error, known.ModelAPIError):
        return _api_error(error, name, request, secret)
    if isinstance(error, known.ContentFilterError):
        held = LlmRefused(
            f"{name}: the provider's filter held the answer back.",
            remedy="Ask otherwise, or name another model for this role.",
        )
        return AttemptError(held, sent=True)
    if isinstance(error, known.UserError):
        reason = _safe(str(error), request, secret)
        return AttemptError(LlmRejected(f"{name}: {reason}", remedy=_MODEL))
    known_kind = isinstance(error, known.UnexpectedModelBehavior)
    kind = "" if known_kind else f" ({type(error).__name__})"
    strange = LlmUnreachable(f"{name}: the answer is not of the protocol{kind}.", remedy=_PROTOCOL)
    return AttemptError(strange, may_pass=True, sent=True)


def _api_error(error: ModelAPIError, name: str, request: Request, secret: str) -> AttemptError:
    """Return what went wrong between here and the model, or what its server answered instead."""
    from pydantic_ai import exceptions as known

    if isinstance(error, known.ModelTimeoutError | known.ModelRequestTimeout):
        late = LlmTimedOut(f"{name}: no answer in time.", remedy="Raise timeout under [llm].")
        return AttemptError(late, may_pass=True, sent=True, silent=True)
    if isinstance(error, known.ModelConnectionError):
        if any("CERTIFICATE_VERIFY_FAILED" in str(each)[:500] for each in _causes(error)):
            broken = LlmUnreachable(
                f"{name}: its certificate is not trusted.",
                remedy="Say where your certificates are: SSL_CERT_FILE in the environment.",
            )
            return AttemptError(broken)
        unreached = error.phase in {"pool", "connect"}
        why = "no connection" if unreached else "the connection broke off"
        lost = LlmUnreachable(f"{name}: {why}.", remedy=_SERVER)
        return AttemptError(lost, may_pass=True, sent=not unreached, silent=True)
    status = error.status_code if isinstance(error, known.ModelHTTPError) else 0
    message = f"{name}: {f'the server answered {status}' if status else 'the server refused'}"
    words = "" if status in {401, 403} else _safe(server_words(error.body), request, secret)
    message += f": {words}" if words else ""
    meanings: tuple[tuple[type[ModelAPIError], type[LlmError], str], ...] = (
        (known.ModelQuotaExceededError, LlmRejected, _QUOTA),
        (known.ModelRateLimitError, LlmUnreachable, _LATER),
        (known.ModelUnavailableError, LlmUnreachable, _SERVER),
        (known.ModelServerError, LlmUnreachable, _SERVER),
        (known.ModelAuthenticationError, LlmRejected, _KEY),
        (known.ModelNotFoundError, LlmRejected, _MODEL),
        (known.ModelContextWindowExceededError, LlmRejected, _LONG),
    )
    is_transient = status >= 500 or status in _TRANSIENT
    other = (LlmUnreachable, _SERVER) if is_transient else (LlmRejected, _SETTINGS)
    found = next(
        ((kind, do) for category, kind, do in meanings if isinstance(error, category)), other
    )
    kind, remedy = found
    meant = kind(
        message if message.endswith((".", "!", "?", "…")) else f"{message}.", remedy=remedy
    )
    wait = max(0.0, error.retry_after or 0.0)
    return AttemptError(meant, may_pass=kind is LlmUnreachable, wait=wait)


def _safe(words: str, request: Request, secret: str) -> str:
    """Return words for one line; none if they hold the key or a run of what was sent."""
    line = " ".join(words.split())
    sent = [" ".join(message.text.split()).casefold() for message in request.messages]
    folded = line.casefold()
    runs = (folded[at : at + _SHARED] for at in range(len(folded) - _SHARED + 1))
    if (secret and secret in line) or any(run in text for run in runs for text in sent):
        return ""
    return plain_text(re.sub(r"\b(sk|key|pk)-[\w*.-]{4,}", "…", line))


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
