"""``mast scenarios`` and ``mast schema``: what can be run, and how a scenario is written."""

import json

from mast.cli.options import AsJson, Debug
from mast.cli.outcome import expected_errors
from mast.cli.printing import write_json, write_line, write_names
from mast.protocol.mechanisms import ABLATIONS, FREEZE_ARMS, LAYERS
from mast.scenario import FAULTS, GENERATORS, businesses, cases, examples, scenario_schema, topologies


def scenarios(as_json: AsJson = False, debug: Debug = False) -> None:
    """List the shipped topologies, cases, businesses and examples, and the names of layers.

    Examples:
      mast scenarios
      mast scenarios --json
    """
    with expected_errors(debug=debug):
        described = {
            "topologies": topologies(),
            "cases": cases(),
            "businesses": businesses(),
            "examples": examples(),
        }
    named = {
        "layers": sorted(LAYERS),
        "ablations": sorted(ABLATIONS),
        "freeze_arms": sorted(FREEZE_ARMS),
        "faults": sorted(FAULTS),
        "generators": sorted(GENERATORS),
    }
    if as_json:
        write_json({**described, **named})
        return
    for title, names in described.items():
        write_names(title, names)
        write_line()
    for title, found in named.items():
        write_line(f"{title}: {', '.join(found)}")


def schema() -> None:
    """Print the JSON Schema of scenario files, for editors and other tools.

    Example:
      mast schema > scenario.schema.json
    """
    write_line(json.dumps(scenario_schema(), indent=2, sort_keys=True))
