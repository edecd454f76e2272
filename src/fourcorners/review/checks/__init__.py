"""Checks of a contract's wording, for lint."""
