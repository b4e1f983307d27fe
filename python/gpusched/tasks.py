"""Tasks and task sets."""

from __future__ import annotations

import copy
import json
import operator
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Optional, Union, overload

from ._documents import cell, to_json
from ._frames import pandas
from ._html import escape, table
from ._native import Wcets
from .errors import GpuschedError

#: A time: a text with unit such as ``"2.5us"``, or an integer number of nanoseconds.
Time = Union[str, int]

#: Forms of WCET functions with a serial share.
_SCALING = ("amdahl", "proportional")

_UNITS = {"ns": 1, "us": 10**3, "µs": 10**3, "μs": 10**3, "ms": 10**6, "s": 10**9}
_TIME = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(ns|us|µs|μs|ms|s)\s*")


def to_ns(time: Time) -> int:
    """Returns ``time`` in nanoseconds.

    Raises:
        ValueError: for a text without a valid unit, and for a fraction of a nanosecond.
    """
    if not isinstance(time, (str, bool)) and hasattr(time, "__index__"):  # also integers of NumPy
        number = operator.index(time)
        if number < 0:
            raise ValueError(f"time: found {number}, expected a number of nanoseconds from 0")
        return number
    match = _TIME.fullmatch(time) if isinstance(time, str) else None
    if match is None:
        raise ValueError(f'time: found {time!r}, expected a number with unit such as "2.5us", or an integer of ns')
    value = Decimal(match[1]) * _UNITS[match[2]]
    if value != int(value):
        raise ValueError(f"time: found {time!r}, expected a whole number of nanoseconds")
    return int(value)


def _scaling(work: Time, serial: float, conflict: Optional[float]) -> dict[str, Any]:
    parameters: dict[str, Any] = {"work": work, "serial": serial}
    if conflict is not None:
        parameters["conflict"] = conflict
    return parameters


class Wcet:
    """Forms of WCET functions C(m) of the number m of SMs. Each function returns the field ``wcet`` of a task."""

    @staticmethod
    def amdahl(work: Time, serial: float, conflict: Optional[float] = None) -> dict[str, Any]:
        """C(m) = k·(a/m + β·a) with work a, serial share β and conflict factor k ≥ 1 ([Singh21] §3.6.1).

        The factor k applies if the task contends with another task. Without ``conflict``, the WCET stays the isolated WCET.
        """
        return {"amdahl": _scaling(work, serial, conflict)}

    @staticmethod
    def proportional(work: Time, serial: float, conflict: Optional[float] = None) -> dict[str, Any]:
        """C(m) = k·a·(1 + β)/m, a second interpretation of [Singh21] §3.6. The parameters are as in :meth:`amdahl`."""
        return {"proportional": _scaling(work, serial, conflict)}

    @staticmethod
    def affine(a: Time, b: Time, conflict: Optional[tuple[Time, Time]] = None) -> dict[str, Any]:
        """C(m) = a/m + b. ``conflict`` is the pair (a, b) under contention."""
        form: dict[str, Any] = {"isolated": {"a": a, "b": b}}
        if conflict is not None:
            form["conflict"] = {"a": conflict[0], "b": conflict[1]}
        return {"affine": form}

    @staticmethod
    def table(isolated: Mapping[int, Time], conflict: Optional[Mapping[int, Time]] = None) -> dict[str, Any]:
        """Measured C(m) by number of SMs, such as ``{1: "8ms", 2: "5ms"}``."""

        def rows(points: Mapping[int, Time]) -> list[list[Any]]:
            return [[sms, points[sms]] for sms in sorted(points)]

        if conflict is None:
            return {"table": rows(isolated)}
        return {"table": {"isolated": rows(isolated), "conflict": rows(conflict)}}


#: Fields of a task, as in the schema `task-set`.
FIELDS = (
    "name", "period", "deadline", "jitter", "block", "launches", "kind", "traffic", "bandwidth", "sectors", "wcet",
    "wcet_source", "measured_on",
)


class Task:
    """A sporadic task: a kernel that recurs.

    Args:
        period: Minimum time between two arrivals, T.
        wcet: WCET function, from :class:`Wcet`, or one time for every number of SMs.
        deadline: Relative deadline, D. Default: the period.
        name: Name for display.
        kind: ``"compute"`` or ``"memory"``. Tasks of the same kind contend in one partition.
        fields: Further fields of the file format: ``jitter``, ``block``, ``launches``, ``traffic``, ``bandwidth``,
            ``sectors``, ``wcet_source``, ``measured_on``.

    A task cannot be changed. :meth:`replace` returns a changed copy. Fields without a value are ``None``.

    Raises:
        TypeError: for an unknown field.
    """

    def __init__(
        self,
        period: Time,
        wcet: Union[Mapping[str, Any], Time],
        *,
        deadline: Optional[Time] = None,
        name: Optional[str] = None,
        kind: Optional[str] = None,
        **fields: Any,
    ) -> None:
        given = {"name": name, "period": period, "deadline": deadline, "kind": kind, **fields}
        given["wcet"] = dict(wcet) if isinstance(wcet, Mapping) else wcet
        for field in given:
            if field not in FIELDS:
                raise TypeError(f"found an unknown field {field!r} of a task, expected one of {', '.join(FIELDS)}")
        kept = {field: copy.deepcopy(value) for field, value in given.items() if value is not None}
        object.__setattr__(self, "_fields", kept)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Task:
        """Creates a task from the fields of a task in a file."""
        return cls(**fields)

    def to_dict(self) -> dict[str, Any]:
        """Returns the fields of the task, as in a file."""
        return copy.deepcopy(self._fields)

    def replace(self, **fields: Any) -> Task:
        """Returns a copy of the task with other values of ``fields``."""
        return Task.from_dict({**self._fields, **fields})

    def __getattr__(self, field: str) -> Any:
        if field not in FIELDS:
            raise AttributeError(f"a task has no field {field!r}")
        return copy.deepcopy(self.__dict__["_fields"].get(field))

    def __setattr__(self, field: str, value: Any) -> None:
        raise AttributeError(f"a task cannot be changed; use task.replace({field}=...)")

    def __reduce__(self) -> Any:
        return Task.from_dict, (self._fields,)

    @property
    def period_ns(self) -> int:
        """Period in nanoseconds."""
        return to_ns(self._fields["period"])

    @property
    def deadline_ns(self) -> int:
        """Relative deadline in nanoseconds."""
        return to_ns(self._fields.get("deadline", self._fields["period"]))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Task) and self._fields == other._fields

    def __repr__(self) -> str:
        return f"Task({', '.join(f'{field}={value!r}' for field, value in self._fields.items())})"


def _row(task: Task) -> dict[str, Any]:
    """One row of a table of tasks, with the columns of CSV tables. Times are in nanoseconds."""
    fields = task.to_dict()
    wcet = fields.pop("wcet")
    row: dict[str, Any] = {"name": fields.pop("name", None), "period_ns": task.period_ns, "deadline_ns": task.deadline_ns}
    fields.pop("period")
    fields.pop("deadline", None)
    for field, value in fields.items():
        is_time = field in ("jitter", "block")
        row[field + "_ns" if is_time else field] = to_ns(value) if is_time else cell(value)
    if not isinstance(wcet, Mapping):
        row["wcet_ns"] = to_ns(wcet)
        return row
    for form, parameters in wcet.items():
        if form in _SCALING:
            row["wcet"] = form
            row["work_ns"] = to_ns(parameters["work"])
            row.update({field: value for field, value in parameters.items() if field != "work"})
        elif form == "table":
            # One list is for isolation and conflict.
            both = parameters if isinstance(parameters, Mapping) else {"isolated": parameters, "conflict": parameters}
            for contention, prefix in (("isolated", "wcet"), ("conflict", "conflict")):
                row.update({f"{prefix}_{sms}_ns": to_ns(time) for sms, time in both.get(contention) or ()})
        elif form == "affine" and "conflict" not in parameters and to_ns(parameters["isolated"]["a"]) == 0:
            row["wcet_ns"] = to_ns(parameters["isolated"]["b"])  # one time for every number of SMs
        else:
            row["wcet"] = cell(wcet)
    return row


class TaskSet(Sequence[Task]):
    """Tasks that share a GPU.

    Args:
        tasks: The tasks, or mappings with the fields of tasks.
        name: Name for display.
        fields: Further fields of the file format: ``other_traffic``, ``measured_on``.
    """

    def __init__(
        self, tasks: Iterable[Union[Task, Mapping[str, Any]]], name: Optional[str] = None, **fields: Any
    ) -> None:
        self.tasks = [task if isinstance(task, Task) else Task.from_dict(task) for task in tasks]
        self.name = name
        self._fields = fields
        self._wcets: Optional[tuple[list[Task], Wcets]] = None

    @classmethod
    def _of_native(cls, fields: Mapping[str, Any], wcets: Wcets) -> TaskSet:
        """Creates a task set whose WCETs are known."""
        made = cls.from_dict(fields)
        made._wcets = list(made.tasks), wcets
        return made

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> TaskSet:
        """Creates a task set from the content of a file."""
        return cls(**fields)

    @classmethod
    def read(cls, path: Any) -> TaskSet:
        """Reads the file at ``path``, which contains one task set: JSON, or a CSV table.

        Raises:
            GpuschedError: for an invalid table.
            ValueError: for JSON with a wrong syntax, and for a table with several task sets.
        """
        with open(path, encoding="utf-8-sig") as file:
            text = file.read()
        if text.lstrip().startswith("{"):
            return cls.from_dict(json.loads(text))
        from ._commands import import_csv

        return cls._only(path, import_csv(path), "gpusched.import_.csv")

    @classmethod
    def from_frame(cls, frame: Any, name: Optional[str] = None) -> TaskSet:
        """Creates a task set from a table of pandas with one row per task, such as the result of :meth:`to_frame`.

        The columns are the columns of CSV tables: fields of tasks, such as ``period``, ``deadline`` and ``kind``. Columns whose names
        end in ``_ns`` are whole numbers of nanoseconds. ``wcet_8`` and ``conflict_8`` are WCETs on 8 SMs. The column ``wcet``
        contains WCET functions or times. With the columns ``work``, ``serial`` and ``conflict``, it contains ``"amdahl"``
        (default) or ``"proportional"``. ``set_name`` and ``times`` are fields of the set.

        Raises:
            GpuschedError: for a table that a CSV file could not contain, too, such as one with a missing WCET, a fraction of a
                nanosecond, or two columns of the same value.
            ValueError: for a column ``set`` (see :meth:`TaskSets.from_frame`).
        """
        from ._commands import import_csv

        if "set" in frame.columns:
            raise ValueError("set: found a column of several task sets; use TaskSets.from_frame")
        made = cls._only("frame", import_csv(frame), "TaskSets.from_frame")
        made.name = made.name if name is None else name
        return made

    @classmethod
    def _only(cls, source: Any, sets: TaskSets, other: str) -> TaskSet:
        """Returns the only one of ``sets``. ``other`` is the function for several task sets."""
        if len(sets) != 1:
            raise ValueError(f"{source}: found {len(sets)} task sets, expected one; use {other}")
        return cls.from_dict(sets[0].to_dict())

    def wcet(self, sms: int, conflict: bool = False) -> list[Optional[int]]:
        """Returns the WCET C(m) of each task on m = ``sms`` SMs, in whole nanoseconds.

        The value is ``None`` for a task without a WCET on this number of SMs. Without ``conflict``, the WCETs are the isolated WCETs.

        Raises:
            GpuschedError: for an invalid task set.
        """
        if self._wcets is None or self._wcets[0] != self.tasks:
            try:
                self._wcets = list(self.tasks), Wcets(self.to_json())
            except ValueError as error:
                raise GpuschedError(str(error)) from None
        return self._wcets[1].at(sms, conflict)

    def accepts(self, tasks: Iterable[int], sms: int) -> bool:
        """Returns whether the tasks at the positions ``tasks`` pass the test of a study, or of ``partition``, in one partition of
        ``sms`` SMs. The test has the policy and the interference model of the study, and supports each number of SMs.

        Raises:
            ValueError: for unknown positions, for 0 SMs or too many, and for a task set that no algorithm received, or whose tests
                count memory traffic or overheads. Then use :func:`gpusched.test`.
        """
        native = self._wcets[1] if self._wcets and self._wcets[0] == self.tasks else None
        accepted = native.accepts(list(tasks), sms) if native else None
        if accepted is None:
            raise ValueError("accepts: found no test of partitions; only a function of a study or of partition receives one")
        return accepted

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_wcets": None}

    def to_dict(self) -> dict[str, Any]:
        """Returns the content of a file with this task set."""
        given = {"name": self.name, **self._fields, "tasks": [task.to_dict() for task in self.tasks]}
        return {field: value for field, value in given.items() if value is not None}

    def to_json(self) -> str:
        """Returns the content of a file with this task set, in one line."""
        return to_json(self.to_dict())

    def to_frame(self) -> Any:
        """Returns a table of pandas with one row per task. Columns that end in ``_ns`` are times in nanoseconds."""
        return pandas().DataFrame(self._rows())

    def _rows(self) -> list[dict[str, Any]]:
        """Rows of a table, with the columns of CSV tables.

        Raises:
            ValueError: for other memory traffic, for which a table has no column.
        """
        if self._fields.get("other_traffic"):
            raise ValueError("other_traffic: found a value, expected a task set without it; a table has one row per task")
        of_set = {"set_name": self.name, "times": self._fields.get("times")}
        of_set = {column: value for column, value in of_set.items() if value is not None}
        measured_on = self._fields.get("measured_on")
        of_task = {} if measured_on is None else {"measured_on": cell(measured_on)}
        return [{**of_set, **of_task, **_row(task)} for task in self.tasks]

    @overload
    def __getitem__(self, index: int) -> Task: ...
    @overload
    def __getitem__(self, index: slice) -> TaskSet: ...
    def __getitem__(self, index: Union[int, slice]) -> Union[Task, TaskSet]:
        if isinstance(index, slice):
            return TaskSet(self.tasks[index], self.name, **self._fields)
        return self.tasks[index]

    def __len__(self) -> int:
        return len(self.tasks)

    def __iter__(self) -> Iterator[Task]:
        return iter(self.tasks)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TaskSet) and self.to_dict() == other.to_dict()

    def __repr__(self) -> str:
        name = "" if self.name is None else f", name={self.name!r}"
        return f"TaskSet({len(self.tasks)} tasks{name})"

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>" + table([_row(task) for task in self.tasks])


class TaskSets(Sequence[TaskSet]):
    """Several task sets, such as the result of :func:`gpusched.generate`."""

    def __init__(self, sets: Iterable[TaskSet], json_lines: Optional[str] = None) -> None:
        self.sets = list(sets)
        self._json = json_lines

    @classmethod
    def from_frame(cls, frame: Any) -> TaskSets:
        """Creates task sets from a table with a column ``set``. The other columns are as in :meth:`TaskSet.from_frame`.

        Raises:
            GpuschedError: as in :meth:`TaskSet.from_frame`.
            ValueError: for a missing value in the column ``set``.
        """
        from ._commands import import_csv

        frame = frame.reset_index() if "set" in frame.index.names else frame
        missing = int(frame["set"].isna().sum())
        if missing:
            raise ValueError(f"set: found {missing} missing values, expected the task set of each row, such as 0")
        return cls(import_csv(frame.sort_values("set", kind="stable")))

    def to_json(self) -> str:
        """Returns the content of a file with these task sets, one per line (JSONL)."""
        if self._json is None:
            self._json = "".join(task_set.to_json() + "\n" for task_set in self.sets)
        return self._json

    def to_frame(self) -> Any:
        """Returns a table of pandas with one row per task. The column ``set`` is the position of the task set, from 0."""
        rows = [{"set": index, **row} for index, tasks in enumerate(self.sets) for row in tasks._rows()]
        return pandas().DataFrame(rows)

    def to_arrays(self) -> dict[str, Any]:
        """Returns arrays of NumPy with one row per task set and one column per task.

        The arrays are named as the columns of :meth:`to_frame`. All task sets must have the same number of tasks.
        """
        import numpy

        rows = [[_row(task) for task in tasks] for tasks in self.sets]
        names = [name for name in rows[0][0] if name not in ("name", "bandwidth")] if rows and rows[0] else []
        return {name: numpy.array([[row[name] for row in tasks] for tasks in rows]) for name in names}

    @overload
    def __getitem__(self, index: int) -> TaskSet: ...
    @overload
    def __getitem__(self, index: slice) -> TaskSets: ...
    def __getitem__(self, index: Union[int, slice]) -> Union[TaskSet, TaskSets]:
        return TaskSets(self.sets[index]) if isinstance(index, slice) else self.sets[index]

    def __len__(self) -> int:
        return len(self.sets)

    def __repr__(self) -> str:
        return f"TaskSets({len(self.sets)} sets)"


def task_sets(command: Any) -> TaskSets:
    """Runs ``command``, which writes task sets, one per line."""
    text = command.run()[1].decode()
    return TaskSets([TaskSet.from_dict(json.loads(line)) for line in text.splitlines()], text)
