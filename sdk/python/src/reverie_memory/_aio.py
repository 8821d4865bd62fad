"""The client of programs with asyncio."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from ._aio_http import Exchange
from ._calls import Calls, Request, following
from ._errors import ReverieConnectionError, ReverieError, ReverieTimeout, foreign, pause_after, refusal
from ._client import SILENCE
from ._events import ChatEvent, Parser, broken_off

if TYPE_CHECKING:
    from . import schema
    from ._calls import (
        AddOptions,
        ChatOptions,
        ContextOptions,
        FactsOptions,
        ForgetOptions,
        NewMessage,
        PersonOptions,
        RememberOptions,
        SearchOptions,
        ToolOptions,
        WriteOptions,
    )

T = TypeVar("T")


class AsyncClient:
    """Client of one agent's memory, as Client. A task that is cancelled closes its connection."""

    def __init__(
        self,
        url: str,
        key: str,
        agent: str,
        *,
        retries: int = 3,
        timeout: float = 120.0,
        **person: Unpack[PersonOptions],
    ) -> None:
        """url: of the server, such as https://memory.example.com. key: secret of an API key. retries: repetitions of a request that failed in
        passing. timeout: seconds of an attempt, besides what the server is asked to wait. The person is the default of every call."""
        self._url = url.rstrip("/")
        self._key = key
        self._retries = retries
        self._timeout = timeout
        self._calls = Calls(agent, person)

    def as_(self, *, agent: str | None = None, **person: Unpack[PersonOptions]) -> AsyncClient:
        """Returns a client for another person, or another agent, over the same server and key."""
        other = AsyncClient(self._url, self._key, "", retries=self._retries, timeout=self._timeout)
        other._calls = self._calls.whose(person, agent)
        return other

    async def remember(self, text: str, **options: Unpack[RememberOptions]) -> schema.Remembered:
        """Saves a statement in MEMORY.md: "My flight is on Friday at 8." """
        return await self._json(self._calls.remember(text, options))

    async def search(self, query: str, **options: Unpack[SearchOptions]) -> schema.Search:
        """Searches documents and conversations."""
        return await self._json(self._calls.search(query, options))

    async def context(self, message: str, **options: Unpack[ContextOptions]) -> schema.Context:
        """Returns the messages to send to a model so that it can answer with memory. Stores nothing."""
        return await self._json(self._calls.context(message, options))

    async def chat(self, message: str, **options: Unpack[ChatOptions]) -> schema.Turn:
        """Runs a whole turn at the server, with memory and the configured model, and stores it."""
        return await self._json(self._calls.chat(message, options))

    async def chat_stream(self, message: str, **options: Unpack[ChatOptions]) -> AsyncIterator[ChatEvent]:
        """Runs a turn as chat does, and yields its events as they happen. Closing the iterator stops the model."""
        request = self._calls.chat(message, options, stream=True)

        async def attempt() -> Exchange:
            async with _within(self._timeout):
                return await self._open(request)

        exchange = await self._patiently(request, attempt)
        try:
            if not exchange.headers.get("content-type", "").startswith("text/event-stream"):
                raise foreign(self._url, exchange.status)
            parser = Parser()
            while True:
                async with _within(SILENCE):
                    piece = await exchange.read()
                if not piece:
                    raise broken_off()
                for event in parser.feed(piece):
                    yield event
                    if event.event == "done":
                        return
        finally:
            exchange.close()

    async def add_messages(self, conversation: str, messages: Sequence[NewMessage], **options: Unpack[AddOptions]) -> schema.Added:
        """Stores messages. With turn_complete, the server extracts what is worth keeping, after a quiet period."""
        return await self._json(self._calls.add_messages(conversation, messages, options))

    async def messages(self, conversation: str, **options: Unpack[PersonOptions]) -> AsyncIterator[schema.Message]:
        """Iterates over the stored messages of a conversation, oldest first."""
        async for page in self._pages(self._calls.messages(conversation, options)):
            for item in page["items"]:
                yield item

    async def wait_for_extraction(self, conversation: str, timeout: float = 300.0, **options: Unpack[WriteOptions]) -> schema.Run:
        """Extracts memory from what is stored of a conversation now, and waits until that is done.

        Raises ReverieTimeout when it takes longer; the extraction goes on, and another call waits for it.
        """
        options.setdefault("idempotency_key", str(uuid.uuid4()))
        deadline = time.monotonic() + timeout
        while True:
            wait = max(0.0, min(deadline - time.monotonic(), 60.0))
            run = await self._json(self._calls.extraction(conversation, wait, options))
            if run["status"] == "completed":
                return run
            if time.monotonic() >= deadline:
                raise ReverieTimeout(f"the extraction of {conversation} takes longer than {timeout} seconds; it goes on")

    async def forget(self, **what: Unpack[ForgetOptions]) -> schema.Forgotten:
        """Forgets a statement (path and start_line, or entry), or every statement with some words (pattern), which it only shows unless
        dry_run is False. With erase, the words also go from earlier versions and from messages, for good."""
        return await self._json(self._calls.forget(what))

    async def facts(self, **options: Unpack[FactsOptions]) -> AsyncIterator[schema.Fact]:
        """Iterates over facts, the most trusted first."""
        async for page in self._pages(self._calls.facts(options)):
            for item in page["items"]:
                yield item

    async def tools(self) -> list[schema.Tool]:
        """Returns the memory tools with their JSON schemas, to be offered to a model."""
        return [tool async for page in self._pages(self._calls.tools()) for tool in page["items"]]

    async def call_tool(self, name: str, arguments: Mapping[str, Any], **options: Unpack[ToolOptions]) -> schema.Called:
        """Runs a memory tool with the arguments that a model wrote. Pass result to the model, also when it has isError."""
        return await self._json(self._calls.call_tool(name, arguments, options))

    async def call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        idempotency_key: str | None = None,
    ) -> Any:
        """Calls any operation of the API that returns JSON, and returns its data. Neither the client's agent nor its person is added.

        Only reads, and writes with an idempotency_key, are repeated after a broken connection.
        """
        return await self._json(self._calls.call(method, path, query or {}, body, idempotency_key))

    async def _pages(self, request: Request[Any]) -> AsyncIterator[Any]:
        while True:
            page = await self._json(request)
            yield page
            if not page.get("next"):
                return
            request = following(request, page["next"])

    async def _json(self, request: Request[T]) -> T:
        async def attempt() -> T:
            async with _within(self._timeout + request.wait):
                exchange = await self._open(request)
                try:
                    body = await exchange.rest()
                finally:
                    exchange.close()
            try:
                data: T = json.loads(body)["data"]
            except (ValueError, KeyError, TypeError):
                raise foreign(self._url, exchange.status) from None
            return data

        return await self._patiently(request, attempt)

    async def _open(self, request: Request[Any]) -> Exchange:
        exchange = await Exchange.open(self._url, request.method, request.target(), request.headers(self._key), request.payload())
        if exchange.status < 300:
            return exchange
        try:
            raise refusal(self._url, exchange.status, exchange.headers, await exchange.rest())
        finally:
            exchange.close()

    async def _patiently(self, request: Request[Any], attempt: Callable[[], Awaitable[T]]) -> T:
        made = 0
        while True:
            try:
                return await attempt()
            except (ReverieError, ReverieConnectionError) as error:
                pause = pause_after(error, made, request.repeatable) if made < self._retries else None
                if pause is None:
                    raise
            await asyncio.sleep(pause)
            made += 1


class _within:
    """Bounds the time of a block."""

    def __init__(self, seconds: float) -> None:
        self._timeout = asyncio.timeout(seconds)

    async def __aenter__(self) -> None:
        await self._timeout.__aenter__()

    async def __aexit__(self, *error: Any) -> None:
        try:
            await self._timeout.__aexit__(*error)
        except TimeoutError as reason:
            raise ReverieTimeout("the server sent nothing in time") from reason
