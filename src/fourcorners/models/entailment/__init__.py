"""The entailment model: what a document says of a hypothesis."""
