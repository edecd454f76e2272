"""Outlines against audited truth: loading, running, scoring."""
