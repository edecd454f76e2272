"""People of a library in PostgreSQL: what is tested with a file is tested here."""

from __future__ import annotations

import pytest

pytest.importorskip("uvicorn")

from tests.server.auth.test_mailed_links import (
    mail,
    test_a_mail_that_is_not_taken_is_tried_again_for_a_while,
    test_somebody_who_forgot_their_password_chooses_another,
)
from tests.server.auth.test_open_sessions import (
    team,
    test_a_link_changes_a_password_once,
    test_an_admin_sees_who_signed_in_when_and_ends_their_sessions,
    test_an_admin_turns_off_a_second_factor,
    test_programs_list_and_end_sessions,
)
from tests.server.auth.test_scim import (
    directory,
    room,
    test_entra_adds_finds_and_disables_somebody,
    test_groups_give_and_take_roles_apart_from_those_by_hand,
    test_who_is_added_again_has_nothing_of_whoever_had_the_name,
)

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])
__all__ = [
    "directory",
    "mail",
    "room",
    "team",
    "test_a_link_changes_a_password_once",
    "test_a_mail_that_is_not_taken_is_tried_again_for_a_while",
    "test_an_admin_sees_who_signed_in_when_and_ends_their_sessions",
    "test_an_admin_turns_off_a_second_factor",
    "test_entra_adds_finds_and_disables_somebody",
    "test_groups_give_and_take_roles_apart_from_those_by_hand",
    "test_programs_list_and_end_sessions",
    "test_somebody_who_forgot_their_password_chooses_another",
    "test_who_is_added_again_has_nothing_of_whoever_had_the_name",
]
