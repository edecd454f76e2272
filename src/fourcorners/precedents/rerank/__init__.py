"""Reranking by a language model."""
