"""Which passages of a contract to read for a provision."""
