"""What the server keeps in the library: connections, uploads, answers, playbooks, backups."""
