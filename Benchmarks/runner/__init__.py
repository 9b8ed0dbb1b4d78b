"""The runner behind scripts/bench: one file for each of its jobs.

workplace     what is built, and the folder with keys, certificate and payloads
servers       nghttpd and the mocks, started on free ports and stopped again
processes     one process, measured: time, CPU, memory, allocations
senders       the command line of each sender, and how its output says that nothing failed
rows          what is measured against what
distance      the same over a distant network, made by the mock
rounds        the measuring of one row, in alternation
figures       medians, spread, ratios, aims
table         the figures as text, Markdown and JSON
"""
