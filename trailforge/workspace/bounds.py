"""What is counted in bytes: the bounds hosts set, and the data that is held against them."""

from trailforge.errors import BoundRefusedError, NotBytesError
from trailforge.errors.showing import shown
from trustrail.foundation import MAX_SAFE_INTEGER


def require_bound(name: str, value: object) -> None:
    """Return when *value* is a number of bytes, at least 1.

    Raises:
        BoundRefusedError: if it is not.
    """
    if type(value) is not int or not 1 <= value <= MAX_SAFE_INTEGER:
        raise BoundRefusedError(f"{name} is {shown(value)}, expected an integer from 1 to {MAX_SAFE_INTEGER} bytes")


def require_bytes(subject: str, data: object) -> None:
    """Return when *data* is ``bytes``: a view of wider items would count as fewer than it holds.

    Raises:
        NotBytesError: if it is not.
    """
    if type(data) is not bytes:
        raise NotBytesError(f"{subject} is a {type(data).__name__}, expected bytes")
