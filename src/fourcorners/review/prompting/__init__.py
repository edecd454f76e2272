"""Filling cells with a language model."""
