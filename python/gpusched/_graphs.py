"""CUDA graphs of functions."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from .errors import GpuschedError

#: Number of runs of a function before its capture.
WARM_UP = 3


def warmed(work: Callable[[], Any]) -> None:
    """Runs ``work``, so that its capture allocates no memory and chooses no algorithm."""
    for _ in range(WARM_UP):
        work()


@contextlib.contextmanager
def not_empty(name: str) -> Iterator[None]:
    """Refuses a capture of which torch warns that its graph is empty.

    Raises:
        GpuschedError: for an empty graph.
    """
    empty = "CUDA Graph is empty"
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=f".*{empty}")
        try:
            yield
        except Warning as warning:
            if empty not in str(warning):
                raise
            expected = "work on the stream of the capture, which is the current stream of torch"
            message = f"{name}: found an empty CUDA graph, expected {expected}"
            raise GpuschedError(message, field=name, expected=expected) from warning


def captured(name: str, stream: int, work: Callable[[], Any]) -> tuple[Any, int]:
    """Runs ``work`` on ``stream``, and captures it there with torch. Returns what the graph needs, and its handle.

    Raises:
        GpuschedError: if the program has not imported torch, and for an empty graph.
    """
    torch = sys.modules.get("torch")
    if torch is None:
        expected = "the handle of a graph, or `import torch` before"
        raise GpuschedError(f"{name}: found a function, expected {expected}", field=name, expected=expected)
    on = torch.cuda.ExternalStream(stream)
    # A capture that fails leaves its stream current, and the outer block restores the stream of the program.
    with torch.cuda.stream(on):
        warmed(work)
        on.synchronize()
        graph = torch.cuda.CUDAGraph()
        with not_empty(name), torch.cuda.graph(graph, stream=on):
            result = work()
    return (graph, result, work), int(graph.raw_cuda_graph_exec())
