#!/usr/bin/env python3
"""Random programs against NumPy: values, dtypes, layouts, shared memory, errors, derivatives, batches.

    build/venv/bin/python tests/fuzz/run.py --programs 10000 [--seconds 600] [--seed 7] [--processes 2]
        [--ways compiled,eager,interpreted,gradient,mapped]

Each program has a seed of its own, counted from --seed, which is drawn anew if none is given, and printed; it is run in one of the ways,
drawn too. A program that fails is made smaller and printed as a script. Programs run in processes of their own: one that dies, or takes
more than a minute, is named by the seed that it was at, and another process goes on.
After --seconds no program is begun, and it is said how many were done.
With FASTNP_SIMULATED_DEVICE=1 and --device cuda all runs on a simulated device.
"""

from __future__ import annotations

import argparse
import math
import os
import pathlib
import random
import selectors
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ALL = "compiled,eager,interpreted,gradient,mapped"
SECONDS = 60  # that one program may take


def worker(first: int, count: int, stride: int, ways: list[str], device: str, end: float) -> None:
    """Runs programs, and says a line for each: "at SEED", then nothing, or "FAILED ..." and a text."""
    sys.path.insert(0, str(HERE.parent))
    sys.path.insert(0, str(HERE.parent / "python"))
    os.environ["FASTNP_CACHE_DIR"] = ""
    if os.environ.get("FASTNP_SIMULATED_DEVICE", "0") != "0":
        import simulated

        simulated.load()
    from fuzz.check import failure_of

    import fastnp

    with fastnp.device(device):
        for k in range(count):
            seed = first + k * stride
            if time.monotonic() > end:
                break
            print("at", seed, flush=True)
            said = failure_of(seed, ways)
            if said is not None:
                print(said.replace("\n", "\n| "), flush=True)


class Worker:
    def __init__(self, first: int, count: int, stride: int, options: argparse.Namespace) -> None:
        self.first, self.count, self.stride, self.options = first, count, stride, options
        self.seed = first
        self.since = time.monotonic()
        command = [sys.executable, __file__, "--worker", f"{first},{count},{stride}", "--ways", options.ways, "--device", options.device]
        command += ["--end", str(options.end)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, bufsize=1)
        os.set_blocking(self.process.stdout.fileno(), False)
        self.rest = ""
        self.failures = 0
        self.done = 0

    def read(self) -> bool:
        """Takes what the process has said; whether it goes on."""
        said = self.process.stdout.read()
        if said:
            *lines, self.rest = (self.rest + said).split("\n")
            for line in lines:
                if line.startswith("at "):
                    self.seed, self.since = int(line[3:]), time.monotonic()
                    self.done += 1
                else:
                    self.failures += line.startswith("FAILED")
                    print(line, flush=True)
        return said is None or said != ""

    def rest_of_work(self) -> tuple[int, int]:
        done = (self.seed - self.first) // self.stride + 1
        return self.seed + self.stride, self.count - done


def drive(options: argparse.Namespace) -> int:
    first = options.seed if options.seed is not None else random.SystemRandom().randrange(2**40)
    print(f"seed {first}: {options.programs} programs, {options.ways}, {options.processes} processes", flush=True)
    start, failures, done = time.monotonic(), 0, 0
    options.end = start + options.seconds
    share = [options.programs // options.processes + (k < options.programs % options.processes) for k in range(options.processes)]
    workers = [Worker(first + k, n, options.processes, options) for k, n in enumerate(share) if n]
    with selectors.DefaultSelector() as events:
        for w in workers:
            events.register(w.process.stdout, selectors.EVENT_READ, w)
        while events.get_map():
            for key, _ in events.select(timeout=5):
                w = key.data
                if w.read():
                    continue
                events.unregister(w.process.stdout)
                code = w.process.wait()
                failures += w.failures
                done += w.done
                if code != 0:
                    failures += 1
                    print(f"FAILED seed {w.seed}: the process ended with {code}", flush=True)
                    seed, left = w.rest_of_work()
                    if left > 0:
                        another = Worker(seed, left, w.stride, options)
                        events.register(another.process.stdout, selectors.EVENT_READ, another)
            for key in list(events.get_map().values()):
                if time.monotonic() - key.data.since > SECONDS:
                    print(f"FAILED seed {key.data.seed}: no end in {SECONDS} s", flush=True)
                    key.data.process.kill()
    seconds = time.monotonic() - start
    print(f"{done} programs in {seconds:.0f} s, {failures} failed")
    return failures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--ways", default=ALL)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--end", type=float, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        first, count, stride = map(int, options.worker.split(","))
        worker(first, count, stride, options.ways.split(","), options.device, options.end)
    else:
        sys.exit(drive(options) > 0)


if __name__ == "__main__":
    main()
