"""Whether anything out of the ordinary is going on: the one question that the fast path asks.

Ordinary: gradients are recorded, nobody listens, no hooks pack saved tensors, no tangent flows forward. Whatever makes things
unusual counts itself here while it lasts; the fast path then leaves all work to the general one, which knows every case.
"""


class Regime:
    """``unusual`` counts what is going on in all threads together."""

    __slots__ = ("unusual",)

    def __init__(self) -> None:
        self.unusual = 0


regime = Regime()
