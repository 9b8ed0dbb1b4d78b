"""A PostgreSQL of one or of three nodes on this machine, for demonstrations and tests. `scripts/lib/cluster --help` shows its commands."""
