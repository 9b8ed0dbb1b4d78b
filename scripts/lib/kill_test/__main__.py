"""Disturbs the programs and compares what they say with the log of a mock; the scripts of these names explain it, and are the only callers.

    kill_test campaigns PUSHSEND FOLDER SEED SECONDS MOST-LINES [CAMPAIGN]
    kill_test service PUSHSEND PUSHSERVE FOLDER SEED ROUNDS TROUBLES [--ignore-sync]
    kill_test inbox PUSHSEND PUSHSERVE FOLDER SEED ROUNDS COMMITS
    kill_test cluster PUSHSEND PUSHSERVE FOLDER SEED ROUNDS KINDS NODES
    kill_test attacks PUSHSEND PUSHSERVE FOLDER ATTACKS judged|printed quick|long
    kill_test service|cluster|attacks --list

They know the HTTP API, the commands and the files of the programs, and nothing of the queue. If a promise is broken, they print the seed and
the folder, and end with 1.
"""

import importlib
import signal
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[0] = str(Path(__file__).resolve().parents[1])
for number in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, lambda number, _: sys.exit(128 + number))
module = {"inbox": "service_kills.inbox", "attacks": "attacks.play", "campaigns": "campaign_kills.play"}
play = importlib.import_module(module.get(sys.argv[1], f"{sys.argv[1]}_kills.play"))
if sys.argv[2:] != ["--list"]:
    play.main(*sys.argv[2:])
else:
    print(*(f"{name:20} {kind.__doc__}" for name, kind in play.KINDS.items()), sep="\n")
