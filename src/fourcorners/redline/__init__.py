"""Mark up a contract against a playbook: what to change, where and why, as tracked changes."""
