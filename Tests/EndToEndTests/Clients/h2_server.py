"""A server that speaks HTTP/2 and treats its first request badly. Says its port, then each request that arrived.

    h2_server.py MANNER CERTIFICATE KEY

    swallow   never answers
    hang-up   closes the connection without an answer
    refuse    says that it did not process the request (REFUSED_STREAM)
    go-away   says goodbye, and that it did not process the request
    garbage   answers 500 with a body that is not JSON
    bare      answers 200 without an apns-id
    no-alpn   does the same, and agrees on no protocol in the TLS handshake
"""

import socket
import ssl
import sys

import h2.config
import h2.connection
import h2.errors
import h2.events

manner, certificate, key = sys.argv[1:]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
if manner != "no-alpn":
    context.set_alpn_protocols(["h2"])


def treat(connection, stream_id):
    if manner == "refuse":
        connection.reset_stream(stream_id, h2.errors.ErrorCodes.REFUSED_STREAM)
    elif manner == "go-away":
        connection.close_connection(last_stream_id=0)
    elif manner in ("bare", "no-alpn"):
        connection.send_headers(stream_id, [(":status", "200")], end_stream=True)
    elif manner == "garbage":
        connection.send_headers(stream_id, [(":status", "500")])
        connection.send_data(stream_id, b"<html>\r\n\x1b[31mdown for\r\n\tmaintenance</html>\r\n", end_stream=True)


def serve(wire):
    connection = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
    connection.initiate_connection()
    wire.sendall(connection.data_to_send())
    while data := wire.recv(65536):
        for event in connection.receive_data(data):
            if isinstance(event, h2.events.StreamEnded):
                print("request", flush=True)
                if manner == "hang-up":
                    return
                treat(connection, event.stream_id)
        wire.sendall(connection.data_to_send())


with socket.create_server(("127.0.0.1", 0)) as server:
    print(server.getsockname()[1], flush=True)
    while True:
        plain, _ = server.accept()
        try:
            with context.wrap_socket(plain, server_side=True) as wire:
                serve(wire)
        except OSError:
            pass
