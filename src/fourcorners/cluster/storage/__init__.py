"""Lance tables, addresses and buckets."""
