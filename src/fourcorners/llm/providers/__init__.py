"""What answers a request: a provider, a recording."""
