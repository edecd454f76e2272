"""Pages of what a firm knows: its playbooks, clause banks and precedents."""
