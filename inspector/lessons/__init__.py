"""What lessons are made of: ``guess`` asks before the answer is shown, ``exercise`` checks and names the mistake.

They print, and are silent until somebody answers; so a lesson runs through unattended. No screen is known here, and
``inspector.lessons.judging`` serves whoever compares answers elsewhere.
"""

from __future__ import annotations

from inspector.lessons.exercises import Task, exercise
from inspector.lessons.guessing import guess, rehearsal
from inspector.lessons.judging import Verdict, judge

__all__ = ["Task", "Verdict", "exercise", "guess", "judge", "rehearsal"]
