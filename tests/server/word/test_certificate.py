"""The certificate of a server of one's own: whom it is for, and who can read its key."""

from __future__ import annotations

import ssl
import stat
from pathlib import Path

import pytest
from cryptography import x509

from fourcorners.errors import ConfigError
from fourcorners.server.word.certificate import write_certificate


def test_a_certificate_is_for_its_names_and_signed_by_its_authority(tmp_path: Path) -> None:
    names = ["localhost", "review.firm.example", "127.0.0.1"]
    files = write_certificate(tmp_path / "made", names)
    own, _ = x509.load_pem_x509_certificates(files.certificate.read_bytes())
    authority = x509.load_pem_x509_certificate(files.authority.read_bytes())
    own.verify_directly_issued_by(authority)
    sites = own.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert sites.get_values_for_type(x509.DNSName) == names[:2]
    assert [str(each) for each in sites.get_values_for_type(x509.IPAddress)] == names[2:]
    assert (own.not_valid_after_utc - own.not_valid_before_utc).days <= 825
    ssl.create_default_context(cafile=str(files.authority)).load_cert_chain(
        files.certificate, files.key
    )


def test_the_authority_signs_for_these_names_alone_and_its_key_is_nowhere(tmp_path: Path) -> None:
    files = write_certificate(tmp_path, ["localhost"])
    authority = x509.load_pem_x509_certificate(files.authority.read_bytes())
    limits = authority.extensions.get_extension_for_class(x509.NameConstraints)
    assert limits.critical
    assert limits.value.permitted_subtrees == [x509.DNSName("localhost")]
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "fourcorners-authority.crt",
        "fourcorners.crt",
        "fourcorners.key",
    ]
    key = files.key.read_bytes()
    assert key.count(b"PRIVATE KEY") == 2  # one key, between two lines
    assert stat.S_IMODE(files.key.stat().st_mode) == 0o600


def test_files_that_are_there_are_not_replaced(tmp_path: Path) -> None:
    before = write_certificate(tmp_path, ["localhost"]).key.read_bytes()
    with pytest.raises(ConfigError, match="is there already"):
        write_certificate(tmp_path, ["localhost"])
    assert (tmp_path / "fourcorners.key").read_bytes() == before


@pytest.mark.parametrize("name", ["", "*", "*.example", ".", "-", "firm.exämple"])
def test_what_is_no_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="is not the name of a server"):
        write_certificate(tmp_path, [name])
