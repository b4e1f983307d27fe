"""Objects of Python as input files of the command."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

from .errors import GpuschedError


def content(value: Any) -> Optional[tuple[str, str]]:
    """Returns the file ending and the text of a document, or ``None`` if ``value`` is a path or a plain value."""
    if hasattr(value, "to_json") and not hasattr(value, "to_csv"):
        return "json", value.to_json()
    if hasattr(value, "to_csv"):  # a table of pandas
        return "csv", value.to_csv(index=False)
    if isinstance(value, Mapping):
        return "json", json.dumps(value)
    if isinstance(value, str) and ("\n" in value or value.lstrip().startswith("{")):
        return ("json" if value.lstrip().startswith(("{", "[")) else "toml"), value
    return None


def is_list(value: Any) -> bool:
    """Whether ``value`` is a list of values in place of one value."""
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes, tuple)) and not hasattr(value, "to_json")


class Inputs:
    """Input files of one call, in a temporary folder."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        self.count = 0

    def path(self, name: str, value: Any) -> str:
        """Returns the argument for ``value``, the parameter ``name``. Writes a document to a file first."""
        if isinstance(value, tuple) and len(value) == 2:  # a file and the size of its partition
            return f"{self.path(name, value[0])}@{value[1]}"
        if is_list(value):  # task sets, one per line
            lines = [content(item) for item in value]
            if not all(lines):
                raise TypeError(f"{name}: expected one path, one object, or a list of objects")
            return self.write(name, "jsonl", "\n".join(" ".join(line[1].split("\n")) for line in lines if line))
        document = content(value)
        if document is None:
            return os.fspath(value) if isinstance(value, os.PathLike) else str(value)
        return self.write(name, *document)

    def write(self, name: str, ending: str, text: str) -> str:
        self.count += 1
        folder = self.folder / str(self.count)
        folder.mkdir()
        path = folder / f"{name}.{ending}"
        path.write_text(text if text.endswith("\n") else text + "\n", encoding="utf-8")
        return str(path)

    def error(self, refused: Sequence[Any]) -> GpuschedError:
        """Returns the exception for ``refused``, with file names in place of temporary paths."""
        parts: list[Any] = [self.shown(part) if isinstance(part, str) else part for part in refused]
        return GpuschedError(*parts)

    def shown(self, text: str) -> str:
        for number in range(1, self.count + 1):
            text = text.replace(str(self.folder / str(number)) + os.sep, "")
        return text
