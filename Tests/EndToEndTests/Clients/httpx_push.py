"""Pushes with httpx over one HTTP/2 connection and prints a JSON object for each answer.

    httpx_push.py ORIGIN CA_FILE PROVIDER_TOKEN TOPIC COUNT DEVICE_TOKEN...

The first device token is pushed to COUNT times, the others once each. The first push goes alone, as APNs wants it.
"""

import asyncio
import json
import ssl
import sys

import httpx


async def push(client, device_token, headers):
    answer = await client.post(f"/3/device/{device_token}", headers=headers, json={"aps": {"alert": "Hello"}})
    print(
        json.dumps(
            {
                "version": answer.http_version,
                "status": answer.status_code,
                "apns_id": answer.headers.get("apns-id"),
                "body": answer.text,
            }
        )
    )


async def main(origin, ca_file, provider_token, topic, count, *device_tokens):
    headers = {"authorization": f"bearer {provider_token}", "apns-topic": topic, "apns-push-type": "alert"}
    pushes = [device_tokens[0]] * int(count) + list(device_tokens[1:])
    async with httpx.AsyncClient(
        base_url=origin,
        http1=False,
        http2=True,
        trust_env=False,
        timeout=250,
        verify=ssl.create_default_context(cafile=ca_file),
        limits=httpx.Limits(max_connections=1),
    ) as client:
        await push(client, pushes[0], headers)
        await asyncio.gather(*(push(client, device_token, headers) for device_token in pushes[1:]))


asyncio.run(main(*sys.argv[1:]))
