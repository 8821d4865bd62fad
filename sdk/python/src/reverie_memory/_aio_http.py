"""One request over HTTP/1.1, on asyncio's streams: the standard library has no asynchronous client."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from urllib.parse import urlsplit

from ._errors import ReverieConnectionError

_PIECE = 65536


class Exchange:
    """An answer that has begun. Close it when it is no longer needed."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self.status = 0
        self.headers: dict[str, str] = {}  # their names in lower case
        self._left: int | None = None  # bytes of the body, or of the chunk; None: until the connection ends
        self._chunked = False

    @classmethod
    async def open(cls, base: str, method: str, target: str, headers: Mapping[str, str], body: bytes | None) -> Exchange:
        """Sends a request and reads the head of its answer."""
        server = urlsplit(base)
        secure = server.scheme == "https"
        try:
            reader, writer = await asyncio.open_connection(server.hostname, server.port or (443 if secure else 80), ssl=secure or None)
        except OSError as error:
            raise _failed(error) from error
        exchange = cls(reader, writer)
        try:
            all_headers = {"Host": server.netloc.rpartition("@")[2], **headers, "Connection": "close", "Accept-Encoding": "identity"}
            if body is not None or method != "GET":
                all_headers["Content-Length"] = str(len(body or b""))
            head = f"{method} {server.path}{target} HTTP/1.1\r\n" + "".join(f"{n}: {v}\r\n" for n, v in all_headers.items())
            if any(c in v for v in all_headers.values() for c in "\r\n"):
                raise ValueError("a header has a line break")
            writer.write(head.encode("latin-1") + b"\r\n" + (body or b""))
            await writer.drain()
            await exchange._read_head()
        except (OSError, EOFError) as error:
            exchange.close()
            raise _failed(error) from error
        except BaseException:
            exchange.close()
            raise
        return exchange

    async def _read_head(self) -> None:
        while self.status < 200:  # what comes before is an announcement
            version, _, rest = (await self._line()).partition(" ")
            if not version.startswith("HTTP/1.") or not rest[:3].isdigit():
                raise EOFError("the answer is not HTTP")
            self.status = int(rest[:3])
            self.headers = {}
            while line := await self._line():
                name, _, value = line.partition(":")
                self.headers[name.strip().lower()] = value.strip()
        self._chunked = self.headers.get("transfer-encoding", "").lower() == "chunked"
        if self._chunked:
            self._left = 0
        elif "content-length" in self.headers:
            self._left = int(self.headers["content-length"])
        elif self.status in (204, 304):
            self._left = 0

    async def _line(self) -> str:
        try:
            line = await self._reader.readuntil(b"\n")
        except asyncio.LimitOverrunError as error:
            raise EOFError("a line of the answer is too long") from error
        return line.decode("latin-1").rstrip("\r\n")

    async def read(self) -> bytes:
        """Returns what has arrived of the body, at least one byte; nothing at its end."""
        try:
            if self._chunked and self._left == 0 and not await self._next_chunk():
                return b""
            if self._left == 0:
                return b""
            piece = await self._reader.read(_PIECE if self._left is None else min(_PIECE, self._left))
            if self._left is not None:
                if not piece:
                    raise EOFError("the connection ended within the answer")
                self._left -= len(piece)
                if self._chunked and self._left == 0:
                    await self._line()  # the end of the chunk
            return piece
        except (OSError, EOFError, ValueError) as error:
            raise _failed(error) from error

    async def _next_chunk(self) -> bool:
        self._left = int((await self._line()).partition(";")[0], 16)
        if self._left == 0:
            while await self._line():
                pass
            self._chunked = False
        return self._left > 0

    async def rest(self) -> bytes:
        """Returns the rest of the body."""
        pieces: list[bytes] = []
        while piece := await self.read():
            pieces.append(piece)
        return b"".join(pieces)

    def close(self) -> None:
        with contextlib.suppress(OSError, RuntimeError):
            self._writer.close()


def _failed(error: Exception) -> ReverieConnectionError:
    return ReverieConnectionError(f"the connection to the server failed: {error!r}")
