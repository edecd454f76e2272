"""Read files: one reader per format, run in worker processes with limits."""
