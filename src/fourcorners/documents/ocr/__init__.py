"""Optical character recognition of pages without text."""
