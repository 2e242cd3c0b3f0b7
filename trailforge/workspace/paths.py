"""Canonical relative paths: one spelling a file, the same file on every system.

A path is refused rather than repaired. Two paths are aliases when some file system in use would give them one
file: the comparison is the canonical caseless match of the Unicode Standard, section 3.13, definition D145
(NFD, full case folding, NFD again), made over every leading directory as well, even when the disk at hand is
case-sensitive, so that a result made here can be taken elsewhere.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from trailforge.errors import PathListError, PathRefusedError
from trailforge.errors.showing import shown

MAX_PATHS: Final = 128
"""Most paths a workspace admits."""

MAX_NAME_BYTES: Final = 255
"""Longest name between two slashes, in bytes of UTF-8 (``NAME_MAX`` of Linux)."""

MAX_PATH_BYTES: Final = 1024
"""Longest path in bytes of UTF-8; ours, a quarter of Linux's ``PATH_MAX`` to leave room for the root."""

_FORBIDDEN: Final = re.compile(r'[\\:*?"<>|]')
"""Characters Windows gives a meaning of its own (naming rules of Win32)."""

_DEVICE: Final = re.compile(r"(con|prn|aux|nul|(com|lpt)[0-9\u00b9\u00b2\u00b3])", re.IGNORECASE)
"""Names Windows keeps for devices, with any extension (naming rules of Win32)."""

_CONTROL_FOLDERS: Final = frozenset({".git", "git~1", ".trailforge"})
"""Folders whose content changes what tools do; ``git~1`` is the short DOS name of ``.git``."""


def alias_key(path: str) -> str:
    """Return a key that is equal for all spellings some file system takes for the same *path*."""
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", path).casefold())


def admit_path(path: str) -> str:
    """Return *path* if it is canonical.

    Raises:
        PathRefusedError: if it is not; the message says why.
    """
    problem = path_problem(path)
    if problem is not None:
        raise PathRefusedError(path, problem)
    return path


def admit_paths(paths: Sequence[str], *, limit: int = MAX_PATHS) -> tuple[str, ...]:
    """Return *paths*, sorted, if there are 1 to *limit*, each is canonical and no two are aliases.

    Raises:
        PathListError: naming every problem.
    """
    given: object = paths
    if not isinstance(given, list | tuple):
        raise PathListError([f"the paths are a {type(given).__name__}, expected a list or a tuple"])
    problems: list[str] = []
    if not 1 <= len(paths) <= limit:
        problems.append(f"the list has {len(paths)} paths, expected 1 to {limit}")
    canonical: list[str] = []
    for path in paths:
        problem = path_problem(path)
        if problem is None:
            canonical.append(path)
        else:
            problems.append(f"path {shown(path, MAX_PATH_BYTES)} {problem}")
    problems.extend(alias_problems(canonical))
    if problems:
        raise PathListError(tuple(problems))
    return tuple(sorted(paths))


def path_problem(path: object) -> str | None:
    """Return what makes *path* not canonical, or None."""
    if type(path) is not str:
        return f"is a {type(path).__name__}, expected a string"
    if not path:
        return "is empty"
    try:
        size = len(path.encode("utf-8"))
    except UnicodeEncodeError as error:
        return f"has the lone surrogate U+{ord(path[error.start]):04X} at index {error.start}"
    if size > MAX_PATH_BYTES:
        return f"has {size} bytes, expected at most {MAX_PATH_BYTES}"
    if path.startswith("/"):
        return "is absolute, expected one relative to the root"
    if not unicodedata.is_normalized("NFC", path):
        return "is not in Unicode normalization form C"
    for name in path.split("/"):
        problem = _name_problem(name)
        if problem is not None:
            return problem
    return None


def _name_problem(name: str) -> str | None:
    if name in ("", ".", ".."):
        return f"has the part {name!r}, expected a name between two slashes"
    if len(name.encode("utf-8")) > MAX_NAME_BYTES:
        return f"has a name of {len(name.encode('utf-8'))} bytes, expected at most {MAX_NAME_BYTES}"
    for character in name:
        if unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp"):
            return f"has the invisible character U+{ord(character):04X}"
    forbidden = _FORBIDDEN.search(name)
    if forbidden is not None:
        return f"has the character {forbidden.group()!r}, which some systems read as a command"
    if name[-1] in ". " or name[0] == " ":
        return f"has the name {name!r}, which begins with a space or ends with a space or a dot"
    if _DEVICE.fullmatch(name.split(".", 1)[0].rstrip(" ")):
        return f"has the name {name!r}, which is a device on some systems"
    if alias_key(name) in _CONTROL_FOLDERS:
        return f"has the name {name!r}, which belongs to a tool"
    return None


def alias_problems(paths: Sequence[str]) -> list[str]:
    """Return one sentence for each of *paths* that some file system takes for another of them."""
    spelling: dict[str, str] = {}
    files: dict[str, str] = {}
    problems: list[str] = []
    for path in paths:
        key = alias_key(path)
        if key in files:
            problems.append(f"path {path!r} is an alias of {files[key]!r}")
            continue
        files[key] = path
        for folder in _folders(path):
            first = spelling.setdefault(alias_key(folder), folder)
            if first != folder:
                problems.append(f"path {path!r} spells the folder {first!r} as {folder!r}")
    problems.extend(
        f"path {path!r} is also the folder of another path" for key, path in files.items() if key in spelling
    )
    return problems


def folder_problems(paths: Sequence[str], folders: Sequence[str]) -> list[str]:
    """Return one sentence for each of *folders*, empty ones included, that stands where one of *paths* belongs."""
    files = {alias_key(path): path for path in paths}
    spelling = {alias_key(folder): folder for path in paths for folder in _folders(path)}
    problems: list[str] = []
    for folder in folders:
        key = alias_key(folder)
        if key in files:
            problems.append(f"the folder {folder!r} is where the path {files[key]!r} belongs")
        elif spelling.get(key, folder) != folder:
            problems.append(f"the folder {folder!r} is an alias of {spelling[key]!r}")
    return problems


def _folders(path: str) -> list[str]:
    names = path.split("/")[:-1]
    return ["/".join(names[: count + 1]) for count in range(len(names))]
