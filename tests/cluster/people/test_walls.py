"""Walls in a library in PostgreSQL: what is tested with a file is tested here."""

from __future__ import annotations

import pytest

pytest.importorskip("uvicorn")

from tests.server.auth.test_team import (
    team,
    test_a_second_factor,
    test_a_token_is_told_once,
    test_an_admin_adds_people_and_gives_roles,
    test_someone_without_a_role_sees_an_empty_library,
    test_walls,
    test_walls_hold_for_writes,
)

__all__ = [
    "team",
    "test_a_second_factor",
    "test_a_token_is_told_once",
    "test_an_admin_adds_people_and_gives_roles",
    "test_someone_without_a_role_sees_an_empty_library",
    "test_walls",
    "test_walls_hold_for_writes",
]
