"""LibreOffice, kept from the network and the disk: what it converts, and the pages it lays out."""
