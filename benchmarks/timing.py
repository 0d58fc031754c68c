"""What the benchmarks share: peers timed in turn, so that a busy machine slows them all alike."""

import argparse
import time

import numpy as np


def interleave(peers, rounds):
    """Seconds of each peer, name → array (rounds,): every round runs all peers once, in turn."""
    for run in peers.values():
        run()  # warm up: compile, touch the memory
    seconds = {name: [] for name in peers}
    for _ in range(rounds):
        for name, run in peers.items():
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
    return {name: np.array(times) for name, times in seconds.items()}


def report(seconds, base):
    """Print each peer's best and median time and its ratio to ``base``, from the same rounds."""
    floor = seconds[base]
    for name, times in seconds.items():
        best, median = 1e3 * times.min(), 1e3 * np.median(times)
        ratios = times.min() / floor.min(), np.median(times) / np.median(floor)
        print(f"{name:<26} best {best:8.1f} ms, median {median:8.1f} ms; "
              f"ratio {ratios[0]:5.2f} of bests, {ratios[1]:5.2f} of medians")  # fmt: skip


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
