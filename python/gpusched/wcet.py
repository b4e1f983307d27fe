"""WCETs of kernels: fits, block traces, bounds."""

from ._commands import wcet_bound as bound
from ._commands import wcet_cluster as cluster
from ._commands import wcet_curve as curve
from ._commands import wcet_fit as fit
from ._commands import wcet_profile as profile
from ._commands import wcet_synth as synth
from ._commands import wcet_verify as verify

__all__ = ["bound", "cluster", "curve", "fit", "profile", "synth", "verify"]
