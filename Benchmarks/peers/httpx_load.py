"""Sends the same notification many times with httpx over one HTTP/2 connection, to compare with SendLoad.

    httpx_load.py HOST PORT CA-FILE JWT TOKEN COUNT IN-FLIGHT PAYLOAD-FILE
"""
import asyncio
import ssl
import sys

import httpx

host, port, ca_file, jwt, token, count, in_flight, payload_file = sys.argv[1:]


async def main():
    with open(payload_file, "rb") as file:
        payload = file.read()
    url = f"https://{host}:{port}/3/device/{token}"
    headers = {
        "authorization": f"bearer {jwt}",
        "apns-topic": "com.example.app",
        "apns-push-type": "alert",
        "apns-priority": "10",
    }
    accepted = 0
    limits = httpx.Limits(max_connections=1, max_keepalive_connections=1)
    async with httpx.AsyncClient(
            http1=False, http2=True, verify=ssl.create_default_context(cafile=ca_file), limits=limits,
            timeout=None, trust_env=False) as client:

        async def send_share(share):
            nonlocal accepted
            for _ in range(share):
                answer = await client.post(url, content=payload, headers=headers)
                accepted += answer.status_code == 200

        # The first request is alone, so that all others use its connection.
        await send_share(1)
        left, tasks = int(count) - 1, int(in_flight)
        await asyncio.gather(*(send_share(left // tasks + (task < left % tasks)) for task in range(tasks)))
    print(f"accepted {accepted}, failed {int(count) - accepted}")


asyncio.run(main())
