"""PostgreSQL: the server of a laptop, connections, migrations, queries, and how notices are stored."""
