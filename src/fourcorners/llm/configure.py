"""From the settings to a `Port`: which service, which model, which key, a model a role.

A new service is a function that opens a model of pydantic-ai, and an entry in `SERVICES`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit, urlunsplit

from fourcorners.errors import ConfigError
from fourcorners.llm.exchange import LanguageModel, Options, Role
from fourcorners.llm.ledger import Budget, Cache, Ledger, MemoryCache
from fourcorners.llm.limits import (
    CircuitBreaker,
    Price,
    RateLimiter,
    RoleModel,
    fixed_price,
    known_price,
)
from fourcorners.llm.offline import Recorder, Replay
from fourcorners.llm.port.port import Port
from fourcorners.net import http_client, is_loopback, redact_url, require_url

if TYPE_CHECKING:
    from pydantic_ai.models import Model

    from fourcorners.net import HttpClient
    from fourcorners.settings import LlmRoleSettings, LlmSettings

MOST_BYTES = 32 << 20  # of one answer, which has some thousand words
_NEEDED = ("pydantic_ai", "httpx2", "openai")
_INSTALL = "Install it: pip install 'fourcorners[llm]'."


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


@dataclass(frozen=True, slots=True)
class RolePlan:
    """What one role's settings come to; nothing is opened yet.

    Attributes:
        key: The secret itself; empty if the server wants none.
        key_from: Where the key was found, to be shown.
    """

    provider: str
    model: str
    url: str
    key: str
    key_from: str
    settings: LlmSettings

    def __repr__(self) -> str:
        return f"RolePlan({self.name!r}, {redact_url(self.url)!r})"

    @property
    def name(self) -> str:
        return f"{self.provider}:{self.model}"

    @property
    def limits(self) -> tuple[object, ...]:
        """Return what the provider counts together: roles that share it share their pace."""
        plan_settings = self.settings
        rates = (
            plan_settings.concurrency,
            plan_settings.requests_per_minute,
            plan_settings.tokens_per_minute,
        )
        return (self.name, self.url, self.key, rates)


def open_port(
    settings: LlmSettings,
    *,
    cache: Cache | None = None,
    ledger: Ledger | None = None,
    job: str = "",
    budget: Budget | None = None,
) -> Port:
    """Return the port that the settings describe; nothing is sent before it is asked.

    Answers are kept in `cache`; in memory by default, and not at all if the settings say so. A
    `budget` takes the place of the settings' own.

    Raises:
        ConfigError: If the settings are not enough, or what speaks with models is not installed.
    """
    planned = role_plans(settings)
    if planned and settings.replay is None:
        for name in _NEEDED:
            if find_spec(name) is None:
                raise ConfigError(
                    "what speaks with language models is not installed.", remedy=_INSTALL
                )
    paces: dict[object, RateLimiter] = {}
    breakers: dict[str, CircuitBreaker] = {}
    opened: dict[RolePlan, RoleModel] = {}
    replay = Replay(settings.replay) if settings.replay is not None else None
    for plan in planned.values():
        if plan in opened:
            continue
        plan_settings = plan.settings
        if replay is None:
            rates = (plan_settings.requests_per_minute, plan_settings.tokens_per_minute)
        else:
            rates = (None, None)
        model: LanguageModel = replay or _open_model(plan)
        opened[plan] = RoleModel(
            name=plan.name,
            model=Recorder(model, settings.record) if settings.record and not replay else model,
            rate_limiter=paces.setdefault(
                plan.limits, RateLimiter(plan_settings.concurrency, *rates)
            ),
            options=Options(
                plan_settings.temperature, plan_settings.seed, plan_settings.max_tokens
            ),
            timeout=plan_settings.timeout,
            attempts=plan_settings.attempts,
            price=_price(plan),
            endpoint=redact_url(plan.url),
            breaker=breakers.setdefault(
                plan.url, CircuitBreaker(settings.silent_after, settings.silent_for)
            ),
        )
    # A recording must hold every exchange, and a replay must come from it.
    is_cached = settings.cache and settings.record is None and settings.replay is None
    return Port(
        {role: opened[plan] for role, plan in planned.items()},
        cache=(MemoryCache() if cache is None else cache) if is_cached else None,
        ledger=ledger,
        job=job,
        budget=Budget(settings.budget, settings.budget_tokens) if budget is None else budget,
        prompts=settings.prompts,
    )


def role_plans(settings: LlmSettings) -> dict[Role, RolePlan]:
    """Return what is configured for each role; a role without a model is left out.

    Raises:
        ConfigError: If a model is named and something that it needs is missing.
    """
    plans = {
        role: _plan(settings, getattr(settings.roles, role.value), f"llm.roles.{role.value}")
        for role in Role
    }
    return {role: plan for role, plan in plans.items() if plan is not None}


def is_configured(settings: LlmSettings, role: Role | None = None) -> bool:
    """Tell whether a model is named for a role, or for any; nothing is imported or opened."""
    roles = Role if role is None else (role,)
    return any(
        getattr(settings.roles, each.value).model or settings.model or settings.url
        for each in roles
    )


def _plan(settings: LlmSettings, own: LlmRoleSettings, section: str) -> RolePlan | None:
    if not (own.model or own.url or settings.model or settings.url):
        return None
    base, _ = _split(settings.model)
    provider, model = _split(own.model or settings.model)
    is_elsewhere = bool(own.url) or bool(own.model and provider and provider != base)
    url = own.url if is_elsewhere else (own.url or settings.url)
    secret = own.key.get_secret_value().strip()
    if not secret and not is_elsewhere:
        secret = settings.key.get_secret_value().strip()
    where = "llm" if not own.model and not own.url else section
    if not model:
        raise ConfigError(
            f"{where} names a server and no model.",
            remedy=f"Say model under [{where}], as the server names it.",
        )
    if not provider and not url:
        raise ConfigError(
            f"the model {own.model or settings.model!r} of {where} names no known provider.",
            remedy=f"Write PROVIDER:MODEL ({', '.join(_configured_names())}), or say url, that of "
            "an OpenAI-compatible server.",
        )
    kind = provider or COMPATIBLE
    if kind == "openai" and url and url.rstrip("/") != SERVICES["openai"].url:
        kind = COMPATIBLE
    service = SERVICES[kind]
    address = url or service.url
    if not address:
        raise ConfigError(
            f"{where} names {kind.capitalize()}, and not where.",
            remedy=f"Say url, such as {service.example_url}.",
        )
    require_url(address)
    key_from = "settings" if secret else ""
    variable = service.key_variable
    if not secret and variable and (not url or not service.url):
        secret = os.environ.get(variable, "").strip()
        key_from = variable if secret else ""
    if not secret and variable:
        usual = "" if url and service.url else f", or {variable}"
        raise ConfigError(
            f"{kind}:{model} of {where} needs a key.",
            remedy=f"Set FOURCORNERS_LLM_KEY in the environment{usual}.",
        )
    merged = _merge_settings(settings, own, is_other=is_elsewhere or bool(own.model))
    return RolePlan(kind, model, address, secret, key_from, merged)


def _configured_names() -> list[str]:
    return [name for name in SERVICES if name != COMPATIBLE]


def _split(name: str) -> tuple[str | None, str]:
    """Return provider and model: what stands before a colon may also be part of a name."""
    head, colon, rest = name.strip().partition(":")
    if colon and head.lower() in _configured_names():
        return head.lower(), rest.strip()
    return None, name.strip()


def _merge_settings(settings: LlmSettings, own: LlmRoleSettings, *, is_other: bool) -> LlmSettings:
    """Return the settings of `[llm]` with the role's own where it says any; without the key."""
    from pydantic import SecretStr

    given = own.model_dump(exclude={"key"}, exclude_none=True)
    if is_other:
        given = dict.fromkeys(("price_in", "price_out", "structured")) | given
    return settings.model_copy(update={**given, "key": SecretStr("")})


def _has_list_price(plan: RolePlan) -> bool:
    """Tell whether the provider's list says what calls cost, and nobody else."""
    prices = plan.settings
    has_prices = prices.price_in is not None or prices.price_out is not None
    has_list = SERVICES[plan.provider].has_list_price
    return has_list and not has_prices and not is_loopback(plan.url)


def _price(plan: RolePlan) -> Price | None:
    """Return what tokens cost: as said, else nothing on this machine, else by the list."""
    limits = plan.settings
    if limits.price_in is None and limits.price_out is None and not is_loopback(plan.url):
        return known_price(plan.provider, plan.model) if _has_list_price(plan) else None
    return fixed_price(limits.price_in or 0.0, limits.price_out or 0.0)


def _open_model(plan: RolePlan) -> LanguageModel:
    try:
        from fourcorners.llm.provider import ProviderModel

        client = http_client(plan.url, timeout=plan.settings.timeout, most_bytes=MOST_BYTES)
        model = SERVICES[plan.provider].open_model(plan.model, plan.url, plan.key, client)
    except ImportError:
        raise ConfigError(
            f"what speaks with {plan.provider} is not installed.", remedy=_INSTALL
        ) from None
    return ProviderModel(
        model,
        name=plan.name,
        client=client,
        structured=plan.settings.structured,
        secret=plan.key,
        is_list_price=_has_list_price(plan),
    )
