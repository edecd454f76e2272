"""Operations: what can be done with a library, one function each, the same at every door.

A door (the terminal, REST, a page, MCP) makes a request value, calls the operation with the
`Access` of the person who asks, and shows the result. Permission is checked and the audit trail
written here, and nowhere else.
"""
