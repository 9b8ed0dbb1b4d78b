"""Ports of 127.0.0.1 that are free now. As a program, it prints one.

The system gives none of them to a program that asks for any port, nor to a connection. So a port is most likely still free when
somebody listens on it later, and also each time after that.
"""

import random
import socket

# Below those that the system gives away by itself.
PORTS = range(20_000, 32_000)


def free_ports(count):
    sockets = []
    try:
        for port in random.SystemRandom().sample(PORTS, 100 + 10 * count):
            if len(sockets) == count:
                break
            each = socket.socket()
            sockets.append(each)
            try:
                each.bind(("127.0.0.1", port))
            except OSError:
                sockets.pop().close()
        if len(sockets) < count:
            raise OSError(f"Fewer than {count} ports are free.")
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def free_port():
    return free_ports(1)[0]


if __name__ == "__main__":
    print(free_port())
