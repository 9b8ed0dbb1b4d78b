"""An HTTP proxy for CONNECT. Says its port, then what it was asked, one line each.

    connect_proxy.py [--user USER:PASSWORD] [--to HOST:PORT]

    --user    lets in only who says this, and answers 407 to others
    --to      connects every tunnel there, whatever was asked for
"""

import argparse
import asyncio
import base64

arguments = argparse.ArgumentParser()
arguments.add_argument("--user")
arguments.add_argument("--to")
arguments = arguments.parse_args()


async def pump(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()


def answer(writer, status, *fields):
    writer.write("\r\n".join([f"HTTP/1.1 {status}", *fields, "", ""]).encode())


async def serve(reader, writer):
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    method, target, _ = head.split("\r\n")[0].split(" ")
    fields = {name.lower(): value for name, _, value in (line.partition(": ") for line in head.split("\r\n")[1:])}
    proof = "Basic " + base64.b64encode((arguments.user or "").encode()).decode()
    if method != "CONNECT":
        answer(writer, "405 Method Not Allowed")
    elif arguments.user and fields.get("proxy-authorization") != proof:
        answer(writer, "407 Proxy Authentication Required", 'Proxy-Authenticate: Basic realm="test"')
    else:
        print(target, flush=True)
        host, _, port = (arguments.to or target).rpartition(":")
        try:
            far_reader, far_writer = await asyncio.open_connection(host.strip("[]"), int(port))
        except OSError:
            answer(writer, "502 Bad Gateway")
        else:
            answer(writer, "200 Connection established", "Via: 1.1 test")
            await asyncio.gather(pump(reader, far_writer), pump(far_reader, writer))
    writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
