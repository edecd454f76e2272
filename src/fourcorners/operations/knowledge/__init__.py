"""What a firm knows: its playbooks and clause banks."""
