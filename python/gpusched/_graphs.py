"""CUDA graphs of functions."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from .errors import GpuschedError

#: Number of runs of a function before its capture.
WARM_UP = 3


def warmed(work: Callable[[], Any]) -> None:
    """Runs ``work``, so that its capture allocates no memory and chooses no algorithm."""
    for _ in range(WARM_UP):
        work()


def captured(name: str, stream: int, work: Callable[[], Any]) -> tuple[Any, int]:
    """Runs ``work`` on ``stream``, and captures it there with torch. Returns what the graph needs, and its handle.

    Raises:
        GpuschedError: if the program has not imported torch.
    """
    torch = sys.modules.get("torch")
    if torch is None:
        expected = "the handle of a graph, or `import torch` before"
        raise GpuschedError(f"{name}: found a function, expected {expected}", field=name, expected=expected)
    on = torch.cuda.ExternalStream(stream)
    with torch.cuda.stream(on):
        warmed(work)
    on.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=on):
        result = work()
    return (graph, result, work), int(graph.raw_cuda_graph_exec())
