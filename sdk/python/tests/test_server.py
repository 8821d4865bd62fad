"""Tries the clients with a running server: REVERIE_URL, REVERIE_KEY, and an agent ada."""

from __future__ import annotations

import asyncio
import os
import uuid
from typing import Any

from reverie_memory import ReverieError, ReverieTimeout

from .both import both

URL, KEY = os.environ["REVERIE_URL"], os.environ["REVERIE_KEY"]


class Server:
    make: Any

    def setUp(self) -> None:
        self.me = type(self).make(URL, KEY, "ada", owner=f"user:{uuid.uuid4()}")

    async def test_what_is_remembered_is_found_by_its_owner_only(self) -> None:
        key = str(uuid.uuid4())
        first = await self.me.remember("My boat is called Heron.", idempotency_key=key)
        again = await self.me.remember("My boat is called Heron.", idempotency_key=key)
        self.assertEqual(("saved", "saved", True), (first["kind"], again["kind"], again["receipt"]["replayed"]))
        found = await self.me.search("What is the boat called?", max_results=1, corpus="memory")
        self.assertIn("Heron", found["results"][0]["snippet"])
        other = self.me.as_(end_user_id=str(uuid.uuid4()))
        self.assertEqual([], (await other.search("What is the boat called?"))["results"])

    async def test_messages_are_stored_once_listed_and_extracted(self) -> None:
        batch = [{"id": f"m{i}", "role": ("user", "assistant")[i % 2], "content": f"Line {i} of the log."} for i in range(120)]
        self.assertEqual(120, (await self.me.add_messages("log", batch, trigger_source="cron"))["stored"])
        self.assertEqual(120, (await self.me.add_messages("log", batch, trigger_source="cron"))["duplicates"])
        self.assertEqual([m["id"] for m in batch], [m["id"] async for m in self.me.messages("log")])

        conversation = f"a/b {uuid.uuid4()}"  # is escaped
        said = [
            {"role": "user", "content": "Good morning! I have news of the ward for you."},
            {"role": "assistant", "content": "Good morning. What happened?"},
            {"role": "user", "content": "We decided to plan the shifts with a spreadsheet."},
            {"role": "assistant", "content": "Noted."},
        ]
        await self.me.add_messages(conversation, said, turn_complete=True)
        run = await self.me.wait_for_extraction(conversation)
        self.assertEqual(("completed", "written"), (run["status"], run["outcome"]))
        found = await self.me.search("How are the shifts planned?", corpus="memory")
        self.assertIn("spreadsheet", found["results"][0]["snippet"])

    async def test_a_context_has_what_is_remembered(self) -> None:
        await self.me.remember("My sister lives in Lisbon.")
        context = await self.me.context("Where does my sister live?", wait="5s")
        self.assertEqual("system", context["messages"][0]["role"])
        self.assertTrue(any("Lisbon" in m["content"] for m in context["messages"]))

    async def test_a_chat_answers_at_once_and_as_a_stream(self) -> None:
        conversation = str(uuid.uuid4())
        turn = await self.me.chat("What rhymes with boat?", conversation_id=conversation)
        self.assertEqual("You said: What rhymes with boat?", turn["answer"])
        events = [e async for e in self.me.chat_stream("What rhymes with mast?", conversation_id=conversation)]
        text = "".join(e.text for e in events)
        self.assertEqual("You said: What rhymes with mast?", text)
        self.assertEqual(("context", text), (events[0].event, events[-1].turn["answer"]))
        self.assertEqual(4, len([m async for m in self.me.messages(conversation)]))

        stream = self.me.chat_stream("SLOW story please")
        async for event in stream:
            if event.text:
                break
        await stream.aclose()  # closes the connection

    async def test_facts_are_listed_and_forgotten(self) -> None:
        await self.me.remember("My bicycle is green.")
        facts: list[Any] = []
        async with asyncio.timeout(30):
            while not facts:  # derived by the worker, soon
                facts = [f async for f in self.me.facts(keyword="bicycle", include_archived=False)]
                await asyncio.sleep(0.1)
        self.assertIn("green", facts[0]["text"])
        shown = await self.me.forget(pattern="bicycle")
        self.assertEqual((True, 1), (shown["dryRun"], len(shown["statements"])))
        self.assertFalse((await self.me.forget(pattern="bicycle", dry_run=False))["dryRun"])
        self.assertEqual([], (await self.me.search("What colour is the bicycle?", corpus="memory"))["results"])

    async def test_tools_are_listed_and_called(self) -> None:
        self.assertIn(("memory_search", False), [(t["name"], t["writes"]) for t in await self.me.tools()])
        called = await self.me.call_tool("remember", {"text": "The harbour closes at ten."})
        self.assertFalse(called["isError"])
        file = await self.me.call("GET", "/api/v1/agents/ada/workspace/files/MEMORY.md", query=self.me_query())
        self.assertIn("harbour", file["content"])

    async def test_ids_stay_within_their_part_of_an_address(self) -> None:
        with self.assertRaises(ValueError):
            await self.me.add_messages("..", [])

    async def test_refusals_have_a_code_and_advice(self) -> None:
        with self.assertRaises(ReverieError) as unknown:
            await self.me.as_(agent="nobody").search("boat")
        self.assertEqual((404, "not_found"), (unknown.exception.status, unknown.exception.code))
        self.assertIn(unknown.exception.advice, str(unknown.exception))
        self.assertTrue(unknown.exception.request_id)
        with self.assertRaises(ReverieError) as unauthorized:
            await type(self).make(URL, "rv_wrong", "ada", owner="user:1").remember("A boat.")
        self.assertEqual("unauthorized", unauthorized.exception.code)
        with self.assertRaises(ReverieError) as invalid:
            await self.me.search("boat", max_results=1000)
        self.assertEqual("invalid_search", invalid.exception.code)

    async def test_a_wait_that_is_too_short_says_so(self) -> None:
        said = [{"role": "user", "content": "We decided to paint the boat blue."}]
        await self.me.add_messages("slow", said, turn_complete=True)
        with self.assertRaises(ReverieTimeout):
            await self.me.wait_for_extraction("slow", timeout=0.001)
        self.assertEqual("completed", (await self.me.wait_for_extraction("slow"))["status"])

    def me_query(self) -> dict[str, str]:
        client = getattr(self.me, "_client", self.me)
        return dict(client._calls.person)


globals().update(both(Server))
del Server
