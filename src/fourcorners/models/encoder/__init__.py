"""Encoders: texts to unit vectors."""
