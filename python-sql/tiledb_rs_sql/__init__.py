"""SQL for the package ``tiledb_rs``; see :func:`tiledb_rs.sql`."""

from ._native import Rows, sql, table_provider

__all__ = ["Rows", "sql", "table_provider"]
