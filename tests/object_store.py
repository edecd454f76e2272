"""A server that speaks the S3 protocol, and what is in it."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import botocore.session

from fourcorners.source_settings import OriginalsSettings

KEYS = {"AWS_ACCESS_KEY_ID": "larch", "AWS_SECRET_ACCESS_KEY": "not-a-secret"}


@dataclass
class ObjectStore:
    """A server at an address of this machine; it has nothing left when it was stopped."""

    port: int
    _process: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def settings(self, bucket: str = "firm", **more: Any) -> OriginalsSettings:
        return OriginalsSettings(bucket=bucket, endpoint=self.endpoint, **more)

    def start(self) -> None:
        server = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)]
        quiet = subprocess.DEVNULL
        self._process.append(subprocess.Popen(server, stdout=quiet, stderr=quiet))
        until = time.monotonic() + 300
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                assert time.monotonic() < until
                time.sleep(0.1)

    def stop(self) -> None:
        while self._process:
            process = self._process.pop()
            process.kill()
            process.wait()

    def client(self) -> Any:
        session = botocore.session.Session()
        session.set_credentials(*KEYS.values())
        return session.create_client("s3", "us-east-1", endpoint_url=self.endpoint)

    def make(self, bucket: str = "firm", *, versioned: bool = False) -> None:
        """Make an empty bucket, instead of one that is there."""
        client = self.client()
        for name in [each["Name"] for each in client.list_buckets()["Buckets"]]:
            if name == bucket:
                for key, version in self.versions(bucket):
                    client.delete_object(Bucket=bucket, Key=key, VersionId=version)
                client.delete_bucket(Bucket=bucket)
        client.create_bucket(Bucket=bucket)
        if versioned:
            client.put_bucket_versioning(
                Bucket=bucket, VersioningConfiguration={"Status": "Enabled"}
            )

    def versions(self, bucket: str = "firm") -> list[tuple[str, str]]:
        """Return the key and version of all that a bucket holds, delete markers among it."""
        found = self.client().list_object_versions(Bucket=bucket)
        return [
            (each["Key"], each["VersionId"])
            for kind in ("Versions", "DeleteMarkers")
            for each in found.get(kind, ())
        ]

    def contents(self, bucket: str = "firm") -> dict[str, bytes]:
        """Return the bytes of each object of a bucket, by its key."""
        client = self.client()
        listed = client.list_objects_v2(Bucket=bucket).get("Contents", ())
        return {
            each["Key"]: client.get_object(Bucket=bucket, Key=each["Key"])["Body"].read()
            for each in listed
        }


@contextmanager
def object_store() -> Iterator[ObjectStore]:
    """Run a server until the end of the block."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        store = ObjectStore(free.getsockname()[1])
    store.start()
    try:
        yield store
    finally:
        store.stop()
