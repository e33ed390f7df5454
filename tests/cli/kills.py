"""kill -9 at random moments of what a process does."""
import random
import signal
import time


def at_random_moments(begin, count, seed):
    """begin(number) starts a process. Number 0 runs to its end, so that its time is known; each of the others is killed
    within that time. Yields, when a process has ended, its number and whether the kill met it at work."""
    luck = random.Random(seed)
    begun = time.monotonic()
    begin(0).communicate()
    takes = time.monotonic() - begun
    yield 0, False
    for number in range(1, count + 1):
        process = begin(number)
        time.sleep(luck.random() * takes)
        process.kill()
        process.communicate()
        yield number, process.returncode == -signal.SIGKILL
