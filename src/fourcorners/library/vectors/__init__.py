"""Vectors as they are stored, and their codes, which searches scan."""
