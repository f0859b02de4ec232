"""The CPU seconds of one run: the median of rounds of a twentieth of a second, after a run that warms up."""

import time


def seconds(work):
    work()
    rounds = []
    for _ in range(3):
        start, runs = time.process_time(), 0
        while time.process_time() - start < 0.05:
            work()
            runs += 1
        rounds.append((time.process_time() - start) / runs)
    return sorted(rounds)[1]
