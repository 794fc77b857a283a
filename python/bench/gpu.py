"""Times of a two-dimensional DCT on a CUDA device, beside other libraries, in microseconds.

    python python/bench/gpu.py [side]

`device` is the time between events around many calls, and `host` what a call takes until it returns.
With JAX, set XLA_PYTHON_CLIENT_PREALLOCATE=false, so that it leaves memory to the others.
"""

import sys
import time

import numpy as np

import fourfold
import fourfold.fft as ff


def functions_to_time():
    """Functions without arguments, by name."""
    import cupy
    import torch

    side = int(sys.argv[1]) if len(sys.argv) > 1 else 4096
    x = np.random.default_rng(0).standard_normal((side, side)).astype("f4")
    a, t = cupy.asarray(x), torch.from_numpy(x).cuda()
    plan, out, out_t = fourfold.plan("dct2", x.shape, "f4"), cupy.empty_like(a), torch.empty_like(t)
    yield "plan, CuPy, out=", lambda: plan(a, out)
    yield "fft.dctn, CuPy", lambda: ff.dctn(a)
    half, in_half = fourfold.plan("dct2", x.shape, "float16", norm="ortho"), a.astype("f2")
    out_half = cupy.empty_like(in_half)
    yield "plan of float16, CuPy, out=", lambda: half(in_half, out_half)
    yield "fft.dctn, PyTorch", lambda: ff.dctn(t)
    yield "fft.dctn, PyTorch, out=", lambda: ff.dctn(t, out=out_t)
    yield "torch.fft.rfft2", lambda: torch.fft.rfft2(t)
    import cupyx.scipy.fft

    yield "cupyx.scipy.fft.dctn", lambda: cupyx.scipy.fft.dctn(a)
    yield from of_packages_that_may_be_missing(t)


def of_packages_that_may_be_missing(t):
    try:
        import torch_dct

        yield "torch_dct.dct_2d", lambda: torch_dct.dct_2d(t)
    except ImportError:
        print("no torch-dct: left out")
    try:
        import jax
        import jax.scipy.fft

        x, dctn = jax.dlpack.from_dlpack(t), jax.jit(jax.scipy.fft.dctn)
        yield "jax.scipy.fft.dctn, jit", lambda: dctn(x)
    except ImportError:
        print("no JAX: left out")


def measured(function, torch, calls=50):
    for _ in range(5):
        function()
    torch.cuda.synchronize()
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(calls):
        function()
    end.record()
    torch.cuda.synchronize()
    device = 1e3 * start.elapsed_time(end) / calls
    begin = time.perf_counter()
    for _ in range(calls):
        result = function()
    host = 1e6 * (time.perf_counter() - begin) / calls
    torch.cuda.synchronize()
    if hasattr(result, "block_until_ready"):
        # JAX has a stream of its own, which the events do not see.
        result.block_until_ready()
        device = 1e6 * (time.perf_counter() - begin) / calls
    return device, host


def main():
    import torch

    functions = list(functions_to_time())
    best = {name: [np.inf, np.inf] for name, _ in functions}
    for _ in range(7):
        for name, function in functions:
            best[name] = np.minimum(best[name], measured(function, torch))
    print(torch.cuda.get_device_name(0))
    for name, (device, host) in best.items():
        print(f"{name:<26} {device:9.1f} device {host:9.1f} host")


if __name__ == "__main__":
    main()
