"""Commands on playbooks and clause banks."""
