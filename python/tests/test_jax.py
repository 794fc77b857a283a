"""JAX on the CPU. Left out where JAX is not installed."""

import numpy as np
import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import jax.scipy.fft  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

import fourfold  # noqa: E402
import fourfold.fft as ff  # noqa: E402

jax.config.update("jax_enable_x64", True)


def signal(*shape, dtype="f8"):
    x = np.random.default_rng(sum(shape)).standard_normal((2, *shape))
    return jnp.asarray((x[0] + 1j * x[1] if np.dtype(dtype).kind == "c" else x[0]).astype(dtype))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16", "i4"])
@pytest.mark.parametrize("name", [*ff._BACKEND])
def test_values_and_types_are_those_of_numpy(name, dtype):
    x = signal(4, 5, dtype=dtype) if dtype[0] in "fc" else jnp.arange(20).reshape(4, 5).astype(dtype)
    function = getattr(ff, name)
    if dtype[0] == "c" and name.startswith(("rfft", "ihfft")):
        with pytest.raises(TypeError):
            function(x)
        return
    y = function(x)
    assert isinstance(y, jax.Array)
    expected = function(np.asarray(x))
    assert (y.shape, y.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(y, expected, atol=1e-12 if expected.dtype.char in "dD" else 1e-4)


@pytest.mark.parametrize("keywords", [{}, {"n": 3}, {"n": 9}, {"axis": 0}, {"norm": "ortho"}])
def test_arguments(keywords):
    x = signal(4, 5)
    np.testing.assert_allclose(ff.dct(x, **keywords), ff.dct(np.asarray(x), **keywords), atol=1e-13)
    np.testing.assert_allclose(
        jax.jit(lambda a: ff.rfft(a, **keywords))(x), ff.rfft(np.asarray(x), **keywords), atol=1e-13
    )


@pytest.mark.parametrize("name", ["dct", "dst", "idct", "idst"])
@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_gradients_of_real_kinds(name, kind):
    check_grads(lambda x: getattr(ff, name + "n")(x, kind), (signal(3, 4),), order=2)
    check_grads(lambda x: getattr(ff, name)(x, kind, norm="ortho"), (signal(3, dtype="c16"),), order=2)


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
@pytest.mark.parametrize("n", [4, 5])
def test_gradients_of_fourier_transforms(name, n):
    is_real = name in ("rfft", "ihfft")
    x = signal(3, n, dtype="f8" if is_real else "c16")
    function = getattr(ff, name)
    check_grads(function, (x,), order=2)
    y = function(x)
    cotangent = signal(*y.shape, dtype=y.dtype)
    ours = jax.vjp(function, x)[1](cotangent)[0]
    theirs = jax.vjp(getattr(jnp.fft, name), x)[1](cotangent)[0]
    np.testing.assert_allclose(ours, theirs, atol=1e-12)


def test_vmap_along_any_axis_and_jit():
    x = signal(3, 4, 5)
    for axis in range(3):
        mapped = jax.jit(jax.vmap(lambda a: ff.dctn(a, 3), in_axes=axis, out_axes=axis))(x)
        expected = np.stack([ff.dctn(np.asarray(a), 3) for a in jnp.moveaxis(x, axis, 0)], axis)
        np.testing.assert_allclose(mapped, expected, atol=1e-12)
    hessian = jax.jit(jax.hessian(lambda a: jnp.sum(ff.dct(a) ** 2)))(signal(6))
    matrix = np.stack([ff.dct(row) for row in np.eye(6)], axis=1)
    np.testing.assert_allclose(hessian, 2 * matrix.T @ matrix, atol=1e-12)


@pytest.mark.parametrize("n", [3, 9, 10])
def test_padding_is_part_of_the_target(n):
    x = signal(4, 5)
    for name, dtype in (("dct", "f8"), ("rfft", "f8"), ("fft", "c16"), ("irfft", "c16"), ("dst", "f4")):
        x, function = signal(4, 5, dtype=dtype), lambda a, name=name: getattr(ff, name)(a, n=n)
        np.testing.assert_allclose(jax.jit(function)(x), function(np.asarray(x)), atol=1e-5)
        assert "pad" not in str(jax.make_jaxpr(function)(x))
        if dtype != "f4":
            check_grads(function, (x,), order=2)
            check_grads(jax.vmap(function), (x,), order=2)
    assert not ff.dct(jnp.zeros((3, 0)), n=4).any()


class Plans:
    """Plays the part of plans on CUDA devices."""

    made = []

    def __init__(self, problem, is_complex, shape, device):
        self.made.append((problem, is_complex, shape, device))
        self.scratch_bytes = 640 if "1024" in problem else 0


@pytest.fixture
def cuda(monkeypatch):
    """What lowering for CUDA asks of a machine with a GPU."""
    from fourfold import _cuda, _fourfold
    from fourfold import jax as ours

    monkeypatch.setattr(_fourfold, "XlaPlans", Plans)
    monkeypatch.setattr(_cuda, "_find_nvrtc", lambda: None)
    monkeypatch.setattr(ours, "_device", lambda: 3)
    monkeypatch.setattr(Plans, "made", [])
    return Plans


def test_the_call_for_cuda(cuda):
    def text(function, x):
        return jax.jit(function).trace(x).lower(lowering_platforms=("cuda",)).as_text()

    lowered = text(ff.dct, signal(4, 1024))
    assert cuda.made == [("dct2 f64 4x1024 axes=1", False, (4, 1024), 3)]
    assert lowered.count("@fourfold_transform") == 1
    assert 'problem = "dct2 f64 4x1024 axes=1"' in lowered
    assert "(tensor<4x1024xf64>, tensor<640xui8>)" in lowered
    lowered = text(lambda a: ff.dct(a, n=7), signal(4, 5, dtype="c8"))
    assert cuda.made[1:] == [("dct2 f32 4x7 axes=1 in=5,1", True, (4, 5), 3)]
    assert "stablehlo.pad" not in lowered
    assert "-> tensor<4x7xcomplex<f32>>" in lowered and "ui8" not in lowered
    text(jax.vmap(jax.grad(lambda a: jnp.sum(ff.dct(a) ** 3))), signal(3, 8))
    assert {problem for problem, *_ in cuda.made[2:]} == {
        "dct2 f64 3x8 axes=1",
        "dct2 f64 3x8 axes=1 adjoint",
    }


def test_the_target_for_cuda_passes_errors_on():
    import ctypes

    from fourfold import _fourfold

    target = jax.ffi.pycapsule(ctypes.CDLL(_fourfold.__file__).fourfold_xla_transform_cuda)
    jax.ffi.register_ffi_target("fourfold_without_stream", target, platform="cpu")
    x = signal(8)
    call = jax.ffi.ffi_call("fourfold_without_stream", jax.ShapeDtypeStruct(x.shape, x.dtype))
    with pytest.raises(jax.errors.JaxRuntimeError, match="XLA has no stream"):
        jax.block_until_ready(call(x, problem="dct2 f64 8"))
    with pytest.raises(jax.errors.JaxRuntimeError, match="`problem` is missing"):
        jax.block_until_ready(call(x))


def test_the_same_as_jax():
    x = signal(6, 7)
    np.testing.assert_allclose(ff.dctn(x), jax.scipy.fft.dctn(x), atol=1e-12)
    mesh, rows = jax.make_mesh((1,), ("batch",)), jax.sharding.PartitionSpec("batch")
    sharded = jax.shard_map(ff.dct, mesh=mesh, in_specs=rows, out_specs=rows)
    y = sharded(jax.device_put(x, jax.sharding.NamedSharding(mesh, rows)))
    np.testing.assert_allclose(y, ff.dct(np.asarray(x)), atol=1e-13)


def test_plans_shifts_and_errors():
    x = signal(4, 6)
    np.testing.assert_array_equal(fourfold.plan("dct2", (4, 6))(x), ff.dctn(np.asarray(x)))
    np.testing.assert_array_equal(ff.fftshift(x), np.fft.fftshift(np.asarray(x)))
    assert ff.dct(jnp.zeros((0, 4))).shape == (0, 4)
    with pytest.raises(TypeError):
        ff.dct(x, out=np.empty((4, 6)))
    with pytest.raises(ValueError):
        ff.dct(x, 7)
    with pytest.raises(ValueError):
        jax.jit(lambda a: ff.dct(a, 1))(signal(1))
