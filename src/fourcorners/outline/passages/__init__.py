"""What is indexed: passages, units and the three views of a node."""
