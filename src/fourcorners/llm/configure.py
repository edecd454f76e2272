"""From the settings to a `Port`: which provider, which model, which key, a voice a role."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fourcorners.errors import ConfigError
from fourcorners.llm.cache import Cache, MemoryCache
from fourcorners.llm.exchange import LanguageModel, Options, Role
from fourcorners.llm.ledger import Budget, Ledger
from fourcorners.llm.limits.circuit_breaker import CircuitBreaker
from fourcorners.llm.limits.rate_limiter import RateLimiter
from fourcorners.llm.port.port import Port
from fourcorners.llm.port.role_model import Price, RoleModel, fixed_price, known_price
from fourcorners.llm.providers.record import Recorder, RecordFile, Replay
from fourcorners.llm.providers.services import COMPATIBLE, SERVICES
from fourcorners.net import http_client, is_loopback, redact_url, require_url

if TYPE_CHECKING:
    from fourcorners.settings import LlmRoleSettings, LlmSettings

MOST_BYTES = 32 << 20  # of one answer, which has some thousand words
_NEEDED = ("pydantic_ai", "httpx2", "openai")
_INSTALL = "Install it: pip install 'fourcorners[llm]'."


@dataclass(frozen=True, slots=True)
class RolePlan:
    """What one role's settings come to; nothing is opened yet.

    Attributes:
        model: As the server names it.
        key: The secret itself; empty if the server wants none.
        key_from: Where the key was found, to be shown.
    """

    provider: str
    model: str
    url: str
    key: str
    key_from: str
    settings: LlmRoleSettings

    def __repr__(self) -> str:
        return f"Plan({self.name!r}, {redact_url(self.url)!r})"

    @property
    def name(self) -> str:
        return f"{self.provider}:{self.model}"

    @property
    def limits(self) -> tuple[object, ...]:
        """Return what the provider counts together: roles that share it share their pace."""
        said = self.settings
        rates = (said.concurrency, said.requests_per_minute, said.tokens_per_minute)
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

    Args:
        settings: The section `[llm]`.
        cache: Where answers are kept; in memory by default, and not at all if the settings say so.
        ledger: Where calls are written down; in memory by default.
        job: What calls are charged to.
        budget: In place of the settings' own.

    Raises:
        ConfigError: If the settings are not enough, or what speaks with models is not installed.
    """
    planned = role_plans(settings)
    if planned and settings.replay is None:
        _require_installed()
    paces: dict[object, RateLimiter] = {}
    breakers: dict[str, CircuitBreaker] = {}
    voices: dict[Role, RoleModel] = {}
    opened: dict[RolePlan, RoleModel] = {}
    replay = Replay(settings.replay) if settings.replay is not None else None
    recorded = RecordFile(settings.record) if settings.record and not replay else None
    for role, plan in planned.items():
        if plan not in opened:
            pace = paces.setdefault(plan.limits, _pace(plan, settings, replay is not None))
            breaker = breakers.setdefault(
                plan.url, CircuitBreaker(settings.silent_after, settings.silent_for)
            )
            opened[plan] = _voice(plan, settings, pace, breaker, replay, recorded)
        voices[role] = opened[plan]
    # A recording must hold every exchange, and a replay must come from it.
    is_kept = settings.cache and settings.record is None and settings.replay is None
    kept = (MemoryCache() if cache is None else cache) if is_kept else None
    limit = Budget(settings.budget, settings.budget_tokens) if budget is None else budget
    return Port(voices, cache=kept, ledger=ledger, job=job, budget=limit, prompts=settings.prompts)


def role_plans(settings: LlmSettings) -> dict[Role, RolePlan]:
    """Return what is configured for each role; a role without a model is left out.

    Raises:
        ConfigError: If a model is named and something that it needs is missing.
    """
    found = {}
    for role in Role:
        own: LlmRoleSettings = getattr(settings.roles, role.value)
        if plan := _plan(settings, own, f"llm.roles.{role.value}"):
            found[role] = plan
    return found


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
            f"the model {own.model or settings.model!r} of {where} names no provider.",
            remedy=f"Write PROVIDER:MODEL ({', '.join(_named())}), or say url, that of an "
            "OpenAI-compatible server.",
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
    merged = _merged(settings, own, is_other=is_elsewhere or bool(own.model))
    return RolePlan(kind, model, address, secret, key_from, merged)


def _named() -> list[str]:
    return [name for name in SERVICES if name != COMPATIBLE]


def _split(name: str) -> tuple[str | None, str]:
    """Return provider and model: what stands before a colon may also be part of a name."""
    head, colon, rest = name.strip().partition(":")
    if colon and head.lower() in _named():
        return head.lower(), rest.strip()
    return None, name.strip()


def _merged(settings: LlmSettings, own: LlmRoleSettings, *, is_other: bool) -> LlmRoleSettings:
    """Return the role's settings with those of `[llm]` where it says nothing."""
    from pydantic import SecretStr

    taken: dict[str, object] = {}
    for name in type(own).model_fields:
        if name in {"model", "url", "key"}:
            continue
        value = getattr(own, name)
        inherits = not (is_other and name in {"price_in", "price_out", "structured"})
        taken[name] = getattr(settings, name) if value is None and inherits else value
    return own.model_copy(update={**taken, "key": SecretStr("")})


def _pace(plan: RolePlan, settings: LlmSettings, is_replayed: bool) -> RateLimiter:
    said = plan.settings
    return RateLimiter(
        concurrency=said.concurrency or settings.concurrency,
        requests=None if is_replayed else said.requests_per_minute,
        tokens=None if is_replayed else said.tokens_per_minute,
    )


def _voice(
    plan: RolePlan,
    settings: LlmSettings,
    pace: RateLimiter,
    breaker: CircuitBreaker,
    replay: Replay | None,
    recorded: RecordFile | None,
) -> RoleModel:
    said = plan.settings
    model: LanguageModel
    if replay is not None:
        model = replay
    else:
        model = _model(plan)
        if recorded is not None:
            model = Recorder(model, recorded)
    return RoleModel(
        name=plan.name,
        model=model,
        rate_limiter=pace,
        options=Options(said.temperature, said.seed, said.max_tokens or settings.max_tokens),
        timeout=said.timeout or settings.timeout,
        attempts=said.attempts or settings.attempts,
        price=_price(plan),
        endpoint=redact_url(plan.url),
        breaker=breaker,
    )


def _price(plan: RolePlan) -> Price | None:
    """Return what tokens cost: as said, else nothing on this machine, else by the list."""
    said = plan.settings
    if said.price_in is not None or said.price_out is not None:
        return fixed_price(said.price_in or 0.0, said.price_out or 0.0)
    if is_loopback(plan.url):
        return fixed_price(0.0, 0.0)
    return known_price(plan.provider, plan.model) if _has_list_price(plan) else None


def _has_list_price(plan: RolePlan) -> bool:
    """Tell whether the provider's list says what calls cost, and nobody else."""
    said = plan.settings
    return (
        SERVICES[plan.provider].has_list_price
        and said.price_in is None
        and said.price_out is None
        and not is_loopback(plan.url)
    )


def _require_installed() -> None:
    from importlib.util import find_spec

    for name in _NEEDED:
        if find_spec(name) is None:
            raise ConfigError("what speaks with language models is not installed.", remedy=_INSTALL)


def _model(plan: RolePlan) -> LanguageModel:
    try:
        from fourcorners.llm.providers.pydantic_ai import ProviderModel

        timeout = plan.settings.timeout or 120.0
        client = http_client(plan.url, timeout=timeout, most_bytes=MOST_BYTES)
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
