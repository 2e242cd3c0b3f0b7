"""The 150 layered runs against what their cryptography alone costs.

The crypto floor is measured on the packets of the very runs: every signature made is made again, and every distinct
signature checked is checked again, with PyNaCl's own classes, in the same process, alternating with the runs. The
packets are recorded in another process, so that the runs measured are those of a process nobody has patched.
"""

import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
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


def record(places):
    """Run the worlds at *places* once; return what was signed (seed, bytes) and checked (key, bytes, signature)."""
    signed, checked = [], []
    sign, verify = keys.SigningKey.sign, keys.PublicKey.verify

    def recording_sign(key, message):
        signed.append((key.seed(), message))
        return sign(key, message)

    def recording_verify(key, message, signature):
        verify(key, message, signature)  # a tampered one raises here and is not replayed
        checked.append((key.raw, message, signature))

    keys.SigningKey.sign, keys.PublicKey.verify = recording_sign, recording_verify
    try:
        everything = worlds()
        run_all([everything[place] for place in places])
    finally:
        keys.SigningKey.sign, keys.PublicKey.verify = sign, verify
    return signed, checked


def recorded_crypto(places):
    """Return what runs of the worlds at *places* sign and check, as PyNaCl objects and bytes."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as other:
        signed, checked = other.submit(record, list(places)).result()
    private = {seed: nacl.signing.SigningKey(seed) for seed, _ in signed}
    public = {raw: nacl.signing.VerifyKey(raw) for raw, _, _ in checked}
    return (
        [(private[seed], message) for seed, message in signed],
        [(public[raw], message, signature) for raw, message, signature in checked],
    )


def replay(signed, checked):
    for private, message in signed:
        private.sign(message)
    for public, message, signature in checked:
        public.verify(message, signature)


def measure(repetitions: int = 9) -> list[Figure]:
    """Time the runs and the replay of their cryptography, alternating, once both are warm; medians."""
    prepared = worlds()
    signed, checked = recorded_crypto(range(len(prepared)))
    pairs = []
    run_all(prepared)
    replay(signed, checked)
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
