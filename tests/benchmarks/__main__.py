"""``python -m tests.benchmarks``: measure, print, compare with the last run, remember."""

from tests.benchmarks.one_thread import use_one_thread

use_one_thread()

from tests.benchmarks.command import main  # noqa: E402 (it imports NumPy, which reads those variables once)

if __name__ == "__main__":
    main()
