"""Worker processes that run readers with a memory limit and a timeout."""
