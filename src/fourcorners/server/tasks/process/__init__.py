"""The process of its own in which a server's tasks are done."""
