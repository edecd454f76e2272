"""Playbook files: schema, source with line numbers, inheritance, errors."""
