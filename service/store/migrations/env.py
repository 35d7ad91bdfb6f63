"""What alembic runs: the migrations, on the connection that `migrate` has opened."""

from __future__ import annotations

from alembic import context

from service.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
)
context.run_migrations()
