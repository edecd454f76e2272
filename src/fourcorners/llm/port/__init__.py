"""The one way to ask a language model; read in this order.

`port` is what rooms call; `conversation` takes one question to its answer; `answers` finds the
value in its words; `stream` is an answer in pieces; `event_loop` is the thread of all of it.
"""
