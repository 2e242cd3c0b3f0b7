"""Every error trustrail raises; each class says what was refused and what has not happened."""


class TrustrailError(Exception):
    """Base of every error raised by trustrail on purpose."""


class CanonicalizationError(TrustrailError, ValueError):
    """A value has no canonical form; nothing was encoded, hashed or signed.

    Attributes:
        path: where in the value, as ``$.a[0].b``.
        problem: what is wrong there.
    """

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path = path
        self.problem = problem


class SignatureError(TrustrailError):
    """A signature does not hold over the bytes it came with; the bytes were not read further."""


class UnknownKeyError(TrustrailError, KeyError):
    """No public key is known for the stated issuer; nothing it signed can be accepted."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class ChainError(TrustrailError):
    """A hash chain does not link up.

    Attributes:
        index: position of the first entry that does not fit, from 0.
    """

    def __init__(self, index: int, problem: str) -> None:
        super().__init__(f"entry {index}: {problem}")
        self.index = index
