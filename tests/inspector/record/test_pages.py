"""Pages: all that was added comes out once and in order, whoever turns the page meanwhile."""

from __future__ import annotations

import gc
import threading

import pytest

import inspector
import minigrad as mg
from inspector.record.pages import LENGTH, Pages
from inspector.trace.facts import RecordingStopped


def test_what_was_added_comes_out_once_and_in_order() -> None:
    pages = Pages()
    for number in range(10):
        pages.add(number)
        if number % 3 == 0:
            pages.turn()
    assert pages.take() == [*range(10)]
    assert not pages
    assert pages.take() == []


def test_threads_may_add_while_pages_are_turned_and_taken() -> None:
    pages, taken = Pages(), []

    def add(who: int) -> None:
        for number in range(2_000):
            pages.add_parts([(who, number)])
            if number % 50 == 0:
                pages.turn()

    threads = [threading.Thread(target=add, args=(who,)) for who in range(3)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        taken += pages.take()
    taken += pages.take()
    for who in range(3):
        assert [number for one, number in taken if one == who] == [*range(2_000)]


@pytest.mark.parametrize("values", [True, False])
def test_the_collector_forgets_a_page_that_is_full(values: bool) -> None:
    x = mg.ones(3, requires_grad=True)
    with inspector.record(values=values, places=False) as trace:
        for _ in range(LENGTH // 10):
            ((x * 2.0).tanh() @ x).backward()
            x.grad = None
        for _ in range(4):  # tuples within tuples are forgotten a level at a time
            gc.collect()
        pages = trace.pages._full
        assert pages
        assert not any(map(gc.is_tracked, pages))


@pytest.mark.parametrize("limit", [LENGTH - 1, LENGTH, LENGTH + 1, 3 * LENGTH + 7])
def test_the_limit_is_kept_to_the_fact_across_pages(limit: int) -> None:
    x = mg.ones(3, requires_grad=True)
    with inspector.record(limit=limit, values=False) as trace:
        for _ in range(limit // 5):
            (x * x).sum().backward()
    assert len(trace) == limit + 1
    assert isinstance(trace.facts[-1], RecordingStopped)


def test_a_note_that_is_longer_than_a_page_is_kept_whole() -> None:
    parts = [mg.ones(1, requires_grad=True) for _ in range(LENGTH)]
    with inspector.record(values=False, places=False) as trace:
        mg.cat(parts).sum().backward()
    assert len(trace.steps_of("GradientSent")) == LENGTH + 1
    assert len(trace.steps_of("RecordingStopped")) == 0
