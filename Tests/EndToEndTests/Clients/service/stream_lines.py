"""Sends pushes as a stream with one line in each chunk, as a generator does with requests, and prints what came back as JSON.

    stream_lines.py URL KEY COUNT

After the first line it prints "begun", and waits for a line of input. When all lines are sent, it prints "sent". The answers are
those for refused lines only: an empty line for each commit, and a summary.
"""

import json
import sys

import requests

url, key, count = sys.argv[1], sys.argv[2], int(sys.argv[3])


def lines():
    push = {"token": "5f3ad1c07b9e4286", "payload": {"aps": {"alert": "Hello"}}}
    for number in range(1, count + 1):
        yield (json.dumps(push | {"dedupe_key": str(number)}) + "\n").encode()
        if number == 1:
            print("begun", flush=True)
            sys.stdin.readline()
    print("sent", flush=True)


session = requests.Session()
session.trust_env = False
answer = session.post(
    f"{url}/v1/notifications?answers=refused",
    data=lines(),
    headers={"authorization": f"bearer {key}", "content-type": "application/x-ndjson"},
    timeout=250,
)
answered = answer.content.split(b"\n")[:-1]
print(
    json.dumps(
        {
            "status": answer.status_code,
            "commits": sum(1 for line in answered if not line),
            "summary": json.loads(answered[-1]),
        }
    )
)
