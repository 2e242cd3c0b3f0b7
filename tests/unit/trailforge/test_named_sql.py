"""Every statement has a name, and the two stores have the same ones."""

import ast
from pathlib import Path

from trailforge.authority import named_sql, sql_authority
from trailforge.authority.named_sql import load_migrations, load_queries

PACKAGE = "trailforge.authority"
KINDS = ("sqlite", "postgres")


def test_statements_are_loaded_without_their_descriptions():
    queries = load_queries(PACKAGE, "sqlite.sql")

    assert queries["find_id"] == "SELECT forgotten FROM ids WHERE run_id = :run_id"
    assert queries["move_checkpoint"].startswith("UPDATE runs")


def test_both_stores_name_the_same_statements():
    """PostgreSQL has two more: its clock and its settings."""
    sqlite, postgres = load_queries(PACKAGE, "sqlite.sql"), load_queries(PACKAGE, "postgres.sql")

    assert postgres.keys() - sqlite.keys() == {"now", "server"}
    assert sqlite.keys() <= postgres.keys()


def test_every_statement_named_in_python_exists_and_every_one_is_used():
    folder = Path(named_sql.__file__).parent
    text = "".join(path.read_text() for path in folder.glob("*.py"))
    named = {node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)}

    assert load_queries(PACKAGE, "postgres.sql").keys() <= named


def test_python_builds_no_statement():
    tree = ast.parse(Path(sql_authority.__file__).read_text())
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]

    assert not [text for text in texts if text.startswith(("SELECT ", "INSERT ", "UPDATE ", "DELETE "))]


def test_both_stores_have_the_same_migrations_numbered_without_a_gap():
    folder = Path(named_sql.__file__).parent
    sqlite, postgres = ([script.name for script in sorted((folder / f"{kind}_migrations").iterdir())] for kind in KINDS)

    assert sqlite == postgres
    assert [int(name[:4]) for name in sqlite] == list(range(1, len(sqlite) + 1))
    assert "CREATE TABLE runs" in load_migrations(PACKAGE, "postgres_migrations")[0]
