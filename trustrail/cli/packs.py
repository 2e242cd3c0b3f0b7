"""``verify``, ``replay`` and ``gate``: what is done with evidence packs."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from trustrail.cli.outcome import EXIT_CHECK_FAILED, EXIT_OK, expected_errors
from trustrail.cli.printing import write_json, write_line
from trustrail.evidence import PackDocument, VerifiedPack, key_id, read_public_key, replay_pack, verify_pack
from trustrail.foundation import PublicKey

Keys = Annotated[
    list[Path],
    typer.Option("--key", help="File of a public key that is trusted: 64 hex digits; repeat for several."),
]
RunDirectory = Annotated[Path, typer.Argument(metavar="RUN_DIR", help="Directory of an evidence pack.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]


def verify(run_dir: RunDirectory, key: Keys, as_json: AsJson = False, debug: Debug = False) -> None:
    """Verify a pack: structure, allow-list, digests, signature; exit 1 and name the rule that is broken."""
    with expected_errors(debug=debug):
        pack = verify_pack(run_dir, _trusted(key))
    said = pack.statement.predicate
    if as_json:
        write_json(
            {
                "pack": said.pack,
                "verified": True,
                "gate": pack.document.gate,
                "files": len(pack.statement.files) + 1,
                "key_id": key_id(pack.signed_by),
                "covers": said.covers,
            }
        )
        return
    write_line(f"verified: {said.pack}, {len(pack.statement.files) + 1} files, key {key_id(pack.signed_by)[:12]}…")
    write_line(said.covers)


def replay(run_dir: RunDirectory, key: Keys, as_json: AsJson = False, debug: Debug = False) -> None:
    """Verify a pack, judge its stored events again offline, and compare; exit 1 when a verdict differs."""
    with expected_errors(debug=debug):
        pack = verify_pack(run_dir, _trusted(key))
        replayed = replay_pack(pack)
    document = replayed.document
    if as_json:
        write_json({"pack": pack.statement.predicate.pack, "same_verdicts": True, "gate": document.gate})
        return
    write_line(f"replayed: {len(document.runs)} runs, the same verdicts, byte by byte")
    _write_gate(pack)


def gate(
    run_dirs: Annotated[list[Path], typer.Argument(metavar="RUN_DIR…", help="Directories of evidence packs.")],
    key: Keys,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Verify packs and tell their gates; exit 1 when one blocks."""
    with expected_errors(debug=debug):
        packs = [verify_pack(path, _trusted(key)) for path in run_dirs]
    if as_json:
        write_json({"packs": [_gate_json(pack.statement.predicate.pack, pack.document) for pack in packs]})
    else:
        for pack in packs:
            write_line(pack.statement.predicate.pack)
            _write_gate(pack)
    blocked = any(run.gate == "BLOCK" for pack in packs for run in pack.document.runs)
    raise typer.Exit(EXIT_CHECK_FAILED if blocked else EXIT_OK)


def _gate_json(name: str, document: PackDocument) -> dict[str, object]:
    return {
        "pack": name,
        "gate": document.gate,
        "reasons": sorted({reason for run in document.runs for reason in run.gate_reasons}),
        "statistics": msgspec.to_builtins(document.statistics),
    }


def _write_gate(pack: VerifiedPack) -> None:
    write_line(f"gate: {pack.document.gate}")
    write_line(pack.document.statistics.summary)


def _trusted(paths: list[Path]) -> list[PublicKey]:
    if not paths:
        raise typer.BadParameter("give at least one --key; no key is trusted by itself")
    return [read_public_key(path) for path in paths]
