from collections.abc import Callable, Sequence
from typing import Optional, Union
from os import PathLike

_Refused = tuple[
    str, Optional[str], Optional[int], Optional[str], Optional[str], Optional[str], Optional[str]
]

__version__: str

def call(
    arguments: Sequence[Union[str, PathLike[str]]],
    progress: Optional[Callable[[int, Optional[int], str], None]] = None,
) -> tuple[tuple[bool, bytes, list[str]], Optional[_Refused]]: ...
def main(arguments: Sequence[str]) -> int: ...
def commands() -> str: ...
