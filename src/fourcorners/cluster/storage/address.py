"""`Address`: where the tables of a library lie, from its URL."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fourcorners.errors import ConfigError
from fourcorners.net import require_url

_S3 = re.compile(r"^lance\+s3:/{0,2}(?P<bucket>[a-z0-9][a-z0-9.-]+)/(?P<key>[^?#]*[^?#/])/?$")
_TIMEOUT = "30s"
_RETRIES = "5"


@dataclass(frozen=True, slots=True)
class Address:
    """Where a library's tables lie.

    Attributes:
        url: As the user wrote it.
        uri: As Lance takes it: a folder or `s3://bucket/key`.
        options: How the object store is reached; keys and region come from the environment, as for
            every S3 client.
        folder: The folder, for tables on a disk.
    """

    url: str
    uri: str
    options: Mapping[str, str]
    folder: Path | None


def address_of(url: str) -> Address:
    """Return the address that a URL names.

    `AWS_ENDPOINT_URL` names an S3-compatible server other than Amazon's; `http://` is taken as
    meant.

    Raises:
        ConfigError: If it names no folder, or no bucket and key.
    """
    if url.startswith("lance:"):
        named = url.removeprefix("lance:")
        folder = Path(re.sub("^//(?=/)", "", named)).expanduser()
        if not named or (named.startswith("//") and not named.startswith("///")):
            raise ConfigError(f"{url} names no folder.", remedy="Write for example lance:./firm.")
        return Address(url, str(folder.absolute()), {}, folder.absolute())
    found = _S3.match(url)
    if not found:
        raise ConfigError(
            f"{url} names no place in a bucket.",
            remedy="Write for example lance+s3://bucket/firm.",
        )
    return Address(url, f"s3://{found['bucket']}/{found['key']}", _s3_options(), None)


def s3_endpoint() -> str:
    """Return the URL of the S3-compatible server of the environment; empty for Amazon's.

    Raises:
        ConfigError: If it is no URL of a server.
    """
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL") or ""
    if endpoint:
        require_url(endpoint)
    return endpoint


def _s3_options() -> dict[str, str]:
    options = {
        "timeout": _TIMEOUT,
        "connect_timeout": "10s",
        "client_max_retries": _RETRIES,
        "client_retry_timeout": "60",
    }
    endpoint = s3_endpoint()
    if endpoint:
        options["aws_endpoint"] = endpoint
        options["aws_virtual_hosted_style_request"] = "false"
        options["allow_http"] = str(endpoint.startswith("http://")).lower()
    return options
