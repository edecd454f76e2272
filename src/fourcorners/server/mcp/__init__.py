"""MCP: the library as tools, resources and prompts of programs that reason.

It is another face of the REST API: a tool is asked as a request of whoever asks, behind the same
walls, and answers with the same values. What a program may do beyond reading is the operator's
(`[mcp]` in the settings).

- `offered.py`: what a tool is. `reading.py`, `reviewing.py`, `answering.py`: the tools.
- `shelved.py`: documents as resources. `prompting.py`, `prompts.yaml`: prompts.
- `protocol.py`: all of it as a server of the SDK; this and what it needs are imported where MCP is
  spoken.
- `stdio.py`: for a program that starts it. `door.py`: under /mcp of the application.

**To add a tool**: its arguments and its answer as `Value`s, a function of a desk and the arguments,
and an `Offered` in the `TOOLS` of its module. Whatever needs a role asks `Access` for it.
"""
