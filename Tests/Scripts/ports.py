"""Ports of loopback for servers that are told their port."""
import socket

_held = []


def held_port():
    """Returns a port that the system gives to no other socket while this process lives, also before its server listens and while
    that server is down: a bound socket keeps it, and with SO_REUSEADDR on both sides a server may listen there."""
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    _held.append(held)
    return held.getsockname()[1]
