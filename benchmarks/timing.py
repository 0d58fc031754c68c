"""What the benchmarks share: peers timed in turn, so that a busy machine slows them all alike."""

import argparse
import time

import numpy as np


def interleave(peers, rounds):
    """Seconds of each peer, name → array (2, rounds): by the clock, and of processor time.

    Every round runs all peers once, in turn."""
    for run in peers.values():
        run()  # warm up: compile, touch the memory
    seconds = {name: [] for name in peers}
    for _ in range(rounds):
        for name, run in peers.items():
            start = time.perf_counter(), time.process_time()
            run()
            seconds[name].append((time.perf_counter() - start[0], time.process_time() - start[1]))
    return {name: np.array(times).T for name, times in seconds.items()}


def report(seconds, base):
    """Print each peer's median time and its ratios to ``base``, from the same rounds.

    On a busy machine the ratio of processor times is the one to trust."""
    floor = seconds[base]
    for name, times in seconds.items():
        best, median = times.min(axis=1), np.median(times, axis=1)
        print(f"{name:<26} median {1e3 * median[0]:8.1f} ms; ratio by the clock "
              f"{median[0] / np.median(floor[0]):5.2f} (of bests {best[0] / floor[0].min():5.2f}), "
              f"of processor time {median[1] / np.median(floor[1]):5.2f}")  # fmt: skip


def options(**defaults):
    """Command-line options with integer defaults."""
    parser = argparse.ArgumentParser()
    for name, value in defaults.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    return parser.parse_args()


def peak_memory(run):
    """Bytes of memory that ``run`` needs at its peak beyond what is in use now (Linux)."""

    def field(name):
        with open("/proc/self/status") as status:
            line = next(line for line in status if line.startswith(name))
        return 1024 * int(line.split()[1])

    with open("/proc/self/clear_refs", "w") as reset:
        reset.write("5")  # forget the earlier peak
    before = field("VmRSS")
    run()
    return field("VmHWM") - before
