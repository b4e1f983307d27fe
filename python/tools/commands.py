"""Writes gpusched/_commands.py and the table of docs/reference/python.md from the tree of commands.

Usage: python tools/commands.py            writes the files
       python tools/commands.py --check    exits with 1 if a file differs
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import keyword
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent.parent
CODE = HERE / "gpusched" / "_commands.py"
PAGE = HERE.parent / "docs" / "reference" / "python.md"
MARK = "<!-- python commands -->\n"

#: Commands for a shell. They have no purpose in Python.
SHELL = {"completions", "man"}
#: Parameters whose names in Python differ from the names of the values.
NAMES = {"set": "task_set", "sets": "task_set", "file[@size]": "files", "csv": "files", "spec": "specs", "dir": "folder"}
#: Commands whose positional argument takes several values under another name.
SEVERAL = {"file": "files", "trace": "traces", "folder": "folders"}
#: Options without a meaning in Python, because the result is an object.
OMITTED = {"format", "quiet", "output"}
#: Options of one command that replace its result. Each has a function of its own.
REPLACED = {"partition": {"export", "export-to"}}
#: Commands whose results are folders.
TO_FOLDER = {"study run", "study merge", "study submit"}
#: Results that are no JSON: their expressions, and their types.
OUTPUT = {
    "generate": ("task_sets({call})", "TaskSets"),
    "import csv": ("task_sets({call})", "TaskSets"),
    "import schedcat": ("task_sets({call})", "TaskSets"),
    "import simso": ("task_sets({call})", "TaskSets"),
    "plot": ("Figure({call}.run()[1])", "Figure"),
    "export": ("{call}.run()[1].decode()", "str"),
    "budget export": ("{call}.run()[1].decode()", "str"),
    "report": ("Report({call}.run())", "Report"),
    "study new": ("{call}.run()[1].decode()", "str"),
    "study reproduction": ("{call}.run()[1].decode()", "str"),
    "wcet synth": ("Table({call}.run()[1])", "Table"),
    "measure kernel": ("results({call}, Measurement)", "Measurement"),
    "partition": ("results({call}, Plan, task_set)", "Plan"),
    "test": ("results({call}, Verdict, task_set)", "Verdict"),
}
#: Parameters that accept a function of the user in place of a name: their types, and their further help.
FUNCTIONS = {
    ("partition", "heuristic"): (
        "Union[Heuristic, Algorithm, None]",
        " Or a function of yours: ``heuristic(tasks, sms)`` receives a :class:`TaskSet` and the number of SMs of the GPU. It"
        " returns ``False``, a list of partitions (mappings with ``sms`` and ``tasks``, the positions of the tasks), or a"
        " :class:`Plan`. gpusched tests the partitions.",
    ),
}
#: Parameters that have no option.
FURTHER = {
    "study run": (
        "algorithms",
        "Optional[Mapping[str, Algorithm]] = None",
        "algorithms: Functions of yours by the names of their algorithms, which the study adds to its algorithms. Each function"
        " receives a :class:`TaskSet` and the number of SMs of the GPU. It returns whether the task set is schedulable, a list of"
        " partitions, or a :class:`Plan`.",
    ),
}
TYPES = {"integer": "int", "number": "float", "flag": "bool", "input": "Document", "output": "Path", "text": "Value"}

HEAD = '''"""The commands of gpusched as functions. tools/commands.py writes this file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Optional, Union

from ._call import Command, joined, pairs
from ._own import Algorithm
from .results import Figure, Measurement, Plan, Report, Result, Table, Verdict, results
from .tasks import TaskSet, TaskSets, task_sets

Path = Union[str, "os.PathLike[str]"]
#: A path, or the content of the file: an object of this module, a mapping, a table of pandas, or a text of several lines.
Document = Any
#: A text, such as a time with unit ("2.5us"), a number, or a document.
Value = Any
'''


def name(argument: dict[str, Any]) -> str:
    """Returns the name of the parameter."""
    word = (argument["option"] or argument["value"]).lower()
    if argument["option"] is None:
        word = NAMES.get(word, word)
        word = SEVERAL.get(word, word) if argument["repeated"] else word
    word = re.sub(r"\W", "_", word)
    return word + "_" if keyword.iskeyword(word) else word


class Aliases:
    """Names of the long lists of values."""

    def __init__(self) -> None:
        self.lists: dict[str, tuple[str, ...]] = {}

    def of(self, argument: dict[str, Any]) -> str:
        """Returns the type of the values of ``argument``, which has a list of values."""
        known = tuple(value for value, _ in argument["values"])
        written = ", ".join(json.dumps(value) for value in known)
        if len(written) <= 48:
            return f"Literal[{written}]"
        alias = "".join(word.capitalize() for word in (argument["option"] or argument["value"]).lower().split("-"))
        if self.lists.setdefault(alias, known) != known:
            raise ValueError(f"{alias}: two lists of values")
        return alias

    def code(self) -> str:
        """Returns the definitions of the names."""
        lines = []
        for alias, known in self.lists.items():
            values = textwrap.fill(", ".join(json.dumps(value) for value in known), 112, initial_indent=" " * 4,
                                   subsequent_indent=" " * 4, break_on_hyphens=False)
            lines.append(f"{alias} = Literal[\n{values},\n]\n")
        return "".join(lines)


ALIASES = Aliases()


def annotation(argument: dict[str, Any]) -> str:
    one = ALIASES.of(argument) if argument["values"] else TYPES[argument["type"]]
    if argument["repeated"] and one != "Value":
        one = f"Union[{one}, Sequence[{one}]]"
    if argument["option"] and "=" in argument["value"]:
        one = "Union[Mapping[str, Any], Sequence[str], str]"
    is_flag = argument["type"] == "flag"
    return one if argument["required"] or is_flag or one in ("Document", "Value") else f"Optional[{one}]"


def parameter(argument: dict[str, Any]) -> str:
    default = "" if argument["required"] else " = False" if argument["type"] == "flag" else " = None"
    return f"{name(argument)}: {annotation(argument)}{default}"


def described(argument: dict[str, Any]) -> str:
    """Returns the help of an argument in one line, with the meaning of each value."""
    parts = [" ".join(plain(part).split()) for part in argument["help"].split("\n\n")]
    if not all(f"`{value}`" in argument["help"] for value, _ in argument["values"]):
        parts += [f"``{value}``: {help}" if help else f"``{value}``" for value, help in argument["values"]]
    return " ".join(part if part.endswith((".", ":")) else part + "." for part in parts if part)


def plain(text: str) -> str:
    """Returns ``text`` of the command's help in one paragraph per paragraph, with names of Python."""
    text = re.sub(r"`--([a-z][a-z-]*)`", lambda match: f"``{match[1].replace('-', '_')}``", text)
    return text.replace("\\", "\\\\")


def function(words: list[str], node: dict[str, Any]) -> str:
    key = " ".join(words)
    omitted = OMITTED - {"output"} if key in TO_FOLDER else OMITTED
    omitted = omitted | REPLACED.get(key, set())
    arguments = [argument for argument in node["arguments"] if argument["option"] not in omitted]
    positional = [argument for argument in arguments if argument["option"] is None]
    options = [argument for argument in arguments if argument["option"] is not None]
    options.sort(key=lambda option: (not option["required"], option["global"]))
    call = "_".join(words).replace("-", "_")
    call = call + "_" if keyword.iskeyword(call) else call
    result, kind = OUTPUT.get(key, ("results({call}, Result)", "Result"))
    signature = [parameter(argument) for argument in positional]
    further = FURTHER.get(key)
    if options:
        signature += ["*", *(parameter(option) for option in options)]
    for index, text in enumerate(signature):
        own = FUNCTIONS.get((key, text.split(":")[0]))
        signature[index] = f"{text.split(':')[0]}: {own[0]} = None" if own else text
    signature += [f"{further[0]}: {further[1]}"] if further else []
    given = ", ".join(
        f'("{name(argument)}", {name(argument)})'
        if argument["required"]
        else f'*([] if {name(argument)} is None else [("{name(argument)}", {name(argument)})])'
        for argument in positional
    )
    given = f"[{given}]"
    table = []
    for option in options:
        pair = {"LOW..HIGH": "..", "WIDTHxHEIGHT": "x"}.get(option["value"])
        value = f"pairs({name(option)})" if "=" in option["value"] else name(option)
        value = f'joined({name(option)}, "{pair}")' if pair else value
        table.append(f'            "{option["option"]}": {value},\n')
    if key in TO_FOLDER:
        table.append('            "quiet": True,\n')  # what is done is in the result
    body = "Command(\n        {words},\n        {given},\n        {{\n{table}        }},\n{further}    )".format(
        words=json.dumps(words), given=given, table="".join(table), further=f"        {further[0]},\n" if further else ""
    )
    paragraphs = [" ".join(part.split()) for part in plain(node["about"]).split("\n\n")]
    paragraphs = [part if part.endswith((".", ":")) else part + "." for part in paragraphs]
    documentation = "\n\n".join(textwrap.fill(part, 110, break_on_hyphens=False) for part in paragraphs)
    lines = [f'    """{documentation.rstrip()}', "", "    Args:"]
    for argument in positional + options:
        text = f"{name(argument)}: {described(argument)}" + FUNCTIONS.get((key, name(argument)), ("", ""))[1]
        lines.append(textwrap.fill(text, 116, initial_indent=" " * 8, subsequent_indent=" " * 12, break_on_hyphens=False))
    if further:
        lines.append(textwrap.fill(further[2], 116, initial_indent=" " * 8, subsequent_indent=" " * 12, break_on_hyphens=False))
    if kind in ("Plan", "Verdict"):
        lines += ["", "    Returns:", f"        The {kind.lower()}. For several task sets: :class:`Results`."]
    documentation = "\n".join(line if index == 0 or not line or line.startswith(" ") else "    " + line
                              for index, line in enumerate("\n".join(lines).split("\n")))
    code = f"def {call}(\n    " + ",\n    ".join(signature) + f",\n) -> {kind}:\n" if signature else f"def {call}() -> {kind}:\n"
    return code + documentation + f'\n    """\n    command = {body}\n    return {result.format(call="command")}\n'


def leaves(node: dict[str, Any], words: list[str]) -> list[tuple[list[str], dict[str, Any]]]:
    if not node["commands"]:
        return [(words, node)]
    return [leaf for inner in node["commands"] for leaf in leaves(inner, [*words, inner["name"]])]


def path(words: list[str]) -> str:
    """Returns the name of the function for a user."""
    group, *rest = [word.replace("-", "_") for word in words]
    group = group + "_" if keyword.iskeyword(group) else group
    rest = [word + "_" if keyword.iskeyword(word) else word for word in rest]
    return ".".join(["gs", group, *rest])


def native() -> Any:
    """Returns the native module of the installed package. The package itself may not load while a generated file is wrong."""
    [folder] = importlib.util.find_spec("gpusched").submodule_search_locations
    [file] = Path(folder).glob("_native.*so")
    loader = importlib.machinery.ExtensionFileLoader("_native", str(file))
    return loader.load_module()


def files() -> dict[Path, str]:
    """Returns the content of the generated files."""
    tree = json.loads(native().commands())
    functions = [(words, node) for words, node in leaves(tree, []) if words[0] not in SHELL]
    definitions = "".join("\n\n" + function(words, node) for words, node in functions)
    code = HEAD + ALIASES.code() + definitions
    rows = []
    for words, node in functions:
        about = node["about"].split("\n")[0].rstrip(".")
        rows.append(f"| `gpusched {' '.join(words)}` | `{path(words)}` | {about} |\n")
    start, _, rest = PAGE.read_text(encoding="utf-8").partition(MARK)
    end = rest.partition("<!-- end -->")[2]
    table = "\n| command | Python | purpose |\n|---|---|---|\n" + "".join(rows)
    return {CODE: code, PAGE: f"{start}{MARK}{table}\n<!-- end -->{end}"}


def main() -> None:
    check = "--check" in sys.argv
    for file, text in files().items():
        if check and file.read_text(encoding="utf-8") != text:
            sys.exit(f"{file}: run python tools/commands.py")
        if not check:
            file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
