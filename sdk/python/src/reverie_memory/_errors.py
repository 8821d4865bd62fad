"""Errors, and which of them are worth a repetition."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from typing import Any

FIRST_PAUSE = 0.5
MAX_PAUSE = 30.0
# A server that asks for a longer pause, such as until midnight, gets no repetition.
LONGEST_RETRY_AFTER = 60.0


class ReverieError(Exception):
    """A refusal by the server. Compare code; advice says what to do."""

    def __init__(
        self,
        status: int,
        code: str,
        advice: str,
        data: Any = None,
        retry_after: float | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(f"{advice} ({code}, status {status})" if code else advice)
        self.status = status
        """HTTP status."""
        self.code = code
        """Stable name, such as "not_found". Empty if something else than Reverie answered."""
        self.advice = advice
        self.data = data
        """Details by code, such as the faults of an invalid request."""
        self.retry_after = retry_after
        """Seconds that the server asks to wait."""
        self.request_id = request_id
        """Id under which the server's log has details."""


class ReverieConnectionError(ConnectionError):
    """The server could not be reached, or the connection broke."""


class ReverieTimeout(TimeoutError):
    """The time that the caller allowed has passed."""


def refusal(base: str, status: int, headers: Mapping[str, str], body: bytes) -> ReverieError:
    """Reads the answer of a request that failed. The names of headers are in lower case."""
    try:
        envelope = json.loads(body)
        code, advice = envelope["error"], envelope["msg"]
    except (ValueError, KeyError, TypeError):
        return foreign(base, status)
    if not isinstance(code, str):
        return foreign(base, status)
    try:
        retry_after = float(headers.get("retry-after", ""))
    except ValueError:
        retry_after = None
    status = status or envelope.get("code", 0)
    return ReverieError(status, code, advice, envelope.get("data"), retry_after, headers.get("x-request-id"))


def foreign(base: str, status: int) -> ReverieError:
    return ReverieError(status, "", f"{base} answered {status}, and not as Reverie does: check the address, and proxies before it")


def pause_after(error: Exception, made: int, repeatable: bool) -> float | None:
    """Returns the seconds to wait before a repetition; None if there is to be none."""
    pause = min(FIRST_PAUSE * 2**made, MAX_PAUSE) * random.uniform(0.5, 1)
    if isinstance(error, ReverieConnectionError):
        return pause if repeatable else None
    if not isinstance(error, ReverieError):
        return None
    # A budget stays spent until the next day, and a pause until a person ends it.
    not_carried_out = error.status in (429, 503) and error.code != "budget_spent"
    passing = not_carried_out or repeatable and (error.status == 408 or not error.code and error.status >= 500)
    asked = error.retry_after or 0.0
    return max(pause, asked) if passing and asked <= LONGEST_RETRY_AFTER else None
