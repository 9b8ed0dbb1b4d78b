"""The runner of scripts/bench. Each file has one task.

workplace     builds the programs, and makes the folder with keys, certificate and payloads
servers       starts nghttpd and the mocks on free ports, and stops them
processes     runs and measures one process: time, CPU, memory, allocations
senders       the command line of each sender, and the check of its output that nothing failed
rows          the rows of the table, and what each compares
distance      measures a distant network, which the mock simulates
rounds        measures one row, with its sides in turns
figures       medians, spread, ratios, aims
table         the figures as text, Markdown and JSON
"""
