"""OpenTelemetry spans of agent runs: read from any export form, told apart by dialect, assembled into events."""
