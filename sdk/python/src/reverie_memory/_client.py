"""The client of programs without an event loop."""

from __future__ import annotations

import http.client
import json
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, Unpack
from urllib.parse import urlsplit

from ._calls import Calls, Request, following
from ._errors import ReverieConnectionError, ReverieError, ReverieTimeout, foreign, pause_after, refusal
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

# The server sends something every 15 seconds.
SILENCE = 60.0


class Client:
    """Client of one agent's memory.

    Requests that fail in passing are repeated; writes carry an idempotency key, so that they happen once. Refusals are a ReverieError,
    broken connections a ReverieConnectionError. Safe for use by several threads.
    """

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
        passing. timeout: seconds of silence after which an attempt is given up, besides what the server is asked to wait. The person is the
        default of every call."""
        self._url = url.rstrip("/")
        self._key = key
        self._retries = retries
        self._timeout = timeout
        self._calls = Calls(agent, person)

    def as_(self, *, agent: str | None = None, **person: Unpack[PersonOptions]) -> Client:
        """Returns a client for another person, or another agent, over the same server and key."""
        other = Client(self._url, self._key, "", retries=self._retries, timeout=self._timeout)
        other._calls = self._calls.whose(person, agent)
        return other

    def remember(self, text: str, **options: Unpack[RememberOptions]) -> schema.Remembered:
        """Saves a statement in MEMORY.md: "My flight is on Friday at 8." """
        return self._json(self._calls.remember(text, options))

    def search(self, query: str, **options: Unpack[SearchOptions]) -> schema.Search:
        """Searches documents and conversations."""
        return self._json(self._calls.search(query, options))

    def context(self, message: str, **options: Unpack[ContextOptions]) -> schema.Context:
        """Returns the messages to send to a model so that it can answer with memory. Stores nothing."""
        return self._json(self._calls.context(message, options))

    def chat(self, message: str, **options: Unpack[ChatOptions]) -> schema.Turn:
        """Runs a whole turn at the server, with memory and the configured model, and stores it."""
        return self._json(self._calls.chat(message, options))

    def chat_stream(self, message: str, **options: Unpack[ChatOptions]) -> Iterator[ChatEvent]:
        """Runs a turn as chat does, and yields its events as they happen. Closing the iterator stops the model."""
        request = self._calls.chat(message, options, stream=True)
        connection, response = self._patiently(request, lambda: self._open(request, self._timeout))
        try:
            if not response.headers.get("Content-Type", "").startswith("text/event-stream"):
                raise foreign(self._url, response.status)
            parser = Parser()
            connection.sock.settimeout(SILENCE)
            while piece := _guarded(lambda: response.read1(65536)):
                for event in parser.feed(piece):
                    yield event
                    if event.event == "done":
                        return
        finally:
            connection.close()
        raise broken_off()

    def add_messages(self, conversation: str, messages: Sequence[NewMessage], **options: Unpack[AddOptions]) -> schema.Added:
        """Stores messages. With turn_complete, the server extracts what is worth keeping, after a quiet period."""
        return self._json(self._calls.add_messages(conversation, messages, options))

    def messages(self, conversation: str, **options: Unpack[PersonOptions]) -> Iterator[schema.Message]:
        """Iterates over the stored messages of a conversation, oldest first."""
        for page in self._pages(self._calls.messages(conversation, options)):
            yield from page["items"]

    def wait_for_extraction(self, conversation: str, timeout: float = 300.0, **options: Unpack[WriteOptions]) -> schema.Run:
        """Extracts memory from what is stored of a conversation now, and waits until that is done.

        Raises ReverieTimeout when it takes longer; the extraction goes on, and another call waits for it.
        """
        options.setdefault("idempotency_key", str(uuid.uuid4()))
        deadline = time.monotonic() + timeout
        while True:
            wait = max(0.0, min(deadline - time.monotonic(), 60.0))
            run = self._json(self._calls.extraction(conversation, wait, options))
            if run["status"] == "completed":
                return run
            if time.monotonic() >= deadline:
                raise ReverieTimeout(f"the extraction of {conversation} takes longer than {timeout} seconds; it goes on")

    def forget(self, **what: Unpack[ForgetOptions]) -> schema.Forgotten:
        """Forgets a statement (path and start_line, or entry), or every statement with some words (pattern), which it only shows unless
        dry_run is False. With erase, the words also go from earlier versions and from messages, for good."""
        return self._json(self._calls.forget(what))

    def facts(self, **options: Unpack[FactsOptions]) -> Iterator[schema.Fact]:
        """Iterates over facts, the most trusted first."""
        for page in self._pages(self._calls.facts(options)):
            yield from page["items"]

    def tools(self) -> list[schema.Tool]:
        """Returns the memory tools with their JSON schemas, to be offered to a model."""
        return [tool for page in self._pages(self._calls.tools()) for tool in page["items"]]

    def call_tool(self, name: str, arguments: Mapping[str, Any], **options: Unpack[ToolOptions]) -> schema.Called:
        """Runs a memory tool with the arguments that a model wrote. Pass result to the model, also when it has isError."""
        return self._json(self._calls.call_tool(name, arguments, options))

    def call(
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
        return self._json(self._calls.call(method, path, query or {}, body, idempotency_key))

    def _pages(self, request: Request[Any]) -> Iterator[Any]:
        while True:
            page = self._json(request)
            yield page
            if not page.get("next"):
                return
            request = following(request, page["next"])

    def _json(self, request: Request[T]) -> T:
        def attempt() -> T:
            connection, response = self._open(request, self._timeout + request.wait)
            try:
                body = _guarded(response.read)
            finally:
                connection.close()
            try:
                data: T = json.loads(body)["data"]
            except (ValueError, KeyError, TypeError):
                raise foreign(self._url, response.status) from None
            return data

        return self._patiently(request, attempt)

    def _open(self, request: Request[Any], timeout: float) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        server = urlsplit(self._url)
        kind = http.client.HTTPSConnection if server.scheme == "https" else http.client.HTTPConnection
        connection = kind(server.hostname or "", server.port, timeout=timeout)
        try:
            target = server.path + request.target()
            _guarded(lambda: connection.request(request.method, target, request.payload(), request.headers(self._key)))
            response = _guarded(connection.getresponse)
            if response.status >= 300:
                headers = {name.lower(): value for name, value in response.getheaders()}
                raise refusal(self._url, response.status, headers, _guarded(response.read))
        except BaseException:
            connection.close()
            raise
        return connection, response

    def _patiently(self, request: Request[Any], attempt: Any) -> Any:
        made = 0
        while True:
            try:
                return attempt()
            except (ReverieError, ReverieConnectionError) as error:
                pause = pause_after(error, made, request.repeatable) if made < self._retries else None
                if pause is None:
                    raise
            time.sleep(pause)
            made += 1


def _guarded(work: Any) -> Any:
    """Does a part of a request, and names what happened to the connection."""
    try:
        return work()
    except TimeoutError as error:
        raise ReverieTimeout("the server sent nothing in time") from error
    except (OSError, http.client.HTTPException) as error:
        raise ReverieConnectionError(f"the connection to the server failed: {error!r}") from error
