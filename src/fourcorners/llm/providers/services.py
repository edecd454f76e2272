"""The services that serve models, by the name that stands before the colon of `PROVIDER:MODEL`.

A new one is a function that opens a model of pydantic-ai, and an entry in `SERVICES`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit, urlunsplit

if TYPE_CHECKING:
    from pydantic_ai.models import Model

    from fourcorners.net import HttpClient

COMPATIBLE = "compatible"
"""Any server of the OpenAI protocol, by its address alone."""


@dataclass(frozen=True, slots=True)
class ModelService:
    """A service that serves models.

    Attributes:
        open_model: From the model's name, the service's address, a key and a client.
        url: Its address; empty if only the user can say it.
        key_variable: The environment variable that usually holds its key; empty if it wants none.
        has_list_price: Whether there is a public list of what its models cost.
        example_url: What an address looks like that only the user can say.
    """

    open_model: Callable[[str, str, str, HttpClient], Model]
    url: str = ""
    key_variable: str = ""
    has_list_price: bool = False
    example_url: str = ""


def _openai(model: str, url: str, key: str, client: HttpClient) -> Model:
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    provider = OpenAIProvider(base_url=url, api_key=key, http_client=client)
    return OpenAIChatModel(model, provider=provider)


def _anthropic(model: str, url: str, key: str, client: HttpClient) -> Model:
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    root = url.rstrip("/").removesuffix("/v1")  # its library adds the version itself
    provider = AnthropicProvider(api_key=key, base_url=root, http_client=client)
    return AnthropicModel(model, provider=provider)


def _google(model: str, url: str, key: str, client: HttpClient) -> Model:
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    provider = GoogleProvider(api_key=key, base_url=url, http_client=client)
    return GoogleModel(model, provider=provider)


def _azure(model: str, url: str, key: str, client: HttpClient) -> Model:
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.azure import AzureProvider

    parts = urlsplit(url)
    version = parse_qs(parts.query).get("api-version", [None])[0]
    endpoint = urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))
    provider = AzureProvider(
        azure_endpoint=endpoint, api_version=version, api_key=key, http_client=client
    )
    return OpenAIChatModel(model, provider=provider)


def _compatible(model: str, url: str, key: str, client: HttpClient) -> Model:
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles import merge_profile
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    provider = OpenAICompatibleProvider(
        "openai-compatible", base_url=url, api_key=key or None, http_client=client
    )
    # Ollama and older servers know only the older of the two names of the limit.
    older = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)
    profile = merge_profile(provider.model_profile(model), older)
    return OpenAIChatModel(model, provider=provider, profile=profile)


SERVICES: Mapping[str, ModelService] = {
    "openai": ModelService(_openai, "https://api.openai.com/v1", "OPENAI_API_KEY", True),
    "anthropic": ModelService(
        _anthropic, "https://api.anthropic.com", "ANTHROPIC_API_KEY", has_list_price=True
    ),
    "google": ModelService(
        _google, "https://generativelanguage.googleapis.com", "GOOGLE_API_KEY", has_list_price=True
    ),
    "azure": ModelService(
        _azure,
        key_variable="AZURE_OPENAI_API_KEY",
        has_list_price=True,
        example_url="https://NAME.openai.azure.com/openai/v1",
    ),
    "ollama": ModelService(_compatible, "http://localhost:11434/v1"),
    COMPATIBLE: ModelService(_compatible, example_url="http://localhost:8000/v1"),
}
