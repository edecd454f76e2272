"""Saved views in a library in PostgreSQL: what is tested with a file is tested here."""

from __future__ import annotations

import pytest

pytest.importorskip("uvicorn")

from tests.server.conftest import room
from tests.server.test_views import mill, test_a_view_is_saved_replaced_and_deleted

__all__ = ["mill", "room", "test_a_view_is_saved_replaced_and_deleted"]
