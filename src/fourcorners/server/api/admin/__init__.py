"""REST for who administers: accounts, webhooks and the audit trail."""
