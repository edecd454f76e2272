"""Archives and mails as containers of files."""
