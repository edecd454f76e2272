"""Limits on asking a model: rate, circuit breaker, budget."""
