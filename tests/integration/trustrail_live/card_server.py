"""A real MCP server over stdio, for the proxy's tests."""

from mcp.server import MCPServer

server = MCPServer("cards")


@server.tool()
def get_cards(customer_ref: str) -> dict[str, list[dict[str, str]]]:
    """Look up the customer's cards."""
    return {"cards": [{"card_id": "CARD-001", "owner": customer_ref}]}


@server.tool()
def block_card(card_id: str) -> str:
    """Block a card."""
    if card_id != "CARD-001":
        raise ValueError(f"no card {card_id}")
    return "blocked"


if __name__ == "__main__":
    server.run("stdio")
