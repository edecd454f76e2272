"""Run llama.cpp's server on a free port, and say where; it ends when standard input does."""

from __future__ import annotations

import sys


def main(model: str) -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = model
    params.model_alias = "smollm2"
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = 4_096
    params.n_parallel = 2
    params.cpuparams.n_threads = 1  # several wait for each other in busy loops
    params.warmup = False
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1])
