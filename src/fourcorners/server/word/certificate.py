"""A certificate for a server of one's own, since Word opens an add-in by HTTPS alone."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from fourcorners.errors import ConfigError
from fourcorners.system.private_files import make_folder, open_new

if TYPE_CHECKING:
    from cryptography.x509 import GeneralName

_DAYS = 397  # macOS trusts no certificate of a site that lasts longer than 825


@dataclass(frozen=True, slots=True)
class CertificateFiles:
    """Where a certificate, its key and the authority to be trusted are."""

    authority: Path
    certificate: Path
    key: Path


def write_certificate(folder: Path, names: Sequence[str]) -> CertificateFiles:
    """Write a certificate for the names of a server, and the authority that a computer is to trust.

    The authority may sign for these names alone, and its key is never written: nobody can make
    another certificate that a computer trusts because of it.

    Raises:
        ConfigError: If a name is none, or the files are there already.
    """
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

    sites = [_general_name(each) for each in names]
    files = CertificateFiles(
        folder / "fourcorners-authority.crt", folder / "fourcorners.crt", folder / "fourcorners.key"
    )
    begins = datetime.now(UTC) - timedelta(hours=1)
    authority_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    authority_name = x509.Name(
        [x509.NameAttribute(NameOID.COMMON_NAME, f"Fourcorners, for {names[0]} alone")]
    )

    def usage(*, signs: bool) -> x509.KeyUsage:
        return x509.KeyUsage(
            digital_signature=not signs,
            content_commitment=False,
            key_encipherment=False,
            data_encipherment=False,
            key_agreement=False,
            key_cert_sign=signs,
            crl_sign=False,
            encipher_only=False,
            decipher_only=False,
        )

    def builder(own: ec.EllipticCurvePrivateKey, subject: x509.Name) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(authority_name)
            .public_key(own.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(begins)
            .not_valid_after(begins + timedelta(days=_DAYS))
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(own.public_key()), False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()),
                False,
            )
        )

    authority = (
        builder(authority_key, authority_name)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage(signs=True), critical=True)
        .add_extension(x509.NameConstraints([_constraint(each) for each in sites], None), True)
        .sign(authority_key, hashes.SHA256())
    )
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0])])
    certificate = (
        builder(key, subject)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(usage(signs=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), False)
        .add_extension(x509.SubjectAlternativeName(sites), False)
        .sign(authority_key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    chain = certificate.public_bytes(pem) + authority.public_bytes(pem)
    private = key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    make_folder(folder)
    for path in (files.authority, files.certificate, files.key):
        if path.exists():
            raise ConfigError(
                f"{path} is there already.", remedy="Remove it, or choose another --out."
            )
    for path, data in (
        (files.authority, authority.public_bytes(pem)),
        (files.certificate, chain),
        (files.key, private),
    ):
        with open_new(path) as file:
            file.write(data)
    return files


def _general_name(name: str) -> GeneralName:
    from cryptography import x509

    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        pass
    try:
        if not name or name.startswith(("*", ".")) or not name.replace("-", "").replace(".", ""):
            raise ValueError(name)
        return x509.DNSName(name.casefold())
    except ValueError as error:
        raise ConfigError(
            f"{name!r} is not the name of a server.", remedy="Give one such as review.firm.example."
        ) from error


def _constraint(name: GeneralName) -> GeneralName:
    """Return what confines an authority to a name, or to one address."""
    from cryptography import x509

    if isinstance(name, x509.IPAddress):
        return x509.IPAddress(ipaddress.ip_network(str(name.value)))
    return name
