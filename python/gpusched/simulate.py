"""Simulations of tasks, thread blocks and warps."""

from ._commands import simulate_blocks as blocks
from ._commands import simulate_matrix as matrix
from ._commands import simulate_profile as profile
from ._commands import simulate_tasks as tasks
from ._commands import simulate_warps as warps

__all__ = ["blocks", "matrix", "profile", "tasks", "warps"]
