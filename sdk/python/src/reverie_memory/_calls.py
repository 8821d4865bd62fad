"""The requests of the API, without the sending of them."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, Required, TypedDict, TypeVar
from urllib.parse import quote, urlencode

from ._version import VERSION

if TYPE_CHECKING:
    from . import schema

T = TypeVar("T")


class PersonOptions(TypedDict, total=False):
    """Whose memory a call is about: an owner key ("user:7"), channel and sender, or the id of an end user."""

    owner: str
    channel: str
    sender: str
    end_user_id: str


class WriteOptions(PersonOptions, total=False):
    # Makes a repeated write one write, 1 to 200 printable ASCII characters. Missing: each call is a new write.
    idempotency_key: str


class RememberOptions(WriteOptions, total=False):
    speaker: str


class SearchOptions(PersonOptions, total=False):
    corpus: Literal["memory", "sessions", "all"]
    max_results: int
    min_score: float
    from_: str
    to: str
    as_of: str
    after: str
    wait: str
    explain: bool
    synthetic: bool
    options: schema.Options


class ContextOptions(PersonOptions, total=False):
    conversation: str
    max_input_tokens: int
    model: str
    name: str
    speaker: str
    tools: Sequence[schema.ToolInput]
    wait: str


class ChatOptions(PersonOptions, total=False):
    conversation_id: str
    message_id: str
    max_input_tokens: int
    model: str
    name: str
    speaker: str
    trigger_source: Literal["web", "channel", "api"]


class AddOptions(PersonOptions, total=False):
    turn_complete: bool
    trigger_source: Literal["web", "channel", "api", "cron"]


class ForgetOptions(WriteOptions, total=False):
    path: str
    start_line: int
    end_line: int
    entry: str
    pattern: str
    scope: Literal["PERSONAL", "TEAM", "GLOBAL"]
    shown: str
    dry_run: bool
    erase: bool


class FactsOptions(PersonOptions, total=False):
    keyword: str
    attribute: str
    path: str
    category: Literal["user_pref", "project", "reference", "feedback", "general"]
    kind: Literal["PROFILE", "KNOWLEDGE", "EVENT"]
    min_trust: float
    include_archived: bool
    as_of: str


class ToolOptions(WriteOptions, total=False):
    speaker: str


class NewMessage(TypedDict, total=False):
    """A message to store. Without an id it gets one, so that it is stored once although the request is repeated."""

    role: Required[Literal["user", "assistant", "tool", "system"]]
    content: Required[str]
    id: str
    name: str
    speaker: str
    createdAt: str
    finishReason: str
    toolCallId: str
    toolCalls: list[schema.ToolCall]


@dataclass(frozen=True)
class Request(Generic[T]):
    """A request whose answer has data of type T."""

    method: str
    path: str
    query: Mapping[str, Any]
    body: Any
    repeatable: bool  # it may be sent again although the first one may have been carried out
    key: str | None = None
    wait: float = 0.0  # seconds that the server may take besides the timeout

    def target(self) -> str:
        query = {name: _plain(value) for name, value in self.query.items()}
        return self.path + ("?" + urlencode(query) if query else "")

    def payload(self) -> bytes | None:
        return None if self.body is None else json.dumps(self.body).encode()

    def headers(self, secret: str) -> dict[str, str]:
        headers = {"Authorization": f"Bearer {secret}", "User-Agent": f"reverie-python/{VERSION}"}
        if self.body is not None:
            headers["Content-Type"] = "application/json"
        if self.key is not None:
            headers["Idempotency-Key"] = self.key
        return headers


class Calls:
    """Makes requests about one agent and, unless a call names another one, one person."""

    def __init__(self, agent: str, person: Mapping[str, Any]) -> None:
        self.agent = agent
        self.person = _person(person)

    def whose(self, other: Mapping[str, Any], agent: str | None) -> Calls:
        return Calls(agent or self.agent, _person(other) or self.person)

    def remember(self, text: str, options: RememberOptions) -> Request[schema.Remembered]:
        return self._post("remember", options, {"text": text}, key=True)

    def search(self, query: str, options: SearchOptions) -> Request[schema.Search]:
        return self._post("memory/search", options, {"query": query})

    def context(self, message: str, options: ContextOptions) -> Request[schema.Context]:
        rest = dict(options)
        wait = rest.pop("wait", None)
        return self._post("context", rest, {"message": message}, query={} if wait is None else {"wait": wait}, wait=300)

    def chat(self, message: str, options: ChatOptions, *, stream: bool = False) -> Request[schema.Turn]:
        # A new conversation and the message have names, so that a repeated request is the same turn.
        named = {"conversationId": str(uuid.uuid4()), "messageId": str(uuid.uuid4())}
        _, rest, person = self._split(options)
        body = {**named, **rest, **person, "agentId": self.agent, "message": message}
        return Request("POST", "/api/v1/chat/stream" if stream else "/api/v1/chat", {}, body, True, wait=330)

    def add_messages(self, conversation: str, messages: Sequence[NewMessage], options: AddOptions) -> Request[schema.Added]:
        named = [{"id": str(uuid.uuid4()), **message} for message in messages]
        return self._post(f"conversations/{_segment(conversation)}/messages", options, {"messages": named})

    def messages(self, conversation: str, options: PersonOptions) -> Request[schema.Messages]:
        return self._get(f"conversations/{_segment(conversation)}/messages", options)

    def extraction(self, conversation: str, wait: float, options: WriteOptions) -> Request[schema.Run]:
        key, _, person = self._split(options)
        path = f"/api/v1/memory/{_segment(self.agent)}/summarize/{_segment(conversation)}"
        query = {**person, "wait": f"{int(wait * 1000)}ms"}
        return Request("POST", path, query, None, True, key, wait)

    def forget(self, options: ForgetOptions) -> Request[schema.Forgotten]:
        return self._post("forget", options, {}, key=True)

    def facts(self, options: FactsOptions) -> Request[schema.Facts]:
        return self._get("facts", options)

    def tools(self) -> Request[schema.ToolPage]:
        return Request("GET", self._path("tools"), {}, None, True)

    def call_tool(self, name: str, arguments: Mapping[str, Any], options: ToolOptions) -> Request[schema.Called]:
        key, rest, person = self._split(options)
        query = {**rest, **person}
        return Request("POST", self._path(f"tools/{_segment(name)}"), query, dict(arguments), True, key or str(uuid.uuid4()))

    def call(self, method: str, path: str, query: Mapping[str, Any], body: Any, key: str | None) -> Request[Any]:
        return Request(method, path, query, body, method == "GET" or key is not None, key)

    def _path(self, rest: str) -> str:
        return f"/api/v1/agents/{_segment(self.agent)}/{rest}"

    def _split(self, options: Mapping[str, Any]) -> tuple[str | None, dict[str, Any], dict[str, Any]]:
        """Returns the idempotency key, what is not about the call or the person, and the person."""
        rest = {_camel(n): v for n, v in options.items() if n not in _PERSON and n != "idempotency_key" and v is not None}
        return options.get("idempotency_key"), rest, _person(options) or self.person

    def _get(self, path: str, options: Mapping[str, Any]) -> Request[Any]:
        _, rest, person = self._split(options)
        return Request("GET", self._path(path), {**rest, **person}, None, True)

    def _post(
        self,
        path: str,
        options: Mapping[str, Any],
        body: dict[str, Any],
        *,
        key: bool = False,
        query: Mapping[str, Any] | None = None,
        wait: float = 0.0,
    ) -> Request[Any]:
        given, rest, person = self._split(options)
        made = given or (str(uuid.uuid4()) if key else None)
        return Request("POST", self._path(path), query or {}, {**rest, **body, **person}, True, made, wait)


def following(request: Request[T], cursor: Any) -> Request[T]:
    """Returns the request of the page that begins at a cursor."""
    return Request(request.method, request.path, {**request.query, "cursor": cursor}, request.body, request.repeatable)


_PERSON = {"owner": "owner", "channel": "channel", "sender": "sender", "end_user_id": "endUserId"}


def _person(options: Mapping[str, Any]) -> dict[str, Any]:
    return {wire: options[name] for name, wire in _PERSON.items() if options.get(name) is not None}


def _camel(name: str) -> str:
    return re.sub(r"_([a-z])", lambda m: m[1].upper(), name).rstrip("_")


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _segment(text: str) -> str:
    """Escapes a part of a path. Addresses cannot have "." and "..": they would lead to another operation."""
    if text in (".", ".."):
        raise ValueError(f"{text!r} cannot be part of an address")
    return quote(text, safe="")
