"""all_reduce among processes of one machine, beside MPI_Allreduce (mpi4py), gloo (torch.distributed) and a copy: mpirun -n 2 python benchmarks/dist.py

Prints, for each size: microseconds of each, and the bus bandwidth (2 (n - 1) / n of the bytes a rank) with its share of what the ranks copy at a time.
"""

import os
import statistics
import time

import numpy

import fastnp as np

SIZES = [64, 1 << 10, 16 << 10, 256 << 10, 4 << 20, 64 << 20]


def timed(function, repeats):
    """The median of times that each end when all ranks are done."""
    times = []
    for _ in range(repeats):
        np.dist.barrier()
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def with_torch():
    """torch.distributed, if it is there."""
    try:
        import torch
        import torch.distributed as group
    except ImportError:
        return None
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29533")
    group.init_process_group("gloo", rank=np.dist.rank(), world_size=np.dist.size())
    torch.set_num_threads(1)

    def all_reduce(x):
        tensor = torch.from_numpy(x.copy())
        return lambda: group.all_reduce(tensor)

    return all_reduce


def with_mpi():
    """MPI's own reduction, which adds in an order of its own, if mpi4py is there."""
    try:
        from mpi4py import MPI
    except ImportError:
        return None
    return lambda x, target: lambda: MPI.COMM_WORLD.Allreduce(x, target)


def main():
    np.dist.init()
    ranks, torch, mpi = np.dist.size(), with_torch(), with_mpi()
    if np.dist.rank() == 0:
        print(f"{ranks} ranks, float32; microseconds, GB/s on the bus")
        print(f"{'bytes':>10} {'fastnp':>10} {'compiled':>10} {'MPI':>10} {'gloo':>10} {'copy':>10} {'GB/s':>7} {'of copy':>8}")
    compiled = np.compile(lambda x: np.dist.all_reduce(x))
    for size in SIZES:
        x = numpy.ones(size // 4, "float32")
        own, target = np.asarray(x), numpy.empty_like(x)
        repeats = 200 if size <= 1 << 18 else 20
        for warm in (lambda own=own: np.dist.all_reduce(own), lambda own=own: compiled(own)):
            warm(), warm()
        eager = timed(lambda own=own: np.dist.all_reduce(own), repeats)
        in_function = timed(lambda own=own: compiled(own), repeats)
        gloo = timed(torch(x), repeats) if torch else float("nan")
        library = timed(mpi(x, target), repeats) if mpi else float("nan")
        copy = timed(lambda x=x, target=target: numpy.copyto(target, x), repeats)
        moved = 2 * (ranks - 1) / ranks * size
        if np.dist.rank() == 0:
            rate, bound = moved / eager / 1e9, ranks * size / copy / 1e9
            times = " ".join(f"{each * 1e6:10.1f}" for each in (eager, in_function, library, gloo, copy))
            print(f"{size:>10} {times} {rate:7.2f} {rate / bound:8.0%}", flush=True)


main()
