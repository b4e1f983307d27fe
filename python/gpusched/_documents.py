"""Objects of Python as input files of the command."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

from .errors import GpuschedError


def to_json(value: Any) -> str:
    """Returns ``value`` as JSON in one line. Numbers of NumPy are numbers."""

    def plain(number: Any) -> Any:
        if hasattr(number, "item"):
            return number.item()
        raise TypeError(f"found a value of type {type(number).__name__}, expected a number, a text, a list or a mapping")

    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=plain, allow_nan=False)


def cell(value: Any) -> Any:
    """Returns ``value`` as a cell of a table: lists and mappings as JSON, so that a CSV file of the table has them, too."""
    return to_json(value) if isinstance(value, (list, dict)) else value


def _cells(column: Any) -> Any:
    """Returns ``column`` of pandas with its values as cells. Whole numbers beside missing values stay exact."""
    if column.dtype != object:
        return column
    return type(column)([cell(value) for value in column], index=column.index, dtype=object)


class Document:
    """The content of an input file, as it was when the function was called."""

    def __init__(self, ending: str, text: str) -> None:
        self.ending = ending
        self.text = text


class File:
    """An input file of the user. Its content must not change while a result uses it."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.state = self._look()

    def _look(self) -> Optional[tuple[int, int]]:
        try:
            found = os.stat(self.path)
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size

    def checked(self) -> str:
        """Returns the path.

        Raises:
            GpuschedError: if the file has changed.
        """
        if self._look() != self.state:
            message = f"{self.path}: the file has changed since the result was computed\n\nhint: call the function again"
            raise GpuschedError(message, file=self.path, hint="call the function again")
        return self.path


def frozen(name: str, value: Any) -> Any:
    """Returns the argument ``value`` of the parameter ``name`` as it is now: a document, a file, or a plain value."""
    if hasattr(value, "to_csv"):  # a table of pandas, or a Table
        if hasattr(value, "columns"):
            value = value.reset_index() if any(level is not None for level in value.index.names) else value
            value = value.apply(_cells)
        return Document("csv", value.to_csv(index=False))
    if hasattr(value, "to_json"):
        return Document("json", value.to_json())
    if isinstance(value, Mapping):
        return Document("json", to_json(value))
    if isinstance(value, str) and ("\n" in value or value.lstrip().startswith("{")):
        return Document("json" if value.lstrip().startswith(("{", "[")) else "toml", value)
    if isinstance(value, tuple) and len(value) == 2:  # a file and the size of its partition
        return frozen(name, value[0]), value[1]
    if is_list(value):  # task sets, one per line
        documents = [frozen(name, item) for item in value]
        if not documents or not all(isinstance(item, Document) and item.ending == "json" for item in documents):
            raise TypeError(f"{name}: expected a path, an object, or a list of objects")
        return Document("jsonl", "\n".join(" ".join(item.text.split("\n")) for item in documents))
    if isinstance(value, (str, os.PathLike)):
        return File(os.fspath(value))
    return value


def is_list(value: Any) -> bool:
    """Whether ``value`` is a list of values in place of one value."""
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes, tuple)) and not hasattr(value, "to_json")


class Inputs:
    """Input files of one call, in a temporary folder."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        self.count = 0

    def argument(self, name: str, value: Any) -> str:
        """Returns the argument of the command for a frozen ``value``. Writes a document to a file first."""
        if isinstance(value, Document):
            return self.write(name, value)
        if isinstance(value, tuple):
            return f"{self.argument(name, value[0])}@{value[1]}"
        return value.checked() if isinstance(value, File) else str(value)

    def write(self, name: str, document: Document) -> str:
        self.count += 1
        folder = self.folder / str(self.count)
        folder.mkdir()
        path = folder / f"{name}.{document.ending}"
        text = document.text
        path.write_text(text if text.endswith("\n") else text + "\n", encoding="utf-8")
        return str(path)

    def error(self, refused: Sequence[Any]) -> GpuschedError:
        """Returns the exception for ``refused``, with file names in place of temporary paths."""
        parts: list[Any] = [self.shown(part) if isinstance(part, str) else part for part in refused]
        error = GpuschedError(*parts)
        if error.found is None:  # the message of a parser contains both values
            values = re.search(r"(?:found|invalid value:|invalid type:) (.+?), expected (.+)", error.message)
            error.found, error.expected = values.groups() if values else (None, None)
        return error

    def shown(self, text: str) -> str:
        for number in range(1, self.count + 1):
            text = text.replace(str(self.folder / str(number)) + os.sep, "")
        return text
