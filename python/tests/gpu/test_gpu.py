"""Arrays on CUDA devices. It needs an NVIDIA GPU, and PyTorch, CuPy or JAX, and no pytest:

    python python/tests/gpu/test_gpu.py

runs every test with fourfold as it is installed, and says which it left out.
"""

import sys
import threading
import traceback

import numpy as np

import fourfold
import fourfold.fft as ff


class LeftOut(Exception):
    """The test needs what is not there."""


def cupy():
    try:
        import cupy
    except ImportError as error:
        raise LeftOut("no CuPy") from error
    return cupy


def torch():
    try:
        import torch
    except ImportError as error:
        raise LeftOut("no PyTorch") from error
    if not torch.cuda.is_available():
        raise LeftOut("PyTorch finds no GPU")
    return torch


def jax():
    try:
        import jax
    except ImportError as error:
        raise LeftOut("no JAX") from error
    jax.config.update("jax_enable_x64", True)
    try:
        jax.devices("cuda")
    except RuntimeError as error:
        raise LeftOut("JAX finds no GPU") from error
    return jax


def signal(*shape, dtype="f8"):
    x = np.random.default_rng(sum(shape)).standard_normal((2, *shape))
    return (x[0] + 1j * x[1] if np.dtype(dtype).kind == "c" else x[0]).astype(dtype)


def close(found, expected):
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape), (found.dtype, expected.dtype)
    scale = np.max(np.abs(expected), initial=1e-30)
    np.testing.assert_allclose(
        found / scale, expected / scale, rtol=0, atol=200 * np.finfo(expected.dtype).eps
    )


TYPES = ["f2", "f4", "f8", "c8", "c16", "i4"]


def cases():
    """Names of functions, and signals that they take."""
    for name in ff._BACKEND:
        for dtype in TYPES:
            if not (dtype[0] == "c" and name.startswith(("rfft", "ihfft"))):
                yield (
                    getattr(ff, name),
                    (10 * signal(12, 10, dtype="f8" if dtype == "i4" else dtype)).astype(dtype),
                )


def test_cupy_has_the_values_of_numpy():
    xp = cupy()
    for function, x in cases():
        y = function(xp.asarray(x))
        assert isinstance(y, xp.ndarray)
        close(xp.asnumpy(y), function(x))


def test_torch_has_the_values_of_numpy():
    lib = torch()
    for function, x in cases():
        y = function(lib.from_numpy(x).cuda())
        assert isinstance(y, lib.Tensor) and y.is_cuda
        close(y.resolve_conj().cpu().numpy(), function(x))


def test_jax_has_the_values_of_numpy():
    lib = jax()
    for function, x in cases():
        for y in (function(lib.numpy.asarray(x)), lib.jit(function)(x)):
            assert isinstance(y, lib.Array) and next(iter(y.devices())).platform == "gpu"
            close(np.asarray(y), function(x))
    for keywords in ({"n": 7}, {"n": 30}, {"axis": 0, "n": 15, "norm": "ortho"}):
        x = signal(12, 10)
        close(np.asarray(lib.jit(lambda a: ff.dct(a, **keywords))(x)), ff.dct(x, **keywords))
    assert not ff.dct(lib.numpy.zeros((3, 0)), n=4).any() and ff.dct(lib.numpy.zeros((0, 4))).shape == (0, 4)


def test_jax_has_the_values_of_scipy():
    lib = jax()
    try:
        import scipy.fft
    except ImportError as error:
        raise LeftOut("no SciPy") from error
    # Lines of a kernel, lines of several kernels, which need scratch, and lengths with a large prime.
    for shape in ((1024, 768), (3, 1 << 18), (1 << 20,), (2, 10007)):
        for dtype in ("f4", "f8", "c8"):
            x = signal(*shape, dtype=dtype)
            close(np.asarray(ff.dctn(lib.numpy.asarray(x))), scipy.fft.dctn(x))


def test_gradients_of_jax():
    lib = jax()
    from jax.test_util import check_grads

    for function, dtype in (
        (lambda a: ff.dctn(a, norm="ortho"), "f8"),
        (lambda a: ff.dst(a, 1, n=9), "c16"),
        (ff.rfft, "f8"),
        (ff.hfft, "c16"),
    ):
        check_grads(function, (lib.numpy.asarray(signal(4, 6, dtype=dtype)),), order=2)
    x = signal(64, 48)
    slope = lib.jit(lib.grad(lambda a: lib.numpy.sum(ff.dctn(a, norm="ortho") ** 2)))(x)
    close(np.asarray(slope), 2 * x)


def test_vmap_and_shards_of_jax():
    lib, x = jax(), signal(3, 40, 50)
    for axis in range(3):
        mapped = lib.jit(lib.vmap(lambda a: ff.dctn(a, 3), in_axes=axis, out_axes=axis))(x)
        close(np.asarray(mapped), np.stack([ff.dctn(a, 3) for a in np.moveaxis(x, axis, 0)], axis))
    for count in sorted({1, len(lib.devices("cuda"))}):
        rows = lib.sharding.PartitionSpec("batch")
        mesh = lib.make_mesh((count,), ("batch",), devices=lib.devices("cuda")[:count])
        batch = signal(6 * count, 50)
        shards = lib.device_put(batch, lib.sharding.NamedSharding(mesh, rows))
        y = lib.jit(lib.shard_map(ff.dct, mesh=mesh, in_specs=rows, out_specs=rows))(shards)
        close(np.asarray(y), ff.dct(batch))


def test_xla_captures_transforms():
    """Several calls in a row, which XLA puts into a CUDA graph, with new values and new buffers."""
    lib = jax()

    def several(a):
        for _ in range(4):
            a = lib.numpy.sin(ff.dctn(a, norm="ortho"))  # errors do not grow: both have norm 1
        return a

    for shape in ((64, 64), (1 << 20,)):
        compiled, kept = lib.jit(several), []
        for number in range(5):
            x = signal(*shape) * (1 + number / 4)
            expected = several_of_numpy(x)
            kept.append(compiled(x))
            close(np.asarray(kept[-1]), expected)


def several_of_numpy(x):
    for _ in range(4):
        x = np.sin(ff.dctn(x, norm="ortho"))
    return x


def test_plans_of_jax():
    lib, x = jax(), signal(20, 30)
    table = np.random.default_rng(3).random((20, 30)) + 0.5
    for multiply in (None, table, [table[:, 0].copy(), table[0].copy()]):
        plan = fourfold.plan("dct2", x.shape, multiply=multiply, device="cuda:0")
        y = plan(lib.device_put(x, lib.devices("cuda")[0]))
        close(np.asarray(y), fourfold.plan("dct2", x.shape, multiply=multiply)(x))
        close(np.asarray(plan.inverse()(y)), x)


def test_jpeg_files_from_and_to_devices():
    import fourfold.jpeg

    lib, image = torch(), (signal(40, 50) * 40 + 128).clip(0, 255).astype("u1")
    file = fourfold.jpeg.encode(image)
    assert fourfold.jpeg.encode(lib.from_numpy(image).cuda()) == file
    found = fourfold.jpeg.decode(file, device=lib.device("cuda:0"))
    assert found.is_cuda and np.array_equal(found.cpu().numpy(), fourfold.jpeg.decode(file))
    xp = cupy()
    assert fourfold.jpeg.encode(xp.asarray(image)) == file
    found = fourfold.jpeg.decode(file, device="cuda:0")
    assert isinstance(found, xp.ndarray) and np.array_equal(xp.asnumpy(found), fourfold.jpeg.decode(file))


def test_strides_arguments_and_out():
    xp, x = cupy(), signal(12, 10)
    views = [lambda a: a.T, lambda a: a[::2, ::-1], lambda a: a[1:, 1:], lambda a: a[:, 3]]
    for view in views:
        for dtype in ("f4", "f8", "c8"):
            a = signal(12, 10, dtype=dtype)
            close(xp.asnumpy(ff.dct(view(xp.asarray(a)))), ff.dct(view(a)))
            close(xp.asnumpy(ff.dst(view(xp.asarray(a)), 1, n=15, axis=0)), ff.dst(view(a), 1, n=15, axis=0))
    out = xp.empty((10, 12)).T
    assert ff.dctn(xp.asarray(x), norm="ortho", out=out) is out
    close(xp.asnumpy(out), ff.dctn(x, norm="ortho"))
    big = xp.zeros(121)
    y = big[1:].reshape(12, 10)  # not aligned to 16 bytes
    ff.dctn(xp.asarray(x), out=y)
    close(xp.asnumpy(y), ff.dctn(x))
    a = xp.asarray(x)
    assert ff.dctn(a, overwrite_x=True) is a
    close(xp.asnumpy(a), ff.dctn(x))
    for wrong in (lambda: ff.dctn(a, out=xp.empty((3, 3))), lambda: ff.dct(a, 5), lambda: ff.dct(a, axis=2)):
        try:
            wrong()
        except (ValueError, IndexError):
            continue
        raise AssertionError("no exception")


def test_gradients_on_the_device():
    lib = torch()
    x = lib.randn(4, 6, dtype=lib.float64, device="cuda", requires_grad=True)
    assert lib.autograd.gradcheck(lambda a: ff.dctn(a, norm="ortho"), (x,))
    assert lib.autograd.gradgradcheck(lambda a: ff.rfft(a), (x,))
    lib.library.opcheck(
        lib.ops.fourfold.transform.default, (x, "dct2,dct3", [0, 1], "backward", None, 1.0, False, None, 1, None)
    )


def test_half_precision_of_cupy_and_torch():
    """Each of two passes rounds what it writes, by 2^-11 of it, or 2^-8, and keeps the sum of squares."""

    def rounded(found, x, place):
        expected = ff.dctn(x, norm="ortho")
        error = np.linalg.norm(found - expected) / np.linalg.norm(expected)
        assert error < 2.01 * place, error

    lib = torch()
    x = lib.from_numpy(signal(96, 50, dtype="f4")).cuda()
    for dtype, place in ((lib.float16, 2**-11), (lib.bfloat16, 2**-8)):
        plan = fourfold.plan("dct2", x.shape, str(dtype)[6:], norm="ortho", device=0)
        a = x.to(dtype)
        y = plan(a)
        assert y.dtype == dtype and plan(a, out=lib.empty_like(a)).equal(y)
        rounded(y.double().cpu().numpy(), a.double().cpu().numpy(), place)
    xp = cupy()
    a = xp.asarray(signal(96, 50, dtype="f2"))
    y = fourfold.plan("dct2", a.shape, "float16", norm="ortho", device=0)(a)
    assert y.dtype == np.float16
    rounded(np.float64(xp.asnumpy(y)), np.float64(xp.asnumpy(a)), 2**-11)


def test_streams_and_threads():
    lib = torch()
    signals = [signal(300 + n, 200) for n in range(6)]
    wrong = []

    def work(x):
        stream = lib.cuda.Stream()
        with lib.cuda.stream(stream):
            a = lib.from_numpy(x).cuda(non_blocking=True)
            for _ in range(20):
                y = ff.idctn(ff.dctn(a))
            if not np.allclose(y.cpu().numpy(), x, atol=1e-11):
                wrong.append(x.shape)

    threads = [threading.Thread(target=work, args=(x,)) for x in signals]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not wrong, wrong


def test_plans_run_on_a_given_stream():
    xp, x = cupy(), signal(64, 48)
    plan, stream = fourfold.plan("dct2", x.shape), xp.cuda.Stream(non_blocking=True)
    a = xp.asarray(x)
    xp.cuda.Device().synchronize()
    y = plan(a, stream=stream)
    stream.synchronize()
    close(xp.asnumpy(y), ff.dctn(x))
    close(xp.asnumpy(plan.inverse()(y)), x)


def test_plans_multiply():
    lib = torch()
    for kinds, dtype in (("dct2", "f4"), ("dst3", "f8"), ("rfft", "f8"), ("dct2", "c16")):
        x = signal(200, 96, dtype=dtype)
        plain = fourfold.plan(kinds, x.shape, x.real.dtype)
        table = np.random.default_rng(3).random(plain.output_shape) + 0.5
        plan = fourfold.plan(kinds, x.shape, x.real.dtype, multiply=table)
        y = plan(lib.from_numpy(x).cuda())
        close(y.cpu().numpy(), (plan(x)))
        close(plan.inverse()(y).cpu().numpy(), x)


def test_the_field_of_a_density_stays_on_the_device():
    from fourfold.electrostatics import poisson_field

    lib, density = torch(), signal(96, 128, dtype="f4")
    expected = poisson_field(density, potential=True)
    found = poisson_field(lib.from_numpy(density).cuda(), potential=True)
    for map, wanted in zip(found, expected, strict=True):
        assert map.is_cuda
        close(map.cpu().numpy(), wanted)


def test_plans_refuse_other_types():
    lib = torch()
    for plan, x in (("fft", lib.zeros(6)), ("dct2 f64 6", lib.zeros(6))):
        plan = fourfold.plan(plan, 6, "f4") if plan == "fft" else fourfold.plan(plan)
        try:
            plan(x.cuda())
        except TypeError:
            continue
        raise AssertionError("no exception")
    x = lib.randn(8, dtype=lib.complex64, device="cuda")
    plan = fourfold.plan("fft", 8, "f4")
    close(plan(x.conj()).cpu().numpy(), plan(x.conj().resolve_conj()).cpu().numpy())


def test_a_graph_captures_the_first_call_of_a_plan():
    lib = torch()
    for multiply in (None, np.random.default_rng(4).random((100, 80)) + 0.5):
        plan = fourfold.plan("dct2", (100, 80), "f4", multiply=multiply, device="cuda:0")
        x, graph = lib.randn(100, 80, device="cuda"), lib.cuda.CUDAGraph()
        with lib.cuda.graph(graph):
            y = plan(x)
        x.copy_(lib.randn_like(x))
        graph.replay()
        lib.cuda.synchronize()
        close(y.cpu().numpy(), fourfold.plan("dct2", (100, 80), "f4", multiply=multiply)(x.cpu().numpy()))
        try:
            plan(x.cpu())
        except ValueError as error:
            assert "cuda:0" in str(error)
        else:
            raise AssertionError("it took a tensor on the CPU")


def test_a_graph_captures_a_transform():
    lib = torch()
    for shape in ((64, 64), (1 << 20,)):
        x = lib.randn(*shape, device="cuda")
        y = ff.dctn(x)  # makes the plan
        graph = lib.cuda.CUDAGraph()
        with lib.cuda.graph(graph):
            z = ff.dctn(x)
        x.copy_(lib.randn_like(x))
        graph.replay()
        lib.cuda.synchronize()
        y = ff.dctn(x)
        assert lib.equal(y, z)


def test_several_devices():
    lib = torch()
    if lib.cuda.device_count() < 2:
        raise LeftOut("one GPU only")
    x = signal(100, 80)
    for number in range(lib.cuda.device_count()):
        y = ff.dctn(lib.from_numpy(x).to(f"cuda:{number}"))
        assert y.device.index == number and lib.cuda.current_device() == 0
        close(y.cpu().numpy(), ff.dctn(x))


def test_more_than_two_billion_elements_in_place():
    lib = torch()
    if lib.cuda.mem_get_info()[0] < 20 << 30:
        raise LeftOut("less than 20 GiB of memory are free")
    x = lib.zeros(65537, 32768, device="cuda")
    x[65536, :] = 1.0
    y = ff.dct(x, overwrite_x=True, out=x)
    assert y is x and abs(float(x[65536, 0]) - 65536.0) < 1 and float(x[65535].abs().max()) == 0


def main():
    failed = 0
    for name, test in sorted(globals().items()):
        if not name.startswith("test_"):
            continue
        try:
            test()
            print(f"ok        {name}")
        except LeftOut as reason:
            print(f"LEFT OUT  {name}: {reason}")
        except Exception:
            failed += 1
            print(f"FAILED    {name}\n{traceback.format_exc()}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
