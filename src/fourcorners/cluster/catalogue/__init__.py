"""The catalogue on Lance tables: a journal and local replicas."""
