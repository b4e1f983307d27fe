"""Experiments over many task sets."""

from __future__ import annotations

import concurrent.futures
import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Optional

from . import _commands
from ._commands import study_check as check
from ._commands import study_diff as diff
from ._commands import study_draw as draw
from ._commands import study_list as list  # noqa: A001  (the name of the command)
from ._commands import study_merge as merge
from ._commands import study_new as new
from ._commands import study_reproduction as reproduction
from ._commands import study_sets as sets
from ._commands import study_status as status
from ._commands import study_submit as submit
from ._frames import pandas, read_csv
from ._own import Algorithm
from .errors import GpuschedError

__all__ = ["check", "diff", "draw", "list", "merge", "new", "reproduction", "run", "sets", "status", "submit"]


def run(
    spec: Any,
    output: Any = None,
    *,
    algorithms: Optional[Mapping[str, Algorithm]] = None,
    executor: Optional[concurrent.futures.Executor] = None,
    shards: int = 8,
    retries: int = 2,
    **options: Any,
) -> Any:
    """Runs a study. Returns its results as a table of pandas with one row per point and algorithm.

    The attributes of the table (``frame.attrs``) are ``study`` (the name), ``folder`` (the folder with all files of the study, or
    ``None``) and ``findings`` (the checked claims).

    Args:
        spec: Path of the study (TOML), or its text.
        output: Folder for all files of the study. An interrupted run resumes there (with ``executor``: in the folder
            ``output.shards``). Default: a temporary folder.
        algorithms: Algorithms of yours, which the study compares with its own: functions by their names. Each function receives
            a :class:`TaskSet` and the number of SMs of the GPU. It returns whether the task set is schedulable, a list of
            partitions (mappings with ``sms`` and ``tasks``, the positions of the tasks), or a :class:`Plan`. gpusched tests
            partitions and plans under the policy of the study. For equal results in every run, the answer must depend on the
            arguments alone. Processes of an ``executor`` must be able to import the functions.
        executor: Runs shards of the study, such as ``concurrent.futures.ProcessPoolExecutor()`` or an executor of Dask. The
            function calls only its method ``submit``. The processes must share the folder ``output``. Default: the threads of this
            process.
        shards: Number of shards for ``executor``.
        retries: How often a shard is submitted again after an error that is no :class:`GpuschedError`, such as a killed worker.
        options: Options of ``gpusched study run``: ``sets``, ``seed``, ``threads``.

    Raises:
        GpuschedError: for an invalid study, and for an exception of an algorithm, which is the cause of the error. The finished
            task sets stay in ``output``, so the same call continues.
        ImportError: without pandas.
    """
    if isinstance(spec, Mapping):
        raise TypeError("spec: found a mapping, expected a path or the text of a study in TOML")
    if shards < 1:
        raise ValueError(f"shards: found {shards}, expected at least 1")
    pandas()  # fails before the study runs
    if algorithms:
        options["algorithms"] = algorithms
    with contextlib.ExitStack() as stack:
        folder = Path(output or stack.enter_context(tempfile.TemporaryDirectory(prefix="gpusched-")))
        if executor is None:
            findings = _commands.study_run([spec], output=folder, **options)
        else:
            parts = folder.with_name(folder.name + ".shards") if output else folder / "shards"
            parts = parts.resolve()  # the processes may have another working directory
            parts.mkdir(parents=True, exist_ok=True)
            _run_shards(executor, _absolute(spec), str(parts), shards, retries, options)
            findings = _commands.study_merge([parts], output=folder)
            shutil.rmtree(parts)  # the merged folder contains everything
        [provenance] = folder.glob("*.provenance.json")
        name = json.loads(provenance.read_text(encoding="utf-8"))["study"]
        frame = read_csv(folder / f"{name}.csv")
        frame.attrs = {"study": name, "folder": str(folder) if output else None, "findings": findings.data}
        return frame


def _absolute(spec: Any) -> Any:
    """Returns an absolute path if ``spec`` is a path, because processes may have another working directory."""
    if isinstance(spec, os.PathLike) or (isinstance(spec, str) and "\n" not in spec):
        return os.path.abspath(spec)
    return spec


def _run_shards(executor: Any, spec: Any, folder: str, shards: int, retries: int, options: dict[str, Any]) -> None:
    """Runs all shards. Submits a shard again if its worker ended early; the shard then continues from its journal."""

    def submit(shard: int) -> Any:
        return executor.submit(_shard, spec, folder, f"{shard}/{shards}", options)

    waiting = [(shard, submit(shard)) for shard in range(1, shards + 1)]
    for left in range(retries, -1, -1):
        failed = []
        for shard, future in waiting:
            try:
                future.result()
            except GpuschedError:
                raise
            except Exception:  # noqa: BLE001  (each executor has its own errors for a lost worker)
                if not left:
                    raise
                failed.append(shard)
        waiting = [(shard, submit(shard)) for shard in failed]


def _shard(spec: Any, folder: str, shard: str, options: dict[str, Any]) -> None:
    """Runs one shard."""
    _commands.study_run([spec], output=folder, shard=shard, **options)
