"""Clause banks: store and import."""
