"""Server-sent events of an answer that is streamed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ._errors import ReverieConnectionError, refusal

if TYPE_CHECKING:
    from . import schema

_KNOWN = {"context", "text", "reset", "tool_call", "tool_result", "done"}


class ChatEvent(NamedTuple):
    """An event of a turn: context, text, reset (the text so far is void), tool_call, tool_result, and done at the end."""

    event: str
    data: Any

    @property
    def text(self) -> str:
        """The part of the answer in a text event; empty in others."""
        return str(self.data["text"]) if self.event == "text" else ""

    @property
    def turn(self) -> schema.Turn | None:
        """The whole answer in the event done; None in others. An agent without a model sends no text events."""
        return cast("schema.Turn", self.data) if self.event == "done" else None


class Parser:
    """Reads events from the bytes of a stream, in any pieces."""

    def __init__(self) -> None:
        self._rest = b""
        self._event = ""
        self._data = b""

    def feed(self, piece: bytes) -> Iterator[ChatEvent]:
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for line in lines:
            if line.startswith(b"event: "):
                self._event = line[7:].decode()
            elif line.startswith(b"data: "):
                self._data = line[6:]
            elif not line and self._event:
                event, data, self._event, self._data = self._event, self._data, "", b""
                if event == "error":
                    raise refusal("the stream", 0, {}, data)
                if event in _KNOWN:
                    yield ChatEvent(event, json.loads(data))


def broken_off() -> ReverieConnectionError:
    return ReverieConnectionError("the stream broke off: send the message again with the same message_id and conversation_id")
