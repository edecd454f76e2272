"""The keys that a provider signs with: read strictly, and read again when it has changed them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from joserfc.errors import JoseError
from joserfc.jwk import ECKey, RSAKey

KEY_TYPES = {"RS256": "RSA", "ES256": "EC"}
"""The signatures that count, each with the kind of its keys; `none` and shared secrets never do."""
_MEMBERS = {"RSA": ("n", "e"), "EC": ("crv", "x", "y")}  # of a public key
_SHORTEST = 2048  # bits of RSA
_MOST = 100  # keys
_PAUSE = 30.0  # seconds in which keys that were just read are not read again


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A public key; `id` is empty where the provider gives it none."""

    id: str
    alg: str
    key: RSAKey | ECKey


class KeySet:
    """The keys of a provider.

    Args:
        read: Asks the provider for its key set.
        clock: Seconds that never go back.
    """

    def __init__(
        self, read: Callable[[], Mapping[str, object]], clock: Callable[[], float]
    ) -> None:
        self._read, self._clock = read, clock
        self._lock = threading.Lock()
        self._known: tuple[SigningKey, ...] = ()
        self._at: float | None = None

    def find(self, alg: str, identifier: str) -> SigningKey | None:
        """Return the key that a token names, or the one there is if it names none.

        A key that is not known is looked for again at the provider, which may have a new one.

        Raises:
            ProviderDown: If the provider had to be asked, and did not answer.
        """
        with self._lock:
            found = self._chosen(alg, identifier)
            if found is None and (self._at is None or self._clock() - self._at >= _PAUSE):
                self._known = parse_signing_keys(self._read())
                self._at = self._clock()
                found = self._chosen(alg, identifier)
            return found

    def _chosen(self, alg: str, identifier: str) -> SigningKey | None:
        fitting = [each for each in self._known if each.alg == alg and identifier in ("", each.id)]
        return fitting[0] if len(fitting) == 1 else None


def parse_signing_keys(key_set: Mapping[str, object]) -> tuple[SigningKey, ...]:
    """Return the keys of a set that may have signed a token; others are passed over."""
    listed = key_set.get("keys")
    found = []
    for each in listed[:_MOST] if isinstance(listed, list) else ():
        if isinstance(each, dict):
            with suppress(JoseError, ValueError, TypeError, KeyError):
                found += _usable(each)
    return tuple(found)


def _usable(held: Mapping[str, object]) -> list[SigningKey]:
    kind, identifier = held.get("kty"), held.get("kid", "")
    alg = next((alg for alg, wanted in KEY_TYPES.items() if wanted == kind), None)
    operations = held.get("key_ops", ["verify"])
    if (
        alg is None
        or not isinstance(identifier, str)
        or held.get("alg", alg) != alg
        or held.get("use", "sig") != "sig"
        or not isinstance(operations, list)
        or "verify" not in operations
    ):
        return []
    # The public members alone: what else stands there is not for us.
    public = {name: str(held[name]) for name in _MEMBERS[str(kind)]}
    if kind == "RSA":
        rsa = RSAKey.import_key({"kty": "RSA", **public})
        return [SigningKey(identifier, alg, rsa)] if rsa.public_key.key_size >= _SHORTEST else []
    if public["crv"] != "P-256":
        return []
    return [SigningKey(identifier, alg, ECKey.import_key({"kty": "EC", **public}))]
