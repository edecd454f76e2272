"""The formats of a report to send."""
