"""Lists as reports to send: obligations, and the changes of a mark-up."""
