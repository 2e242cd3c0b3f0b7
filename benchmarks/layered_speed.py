"""The 150 layered runs against what their cryptography alone costs.

The crypto floor is measured on the packets of the very runs: every signature made is made again, and every distinct
signature checked is checked again, with PyNaCl's own classes, in the same process, alternating with the runs.
"""

import time
from statistics import median

import nacl.signing

import trustrail.foundation.keys as keys
from benchmarks.figures import Figure, report
from mast.experiments.scoring import score
from mast.protocol.mechanisms import LAYERS
from mast.runtime import run_world
from mast.scenario import cases, load_world
from trustrail.foundation import Verifier, VerifyMode

TOPOLOGIES = ("long_chain_fork", "converge_then_fork", "reused_org_independent")


def worlds():
    return [load_world(topology, case) for topology in TOPOLOGIES for case in cases()]


def run_all(prepared, mode=VerifyMode.CACHED):
    """Run and score the 150 runs; return signatures made and distinct verifications computed."""
    verifier = Verifier(mode)
    signatures = 0
    for world in prepared:
        for layer, mechanisms in LAYERS.items():
            record = run_world(
                world,
                mechanisms,
                run_id=f"{world.topology}/{world.case}/{layer}/0",
                verifier=verifier,
                verify=mode,
            )
            score(world, record.lines, signatures=record.signatures, verifications=record.verifications)
            signatures += record.signatures
    return signatures, verifier.computed


def recorded_crypto(prepared):
    """Run once and return what was signed and what was checked, as PyNaCl objects and bytes."""
    signed, checked = [], []
    sign, verify = keys.SigningKey.sign, keys.PublicKey.verify
    signing: dict[bytes, nacl.signing.SigningKey] = {}
    checking: dict[bytes, nacl.signing.VerifyKey] = {}

    def recording_sign(key, message):
        private = signing.setdefault(key.public.raw, nacl.signing.SigningKey(key.seed()))
        signed.append((private, message))
        return sign(key, message)

    def recording_verify(key, message, signature):
        verify(key, message, signature)  # a tampered one raises here and is not replayed
        public = checking.setdefault(key.raw, nacl.signing.VerifyKey(key.raw))
        checked.append((public, message, signature))

    keys.SigningKey.sign, keys.PublicKey.verify = recording_sign, recording_verify
    try:
        run_all(prepared)
    finally:
        keys.SigningKey.sign, keys.PublicKey.verify = sign, verify
    return signed, checked


def replay(signed, checked):
    for private, message in signed:
        private.sign(message)
    for public, message, signature in checked:
        public.verify(message, signature)


def measure(repetitions: int = 5) -> list[Figure]:
    """Time the runs and the replay of their cryptography, alternating; medians."""
    prepared = worlds()
    signed, checked = recorded_crypto(prepared)
    pairs = []
    for _ in range(repetitions):
        started = time.perf_counter()
        run_all(prepared)
        between = time.perf_counter()
        replay(signed, checked)
        pairs.append((between - started, time.perf_counter() - between))
    run_seconds, floor_seconds = (median(column) for column in zip(*pairs, strict=True))
    return [
        Figure(
            "150 layered runs, against their crypto floor",
            median(run / floor for run, floor in pairs),
            at_most=1.5,
            detail=f"{run_seconds:.2f} s against {floor_seconds:.2f} s: {len(signed)} signatures, "
            f"{len(checked)} distinct verifications",
        )
    ]


if __name__ == "__main__":
    report(measure())
