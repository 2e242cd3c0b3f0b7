"""Every benchmark runs, small and untimed, so that none rots; bounds on speed are never asserted here."""

from benchmarks import claim_graph, growth, import_time, layered_speed, message_rate
from benchmarks.figures import Figure, report


def test_the_layered_benchmark_replays_what_the_runs_signed_and_checked():
    prepared = layered_speed.worlds()[:2]
    signed, checked = layered_speed.recorded_crypto(range(2))
    made, computed = layered_speed.run_all(prepared)
    assert (len(signed), len(checked)) == (made, computed)
    layered_speed.replay(signed, checked)


def test_message_rates_are_positive():
    (figure,) = message_rate.measure(scale=0.002, repetitions=1)
    assert figure.measured > 0
    assert "ThreadingActor" in figure.detail


def test_the_claim_graph_is_measured_at_two_sizes():
    figures = claim_graph.measure(claims=20_000, small=10_000)
    assert len(figures) == 4
    assert all(figure.measured > 0 for figure in figures)


def test_growth_is_measured_in_processes_of_their_own():
    outcome = growth.in_own_process(1_000, 10)
    assert outcome["unsafe"] == 0
    assert outcome["seconds"] > 0


def test_no_package_loads_an_optional_library():
    for package in ("mast", "mast.report.front", "trailforge", "trustrail"):
        assert import_time.optional_loaded(package) == []


def test_a_figure_says_whether_it_is_met(capsys):
    report([Figure("a", 1.6, at_most=1.5), Figure("b", 2, at_least=2)])
    short, met = capsys.readouterr().out.splitlines()
    assert short.startswith("SHORT  a: 1.6 (at most 1.5)")
    assert met.startswith("met    b: 2 (at least 2)")
