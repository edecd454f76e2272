"""From the settings to a `Port`: which service, which model, which key, a model a role.

A new service is an entry in `SERVICES`, and in `provider.open_model` how it is opened.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

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
from fourcorners.llm.local import LOCAL_PORT, local_url
from fourcorners.llm.offline import Recorder, Replay
from fourcorners.llm.port.port import Port
from fourcorners.llm.provider import ProviderModel, open_model
from fourcorners.net import http_client, is_loopback, redact_url, require_url

if TYPE_CHECKING:
    from fourcorners.settings import LlmRoleSettings, LlmSettings

MOST_BYTES = 32 << 20  # of one answer, which has some thousand words
SILENT_AFTER = 5  # attempts in a row without an answer; then the server gets a pause
SILENT_FOR = 30.0  # seconds of that pause
COMPATIBLE = "compatible"
"""Any server that speaks the OpenAI protocol, by its address alone."""


@dataclass(frozen=True, slots=True)
class ModelService:
    """A service that serves models.

    Attributes:
        url: Its address; empty if only the user can say it.
        key_variable: The environment variable that usually holds its key; empty if it wants none.
        has_list_price: Whether there is a public list of what its models cost.
        example_url: What an address looks like that only the user can say.
    """

    url: str = ""
    key_variable: str = ""
    has_list_price: bool = False
    example_url: str = ""


SERVICES: Mapping[str, ModelService] = {
    "openai": ModelService("https://api.openai.com/v1", "OPENAI_API_KEY", True),
    "anthropic": ModelService("https://api.anthropic.com", "ANTHROPIC_API_KEY", True),
    "google": ModelService(
        "https://generativelanguage.googleapis.com", "GOOGLE_API_KEY", has_list_price=True
    ),
    "azure": ModelService(
        key_variable="AZURE_OPENAI_API_KEY",
        has_list_price=True,
        example_url="https://NAME.openai.azure.com/openai/v1",
    ),
    "ollama": ModelService("http://localhost:11434/v1"),
    "local": ModelService(local_url(LOCAL_PORT)),
    COMPATIBLE: ModelService(example_url="http://localhost:8000/v1"),
}


@dataclass(frozen=True, slots=True)
class RolePlan:
    """The model that the settings name for a role; nothing is opened yet.

    Attributes:
        key: The secret itself; empty if the server wants none.
        key_from: Where the key was found, to be shown.
    """

    provider: str
    model: str
    url: str
    key: str
    key_from: str
    settings: LlmSettings = field(hash=False)

    def __repr__(self) -> str:
        return f"RolePlan({self.name!r}, {redact_url(self.url)!r})"

    @property
    def name(self) -> str:
        return f"{self.provider}:{self.model}"

    @property
    def has_list_price(self) -> bool:
        """Tell whether the provider's list says what calls cost, and nobody else."""
        is_priced = self.settings.price_in is not None or self.settings.price_out is not None
        has_list = SERVICES[self.provider].has_list_price
        return has_list and not is_priced and not is_loopback(self.url)

    def price(self) -> Price | None:
        """Return what tokens cost: as said, else nothing on this machine, else by the list."""
        price_in, price_out = self.settings.price_in, self.settings.price_out
        if price_in is not None or price_out is not None or is_loopback(self.url):
            return fixed_price(price_in or 0.0, price_out or 0.0)
        return known_price(self.provider, self.model) if self.has_list_price else None


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
    replay = Replay(settings.replay) if settings.replay is not None else None
    paces: dict[object, RateLimiter] = {}
    breakers: dict[str, CircuitBreaker] = {}
    opened: dict[RolePlan, RoleModel] = {}
    planned = role_plans(settings)
    for plan in dict.fromkeys(planned.values()):
        own = plan.settings
        limits = (own.concurrency, own.requests_per_minute, own.tokens_per_minute)
        # What the provider counts together: roles that share it share their pace.
        shared = (plan.name, plan.url, plan.key, limits)
        opened[plan] = RoleModel(
            name=plan.name,
            model=replay or _open_model(plan),
            rate_limiter=paces.setdefault(shared, RateLimiter(*(limits[:1] if replay else limits))),
            options=Options(own.temperature, own.seed, own.max_tokens),
            timeout=own.timeout,
            attempts=own.attempts,
            price=plan.price(),
            endpoint=redact_url(plan.url),
            breaker=breakers.setdefault(plan.url, CircuitBreaker(SILENT_AFTER, SILENT_FOR)),
            context=own.context,
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


def _open_model(plan: RolePlan) -> LanguageModel:
    try:
        client = http_client(plan.url, timeout=plan.settings.timeout, most_bytes=MOST_BYTES)
        model = open_model(plan.provider, plan.model, plan.url, plan.key, client)
    except ImportError:
        raise ConfigError(
            f"the client for {plan.provider} is not installed.",
            remedy="Install it: pip install 'fourcorners[llm]'.",
        ) from None
    opened = ProviderModel(
        model,
        name=plan.name,
        client=client,
        timeout=plan.settings.timeout,
        structured=plan.settings.structured,
        secret=plan.key,
        is_list_price=plan.has_list_price,
    )
    record = plan.settings.record
    return opened if record is None else Recorder(opened, record)


def role_plans(settings: LlmSettings) -> dict[Role, RolePlan]:
    """Return what is configured for each role; a role without a model is left out.

    Raises:
        ConfigError: If a model is named and something that it needs is missing.
    """
    plans = {role: _plan(settings, role) for role in Role}
    return {role: plan for role, plan in plans.items() if plan is not None}


def is_configured(settings: LlmSettings) -> bool:
    """Tell whether a model is named for any role; nothing is imported or opened."""
    return bool(settings.model or settings.url) or any(
        own.model for each in Role if (own := settings.roles.get(each.value))
    )


def _plan(settings: LlmSettings, role: Role) -> RolePlan | None:
    from fourcorners.settings import LlmRoleSettings

    section = f"llm.roles.{role.value}"
    own = settings.roles.get(role.value) or LlmRoleSettings()
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
            remedy=f"Set model under [{where}] to the server's name for it.",
        )
    if not provider and not url:
        raise ConfigError(
            f"the model {own.model or settings.model!r} of {where} names no known provider.",
            remedy=f"Write PROVIDER:MODEL ({', '.join(_configured_names())}), or set url to the "
            "address of an OpenAI-compatible server.",
        )
    kind = provider or COMPATIBLE
    if kind == "openai" and url and url.rstrip("/") != SERVICES["openai"].url:
        kind = COMPATIBLE
    service = SERVICES[kind]
    address = url or service.url
    if not address:
        raise ConfigError(
            f"{where} names {kind.capitalize()} without a URL.",
            remedy=f"Set url, such as {service.example_url}.",
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
    """Return provider and model; the words before a colon may also be part of a name."""
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
