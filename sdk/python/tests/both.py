"""Runs the same tests with both clients."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Iterator
from typing import Any

from reverie_memory import AsyncClient, Client

_END = object()


class Awaited:
    """Client with the methods of AsyncClient: each call runs in a thread."""

    def __init__(self, *args: Any, client: Client | None = None, **options: Any) -> None:
        self._client = client or Client(*args, **options)

    def as_(self, **other: Any) -> Awaited:
        return Awaited(client=self._client.as_(**other))

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)
        if inspect.isgeneratorfunction(method):
            return lambda *args, **options: _iterate(method(*args, **options))
        return lambda *args, **options: asyncio.to_thread(method, *args, **options)


async def _iterate(items: Iterator[Any]) -> AsyncIterator[Any]:
    try:
        while (item := await asyncio.to_thread(next, items, _END)) is not _END:
            yield item
    finally:
        await asyncio.to_thread(items.close)  # type: ignore[attr-defined]


def both(scenarios: type) -> dict[str, type]:
    """Returns two test cases from a class with tests: with a client that blocks, and with one that does not."""
    import unittest

    return {
        f"{scenarios.__name__}{name}": type(f"{scenarios.__name__}{name}", (scenarios, unittest.IsolatedAsyncioTestCase), {"make": client})
        for name, client in (("Sync", Awaited), ("Async", AsyncClient))
    }
