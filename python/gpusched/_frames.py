"""Tables of pandas. pandas is optional."""

from __future__ import annotations

from typing import Any


def pandas() -> Any:
    """Returns the module pandas.

    Raises:
        ImportError: if pandas is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise ImportError("tables need pandas: pip install 'gpusched-rt[frames]'") from None
    return pandas
