"""Deletion of contracts: holds and rules of retention, and what is left of their words."""
