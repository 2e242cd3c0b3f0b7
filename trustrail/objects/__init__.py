"""The five versioned objects, evidence profiles, and the shipped catalog of them."""

from trustrail.objects.catalog import (
    find_control,
    find_domain_pack,
    find_evidence_profile,
    find_fixture,
    find_policy_profile,
    find_testcase,
    shipped_names,
)
from trustrail.objects.control import Control, Evidence, Severity
from trustrail.objects.domain_pack import DisplayPolicy, DomainPack, EntityType
from trustrail.objects.evidence_profile import ClaimLimits, EvidenceProfile, EvidenceProfiles
from trustrail.objects.fixture import Customer, Fixture, Login, RequiredState, Selector
from trustrail.objects.lint import lint_files
from trustrail.objects.nearest import did_you_mean
from trustrail.objects.outcome import Condition, Outcome
from trustrail.objects.paths import find_values
from trustrail.objects.policy_profile import GateRule, PolicyProfile, ProfileControl
from trustrail.objects.reader import OBJECT_TYPES, TrustrailObject, parse_object, read_object
from trustrail.objects.refusals import tells_failure
from trustrail.objects.schema import KINDS, object_schema
from trustrail.objects.testcase import Testcase, Variant
from trustrail.objects.tools import (
    Action,
    CandidateLookup,
    Confirmation,
    EntityArgument,
    IdentityCheck,
    KeptList,
    Tools,
)
from trustrail.objects.yaml_source import YamlSource, parse_yaml

__all__ = [
    "KINDS",
    "OBJECT_TYPES",
    "Action",
    "CandidateLookup",
    "ClaimLimits",
    "Condition",
    "Confirmation",
    "Control",
    "Customer",
    "DisplayPolicy",
    "DomainPack",
    "EntityArgument",
    "EntityType",
    "Evidence",
    "EvidenceProfile",
    "EvidenceProfiles",
    "Fixture",
    "GateRule",
    "IdentityCheck",
    "KeptList",
    "Login",
    "Outcome",
    "PolicyProfile",
    "ProfileControl",
    "RequiredState",
    "Selector",
    "Severity",
    "Testcase",
    "Tools",
    "TrustrailObject",
    "Variant",
    "YamlSource",
    "did_you_mean",
    "find_control",
    "find_domain_pack",
    "find_evidence_profile",
    "find_fixture",
    "find_policy_profile",
    "find_testcase",
    "find_values",
    "lint_files",
    "object_schema",
    "parse_object",
    "parse_yaml",
    "read_object",
    "shipped_names",
    "tells_failure",
]
