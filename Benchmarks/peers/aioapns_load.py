"""Sends the same notification many times with aioapns over one connection, to compare with SendLoad.

    aioapns_load.py HOST PORT CA-FILE P8-FILE TOKEN COUNT IN-FLIGHT PAYLOAD-FILE
"""
import asyncio
import json
import ssl
import sys

from aioapns import APNs, NotificationRequest, PushType
from aioapns.common import NotificationResult
from aioapns.connection import APNsProductionClientProtocol

TOPIC = "com.example.app"
host, port, ca_file, p8_file, token, count, in_flight, payload_file = sys.argv[1:]


class BenchProtocol(APNsProductionClientProtocol):
    """aioapns finds the request of an answer by its apns-id. nghttpd does not send this field, so this class uses the stream."""

    APNS_SERVER = host
    APNS_PORT = int(port)
    refused = 0

    def on_response_received(self, headers):
        if headers[b":status"] != b"200":
            BenchProtocol.refused += 1

    def on_data_received(self, data, stream_id):
        pass

    def on_stream_ended(self, stream_id):
        notification_id = self.request_streams.pop(stream_id)
        self.requests.pop(notification_id).set_result(NotificationResult(notification_id, "200"))
        super().on_stream_ended(stream_id)


async def main():
    with open(p8_file, encoding="utf-8") as file:
        key = file.read()
    with open(payload_file, encoding="utf-8") as file:
        message = json.load(file)
    tls = ssl.create_default_context(cafile=ca_file)
    # Apple's servers do not need ALPN, but nghttpd does.
    tls.set_alpn_protocols(["h2"])
    client = APNs(
        key=key, key_id="BENCHKEY01", team_id="BENCHTEAM1", topic=TOPIC, max_connections=1, ssl_context=tls)
    client.pool.protocol_class = BenchProtocol
    done = 0

    async def send_one():
        nonlocal done
        request = NotificationRequest(device_token=token, message=message, priority=10, push_type=PushType.ALERT)
        if (await client.send_notification(request)).is_successful:
            done += 1

    async def send_share(share):
        for _ in range(share):
            await send_one()

    # The first request is alone. Its answer allows more streams.
    await send_one()
    left, tasks = int(count) - 1, int(in_flight)
    await asyncio.gather(*(send_share(left // tasks + (task < left % tasks)) for task in range(tasks)))
    client.pool.close()
    accepted = done - BenchProtocol.refused
    print(f"accepted {accepted}, failed {int(count) - accepted}")


asyncio.run(main())
