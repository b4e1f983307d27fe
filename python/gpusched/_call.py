"""Calls of the command inside this process."""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Optional

from . import _native
from ._documents import Inputs, is_list
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
    ) -> None:
        self.words = list(words)
        self.positional = list(positional)
        self.options = {name: value for name, value in options.items() if value is not None and value is not False}

    def run(self, format: Optional[str] = None) -> tuple[bool, bytes]:
        """Runs the command. Returns whether the result is positive, and the bytes of the result.

        Raises:
            GpuschedError: for bad input.
            KeyboardInterrupt: after Ctrl-C.
        """
        with tempfile.TemporaryDirectory(prefix="gpusched-") as folder:
            inputs = Inputs(folder)
            arguments = [*self.words]
            for option, value in self.options.items():
                arguments += self.option(inputs, option, value)
            if format is not None:
                arguments += ["--format", format]
            arguments.append("--")
            for name, value in self.positional:
                for item in self.items(name, value):
                    arguments.append(inputs.path(name, item))
            bar = Bar()
            try:
                answer, refused = _native.call(arguments, bar.step)
            finally:
                bar.close()
            if refused is not None:
                raise inputs.error(refused) from None
            positive, output, notes = answer
            for note in notes:
                warnings.warn(inputs.shown(note), GpuschedNote, stacklevel=4)
            return positive, output

    @staticmethod
    def items(name: str, value: Any) -> Sequence[Any]:
        """Returns the values of a positional argument. A list of paths gives several arguments."""
        if value is None:
            return []
        is_several = name in ("files", "specs", "folders", "traces")
        return value if is_several and is_list(value) else [value]

    @staticmethod
    def option(inputs: Inputs, name: str, value: Any) -> list[str]:
        flag = "--" + name
        if value is True:
            return [flag]
        values = value if is_list(value) else [value]
        return [f"{flag}={inputs.path(name.replace('-', '_'), item)}" for item in values]


def pairs(value: Any) -> Any:
    """Returns the arguments ``NAME=VALUE`` of a mapping from names to values."""
    return [f"{name}={item}" for name, item in value.items()] if isinstance(value, Mapping) else value


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
