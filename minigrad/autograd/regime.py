"""Whether anything out of the ordinary is going on: the one question that the fast path asks.

Ordinary: gradients are recorded, nobody listens, no hook packs saved tensors. Whatever makes things unusual counts
itself here while it lasts; the fast path then leaves all work to the general one, which knows every case. So no
listener, no mode and no hook costs anything while it is absent: this one comparison serves them all.
"""

import threading


class Regime:
    """``unusual`` counts what is going on, in all threads together.

    ``paused`` counts the blocks in which recording is off: nothing unusual for an operation, which then only asks
    whether it is this thread's recording.
    """

    __slots__ = ("_lock", "paused", "unusual")

    def __init__(self) -> None:
        self.unusual = 0
        self.paused = 0
        self._lock = threading.Lock()

    def enter(self) -> None:
        """Something unusual begins."""
        with self._lock:
            self.unusual += 1

    def leave(self) -> None:
        """It ended."""
        with self._lock:
            self.unusual -= 1

    def pause(self) -> None:
        """Recording is switched off somewhere."""
        with self._lock:
            self.paused += 1

    def resume(self) -> None:
        """And on again."""
        with self._lock:
            self.paused -= 1


regime = Regime()
unheard = Regime()
"""What the fast path is shown once it is known that only a listener is unusual. Whether recording is switched off it
has to ask its thread."""
unheard.pause()
