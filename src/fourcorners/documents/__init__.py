"""Reading files: one reader a format, run in worker processes with limits."""
