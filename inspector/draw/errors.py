"""What can go wrong with a picture, told in one sentence. Must not know how pictures are made."""

from __future__ import annotations


class DrawError(Exception):
    """A picture could not be made or written; the message says what was asked, what was expected, how to mend it."""
