"""MCP: the library as tools, resources and prompts of programs that reason.

It is another face of the REST API: a tool is asked as a request of whoever asks, behind the same
walls, and answers with the same values. What a program may do beyond reading is the operator's
(`[mcp]` in the settings).

- `tool.py`: what a tool is. `library_tools.py`, `review_tools.py` and their like: the tools.
- `summaries.py`: what they answer, short.
- `resources.py`: documents as resources, and prompts, from `prompts.yaml`.
- `protocol.py`: all of it as a server of the SDK; this and what it needs are imported where MCP is
  spoken.
- `stdio.py`: for a program that starts it. `http.py`: under /mcp of the application.

**To add a tool**: its arguments and its answer as `Value`s, a function of a context, the arguments
and `Progress`, and `@tool` over it. Whatever needs a role asks `Access` for it.
"""
