"""What the scripts that time fourfold beside other libraries share."""

import os
import subprocess
import time

TARGET = os.environ.get("CARGO_TARGET_DIR", "target")


class Example:
    """An example of the core crate, which waits for its turn."""

    def __init__(self, name, task):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen([f"{TARGET}/release/examples/{name}", task], **pipes)

    def turn(self, runs):
        """The milliseconds that the example prints."""
        print(runs, file=self.process.stdin, flush=True)
        return tuple(map(float, self.process.stdout.readline().split()))

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def timed(work, runs):
    """Milliseconds a run, after one that is not timed."""
    work()
    start = time.perf_counter()
    for _ in range(runs):
        work()
    return 1e3 * (time.perf_counter() - start) / runs
