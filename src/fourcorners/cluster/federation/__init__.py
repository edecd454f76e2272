"""Several libraries in PostgreSQL, searched as if they were one."""
