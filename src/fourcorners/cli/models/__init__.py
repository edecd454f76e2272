"""Commands on local and language models."""
