"""Retrieval of passages (LegalBench-RAG): loading, running, scoring, reporting."""
