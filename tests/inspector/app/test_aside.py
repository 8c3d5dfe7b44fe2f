"""What takes long is worked out in threads of its own; who leaves waits for none of them."""

from __future__ import annotations

import asyncio
import threading

import pytest

from inspector.app.app import InspectorApp
from inspector.app.aside import Aside
from inspector.trace.trace import Trace
from tests.inspector.trace import examples


def test_who_leaves_does_not_wait_for_what_is_worked_out_aside() -> None:
    begun, end, done = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        end.wait(60)
        done.set()

    async def look() -> None:
        app = InspectorApp(Trace(examples.facts()))
        async with app.run_test():
            app.run_worker(work, thread=True)
            while not begun.is_set():
                await asyncio.sleep(0.01)

    asyncio.run(look())
    assert not done.is_set()
    end.set()
    assert done.wait(60)


def test_what_was_worked_out_for_an_app_that_was_left_is_dropped() -> None:
    app = InspectorApp(Trace(examples.facts()))

    async def look() -> None:
        async with app.run_test():
            pass

    asyncio.run(look())
    with pytest.raises(RuntimeError, match="has been left"):
        app.call_from_thread(print, "nobody hears this")


def test_results_and_errors_come_back() -> None:
    async def ask() -> tuple[int, str]:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(Aside())
        try:
            await loop.run_in_executor(None, [].index, 1)
        except ValueError as error:
            told = str(error)
        return await loop.run_in_executor(None, len, "four"), told

    assert asyncio.run(ask()) == (4, "1 is not in list")
