"""Pushes with aioapns, which offers no ALPN, and prints a JSON object for each answer.

    aioapns_push.py steady|burst PORT CA_FILE KEY_FILE TOPIC DEVICE_TOKEN GONE_TOKEN

steady: one push, one to a device token that is gone, then twenty at once. burst: twenty at once on a fresh connection.
"""

import asyncio
import json
import ssl
import sys

from aioapns import APNs, NotificationRequest
from aioapns.connection import APNsDevelopmentClientProtocol


async def keep_quiet(request, result):
    """Takes the place of the line that aioapns logs for each rejection."""


async def push(client, device_token):
    request = NotificationRequest(device_token=device_token, message={"aps": {"alert": "Hello"}})
    result = await client.send_notification(request)
    answer = {"status": int(result.status), "reason": result.description, "apns_id": result.notification_id}
    print(json.dumps(answer))


async def main(order, port, ca_file, key_file, topic, device_token, gone_token):
    APNsDevelopmentClientProtocol.APNS_SERVER = "localhost"
    APNsDevelopmentClientProtocol.APNS_PORT = int(port)
    # aioapns closes a connection without an answer for 10 s, which a busy machine may need.
    APNsDevelopmentClientProtocol.INACTIVITY_TIME = 600
    with open(key_file, encoding="ascii") as file:
        key = file.read()
    client = APNs(
        key=key,
        key_id="MOCKKEY123",
        team_id="MOCKTEAM12",
        topic=topic,
        use_sandbox=True,
        ssl_context=ssl.create_default_context(cafile=ca_file),
        err_func=keep_quiet,
    )
    if order == "steady":
        await push(client, device_token)
        await push(client, gone_token)
    await asyncio.gather(*(push(client, device_token) for _ in range(20)))
    client.pool.close()


asyncio.run(asyncio.wait_for(main(*sys.argv[1:]), 300))
