"""Lists whose items stand in one attribute each, as ``prefix.0.role``, ``prefix.0.tool_calls.1.name``."""

from typing import Any

from trustrail.adapters.spans.span import Span


def numbered(span: Span, prefix: str) -> list[Any]:
    """Return the items below *prefix* in order of their numbers, each as an object or a plain value."""
    tree: dict[str, Any] = {}
    for key, value in span.attributes.items():
        if key.startswith(f"{prefix}."):
            node = tree
            *path, last = key.removeprefix(f"{prefix}.").split(".")
            for step in path:
                below = node.setdefault(step, {})
                node = below if isinstance(below, dict) else {}
            node[last] = value
    return in_order(tree)


def in_order(node: Any) -> list[Any]:  # noqa: ANN401 - part of an attribute tree
    """Return the numbered children of *node* in order of their numbers."""
    if not isinstance(node, dict):
        return []
    keys = [key for key in node if key.isascii() and key.isdigit() and len(key) < 10]
    return [node[key] for key in sorted(keys, key=int)]
