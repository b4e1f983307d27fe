"""Files of other tools."""

from ._commands import import_accel_sim as accel_sim
from ._commands import import_amalthea as amalthea
from ._commands import import_examiner as examiner
from ._commands import import_gpgpusim_config as gpgpusim_config
from ._commands import import_ptx as ptx

__all__ = ["accel_sim", "amalthea", "examiner", "gpgpusim_config", "ptx"]
