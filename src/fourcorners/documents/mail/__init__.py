"""Mails with their headers and attachments."""
