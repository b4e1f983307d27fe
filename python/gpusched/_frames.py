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


def read_csv(path: Any) -> Any:
    """Returns a table of pandas from a CSV file. Removes the apostrophes that protect spreadsheets from formulas."""
    frame = pandas().read_csv(path)
    is_number = pandas().api.types.is_numeric_dtype
    for column in [column for column in frame.columns if not is_number(frame[column])]:
        frame[column] = frame[column].replace(r"^'(?='*[=+\-@\t\r])", "", regex=True)
    return frame
