"""Results of commands."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, Union, cast, overload

from ._call import Command
from ._documents import File
from ._frames import pandas
from ._html import escape, table
from .tasks import TaskSet

if TYPE_CHECKING:
    from . import _commands


class Result(Mapping[str, Any]):
    """The JSON result of a command. Fields are items and attributes, such as ``result["sms"]`` and ``result.sms``.

    ``bool(result)`` states whether the result is positive, which is exit code 0 of the command.
    """

    def __init__(self, command: Command, positive: bool, text: str, data: Any = None) -> None:
        self._command = command
        self._positive = positive
        self._text = text
        self._data = json.loads(text) if data is None else data

    @property
    def data(self) -> Any:
        """The result as dictionaries, lists, numbers and texts."""
        return self._data

    def to_json(self) -> str:
        """Returns the result as the command writes it with ``--format json``."""
        return self._text

    def to_text(self) -> str:
        """Returns the result as the command writes it with ``--format text``. Runs the command again."""
        return self._command.run("text")[1].decode()

    def to_frame(self) -> Any:
        """Returns a table of pandas from the rows of ``--format csv``. Runs the command again."""
        frames = pandas()
        return frames.read_csv(io.BytesIO(self._command.run("csv")[1]))

    def __getitem__(self, field: str) -> Any:
        return self._fields[field]

    def __getattr__(self, field: str) -> Any:
        if field.startswith("_"):
            raise AttributeError(field)
        try:
            return self._fields[field]
        except KeyError:
            known = ", ".join(self._fields)
            raise AttributeError(f"no field {field!r}; the result has: {known}") from None

    @property
    def _fields(self) -> Mapping[str, Any]:
        return self._data if isinstance(self._data, Mapping) else {}

    def __iter__(self) -> Iterator[Any]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._fields]

    def __bool__(self) -> bool:
        return self._positive

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and self._data == other._data

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({_short(self._data)})"

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        if isinstance(self._data, list) and all(isinstance(row, Mapping) for row in self._data):
            return table(self._data)
        return table([{"field": field, "value": _short(value)} for field, value in self._fields.items()])


class Verdict(Result):
    """The result of a schedulability test. ``bool(verdict)`` states whether the tasks meet their deadlines."""

    def _repr_html_(self) -> str:
        return _headline(self) + super()._repr_html_()


class Measurement(Result):
    """The measured times of a kernel. :func:`gpusched.wcet.fit` reads the result."""

    def to_csv(self, index: bool = False) -> str:
        """Returns the rows of ``--format csv``, one per job."""
        return self._command.run("csv")[1].decode()


class Plan(Result):
    """Partitions of SMs with their tasks and verdicts. ``bool(plan)`` states whether the plan is schedulable."""

    #: The task set of the plan: a path, or a :class:`TaskSet` as it was when the plan was computed.
    task_set: Any = None

    def to_frame(self) -> Any:
        """Returns a table of pandas with one row per task: the partition, its size in SMs, and the verdict."""
        return pandas().DataFrame(self._rows())

    def verify(self, **options: Any) -> Result:
        """Checks the plan with separate code. The options are those of :func:`gpusched.verify`."""
        from . import _commands

        return _commands.verify(self, self.task_set, **options)

    def export(self, as_: _commands.As, **options: Any) -> str:
        """Returns the plan for ``"libsmctrl"``, ``"mps"``, ``"mps-v3"``, ``"mig"``, ``"green-context"`` or as ``"csv"``."""
        from . import _commands

        return _commands.export(self, self.task_set, as_=as_, **options)

    def report(self, **options: Any) -> Report:
        """Returns a web page about the plan. The options are those of :func:`gpusched.report`."""
        from . import _commands

        return _commands.report(self, self.task_set, **options)

    def gantt(self, **options: Any) -> Figure:
        """Simulates the plan, and returns a Gantt chart. The options are those of :func:`gpusched.simulate.tasks`.

        The simulation neglects the delay by the memory traffic of other partitions.

        Raises:
            ValueError: if the plan has no partitions for all tasks, because it is not schedulable.
        """
        from . import _commands

        if not self:
            raise ValueError("plan: found a plan that is not schedulable, expected a schedulable plan")
        without = {"conflict+bandwidth": "conflict", "bandwidth": "none"}.get(self.get("interference", ""))
        if without is not None:
            options.setdefault("interference", without)
        return Figure.of(
            lambda path: _commands.simulate_tasks(self.task_set, plan=self, gantt=path, **options)
        )

    def _rows(self) -> list[dict[str, Any]]:
        tasks = self.task_set if isinstance(self.task_set, TaskSet) else None
        rows = []
        for number, partition in enumerate(self.get("partitions", [])):
            verdict = partition["verdict"]
            times = (verdict.get("evidence") or {}).get("response_times_ns")
            for position, task in enumerate(partition["tasks"]):
                row = {"task": task, "partition": number, "sms": partition["sms"]}
                if tasks is not None:
                    row["name"] = tasks[task].name
                row.update({"policy": verdict["policy"], "schedulable": verdict["schedulable"]})
                if times is not None:
                    row["response_time_ns"] = times[position]
                rows.append(row)
        return sorted(rows, key=lambda row: row["task"])

    def _repr_html_(self) -> str:
        used = f"<p>{self['sms_used']} SMs in {len(self['partitions'])} partitions</p>" if self else ""
        return _headline(self) + used + table(self._rows())


class Results(Sequence[Result]):
    """The results of a command for several task sets, in their order."""

    def __init__(self, command: Command, results: Sequence[Result], text: str) -> None:
        self._command = command
        self._results = list(results)
        self._text = text

    def to_json(self) -> str:
        """Returns the results as the command writes them with ``--format json``: one result per line."""
        return self._text

    def to_frame(self) -> Any:
        """Returns a table of pandas from the rows of ``--format csv``. Runs the command again."""
        return pandas().read_csv(io.BytesIO(self._command.run("csv")[1]))

    @overload
    def __getitem__(self, index: int) -> Result: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Result]: ...
    def __getitem__(self, index: Union[int, slice]) -> Union[Result, Sequence[Result]]:
        return self._results[index]

    def __len__(self) -> int:
        return len(self._results)

    def __bool__(self) -> bool:
        """Whether all results are positive."""
        return all(self._results)

    def __repr__(self) -> str:
        return f"Results({sum(map(bool, self._results))} of {len(self._results)} positive)"

    def _repr_html_(self) -> str:
        rows = [{"set": index, **_plain(result)} for index, result in enumerate(self._results)]
        return f"<p>{escape(repr(self))}</p>" + table(rows)


class Figure:
    """A figure (SVG). Notebooks show it."""

    def __init__(self, svg: bytes) -> None:
        self.svg = svg.decode()

    @classmethod
    def of(cls, draw: Any) -> Figure:
        """Returns the figure that ``draw(path)`` writes to a file."""
        import tempfile

        with tempfile.TemporaryDirectory(prefix="gpusched-") as folder:
            path = Path(folder) / "figure.svg"
            draw(path)
            return cls(path.read_bytes())

    def save(self, path: Any) -> None:
        """Writes the figure to the file ``path``, whose name ends in ``.svg``.

        Raises:
            ValueError: for another ending.
        """
        if Path(path).suffix.lower() != ".svg":
            raise ValueError(f"path: found {str(path)!r}, expected a name that ends in .svg")
        Path(path).write_text(self.svg, encoding="utf-8")

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"Figure({len(self.svg)} bytes of SVG)"


class Report:
    """A self-contained web page. ``bool(report)`` states whether the result that it shows is positive."""

    def __init__(self, answer: tuple[bool, bytes]) -> None:
        self._positive = answer[0]
        self.html = answer[1].decode()

    def save(self, path: Any) -> None:
        """Writes the page to the file ``path``."""
        Path(path).write_text(self.html, encoding="utf-8")

    def __bool__(self) -> bool:
        return self._positive

    def __repr__(self) -> str:
        return f"Report({len(self.html)} bytes of HTML)"

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{escape(self.html)}" title="Report" style="width:100%;height:40em;border:0"></iframe>'


class Table:
    """Rows that a command writes as CSV. Functions that read a CSV file accept the table."""

    def __init__(self, csv: bytes) -> None:
        self._csv = csv.decode()

    def to_csv(self, index: bool = False) -> str:
        """Returns the rows as CSV. ``index`` exists for compatibility with tables of pandas, and has no effect."""
        return self._csv

    def to_frame(self) -> Any:
        """Returns a table of pandas."""
        return pandas().read_csv(io.StringIO(self._csv))

    def __repr__(self) -> str:
        return f"Table({self._csv.count(chr(10)) - 1} rows)"


R = TypeVar("R", bound=Result)


def results(command: Command, kind: type[R], task_set: Any = None) -> R:
    """Runs ``command``. Returns one result, or :class:`Results` for several task sets."""
    positive, output = command.run("json")
    text = output.decode()
    try:
        parsed = [kind(command, positive, text)] if text.strip() else []
    except json.JSONDecodeError:
        parsed = [kind(command, _positive(json.loads(line), positive), line + "\n") for line in text.splitlines()]
    if kind is Plan:
        for result, tasks in zip(parsed, _sets_of(command, len(parsed))):
            cast(Plan, result).task_set = tasks
    if len(parsed) == 1 and not _is_many(task_set):
        return parsed[0]
    return cast(R, Results(command, parsed, text))  # the type of the usual case: one task set


def _sets_of(command: Command, count: int) -> list[Any]:
    """Returns the task set of each of ``count`` plans, as the command has read it."""
    [(_, given)] = command.positional
    if isinstance(given, File) and count == 1:
        return [given.path]
    text = Path(given.path).read_text(encoding="utf-8-sig") if isinstance(given, File) else given.text
    if not text.lstrip().startswith("{"):  # a CSV table
        from ._commands import import_csv

        return list(import_csv(given))
    if isinstance(given, File):
        return [line for line in text.splitlines() if line.strip()]
    try:
        read = [json.loads(given.text)]
    except json.JSONDecodeError:
        read = [json.loads(line) for line in given.text.splitlines()]
    return [TaskSet.from_dict(one) if _is_plain(one) else one for one in read]


def _is_plain(document: Mapping[str, Any]) -> bool:
    """Whether the document is a task set, and no end-to-end system."""
    return all("wcet" in task for task in document.get("tasks", [{}]))


def _is_many(task_set: Any) -> bool:
    return isinstance(task_set, Sequence) and not isinstance(task_set, (str, TaskSet))


def _positive(data: Any, whole: bool) -> bool:
    return bool(data.get("schedulable", whole)) if isinstance(data, Mapping) else whole


def _headline(result: Result) -> str:
    words = "Schedulable" if result else "Not schedulable"
    return f"<p><strong>{words}</strong></p>"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, (Mapping, list)) else str(value)
    return text if len(text) <= 200 else text[:197] + "..."


def _plain(result: Result) -> dict[str, Any]:
    return {field: value for field, value in result._fields.items() if not isinstance(value, (Mapping, list))}

