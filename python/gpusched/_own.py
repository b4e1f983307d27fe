"""Algorithms of the user: functions that studies and ``partition`` call."""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import CodeType
from typing import Any, Callable

from ._documents import to_json
from ._native import Wcets
from .tasks import TaskSet

#: A function of a task set and the number of SMs of the GPU. It returns whether the task set is schedulable, a list of partitions
#: (mappings with ``sms`` and ``tasks``, the positions of the tasks), or a ``Plan``.
Algorithm = Callable[[TaskSet, int], Any]


def functions(algorithms: Mapping[str, Algorithm]) -> list[tuple[str, str, Callable[[str, Wcets, int], str]]]:
    """Returns the name, the version and the function of each algorithm, for the native module."""
    return [(str(name), version(function), _caller(name, function)) for name, function in algorithms.items()]


def version(function: Algorithm) -> str:
    """Returns the qualified name of ``function``, and the hash of the file that defines it. Without a file, the hash is that of
    its source or its code.

    The version does not include other modules, variables that the function uses, and arguments of ``functools.partial``.
    """
    target: Any = function
    while isinstance(target, functools.partial):
        target = target.func
    target = inspect.unwrap(target)
    if not hasattr(target, "__qualname__"):
        target = type(target)  # an object with the method __call__
    module = str(target.__module__).replace("__mp_main__", "__main__")  # the name in a worker of multiprocessing
    return f"{module}.{target.__qualname__} {hashlib.sha256(_source(target)).hexdigest()}"


def _source(target: Any) -> bytes:
    try:
        file = inspect.getsourcefile(target)
        if file and Path(file).is_file():
            return Path(file).read_bytes()
        return inspect.getsource(target).encode()
    except (OSError, TypeError):  # as in `python -c`
        code = getattr(target, "__code__", None)
        return repr(_code(code) if code else target.__qualname__).encode()


def _code(code: CodeType) -> list[Any]:
    """Returns the parts of ``code`` that determine its results, in an order that is equal in every process."""

    def constant(value: Any) -> Any:
        if isinstance(value, CodeType):
            return _code(value)
        return sorted(map(repr, value)) if isinstance(value, frozenset) else repr(value)

    return [code.co_code, code.co_names, code.co_varnames, [constant(value) for value in code.co_consts]]


def _caller(name: str, function: Algorithm) -> Callable[[str, Wcets, int], str]:
    """Returns a function that calls ``function`` and returns its answer as JSON."""
    if not callable(function):
        raise TypeError(f"{name}: found a value of type {type(function).__name__}, expected a function")

    def call(text: str, wcets: Wcets, sms: int) -> str:
        return _answer(function(TaskSet._of_native(json.loads(text), wcets), sms))

    return call


def _answer(value: Any) -> str:
    from .results import Plan

    if isinstance(value, Plan):
        value = [{"sms": part["sms"], "tasks": part["tasks"]} for part in value["partitions"]] if value else False
    if hasattr(value, "item"):  # a number of NumPy
        value = value.item()
    if isinstance(value, bool):
        return to_json({"schedulable": value})
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return to_json({"partitions": list(value)})
    raise TypeError(f"found a value of type {type(value).__name__}, expected True, False, a list of partitions, or a Plan")
