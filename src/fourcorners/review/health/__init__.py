"""The health of a data room before it is reviewed."""
