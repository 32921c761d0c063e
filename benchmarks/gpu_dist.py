"""Collectives and a data-parallel step on two GPUs of one machine, beside torch.distributed (NCCL), in one run: python benchmarks/gpu_dist.py

fastnp's ranks are threads of this process, torch's are processes of their own, which are run first. Times are medians, in milliseconds, until the devices
are done; the bus bandwidth of all_reduce is 2 (n - 1) / n of the bytes a rank. The step: gradients and update of a network of 5 x 1024 units, 4096 samples
a rank.
"""

import json
import statistics
import sys
import time

import numpy

import fastnp as np

RANKS = 2
SIZES = [1 << 20, 16 << 20, 128 << 20, 1 << 30]
WIDTH, LAYERS, SAMPLES = 1024, 5, 4096


def median_ms(function, wait, repeats=20):
    for _ in range(3):
        function()
    wait()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        wait()
        times.append(time.perf_counter() - start)
    return 1e3 * statistics.median(times)


def torch_rank(rank, port, queue):
    import os

    import torch
    import torch.distributed as group
    from torch.nn.parallel import DistributedDataParallel

    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    torch.cuda.set_device(rank)
    group.init_process_group("nccl", rank=rank, world_size=RANKS)
    found = {}
    for size in SIZES:
        x = torch.ones(size // 4, device="cuda")
        found[f"all_reduce {size}"] = median_ms(lambda x=x: group.all_reduce(x), torch.cuda.synchronize)
    layers = []
    for _ in range(LAYERS):
        layers += [torch.nn.Linear(WIDTH, WIDTH, bias=False), torch.nn.Tanh()]
    x = torch.randn(SAMPLES, WIDTH, device="cuda")

    def step_of(network):
        optimizer = torch.optim.SGD(network.parameters(), lr=1e-3)

        def step():
            optimizer.zero_grad()
            network(x).square().mean().backward()
            optimizer.step()

        return step

    found["step alone"] = median_ms(step_of(torch.nn.Sequential(*layers).cuda()), torch.cuda.synchronize)
    found["step"] = median_ms(step_of(DistributedDataParallel(torch.nn.Sequential(*layers).cuda())), torch.cuda.synchronize)
    group.destroy_process_group()
    if rank == 0:
        queue.put(found)


def with_torch():
    try:
        import torch.multiprocessing as processes
    except ImportError:
        return {}
    context = processes.get_context("spawn")
    queue = context.Queue()
    ranks = [context.Process(target=torch_rank, args=(rank, 29571, queue)) for rank in range(RANKS)]
    for each in ranks:
        each.start()
    found = queue.get(timeout=300)
    for each in ranks:
        each.join()
    return found


def loss(w, x):
    for each in w:
        x = np.tanh(x @ each)
    return np.mean(x * x)


@np.compile
def step(w, x):
    gradient = np.grad(loss)(w, x)
    return [each - 1e-3 * change for each, change in zip(w, gradient, strict=True)]


def with_fastnp():
    def program():
        own = np.dist.rank()
        name = f"cuda:{own}"
        found = {}

        def wait():
            np.cuda.synchronize(name)
            np.dist.barrier()

        with np.device(name):
            for size in SIZES:
                x = np.ones(size // 4, "float32")
                found[f"all_reduce {size}"] = median_ms(lambda x=x: np.dist.all_reduce(x), wait)
            random = numpy.random.default_rng(0)
            w = [np.asarray(random.standard_normal((WIDTH, WIDTH), "float32") / 32) for _ in range(LAYERS)]
            x = np.asarray(random.standard_normal((SAMPLES, WIDTH), "float32"))
            found["step alone"] = median_ms(lambda: step(w, x), wait)
            parallel = np.dist.data_parallel(step)
            found["step"] = median_ms(lambda: parallel(w, x), wait)
        return found

    return np.dist.run(program, RANKS)[0]


if __name__ == "__main__":
    torch = with_torch()
    own = with_fastnp()
    print(f"{'':>24} {'fastnp':>10} {'torch':>10} {'ratio':>7}")
    for name, mine in own.items():
        peer = torch.get(name, float("nan"))
        size = int(name.split()[1]) if name.startswith("all_reduce") else 0
        bus = f"   {2 * (RANKS - 1) / RANKS * size / mine / 1e6:7.1f} GB/s, torch {2 * (RANKS - 1) / RANKS * size / peer / 1e6:7.1f}" if size else ""
        print(f"{name:>24} {mine:10.3f} {peer:10.3f} {peer / mine:7.2f}{bus}")
    print("scaling of the step:", {"fastnp": own["step alone"] / own["step"], "torch": torch.get("step alone", 0) / torch.get("step", 1)})
    print(json.dumps({"fastnp": own, "torch": torch}), file=sys.stderr)
