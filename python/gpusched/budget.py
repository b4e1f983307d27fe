"""Memory bandwidth budgets of best-effort cores."""

from ._commands import budget_export as export
from ._commands import budget_nominal as nominal
from ._commands import budget_sequence as sequence
from ._commands import budget_simulate as simulate

__all__ = ["export", "nominal", "sequence", "simulate"]
