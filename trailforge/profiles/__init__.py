"""Profiles: products made of the neutral harness. Each is one folder; the harness knows none of them."""
