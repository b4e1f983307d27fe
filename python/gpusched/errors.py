"""Errors and notes of gpusched."""

from __future__ import annotations

from typing import Optional


class GpuschedError(ValueError):
    """A refused input or parameter, or a failed access to a file.

    Attributes are ``None`` where they do not apply.
    """

    #: The whole message in one line, and possibly a hint in a further paragraph.
    message: str
    #: Name of the file. Objects of Python have the name of their parameter, such as ``task_set.json``.
    file: Optional[str]
    #: Number of the line in the file, from 1.
    line: Optional[int]
    #: Path of the field in the file, such as ``tasks[0].wcet.amdahl.work``, or name of the parameter.
    field: Optional[str]
    #: The found value.
    found: Optional[str]
    #: The expected values.
    expected: Optional[str]
    #: One action that solves the problem.
    hint: Optional[str]

    def __init__(
        self,
        message: str,
        file: Optional[str] = None,
        line: Optional[int] = None,
        field: Optional[str] = None,
        found: Optional[str] = None,
        expected: Optional[str] = None,
        hint: Optional[str] = None,
    ) -> None:
        super().__init__(message, file, line, field, found, expected, hint)
        self.message = message
        self.file = file
        self.line = line
        self.field = field
        self.found = found
        self.expected = expected
        self.hint = hint

    def __str__(self) -> str:
        return self.message


class GpuschedNote(UserWarning):
    """A note or a warning about an input that is valid but probably contains a mistake."""
