"""The first file that runs in a script's process: makes the inspector importable from where it lies, and hands over.

Run as a file, so that while the inspector is imported neither the working folder is on the path, nor this one.
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    house = str(Path(__file__).resolve().parents[2])
    sys.path[:1] = [] if house in sys.path else [house]

    from inspector.record.child import main

    if sys.path[0] == house:
        sys.path.append(sys.path.pop(0))
    main()
