"""Measurements of kernels, and of the overheads of dispatchers.

The module is also a function, which measures kernels of this program on a GPU::

    import gpusched as gs, torch

    measured = gs.measure(lambda: model(x), sms=[8, 16, 32], samples=1000)
    tasks = gs.wcet.fit(measured, period="50ms")

The arguments and the result are those of :func:`function`, which type checkers know.
"""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Callable, Collection, Sequence
from typing import Any, Literal, Optional, Union, cast

from . import _native
from ._call import Command
from ._commands import measure_device as device
from ._commands import measure_interference as interference
from ._commands import measure_kernel as kernel
from ._commands import measure_overhead as overhead
from ._commands import measure_platform as platform
from ._documents import is_list
from ._graphs import captured, not_empty
from .errors import GpuschedError
from .results import Measurement, results

__all__ = ["device", "function", "interference", "kernel", "overhead", "platform"]

#: A graph (``cudaGraphExec_t``), a graph of torch, or a function.
Work = Any

#: Graphs of failed measurements. Their jobs may still run.
_lost: list[Any] = []


class _Kernel:
    """A kernel of this program, which is captured anew on each stream."""

    def __init__(self, work: Work, name: Optional[str]) -> None:
        self.work = work
        self.name = name or _name(work)
        self.kept: list[Any] = []

    def prepare(self, stream: int, sms: int, all: int) -> int:
        """Returns the handle of a graph for ``stream``, whose partition has ``sms`` of ``all`` SMs."""
        handle = _handle(self.work)
        if handle is not None:
            if sms != all:
                # The nodes of a graph keep the context of the stream of their capture.
                expected = "a function, because a graph runs on the SMs of the stream of its capture"
                message = f"{self.name}: found a graph for {sms} of {all} SMs, expected {expected}"
                hint = f"state `sms={all}`, or a function that captures the graph"
                raise GpuschedError(f"{message}\n\nhint: {hint}", field=self.name, expected=expected, hint=hint)
            return handle
        if "stream" in self._parameters():
            with not_empty(self.name):
                graph = self.work(stream)
            self.kept.append(graph)
            handle = _handle(graph)
            if handle is None:
                expected = "the handle of a graph"
                message = f"{self.name}: found a result of type {type(graph).__name__}, expected {expected}"
                raise GpuschedError(message, field=self.name, expected=expected)
            return handle
        kept, handle = captured(self.name, stream, self.work)
        self.kept.append(kept)
        return handle

    def _parameters(self) -> Collection[str]:
        try:
            return inspect.signature(self.work).parameters
        except (TypeError, ValueError) as error:
            expected = "a graph, or a function whose parameters Python knows"
            message = f"{self.name}: found an object of type {type(self.work).__name__}, expected {expected}"
            hint = "state a function such as `lambda: work()`"
            raise GpuschedError(f"{message}\n\nhint: {hint}", field=self.name, expected=expected, hint=hint) from error

    def release(self) -> None:
        self.kept.clear()


class _Measurement(Command):
    """The command ``measure kernel`` with kernels of this program."""

    def __init__(self, kernels: Sequence[_Kernel], options: dict[str, Any]) -> None:
        super().__init__(["measure", "kernel"], [], options)
        self.kernels = kernels

    def call(self, arguments: Sequence[str], progress: Callable[[int, Optional[int], str], None]) -> Any:
        kernels = [(one.name, one.prepare, one.release) for one in self.kernels]
        try:
            return _native.measure(arguments, kernels, progress)
        finally:
            # A successful measurement has released all graphs.
            _lost.extend(one.kept for one in self.kernels if one.kept)


def function(
    work: Work,
    *,
    sms: Union[None, int, str, Sequence[int]] = None,
    samples: Optional[int] = None,
    cold: bool = False,
    other: Union[None, Work, Sequence[Work]] = None,
    contention: Optional[Literal["alternate", "concurrent"]] = None,
    exceedance: Optional[float] = None,
    clocks_locked: bool = False,
    name: Optional[str] = None,
) -> Measurement:
    """Measures the times of a kernel of this program on several numbers of SMs of a GPU.

    Args:
        work: A function without parameters: it runs three times on the stream of each partition, and is captured there
            with torch, which this program has imported. Or a function with the parameter ``stream`` (``cudaStream_t``):
            it captures a graph on this stream, and returns its handle (``cudaGraphExec_t``) or a graph of torch. Or a
            graph, whose nodes run on the SMs of the stream of its capture: only for the whole GPU.
        sms: Numbers of SMs. By default, all numbers that the GPU grants.
        samples: Number of jobs of each series; by default 100. Each series starts with three more jobs.
        cold: Also measure each number of SMs with cold caches.
        other: Kernels that share the partition, in the form of ``work``.
        contention: How the other kernels contend, as in :func:`kernel`.
        exceedance: Also fit the time that one job exceeds with this probability, as in :func:`kernel`.
        clocks_locked: State in the result that the clocks of the GPU are locked.
        name: Name of the kernel; by default the name of the function.

    Returns:
        The result, as of :func:`kernel`: ``gs.wcet.fit`` reads it.

    Raises:
        GpuschedError: without a GPU, and if a job fails.
        Exception: as raised by the function.
    """
    if not hasattr(_native, "measure"):
        raise GpuschedError("found another system, expected Linux", expected="Linux")
    others = [] if other is None else list(other) if is_list(other) else [other]
    kernels = [_Kernel(work, name), *(_Kernel(one, None) for one in others)]
    sizes = ",".join(map(str, cast(Sequence[int], sms))) if isinstance(sms, (list, tuple, range)) else sms
    options = {
        "sms": sizes,
        "samples": samples,
        "cold": cold,
        "contention": contention,
        "exceedance": exceedance,
        "clocks-locked": clocks_locked,
    }
    return results(_Measurement(kernels, options), Measurement)


def _handle(work: Any) -> Optional[int]:
    """Returns the handle of a graph, or ``None`` for another object."""
    if isinstance(work, int) and not isinstance(work, bool):
        return work
    raw = getattr(work, "raw_cuda_graph_exec", None)
    return None if raw is None else int(raw())


def _name(work: Any) -> str:
    if _handle(work) is not None:
        return "graph"
    name = str(getattr(work, "__name__", type(work).__name__))
    return "kernel" if name == "<lambda>" else name


class _Module(types.ModuleType):
    """A module that is also a function."""

    __call__ = staticmethod(function)


sys.modules[__name__].__class__ = _Module
