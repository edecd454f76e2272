"""Mail: what is sent over SMTP, to whom, and what happens where a server does not take it."""

from __future__ import annotations

import base64
import datetime
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fourcorners.errors import ConfigError
from fourcorners.operations.notices import Notice, NoticeKind, notify
from fourcorners.operations.principal import Role
from fourcorners.server.auth.accounts import Accounts
from fourcorners.server.store.mail import find_mailbox
from fourcorners.server.tasks.deliveries import DELAYS, WebhookSender
from fourcorners.server.tasks.mail import MailSender
from fourcorners.server.tasks.periodic import Periodic
from fourcorners.server.tasks.reminders import Reminders
from fourcorners.server.tasks.watcher import FolderWatcher
from fourcorners.source_settings import MailSettings
from tests.server.conftest import Room
from tests.server.mail_server import Mail, mail_server
from tests.server.pages import test_walls as walls
from tests.server.pages.test_inbox import tell

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])
team = walls.team  # a fixture


def choose(room: Room, mail: Mail, digest: str = "at once", **more: Any) -> MailSender:
    """Choose to have one's notices mailed, as the account page does; return what sends them."""
    settings: dict[str, Any] = {
        "host": "127.0.0.1",
        "port": mail.port,
        "tls": "none",
        "sender": "four@firm.test",
    }
    settings |= {"address": "https://firm.test/", **more}
    data = {"csrf": room.token(), "address": "bram@firm.test", "digest": digest}
    data["current"] = walls.PASSWORD
    assert room.client.post("/account/mail", data=data).status_code == 303
    return MailSender(room.app.state.server.connection_pool, MailSettings(**settings))


def wait_no_longer(room: Room) -> None:
    with room.app.state.server.connection_pool.library() as library:
        library.execute("UPDATE server_mail SET due = 0")


def reason(room: Room) -> str:
    with room.app.state.server.connection_pool.library() as library:
        return find_mailbox(library, "bram").reason


def test_a_mail_says_how_much_is_new_and_no_name_of_a_deal(team: Room) -> None:
    tell(team, "bram", "Mill", "lease")  # before mail was chosen
    with mail_server() as mail:
        sender = choose(team, mail)
        for _ in range(3):
            tell(team, "bram", "Mill", "lease")
        tell(team, "bram", "Grain", "supply")  # behind the wall
        with team.app.state.server.connection_pool.library() as library, library.transaction():
            notify(library, "bram", Notice(kind=NoticeKind.MENTIONED, by="ada", collection="Mill"))
            many = Notice(kind=NoticeKind.ASSIGNED, by="ada", collection="Mill", findings=12)
            notify(library, "bram", many)
        sender.run_round()
        sender.run_round()
        (message,) = mail.taken
    assert message["To"] == "bram@firm.test"
    assert message["Subject"] == "Fourcorners: 5 new notices"
    body = message.get_content()
    assert "ada assigned 15 findings to you." in body
    assert "ada mentioned you." in body
    assert "https://firm.test/inbox" in body
    for words in ("Mill", "Grain", "lease", "due-diligence", "Oats", walls.FIRST):
        assert words.casefold() not in str(message).casefold()


def test_what_is_read_is_not_mailed(team: Room) -> None:
    with mail_server() as mail:
        sender = choose(team, mail)
        tell(team, "bram", "Mill", "lease")
        team.client.post("/inbox/read", data={"csrf": team.token()})
        sender.run_round()
        choose(team, mail, "none")
        tell(team, "bram", "Mill", "lease")
        sender.run_round()
    assert mail.taken == []


def test_a_digest_comes_once_an_hour(team: Room) -> None:
    with mail_server() as mail:
        sender = choose(team, mail, "hourly")
        for _ in range(2):
            tell(team, "bram", "Mill", "lease")
            sender.run_round()
        assert len(mail.taken) == 1
        wait_no_longer(team)
        sender.run_round()
    assert len(mail.taken) == 2


def test_what_a_full_server_refuses_is_sent_later(team: Room) -> None:
    with mail_server() as mail:
        sender = choose(team, mail)
        tell(team, "bram", "Mill", "lease")
        mail.refusal = "452 no room on the disk of lease.example"
        sender.run_round()
        assert reason(team) == "the mail server refused the mail (452)"
        mail.refusal = ""
        sender.run_round()
        assert mail.taken == [], "it is not tried again at once"
        wait_no_longer(team)
        sender.run_round()
    assert len(mail.taken) == 1
    assert reason(team) == ""


def test_a_server_that_is_down_is_tried_for_a_day_and_given_up(team: Room) -> None:
    with mail_server() as mail:
        sender = choose(team, mail)
    tell(team, "bram", "Mill", "lease")
    for _ in range(len(DELAYS) + 2):
        wait_no_longer(team)
        sender.run_round()
    with mail_server() as mail:
        sender = MailSender(
            team.app.state.server.connection_pool,
            MailSettings(
                host="127.0.0.1",
                port=mail.port,
                tls="none",
                sender="a@firm.test",
                address="https://firm.test",
            ),
        )
        wait_no_longer(team)
        sender.run_round()
        assert mail.taken == []
        tell(team, "bram", "Mill", "lease")
        wait_no_longer(team)
        sender.run_round()
    assert len(mail.taken) == 1


def test_who_is_shut_out_gets_no_mail(team: Room) -> None:
    with mail_server() as mail:
        sender = choose(team, mail)
        tell(team, "bram", "Mill", "lease")
        with team.app.state.server.connection_pool.library() as library:
            Accounts(library).set_disabled("bram", True, by="test")
        sender.run_round()
    assert mail.taken == []


def test_it_goes_over_tls_that_is_checked(
    team: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate, context = self_signed(tmp_path)
    monkeypatch.setenv("MAIL_PASSWORD", "a secret of the firm")
    with mail_server(context) as mail:
        secret = {"user": "four", "password_env": "MAIL_PASSWORD"}
        sender = choose(team, mail, tls="starttls", **secret)
        tell(team, "bram", "Mill", "lease")
        sender.run_round()
        assert mail.taken == [], "an unknown certificate is not trusted"
        assert mail.login == []
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        wait_no_longer(team)
        sender.run_round()
    assert mail.encrypted == [True]
    assert base64.b64decode(mail.login[0]) == b"\0four\0a secret of the firm"


def test_nothing_leaves_the_machine_without_tls(team: Room) -> None:
    with mail_server() as mail:
        sender = choose(team, mail, host="mail.firm.test")
        tell(team, "bram", "Mill", "lease")
        sender.run_round()
    assert reason(team) == "mail to another machine needs TLS"


@pytest.mark.parametrize(
    "address",
    [
        "",
        "bram",
        "bram@firm.test\nBcc: x@y.test",
        "a b@firm.test",
        "=?utf-8?q?a=0ABcc?=@x.yy",
        "=?utf-8?q?a?=@x.yy",
        "é@firm.test",
    ],
)
def test_an_address_that_is_none_is_refused(team: Room, address: str) -> None:
    data = {"csrf": team.token(), "address": address, "digest": "at once"}
    data["current"] = walls.PASSWORD
    assert team.client.post("/account/mail", data=data).status_code == 400


@pytest.mark.parametrize("address", ["=?utf-8?q?a=0ABcc?=@x.yy", "a@x.yy\nBcc: b@x.yy"])
def test_a_mailbox_that_cannot_be_written_to_stops_no_other(team: Room, address: str) -> None:
    with mail_server() as mail:
        sender = choose(team, mail)
        with team.app.state.server.connection_pool.library() as library:
            Accounts(library).add("cleo", walls.PASSWORD, by="test")
            Accounts(library).grant("cleo", Role.READER, "Mill", by="test")
            library.execute(
                "INSERT INTO server_mail VALUES ('cleo', ?, 'at once', 0, 0, -1.0, '')", (address,)
            )
        for person in ("cleo", "bram"):
            tell(team, person, "Mill", "lease")
        sender.run_round()
        assert [each["To"] for each in mail.taken] == ["bram@firm.test"]
    with team.app.state.server.connection_pool.library() as library:
        broken = find_mailbox(library, "cleo")
    assert broken.attempts == 1
    assert "could not be written" in broken.reason


def test_an_unreachable_server_refused_nothing(
    team: Room, caplog: pytest.LogCaptureFixture
) -> None:
    with mail_server() as mail:
        sender = choose(team, mail)
    tell(team, "bram", "Mill", "lease")
    sender.run_round()
    assert "could not be reached" in reason(team)
    assert "check `host`, `port` and `tls`" in caplog.text


@pytest.mark.parametrize("kind", ["mail", "webhooks", "watcher", "reminders"])
def test_no_error_ends_a_thread(team: Room, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pool, times = team.app.state.server.connection_pool, list[int]()
    made: Periodic
    if kind == "mail":
        made = MailSender(pool, MailSettings())
    elif kind == "webhooks":
        made = WebhookSender(pool, ())
    elif kind == "watcher":
        made = FolderWatcher(pool, [], lambda: None)
    else:
        made = Reminders(pool)

    def fail() -> None:
        times.append(1)
        if len(times) == 2:
            made.stop()
        raise UnicodeEncodeError("utf-8", "\udce9", 0, 1, "a defect")

    monkeypatch.setattr(made, "run_round", fail)
    monkeypatch.setattr(made._stopping, "wait", lambda _: made._stopping.is_set())
    made._run()
    assert len(times) == 2


def test_mail_needs_a_sender_and_an_address(make_room: Callable[..., Room]) -> None:
    with pytest.raises(ConfigError, match="address that it is from"):
        make_room(mail=MailSettings(host="mail.firm.test"))


def self_signed(folder: Path) -> tuple[Path, ssl.SSLContext]:
    """Make a certificate for this machine; its file, and what a server shows it with."""
    pytest.importorskip("cryptography")
    from ipaddress import ip_address

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "mail")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False
        )
        .sign(key, hashes.SHA256())
    )
    certificate, secret = folder / "mail.pem", folder / "mail.key"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, secret)
    return certificate, context
