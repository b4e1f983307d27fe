"""Measurements of kernels, and of the overheads of dispatchers."""

from ._commands import measure_device as device
from ._commands import measure_interference as interference
from ._commands import measure_kernel as kernel
from ._commands import measure_overhead as overhead
from ._commands import measure_platform as platform

__all__ = ["device", "interference", "kernel", "overhead", "platform"]
