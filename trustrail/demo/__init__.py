"""The reference journey, offline: real agent frameworks with scripted models, judged and sealed.

A second domain is another testcase, pack and fixture; a further framework is one file in ``targets/``.
"""

from trustrail.demo.harness import DemoResult, run_demo
from trustrail.demo.journey import Journey, load_journey
from trustrail.demo.script import Variant

__all__ = ["DemoResult", "Journey", "Variant", "load_journey", "run_demo"]
