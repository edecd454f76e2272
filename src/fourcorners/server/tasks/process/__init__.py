"""The separate process that does a server's tasks."""
