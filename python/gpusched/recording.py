"""Recordings of profilers."""

from ._commands import recording_audit as audit
from ._commands import recording_recover as recover
from ._commands import recording_summary as summary
from ._commands import recording_tasks as tasks

__all__ = ["audit", "recover", "summary", "tasks"]
