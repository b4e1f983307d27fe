"""Calls of the command inside this process."""

from __future__ import annotations

import os
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional

from . import _native
from ._documents import Document, File, Inputs, frozen, is_list
from ._own import Algorithm, functions
from .errors import GpuschedNote

#: Time after which a progress bar appears [s].
PATIENCE = 0.5


class Command:
    """A command with its arguments, which can run in several formats."""

    def __init__(
        self,
        words: Sequence[str],
        positional: Sequence[tuple[str, Any]],
        options: Mapping[str, Any],
        algorithms: Optional[Mapping[str, Algorithm]] = None,
    ) -> None:
        # A function in place of the name of a heuristic is an algorithm of the user.
        given = {getattr(value, "__name__", name): value for name, value in options.items() if callable(value)}
        for name, value in options.items():
            if callable(value) and name != "heuristic":
                raise TypeError(f"{name}: found a function or class {value!r}, expected a value")
        self.functions = functions({**given, **(algorithms or {})})
        self.words = list(words)
        self.positional = [(name, item) for name, value in positional for item in self.items(name, value)]
        self.options = {
            # The command writes to the output, so the output may change.
            name: [os.fspath(value)]
            if name == "output"
            else [frozen(name.replace("-", "_"), item) for item in (value if is_list(value) else [value])]
            for name, value in options.items()
            if value is not None and value is not False and not callable(value)
        }
        self.outputs: dict[Optional[str], tuple[bool, bytes]] = {}

    def run(self, format: Optional[str] = None) -> tuple[bool, bytes]:
        """Runs the command once per format. Returns whether the result is positive, and the bytes of the result.

        Raises:
            GpuschedError: for bad input, and if an input file has changed since the first run. If an algorithm of the user
                raises an exception, this exception is the cause of the error.
            KeyboardInterrupt: after Ctrl-C.
        """
        if format not in self.outputs:
            self.outputs[format] = self._run(format)
        return self.outputs[format]

    def _run(self, format: Optional[str]) -> tuple[bool, bytes]:
        with tempfile.TemporaryDirectory(prefix="gpusched-") as folder:
            inputs = Inputs(folder)
            arguments = [*self.words]
            for option, values in self.options.items():
                for value in values:
                    given = "" if value is True else "=" + inputs.argument(option.replace("-", "_"), value)
                    arguments.append(f"--{option}{given}")
            if format is not None:
                arguments += ["--format", format]
            arguments.append("--")
            arguments += [inputs.argument(name, value) for name, value in self.positional]
            bar = Bar()
            try:
                answer, refused, raised = self.call(arguments, bar.step)
            finally:
                bar.close()
            if refused is not None:
                raise inputs.error(refused) from raised
            positive, output, notes, formats = answer
            for note in notes if not self.outputs else []:  # the first run has shown the notes
                warnings.warn(inputs.shown(note), GpuschedNote, stacklevel=5)
            # Another run of a measurement would have other times.
            self.outputs.update({name: (positive, text.encode()) for name, text in formats})
            return positive, output

    def call(self, arguments: Sequence[str], progress: Callable[[int, Optional[int], str], None]) -> Any:
        """Runs the command with ``arguments``. Returns its result, its error, and the exception that caused the error."""
        return _native.call(arguments, progress, self.functions)

    @staticmethod
    def items(name: str, value: Any) -> Sequence[Any]:
        """Returns the values of a positional argument. A list of paths gives several arguments."""
        several = name in ("files", "specs", "folders", "traces") and is_list(value)
        found = [frozen(name, item) for item in (value if several else [value])]
        if not found or not all(isinstance(item, (Document, File, tuple)) for item in found):
            raise TypeError(f"{name}: found a value of type {type(value).__name__}, expected a path or an object")
        return found


def pairs(value: Any) -> Any:
    """Returns the arguments ``NAME=VALUE`` of a mapping from names to values."""
    if not isinstance(value, Mapping):
        return value
    return [f"{name}={one}" for name, item in value.items() for one in (item if is_list(item) else [item])]


def joined(value: Any, mark: str) -> Any:
    """Returns the argument of a pair of numbers, such as ``0..8`` for ``(0, 8)``."""
    return mark.join(map(str, value)) if isinstance(value, (tuple, list)) else value


class Bar:
    """Progress bar of tqdm, if tqdm is installed and the command takes time."""

    def __init__(self) -> None:
        self.start = time.monotonic()
        self.bar: Any = None

    def step(self, position: int, total: Optional[int], units: str) -> None:
        if self.bar is None:
            if position == total or time.monotonic() - self.start < PATIENCE:
                return
            self.start = float("inf")  # one try is enough
            self.bar = _tqdm(total=total, unit=" " + units, disable=None, leave=False)
        if self.bar is not None:
            self.bar.update(position - self.bar.n)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()


def _tqdm(**options: Any) -> Any:
    """Returns a progress bar for a terminal or a notebook, or ``None`` without tqdm."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a notebook without ipywidgets gets a bar of text
            from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(**options)
