"""Marking up a contract against a playbook: what to change, where, why, and as tracked changes."""
