"""Files of other tools."""

from ._commands import import_accel_sim as accel_sim
from ._commands import import_amalthea as amalthea
from ._commands import import_csv as csv
from ._commands import import_examiner as examiner
from ._commands import import_gpgpusim_config as gpgpusim_config
from ._commands import import_holoscan as holoscan
from ._commands import import_ptx as ptx
from ._commands import import_schedcat as schedcat
from ._commands import import_simso as simso

__all__ = ["accel_sim", "amalthea", "csv", "examiner", "gpgpusim_config", "holoscan", "ptx", "schedcat", "simso"]
