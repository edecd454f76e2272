"""The one way to ask a language model; read in this order.

`port` is what rooms call, with the stream of an answer in pieces; `conversation` takes one question
to its answer, and finds the value in its words; `event_loop` is the thread of all of it.
"""
