"""`ProviderModel`: a real model, through pydantic-ai and the client that `net` makes.

Whatever a provider's library raises becomes a `Trouble` with an error of the tree.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Literal, TypeAlias

from fourcorners.llm.exchange import Finish, Message, Pieces, Request, Response, Speaker
from fourcorners.llm.providers.failures import provider_errors

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

    from fourcorners.net import HttpClient

Structured: TypeAlias = Literal["native", "tool", "prompted"]

_TALKATIVE = ("openai", "anthropic", "google_genai", "httpx2", "httpcore2")
_TOOL = "answer"
_FINISHES = {"length": Finish.LENGTH, "content_filter": Finish.REFUSED}


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
            Trouble: If none came.
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
            Trouble: If none came, or it broke off.
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
