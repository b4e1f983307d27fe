"""Plans that run with the jobs of this program.

A plan runs on a GPU with one dispatcher per partition. The jobs are CUDA graphs, so no Python code runs between two jobs::

    import gpusched as gs, torch

    with gs.runtime.open("plan.json", "set.json") as rt:
        rt.graph("lidar", lambda: model(x))  # warms up, and captures on the stream of the partition
        rt.start()
        rt.wait("lidar", 1000)
        rt.stop()
        print(rt.audit())

With ``backend="simulated"``, the program runs without a GPU. The guide is ``docs/how-to/pytorch-program.md``.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Optional, Union

from . import _native
from ._documents import Document, File, Inputs, frozen
from ._graphs import captured, warmed
from .errors import GpuschedError

__all__ = ["Audit", "Job", "Runtime", "open"]

class Job(NamedTuple):
    """A job that a thread of this program enqueues. Times are nanoseconds of ``time.monotonic_ns()``."""

    #: Number among the jobs of its task, from 0.
    number: int
    arrival_ns: int
    deadline_ns: int
    #: Stream of the partition (``cudaStream_t``); 0 without a GPU.
    stream: int


class Audit(NamedTuple):
    """The result of a run. ``bool(audit)`` states whether the run kept the plan."""

    kept: bool
    text: str

    def __bool__(self) -> bool:
        return self.kept

    def __str__(self) -> str:
        return self.text


class Runtime:
    """A plan that runs. Call :func:`open` to create it. All times are nanoseconds of ``time.monotonic_ns()``."""

    def __init__(self, plan: Any, set: Any, options: Mapping[str, Any]) -> None:
        self._kept: list[Any] = []
        self._folder = tempfile.TemporaryDirectory(prefix="gpusched-")
        try:
            inputs = self._inputs = Inputs(self._folder.name)
            paths = [inputs.argument(name, _input(name, value)) for name, value in (("plan", plan), ("task_set", set))]
            self._plan, self._set = paths
            overheads = options["overheads"]
            if overheads is not None:
                overheads = inputs.argument("overheads", _input("overheads", overheads))
            with self._faults():
                self._native = _native.Runtime(
                    self._plan,
                    self._set,
                    options["backend"],
                    overheads,
                    options["device"],
                    options["allow_unproven"],
                    list(options["cpus"]),
                    options["fifo_priority"],
                    options["records"],
                    options["spin_ns"],
                    options["ring"],
                )
        except BaseException:
            self._folder.cleanup()
            raise

    @contextlib.contextmanager
    def _faults(self) -> Iterator[None]:
        """Turns a fault of the runtime into an exception of this module."""
        try:
            yield
        except _native.RuntimeFault as fault:
            timeout, text = fault.args
            text = self._inputs.shown(text)
            if timeout:
                raise TimeoutError(text) from None
            hint = text.partition("\n\nhint: ")[2] or None
            raise GpuschedError(text, hint=hint) from None

    def stream(self, task: str) -> int:
        """Returns the stream of the partition of ``task`` (``cudaStream_t``); 0 without a GPU. Call it before the stop.
        The stream exists until :meth:`close`."""
        with self._faults():
            return self._native.stream(task)

    def sms(self, task: str) -> int:
        """Returns the number of SMs of the partition of ``task``."""
        with self._faults():
            return self._native.sms(task)

    def graph(self, task: str, work: Union[int, Callable[[], Any]]) -> None:
        """States the work of the jobs of ``task``.

        Args:
            task: Name of the task.
            work: Handle of an executable graph (``cudaGraphExec_t``), captured on :meth:`stream`. Or a function: it
                runs three times on the stream, and is captured with torch, which this program has imported. The
                graph keeps the tensors of the capture, so change their contents and not the tensors. Without a GPU,
                the function runs three times, and its jobs take random times.
        """
        if callable(work):
            stream = self.stream(task)
            if stream:
                kept, work = captured(task, stream, work)
                self._kept.append(kept)
            else:
                warmed(work)
                work = 1  # the handle of a graph without work
        with self._faults():
            self._native.graph(task, work)

    def sporadic(self, task: str) -> None:
        """Makes ``task`` sporadic: its jobs arrive by :meth:`release` or :meth:`job`, at least a period apart."""
        with self._faults():
            self._native.sporadic(task)

    def start(self, first_arrival_ns: int = 0) -> int:
        """Starts the dispatchers. Returns the time of the first arrivals; by default, it is 10 ms after their warm-up."""
        with self._faults():
            return self._native.start(first_arrival_ns)

    def release(self, task: str) -> int:
        """Releases a job of a sporadic task now. Returns its number."""
        with self._faults():
            return self._native.release(task)

    @contextlib.contextmanager
    def job(self, task: str) -> Iterator[Job]:
        """Releases a job of a sporadic task without a graph, and enqueues it in the ``with`` block.

        The block begins when the dispatcher has chosen the job. With torch, the stream of the partition is the current
        stream. The time of the block has no bound, so the runtime must be open with ``allow_unproven=True``.
        """
        with self._faults():
            position, number, arrival, deadline, stream = self._native.begin(task)
        torch = sys.modules.get("torch")
        on: Any = contextlib.nullcontext()
        if torch is not None and stream:
            on = torch.cuda.stream(torch.cuda.ExternalStream(stream))
        try:
            with on:
                yield Job(number, arrival, deadline, stream)
        finally:
            with self._faults():
                self._native.end(position, number)

    def wait(self, task: str, number: int, timeout: Optional[float] = None) -> dict[str, int]:
        """Waits for job ``number`` of ``task``, counted from 0. Returns its times and findings.

        Args:
            task: Name of the task.
            number: Number of the job.
            timeout: Longest time in seconds; without it, no limit.

        Raises:
            TimeoutError: if the time passes before the job completes.
            GpuschedError: if the run stops before, or if a fault has ended the context of the GPU.
        """
        with self._faults():
            return self._native.wait(task, number, None if timeout is None else int(timeout * 1e9))

    def stop(self) -> None:
        """Starts no further job, and waits for the running jobs."""
        with self._faults():
            self._native.stop()

    def audit(self) -> Audit:
        """Compares the stopped run with the plan, as :func:`gpusched.recording.audit` does, and adds what only the
        dispatchers know: SMs, wake-ups, and failed jobs."""
        from . import recording

        with self._faults():
            kept, line = self._native.audit()
        path = os.path.join(self._folder.name, "trace.json")
        self.trace(path)
        audit = recording.audit(path, set=self._set, plan=self._plan)
        text = self._inputs.shown(str(audit)).replace(self._folder.name + os.sep, "")
        return Audit(kept and bool(audit), f"{line}\n{text}")

    def trace(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the trace of the stopped run, for :func:`gpusched.recording.audit` and ui.perfetto.dev. Removes the
        file ``ring``."""
        with self._faults():
            self._native.trace(path)

    def close(self) -> None:
        """Stops the dispatchers, and destroys the partitions."""
        self._native.close()
        self._kept.clear()
        self._folder.cleanup()

    def __enter__(self) -> Runtime:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _input(name: str, value: Any) -> Union[Document, File]:
    document = frozen(name, value)
    if not isinstance(document, (Document, File)):
        raise TypeError(f"{name}: found a value of type {type(value).__name__}, expected a path or an object")
    return document


def open(
    plan: Any,
    set: Any,
    *,
    backend: str = "cuda",
    overheads: Any = None,
    device: int = 0,
    allow_unproven: bool = False,
    cpus: Sequence[int] = (),
    fifo_priority: int = 0,
    records: int = 65_536,
    spin_ns: int = 100_000,
    ring: Union[str, os.PathLike[str], None] = None,
) -> Runtime:
    """Verifies a plan, and creates its partitions.

    Args:
        plan: The plan: a path, a :class:`gpusched.Plan`, or a mapping. Its policy runs one job at a time to its end.
        set: The task set of the plan.
        backend: ``"cuda"``, or ``"simulated"``: without a GPU, with random execution times up to the WCETs.
        overheads: Bounds on the overheads of the dispatchers, as for :func:`gpusched.run`. Required for a set with
            ``times="gpu"``, unless the plan states them.
        device: Number of the GPU.
        allow_unproven: Start a plan that is proven only without overheads, and allow :meth:`Runtime.job`.
        cpus: One core per partition.
        fifo_priority: Real-time priority of the dispatchers, 1 to 99; 0 for the default scheduler.
        records: Largest number of completed jobs that the runtime keeps per task.
        spin_ns: Time before an arrival from which an idle dispatcher spins.
        ring: File that receives the record of each job at once. If this program is killed,
            :func:`gpusched.recording.recover` writes the trace of its complete records. The file must not exist.
            :meth:`Runtime.trace` and :meth:`Runtime.audit` remove it.

    Raises:
        GpuschedError: if the plan does not verify or is not proven, or if the GPU does not grant its partitions.
    """
    if not hasattr(_native, "Runtime"):
        raise GpuschedError("found another system, expected Linux", expected="Linux")
    options = {
        "backend": backend,
        "overheads": overheads,
        "device": device,
        "allow_unproven": allow_unproven,
        "cpus": cpus,
        "fifo_priority": fifo_priority,
        "records": records,
        "spin_ns": spin_ns,
        "ring": ring,
    }
    return Runtime(plan, set, options)
