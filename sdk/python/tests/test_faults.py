"""Tries the clients with a server that fails in passing."""

from __future__ import annotations

import asyncio
import json
import socketserver
import threading
import time
from typing import Any

from reverie_memory import ReverieConnectionError, ReverieError, ReverieTimeout

from .both import both


def say(status: int, body: dict[str, Any], *headers: str) -> bytes:
    content = json.dumps(body).encode()
    head = [f"HTTP/1.1 {status} Status", f"Content-Length: {len(content)}", *headers]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + content


def chunked(*pieces: bytes, end: bytes = b"0\r\n\r\n") -> bytes:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head + b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + end


SAVED = say(200, {"code": 200, "msg": "success", "data": {"kind": "saved"}})
BUSY = say(503, {"error": "store_unavailable", "msg": "The database is unavailable", "data": None}, "Retry-After: 1")
HANG_UP = b""
SILENT = None


class Serving:
    make: Any

    def serve(self, *answers: bytes | None, **options: Any) -> tuple[Any, list[tuple[str, bytes]]]:
        """Starts a server that gives the n-th answer to the n-th request, and the last one to later ones."""
        seen: list[tuple[str, bytes]] = []
        ended = threading.Event()

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                headers: dict[str, str] = {}
                self.rfile.readline()
                while line := self.rfile.readline().decode().strip():
                    name, _, value = line.partition(": ")
                    headers[name.lower()] = value
                body = self.rfile.read(int(headers.get("content-length", 0)))
                seen.append((headers.get("idempotency-key", ""), body))
                answer = answers[min(len(seen), len(answers)) - 1]
                if answer is SILENT:
                    ended.wait()
                    return
                for i in range(0, len(answer), 7):  # in small pieces
                    self.wfile.write(answer[i : i + 7])
                    self.wfile.flush()

        class Threads(socketserver.ThreadingTCPServer):
            daemon_threads = True
            allow_reuse_address = True

        server = Threads(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()

        def close() -> None:
            ended.set()
            server.shutdown()
            server.server_close()

        self.addCleanup(close)
        return type(self).make(f"http://127.0.0.1:{server.server_address[1]}/", "rv_test", "ada", owner="user:1", **options), seen


class Faults(Serving):
    async def test_what_passes_is_repeated_with_the_same_key(self) -> None:
        client, seen = self.serve(BUSY, HANG_UP, SAVED)
        began = time.monotonic()
        self.assertEqual("saved", (await client.remember("The boat is called Heron."))["kind"])
        self.assertGreaterEqual(time.monotonic() - began, 1, "Retry-After was ignored")
        self.assertEqual(3, len(seen))
        self.assertEqual(1, len(set(seen)))
        self.assertTrue(seen[0][0])

    async def test_what_cannot_pass_is_not_repeated(self) -> None:
        for answer, code in (
            (say(409, {"error": "memory_off", "msg": "Memory is disabled"}), "memory_off"),
            (say(502, {"error": "model_failed", "msg": "The model declined"}), "model_failed"),
            (say(429, {"error": "budget_spent", "msg": "Spent"}, "Retry-After: 40000"), "budget_spent"),
            (say(429, {"error": "budget_spent", "msg": "Paused"}), "budget_spent"),
        ):
            client, seen = self.serve(answer)
            with self.assertRaises(ReverieError) as refused:
                await client.remember("A boat.")
            self.assertEqual((code, 1), (refused.exception.code, len(seen)))
        client, seen = self.serve(HANG_UP)  # nobody knows whether it was carried out
        with self.assertRaises(ReverieConnectionError):
            await client.call("POST", "/api/v1/agents", body={"id": "bob"})
        self.assertEqual(1, len(seen))

    async def test_repetitions_end(self) -> None:
        client, seen = self.serve(say(503, {"error": "overloaded", "msg": "Too many requests"}), retries=1)
        with self.assertRaises(ReverieError):
            await client.search("boat")
        self.assertEqual(2, len(seen))

    async def test_an_answer_that_does_not_come_is_given_up(self) -> None:
        client, seen = self.serve(SILENT, timeout=0.3)
        with self.assertRaises(ReverieTimeout):
            await client.search("boat")
        self.assertLessEqual(len(seen), 1)

    async def test_an_answer_of_something_else_is_named_as_such(self) -> None:
        for answer in (b"HTTP/1.1 200 OK\r\n\r\n<html>Welcome</html>", b"HTTP/1.1 502 Bad\r\n\r\n<html>proxy</html>"):
            client, _ = self.serve(answer, retries=0)
            with self.assertRaisesRegex(ReverieError, "not as Reverie does"):
                await client.search("boat")
        for answer in (b"SSH-2.0 hello\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"):
            client, _ = self.serve(answer, retries=0)
            with self.assertRaises(ReverieConnectionError):
                await client.search("boat")

    async def test_a_stream_in_any_pieces_is_read(self) -> None:
        text = 'event: text\ndata: {"text":"Zürich"}\n\n: still here\n\nevent: later\ndata: {}\n\n'.encode()
        done = b'event: done\ndata: {"answer":"Z"}\n\n'
        client, _ = self.serve(BUSY, chunked(text[:30], text[30:41], text[41:] + done))
        self.assertEqual(["Zürich", ""], [e.text async for e in client.chat_stream("Where?")])

        failed = b'event: error\ndata: {"code":502,"error":"model_failed","msg":"declined","data":null}\n\n'
        for answer, wanted in (
            (chunked(text), ReverieConnectionError),
            (chunked(text, end=b""), ReverieConnectionError),
            (chunked(text, failed), ReverieError),
            (SAVED, ReverieError),
        ):
            client, _ = self.serve(answer)
            with self.assertRaises(wanted):
                async for _ in client.chat_stream("Where?"):
                    pass


class Cancelled(Serving):
    async def test_a_cancelled_call_ends(self) -> None:
        client, _ = self.serve(SILENT)
        with self.assertRaises(TimeoutError):
            async with asyncio.timeout(0.05):
                await client.search("boat")


globals().update(both(Faults))
globals().update({name: case for name, case in both(Cancelled).items() if name.endswith("Async")})
del Serving, Faults, Cancelled
