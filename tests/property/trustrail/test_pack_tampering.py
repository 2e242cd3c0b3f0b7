"""Whatever byte of whatever file of a pack is changed, the pack no longer verifies."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from trustrail.engine import Requirements
from trustrail.errors import PackError
from trustrail.events import AgentMessage, CustomerMessage, Event
from trustrail.evidence import Artifact, PackRun, PackSubject, verify_pack, write_pack
from trustrail.foundation import SigningKey
from trustrail.objects import find_domain_pack, find_policy_profile

KEY = SigningKey.derive("tests", "tampering")


@pytest.fixture(scope="module")
def pack(tmp_path_factory) -> Path:
    requirements = Requirements.expand(
        find_domain_pack("card-servicing"), find_policy_profile("irreversible_customer_entity_action_v1")
    )
    artifact = Artifact(name="agent", version="1", framework="none", framework_version="0")
    subject = PackSubject(testcase_id="T", testcase_version=1, target="script", variant="v", artifact=artifact)
    events = [
        Event(seq=0, test_run_id="r", source="s", body=CustomerMessage(text="Hello")),
        Event(seq=1, test_run_id="r", source="s", body=AgentMessage(text="How can I help?")),
    ]
    runs = [PackRun(events=events, spans={"spans": []})]
    root = tmp_path_factory.mktemp("runs")
    return write_pack(root, subject, runs, requirements, key=KEY, created_at=0.0).directory


@given(st.data())
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_one_changed_byte_is_enough(pack, data):
    path = data.draw(st.sampled_from(sorted(path for path in pack.rglob("*") if path.is_file())))
    whole = path.read_bytes()
    at = data.draw(st.integers(0, len(whole) - 1))
    byte = data.draw(st.integers(0, 255))
    assume(whole[at] != byte)
    try:
        path.write_bytes(whole[:at] + bytes([byte]) + whole[at + 1 :])
        with pytest.raises(PackError):
            verify_pack(pack, [KEY.public])
    finally:
        path.write_bytes(whole)


@given(st.data())
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_cut_or_a_longer_file_is_enough(pack, data):
    path = data.draw(st.sampled_from(sorted(path for path in pack.rglob("*") if path.is_file())))
    whole = path.read_bytes()
    changed = data.draw(st.sampled_from([whole[:-1], whole + b"\n", b"", whole + whole]))
    try:
        path.write_bytes(changed)
        with pytest.raises(PackError):
            verify_pack(pack, [KEY.public])
    finally:
        path.write_bytes(whole)
