"""Slips of a contract's own mechanics."""
