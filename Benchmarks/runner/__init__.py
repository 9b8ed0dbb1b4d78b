"""The runner of scripts/bench. Each file has one task.

workspace     builds the programs, and makes the folder with keys, certificate and payloads
servers       starts nghttpd and the mocks on free ports, and stops them
processes     runs and measures one process: time, CPU, memory, allocations
senders       the command line of each sender, and the check of its output that nothing failed
rows          the rows of the table, and what each compares
distance      measures a distant network, which the mock simulates
rounds        measures one row, with its sides in turns
figures       medians, spread, ratios, aims
table         the figures as text, Markdown and JSON

For scripts/bench --service:

service           the rows of the queue in a file, and how rows are measured
pushservice       starts pushserve, posts pushes, waits for their outcomes
postgres_rows     the rows of PostgreSQL, and the size of their runs
postgres          starts PostgreSQL on one or three nodes, makes a schema for each measurement, reads what the server has used
postgres_queue    the queue alone, with one process or several
postgres_service  from HTTP to Apple's answer, with one worker or several, and with many finished jobs
usual             the usual pattern, with pgbench
together          processes of QueueLoad that begin at the same time
service_rows      what a row is, and what it finds
service_table     its tables
"""
import sys
from pathlib import Path

# Its modules are for all scripts: `cluster` starts a PostgreSQL, `ports` finds free ports.
sys.path.append(str(Path(__file__).resolve().parents[2] / "scripts/lib"))
