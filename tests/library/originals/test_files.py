"""Originals in a bucket of a real server: stored, read back, checked, moved and deleted."""

from __future__ import annotations

import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from fourcorners.errors import CallError, ConfigError, InputError
from fourcorners.library.ingest import add_files
from fourcorners.library.originals import bucket
from fourcorners.library.originals.bucket import open_bucket
from fourcorners.library.originals.files import Originals, bucket_of, set_bucket
from fourcorners.library.store import Library
from fourcorners.settings import Settings
from fourcorners.source_settings import BucketSettings
from tests.object_store import ObjectStore

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])
TEXT = "LEASE\n\n1. Term. The Tenant leases the mill for five years.\n"


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library.open(tmp_path / "firm.db")


def upload(library: Library, files: dict[str, str], collection: str = "Mill") -> None:
    """Add files from the folder of uploads, as the server does."""
    for name, text in files.items():
        path = library.files / "0" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    add_files(
        library,
        [library.files],
        collection=collection,
        encoder=None,
        settings=Settings(library="unused.db", jobs=1, ocr=False),
    )


def test_an_upload_is_moved_read_back_and_removed_from_disk(
    library: Library, bucket_server: ObjectStore
) -> None:
    upload(library, {"lease.txt": TEXT, "other.txt": TEXT.upper()})
    originals = Originals(bucket_server.settings(prefix="contracts/", encryption="AES256"))
    assert originals.count(library).waiting == 2
    report = originals.move(library)
    assert (report.moved, report.failed) == (2, {})
    assert not list(library.files.rglob("*.txt"))
    held = bucket_server.contents()
    assert sorted(held.values()) == sorted([TEXT.encode(), TEXT.upper().encode()])
    assert all(key.startswith("contracts/") and "lease" not in key for key in held)
    (key, *_) = held
    head = bucket_server.client().head_object(Bucket="firm", Key=key)
    assert head["ServerSideEncryption"] == "AES256"
    for each in library.document_ids():
        document = library.document(each)
        assert originals.load(document).decode() in (TEXT, TEXT.upper())
    counts = originals.count(library)
    assert (counts.stored, counts.waiting, counts.local, counts.reasons) == (2, 0, 0, ())
    assert originals.move(library).moved == 0


def test_a_key_of_the_key_service_is_named(library: Library, bucket_server: ObjectStore) -> None:
    upload(library, {"lease.txt": TEXT})
    settings = bucket_server.settings(encryption="aws:kms", kms_key="alias/contracts")
    Originals(settings).move(library)
    (key,) = bucket_server.contents()
    head = bucket_server.client().head_object(Bucket="firm", Key=key)
    assert (head["ServerSideEncryption"], head["SSEKMSKeyId"]) == ("aws:kms", "alias/contracts")


def test_a_file_from_elsewhere_stays_where_it_is(
    library: Library, bucket_server: ObjectStore, tmp_path: Path
) -> None:
    path = tmp_path / "lease.txt"
    path.write_text(TEXT)
    settings = Settings(library="unused.db", jobs=1, ocr=False)
    add_files(library, [path], collection="Mill", encoder=None, settings=settings)
    assert Originals(bucket_server.settings()).move(library).moved == 1
    assert path.read_text() == TEXT


def test_an_archive_stays_until_nothing_is_read_from_it(
    library: Library, bucket_server: ObjectStore
) -> None:
    library.files.mkdir()
    archive = library.files / "0" / "deal.zip"
    archive.parent.mkdir()
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("a.txt", TEXT)
        packed.writestr("b.pdf", b"%PDF-1.4 broken")
    upload(library, {})
    originals = Originals(bucket_server.settings())
    assert originals.move(library).moved == 1
    assert archive.exists()  # its other file could not be read, and may be tried again
    (failure,) = library.failures("Mill")
    library.forget_failures([failure.path], collection="Mill")
    with zipfile.ZipFile(archive, "a") as packed:
        packed.writestr("c.txt", TEXT.lower())
    upload(library, {})
    library.forget_failures([failure.path], collection="Mill")
    assert originals.move(library).moved == 1
    assert not archive.exists()


@pytest.mark.parametrize(
    ("harm", "words"), [("changed", "has changed in its bucket"), ("gone", "not in its bucket")]
)
def test_another_object_is_an_error_that_names_the_file(
    library: Library, bucket_server: ObjectStore, harm: str, words: str
) -> None:
    upload(library, {"lease.txt": TEXT})
    originals = Originals(bucket_server.settings())
    originals.move(library)
    (key,) = bucket_server.contents()
    client = bucket_server.client()
    if harm == "gone":
        client.delete_object(Bucket="firm", Key=key)
    else:
        client.put_object(Bucket="firm", Key=key, Body=b"forged")
    (identifier,) = library.document_ids()
    with pytest.raises(InputError, match=words) as caught:
        originals.load(library.document(identifier))
    assert "lease.txt" in caught.value.message


def test_a_server_that_is_down_loses_nothing_and_is_tried_again(
    library: Library, bucket_server: ObjectStore
) -> None:
    upload(library, {"lease.txt": TEXT, "other.txt": TEXT.upper()})
    silent = bucket_server.settings().model_copy(update={"endpoint": "http://127.0.0.1:9"})
    report = Originals(silent).move(library)
    assert report.moved == 0
    assert set(report.failed) == {"lease.txt", "other.txt"}
    assert all("does not answer" in each for each in report.failed.values())
    counts = Originals(silent).count(library)
    assert counts.waiting == 2
    assert any("127.0.0.1:9" in each for each in counts.reasons)
    assert len(list(library.files.rglob("*.txt"))) == 2
    originals = Originals(bucket_server.settings())
    assert originals.move(library).moved == 2
    assert originals.count(library).reasons == ()
    (first, _) = library.document_ids()
    open_bucket.cache_clear()
    with pytest.raises(CallError, match="does not answer"):
        Originals(silent).load(library.document(first))


def test_while_a_bucket_hangs_few_wait_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bucket, "_QUEUE_SECONDS", 0.05)
    one = bucket.Bucket(BucketSettings(bucket="firm", endpoint="http://127.0.0.1:9"))
    hangs, waiting = threading.Event(), threading.Semaphore(0)

    def get_object(**_: object) -> None:
        waiting.release()
        hangs.wait(30)
        raise OSError

    errors = SimpleNamespace(ClientError=ZeroDivisionError)
    monkeypatch.setattr(one, "_client", SimpleNamespace(get_object=get_object, exceptions=errors))
    with ThreadPoolExecutor(9) as pool:
        held = [pool.submit(one.load, "s3://firm/one") for _ in range(8)]
        for _ in held:
            assert waiting.acquire(timeout=30)
        with pytest.raises(CallError, match="has not answered 8 earlier requests"):
            one.load("s3://firm/another")
        hangs.set()
        assert all(isinstance(each.exception(), CallError) for each in held)


@pytest.mark.parametrize("versioned", [False, True])
def test_objects_are_deleted_with_their_documents(
    library: Library, bucket_server: ObjectStore, versioned: bool
) -> None:
    bucket_server.make(versioned=versioned)
    upload(library, {"lease.txt": TEXT, "other.txt": TEXT.upper()})
    originals = Originals(bucket_server.settings())
    originals.move(library)
    first, second = library.document_ids()
    kept = library.document(second).stored
    gone = library.document(first).stored
    assert gone
    assert kept
    library.remove(first)
    deleted, failed = originals.delete_loose(library)
    assert [(each.address, each.is_proved) for each in deleted] == [(gone.address, True)]
    assert failed == {}
    assert {key for key, _ in bucket_server.versions()} == {kept.address.split("/", 3)[3]}
    assert originals.delete_loose(library) == ([], {})


def test_objects_are_deleted_later_where_the_server_is_down(
    library: Library, bucket_server: ObjectStore
) -> None:
    upload(library, {"lease.txt": TEXT})
    Originals(bucket_server.settings()).move(library)
    (identifier,) = library.document_ids()
    library.remove(identifier)
    silent = bucket_server.settings().model_copy(update={"endpoint": "http://127.0.0.1:9"})
    deleted, failed = Originals(silent).delete_loose(library)
    assert deleted == []
    assert len(failed) == 1
    assert len(bucket_server.contents()) == 1
    Originals(bucket_server.settings()).delete_loose(library)
    assert bucket_server.contents() == {}


def test_a_collection_has_a_bucket_of_its_own(library: Library, bucket_server: ObjectStore) -> None:
    bucket_server.make("matter")
    upload(library, {"lease.txt": TEXT})
    other = BucketSettings(bucket="matter", endpoint=bucket_server.endpoint)
    originals = Originals(bucket_server.settings(buckets={"matter": other}))
    originals.move(library)
    set_bucket(library, originals, "Mill", "matter", "Ada")
    assert bucket_of(library, "mill") == "matter"
    assert originals.move(library).moved == 1
    assert list(bucket_server.contents("matter").values()) == [TEXT.encode()]
    originals.delete_loose(library)
    assert bucket_server.contents() == {}
    (identifier,) = library.document_ids()
    assert originals.load(library.document(identifier)) == TEXT.encode()
    with pytest.raises(ConfigError, match="no bucket 'matters'"):
        set_bucket(library, originals, "Mill", "matters", "Ada")
    with pytest.raises(ConfigError, match="not in the settings"):
        Originals(bucket_server.settings()).load(library.document(identifier))


def test_keys_are_nowhere_but_in_the_environment(
    library: Library, bucket_server: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload(library, {"lease.txt": TEXT})
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
    settings = bucket_server.settings(region="eu-north-1")  # no client was made for it before
    (reason,) = Originals(settings).move(library).failed.values()
    assert "there are no keys to it" in reason
