"""Random draws as a function of what they are for: no state, no order, no global generator.

A draw is the keyed BLAKE2b hash (RFC 7693) of (stream, entity, counter) under the seed, so adding an entity or
a stream changes no other draw, and worlds of one seed can be compared in pairs.
"""

from hashlib import blake2b


def draw(seed: int, stream: str, entity: int, counter: int, bound: int) -> int:
    """Return a whole number in [0, *bound*), uniform up to a bias below bound / 2^64."""
    text = f"{stream}/{entity}/{counter}".encode()
    word = blake2b(text, key=seed.to_bytes(8, "big"), digest_size=8).digest()
    return int.from_bytes(word, "big") * bound >> 64


def distinct(seed: int, stream: str, entity: int, count: int, bound: int) -> list[int]:
    """Return *count* different whole numbers in [0, *bound*), each set equally likely, in rising order.

    Floyd's algorithm: one draw for each number.

    References:
        J. Bentley and B. Floyd, "A sample of brilliance", Communications of the ACM 30(9), 1987.
    """
    chosen: set[int] = set()
    for counter, top in enumerate(range(bound - count, bound)):
        candidate = draw(seed, stream, entity, counter, top + 1)
        chosen.add(top if candidate in chosen else candidate)
    return sorted(chosen)
