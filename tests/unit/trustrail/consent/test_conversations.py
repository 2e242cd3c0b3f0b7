"""Talks with an agent, each ending in a call: did the customer agree to exactly that call?"""

from pathlib import Path

import pytest
import yaml

TABLES = [
    yaml.safe_load(file.read_text(encoding="utf-8"))
    for file in sorted(Path(__file__).parent.glob("conversations*.yaml"))
]
LOOKUPS = {name: lookup for table in TABLES for name, lookup in table["lookups"].items()}
GROUPS = [group for table in TABLES for group in table["groups"]]
CASES = [(group, said, kind) for group in GROUPS for kind in ("agreed", "not") for said in group.get(kind, [])]


def _replayed(talk, group, said):
    run = talk(group["pack"], group.get("languages"))
    for name in group["lookups"]:
        lookup = LOOKUPS[name]
        run.call(lookup["tool"], **lookup["arguments"]).result(lookup["result"])
    for line in said:
        if isinstance(line, dict):
            run.call(line["did"], **line["arguments"]).result(line["result"])
        elif line.startswith("U "):
            run.customer(line[2:])
        else:
            run.agent(line[2:])
    return run.call(group["tool"], **group["arguments"])


@pytest.mark.parametrize(("group", "said", "kind"), CASES, ids=[f"{kind}: {said[-1]}" for _, said, kind in CASES])
def test_call_is_covered_only_when_the_customer_agreed_to_it(talk, group, said, kind):
    status = _replayed(talk, group, said).statuses()[-1]

    assert (status == "covered") is (kind == "agreed")
