"""Source bytes as numbered lines: UTF-8, ended by LF, counted from 1; a CR stays part of its line."""


def source_lines(data: bytes) -> tuple[str, ...] | None:
    """Return the lines of *data* without their LF, or None if it is not text (NUL, or not UTF-8)."""
    if b"\x00" in data:
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    lines = text.split("\n")
    return tuple(lines[:-1] if lines[-1] == "" else lines)
