"""Real-time schedulability analysis for GPUs.

A first plan::

    import gpusched as gs

    tasks = gs.TaskSet([
        gs.Task("50ms", gs.Wcet.amdahl("80ms", 0.1, 2.3), deadline="40ms", name="lidar", kind="memory"),
        gs.Task("33ms", gs.Wcet.amdahl("90ms", 0.02, 1.2), name="camera", kind="compute"),
    ])
    plan = gs.partition(tasks, gpu="h100")
    assert plan and plan.verify()

Every command of gpusched is a function of this module. The options of the command are keyword arguments, with ``_`` in place of
``-``. Wherever a command reads a file, a function also accepts an object: a :class:`TaskSet`, a :class:`Plan`, a mapping, or a
table of pandas.
"""

from __future__ import annotations

from . import budget, import_, measure, recording, runtime, simulate, study, wcet
from ._commands import (
    export,
    generate,
    gpus,
    partition,
    plot,
    predict,
    report,
    run,
    schema,
    show,
    test,
    validate,
    verify,
    what_if,
)
from ._native import __version__
from .errors import GpuschedError, GpuschedNote
from .results import Figure, Measurement, Plan, Report, Result, Results, Table, Verdict
from .tasks import Task, TaskSet, TaskSets, Wcet, to_ns

__all__ = [
    "Figure",
    "GpuschedError",
    "GpuschedNote",
    "Measurement",
    "Plan",
    "Report",
    "Result",
    "Results",
    "Table",
    "Task",
    "TaskSet",
    "TaskSets",
    "Verdict",
    "Wcet",
    "__version__",
    "budget",
    "export",
    "generate",
    "gpus",
    "import_",
    "measure",
    "partition",
    "plot",
    "predict",
    "recording",
    "report",
    "run",
    "runtime",
    "schema",
    "show",
    "simulate",
    "study",
    "test",
    "to_ns",
    "validate",
    "verify",
    "wcet",
    "what_if",
]
