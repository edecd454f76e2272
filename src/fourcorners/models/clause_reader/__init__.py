"""The clause reader: how likely each sentence belongs to a provision."""
