"""Says how many streams a server allows: at the beginning, after a request without a token, after one that is accepted.

    h2_settings.py PORT CA AUTHORIZATION
"""

import socket
import ssl
import sys

import h2.config
import h2.connection
import h2.events
import h2.settings

port, authority, authorization = sys.argv[1:]
context = ssl.create_default_context(cafile=authority)
context.set_alpn_protocols(["h2"])


def push(connection, headers):
    stream_id = connection.get_next_available_stream_id()
    path = "/3/device/" + "5f3ad1c07b9e4286" * 4
    connection.send_headers(stream_id, [
        (":method", "POST"), (":scheme", "https"), (":authority", "localhost"), (":path", path),
        ("apns-topic", "com.example.app"), ("apns-push-type", "alert"), *headers])
    connection.send_data(stream_id, b'{"aps":{"alert":"Hello"}}', end_stream=True)
    return stream_id


def wait(wire, connection, is_over):
    """Reads until an event has come; what came with it in the same bytes counts as well."""
    found = False
    while not found:
        wire.sendall(connection.data_to_send())
        for event in connection.receive_data(wire.recv(65536)):
            found = found or is_over(event)


def settle(wire, connection):
    """A PING and its answer: whatever the server had to say before has come."""
    connection.ping(b"settled.")
    wait(wire, connection, lambda event: isinstance(event, h2.events.PingAckReceived))
    print(connection.remote_settings.max_concurrent_streams, flush=True)


with socket.create_connection(("localhost", int(port))) as plain, \
        context.wrap_socket(plain, server_hostname="localhost") as wire:
    connection = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
    connection.initiate_connection()
    wait(wire, connection, lambda event: isinstance(event, h2.events.RemoteSettingsChanged))
    settle(wire, connection)
    for headers in ([], [("authorization", authorization)]):
        stream_id = push(connection, headers)
        wait(wire, connection, lambda event: isinstance(event, h2.events.StreamEnded) and event.stream_id == stream_id)
        settle(wire, connection)
