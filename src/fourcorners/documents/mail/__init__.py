"""Emails with their headers and attachments."""
