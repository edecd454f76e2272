"""Whether statements go the same way round as the words that are quoted for them."""

from __future__ import annotations

import pytest

from fourcorners.research.agents.direction import Direction, compare_direction

WORDS = (
    "The Tenant shall not assign this Lease without the prior written consent of the Landlord, and "
    "the Landlord shall insure the Premises."
)


@pytest.mark.parametrize(
    ("statement", "direction"),
    [
        ("The Tenant may not assign the Lease without the Landlord's consent.", Direction.SAME),
        ("No, the Tenant shall not assign without the Landlord's consent.", Direction.SAME),
        ("The Tenant may assign the Lease without the Landlord's consent.", Direction.OPPOSITE),
        ("The Landlord shall insure the Premises.", Direction.SAME),
        ("The Landlord need not insure the Premises.", Direction.OPPOSITE),
        ("The Tenant shall insure the Premises.", Direction.UNKNOWN),
        ("The Landlord may insure the Premises.", Direction.UNKNOWN),
        ("The Tenant may assign the Lease.", Direction.UNKNOWN),
        ("The Landlord shall repaint the walls.", Direction.UNKNOWN),
        ("The Landlord shall insure the Premises and may assign the Lease.", Direction.UNKNOWN),
        ("", Direction.UNKNOWN),
    ],
)
def test_what_turns_a_statement_round(statement: str, direction: Direction) -> None:
    assert compare_direction(statement, WORDS) is direction
