"""Answering without a language model: a report of the contract's own sentences."""
