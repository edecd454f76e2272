"""Precedents (ACORD): loading, running, scoring, reporting."""
