"""Extraction of provisions (CUAD): loading, running, scoring."""
