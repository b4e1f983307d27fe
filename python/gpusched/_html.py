"""HTML of results in notebooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

#: Number of rows that a notebook shows.
ROWS = 60

__all__ = ["escape", "table"]


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Returns a table with one row per mapping. Long tables end with the number of the omitted rows."""
    columns = list(dict.fromkeys(column for row in rows for column in row))
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{_cell(row.get(column))}</td>" for column in columns) + "</tr>" for row in rows[:ROWS]
    )
    omitted = f"<p>{len(rows) - ROWS} more rows</p>" if len(rows) > ROWS else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{omitted}"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return escape(text if len(text) <= 60 else text[:57] + "...")
