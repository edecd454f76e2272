"""The one way to ask a language model."""
