"""Operations: what can be done with a library, the same in each interface.

An interface (the terminal, REST, a page, MCP, a background task) makes a request value, calls the
operation with the `Access` of the person who asks, and shows the result. Permission is checked, and
the audit trail written, only here. Requests are pydantic models: a route, a tool and a queued task
take the same class.
"""
