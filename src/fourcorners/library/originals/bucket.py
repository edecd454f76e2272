"""`Bucket`: objects stored, fetched and deleted in a bucket over the S3 protocol.

The keys are those of the environment (`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`) or of the file
that `AWS_SHARED_CREDENTIALS_FILE` names; no other server is asked for any. A server that did not
answer is left alone for half a minute, so that a page that can do without it need not wait.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from fourcorners.documents.archive.container import MAX_BYTES
from fourcorners.errors import CallError, ConfigError
from fourcorners.net import redact_url, require_url
from fourcorners.source_settings import BucketSettings

# All attempts together are shorter than a task may be silent.
_CONNECT_SECONDS, _READ_SECONDS = 3.0, 20.0
_ATTEMPTS = 2  # by hand
_PAUSE_SECONDS = 30.0  # by hand
# Of pages, too: while a bucket hangs, the threads of a server are free for others.
_MOST_CALLS, _QUEUE_SECONDS = 8, 2.0
_KEY_SOURCES = ("env", "shared-credentials-file")  # of those that the client can look in
_CHECK = "Check [originals] in the settings, and the keys in the environment."
_NO_OBJECT = ("NoSuchKey", "404", "NotFound")
_SCHEME = "s3://"


@dataclass(frozen=True, slots=True)
class DeletedObject:
    """What became of an object.

    Attributes:
        versions: How many versions and delete markers were deleted.
        is_proved: Whether the bucket listed its versions afterwards, and there was none.
    """

    address: str
    versions: int
    is_proved: bool


class Bucket:
    """A bucket of the settings.

    Raises:
        ConfigError: If the client is not installed, or the settings or keys are wrong.
    """

    def __init__(self, settings: BucketSettings) -> None:
        if settings.endpoint:
            require_url(settings.endpoint)
        self.settings = settings
        self._client = _open_client(settings.endpoint, settings.region, settings.profile)
        self._silent_until = 0.0
        self._free = threading.BoundedSemaphore(_MOST_CALLS)

    def address(self, name: str) -> str:
        """Return the address of an object that is to be stored under a name."""
        return f"{_SCHEME}{self.settings.bucket}/{self.settings.prefix}{name}"

    def store(self, address: str, data: bytes) -> None:
        """Store an object, encrypted as the settings say.

        Raises:
            CallError: If the server does not answer, or refuses it.
        """
        bucket, key = _split(address)
        encryption: dict[str, str] = {}
        if self.settings.encryption:
            encryption["ServerSideEncryption"] = self.settings.encryption
        if self.settings.kms_key:
            encryption["SSEKMSKeyId"] = self.settings.kms_key
        with self._calls("stored"):
            self._client.put_object(Bucket=bucket, Key=key, Body=data, **encryption)

    def load(self, address: str) -> bytes | None:
        """Return the bytes of an object; None where there is none.

        Raises:
            CallError: If the server does not answer, or refuses it.
        """
        bucket, key = _split(address)
        with self._calls("fetched"):
            try:
                answer = self._client.get_object(Bucket=bucket, Key=key)
            except self._client.exceptions.ClientError as error:
                if _code(error) in _NO_OBJECT:
                    return None
                raise
            data: bytes = answer["Body"].read(MAX_BYTES + 1)
            return data

    def delete(self, address: str) -> DeletedObject:
        """Delete an object with all its versions.

        Raises:
            CallError: If the server does not answer, refuses it, or still has a version.
        """
        bucket, key = _split(address)
        with self._calls("deleted"):
            self._client.delete_object(Bucket=bucket, Key=key)
            try:
                versions = self._versions(bucket, key)
            except self._client.exceptions.ClientError:  # not allowed, or not known to the server
                if self.load(address) is not None:
                    raise CallError(f"{address} is still there after it was deleted.") from None
                return DeletedObject(address, 1, is_proved=False)
            for version in versions:
                self._client.delete_object(Bucket=bucket, Key=key, VersionId=version)
            if self._versions(bucket, key):
                raise CallError(
                    f"{address}: the server still has a version of it.",
                    remedy="Look for a lock on the object or a retention rule of the bucket.",
                )
        return DeletedObject(address, max(1, len(versions)), is_proved=True)

    def _versions(self, bucket: str, key: str) -> list[str]:
        pages = self._client.get_paginator("list_object_versions")
        return [
            each["VersionId"]
            for page in pages.paginate(Bucket=bucket, Prefix=key)
            for kind in ("Versions", "DeleteMarkers")
            for each in page.get(kind, ())
            if each["Key"] == key
        ]

    @contextmanager
    def _calls(self, what: str) -> Iterator[None]:
        """Say in one sentence what was wrong with a call; nothing of the keys is in it."""
        from botocore import exceptions

        place = f"the bucket {self.settings.bucket!r} at {self._host()}"
        if time.monotonic() < self._silent_until:
            raise CallError(f"{place} does not answer, as a moment ago.", remedy="Try again later.")
        if not self._free.acquire(timeout=_QUEUE_SECONDS):
            raise CallError(
                f"{place} has not answered {_MOST_CALLS} earlier requests yet.",
                remedy="Try again in a moment.",
            )
        try:
            yield
        except exceptions.ClientError as error:
            raise CallError(
                f"{place}: nothing was {what}: the server answered {_code(error)}.", remedy=_CHECK
            ) from None
        except (exceptions.NoCredentialsError, exceptions.PartialCredentialsError):
            raise CallError(
                f"{place}: there are no keys to it.",
                remedy="Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name their file in "
                "AWS_SHARED_CREDENTIALS_FILE.",
            ) from None
        except (exceptions.BotoCoreError, OSError) as error:
            self._silent_until = time.monotonic() + _PAUSE_SECONDS
            raise CallError(
                f"{place} does not answer ({type(error).__name__}).",
                remedy="Check the server and the network; it is tried again.",
            ) from None
        finally:
            self._free.release()

    def _host(self) -> str:
        return redact_url(self.settings.endpoint) or "Amazon S3"


@cache
def open_bucket(settings: BucketSettings) -> Bucket:
    """Return a bucket of the settings; the same for the same settings.

    Raises:
        ConfigError: If the client is not installed, or the settings are wrong.
    """
    return Bucket(settings)


@cache
def _open_client(endpoint: str, region: str, profile: str) -> Any:  # noqa: ANN401 - made at run time
    try:
        import botocore.session
        from botocore.config import Config
        from botocore.exceptions import BotoCoreError
    except ImportError:
        raise ConfigError(
            "the client of buckets is not installed.",
            remedy="Install it: pip install 'fourcorners[s3]'.",
        ) from None
    try:
        session = botocore.session.Session(profile=profile or None)
        sources = session.get_component("credential_provider")
        sources.providers = [each for each in sources.providers if each.METHOD in _KEY_SOURCES]
        return session.create_client(
            "s3",
            endpoint_url=endpoint or None,
            region_name=region or "us-east-1",
            config=Config(
                connect_timeout=_CONNECT_SECONDS,
                read_timeout=_READ_SECONDS,
                retries={"total_max_attempts": _ATTEMPTS, "mode": "standard"},
                s3={"addressing_style": "path" if endpoint else "auto"},
                request_checksum_calculation="when_required",  # not every server knows the others
                response_checksum_validation="when_required",
                user_agent="fourcorners",  # the client's own tells of this machine
            ),
        )
    except (BotoCoreError, ValueError) as error:
        raise ConfigError(f"the bucket cannot be opened: {error}.", remedy=_CHECK) from None


def _split(address: str) -> tuple[str, str]:
    bucket, _, key = address.removeprefix(_SCHEME).partition("/")
    return bucket, key


def _code(error: Any) -> str:  # noqa: ANN401 - made at run time
    return str(error.response.get("Error", {}).get("Code", ""))
