"""Answering with language models: archivist, interrogator and researcher, and their tools."""
