"""Pushes with kalyke and prints a JSON object for each answer. SSL_CERT_FILE has to name the mock's ca.pem.

    kalyke_push.py PORT KEY_FILE TOPIC DEVICE_TOKEN GONE_TOKEN

One push, one to a device token that is gone, then twenty at once. kalyke opens a connection for each.
"""

import asyncio
import json
import sys

from kalyke import ApnsClient, ApnsConfig
from kalyke.exceptions import Unregistered


async def push(client, config, device_token):
    try:
        apns_id = await client.send_message(
            device_token=device_token, payload={"aps": {"alert": "Hello"}}, apns_config=config
        )
        print(json.dumps({"status": 200, "apns_id": apns_id}))
    except Unregistered as rejection:
        print(json.dumps({"status": 410, "reason": type(rejection).__name__}))


async def main(port, key_file, topic, device_token, gone_token):
    class MockClient(ApnsClient):
        _base_url = f"https://localhost:{port}"

        def _init_client(self, apns_config):
            client = super()._init_client(apns_config)
            # Otherwise it is 5 s for each step, which a busy machine may need.
            client.timeout = None
            return client

    client = MockClient(
        use_sandbox=True, team_id="MOCKTEAM12", auth_key_id="MOCKKEY123", auth_key_filepath=key_file
    )
    config = ApnsConfig(topic=topic)
    await push(client, config, device_token)
    await push(client, config, gone_token)
    await asyncio.gather(*(push(client, config, device_token) for _ in range(20)))


asyncio.run(asyncio.wait_for(main(*sys.argv[1:]), 300))
