"""PyTorch on the CPU. Left out where PyTorch is not installed."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import fourfold  # noqa: E402
import fourfold.dreamplace as dp  # noqa: E402
import fourfold.fft as ff  # noqa: E402
from fourfold._spec import Spec  # noqa: E402
from fourfold.torch import transform  # noqa: E402

SPECS = [
    (Spec(("dct2", "dst3"), (0, 1), "ortho"), torch.float64),
    (Spec(("dct1",), (1,), "backward", True), torch.float64),
    (Spec(("idxst", "dct3"), (0, 1), scale=2.0), torch.float64),
    (Spec(("dct4",), (0,)), torch.complex128),
    (Spec(("fft",), (1,)), torch.complex128),
    (Spec(("rfft", "rfft"), (0, 1)), torch.float64),
    (Spec(("irfft",), (1,), length=6), torch.complex128),
    (Spec(("irfft",), (1,), length=7), torch.complex128),
]


def tensor(*shape, dtype=torch.float64, **keywords):
    torch.manual_seed(sum(shape))
    return torch.randn(*shape, dtype=dtype, **keywords)


@pytest.mark.parametrize("spec, dtype", SPECS)
def test_the_operator(spec, dtype):
    x = tensor(3, 4, dtype=dtype, requires_grad=True)
    for shape in (None, list(x.shape)):
        if shape is not None:  # the input ends before the shape
            x = x.detach()[tuple(slice(n - 1 if axis in spec.axes else n) for axis, n in enumerate(shape))]
            x.requires_grad_()
        arguments = (",".join(spec.kinds), list(spec.axes), *spec[2:], 1, shape)
        torch.library.opcheck(torch.ops.fourfold.transform.default, (x, *arguments))
        assert torch.autograd.gradcheck(lambda a: transform(a, spec, shape=shape), (x,))
        assert torch.autograd.gradgradcheck(lambda a: transform(a, spec, shape=shape), (x,))


@pytest.mark.parametrize("name", [*ff._BACKEND])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64, torch.int16, torch.float16])
def test_values_and_types_are_those_of_numpy(name, dtype):
    x = (10 * tensor(4, 5)).to(dtype)
    function = getattr(ff, name)
    if dtype.is_complex and name.startswith(("rfft", "ihfft")):
        with pytest.raises(TypeError):
            function(x)
        return
    y, expected = function(x), function(x.numpy())
    assert isinstance(y, torch.Tensor) and y.resolve_conj().numpy().dtype == expected.dtype
    np.testing.assert_allclose(
        y.resolve_conj().numpy(), expected, atol=1e-11 if expected.dtype.char in "dD" else 1e-3
    )


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
def test_values_and_gradients_are_those_of_torch(name, norm):
    for n in (4, 5):
        x = tensor(
            3, 5, dtype=torch.float64 if name in ("rfft", "ihfft") else torch.complex128, requires_grad=True
        )
        ours, theirs = getattr(ff, name)(x, n, norm=norm), getattr(torch.fft, name)(x, n, norm=norm)
        torch.testing.assert_close(ours, theirs)
        cotangent = torch.randn_like(theirs)
        gradients = [torch.autograd.grad(y, x, cotangent)[0] for y in (ours, theirs)]
        torch.testing.assert_close(*gradients)


def test_views_cropping_and_padding():
    x = tensor(6, 8)
    for view in (x.T, x[::2], x[:, 1:5], tensor(6, 8, dtype=torch.complex128).conj(), x.expand(2, 6, 8)):
        for keywords in ({}, {"n": 3}, {"n": 11, "axis": 0}):
            expected = ff.dct(view.resolve_conj().numpy(), **keywords)
            torch.testing.assert_close(ff.dct(view, **keywords), torch.from_numpy(expected))


def test_padding_copies_nothing(monkeypatch):
    monkeypatch.setattr(torch.nn.functional, "pad", None)
    x = tensor(6, 8)
    for keywords in ({"n": 11}, {"n": 9, "axis": 0}):
        torch.testing.assert_close(ff.dct(x, **keywords), torch.from_numpy(ff.dct(x.numpy(), **keywords)))
        mapped = torch.vmap(lambda a: ff.dct(a, n=9))(x)
        torch.testing.assert_close(mapped, torch.from_numpy(ff.dct(x.numpy(), n=9)))
    assert torch.equal(ff.dct(torch.zeros(3, 0, dtype=torch.float64), n=4), torch.zeros(3, 4, dtype=torch.float64))


def test_vmap_and_jacobians():
    x = tensor(3, 4, 5)
    for axis in range(3):
        mapped = torch.vmap(lambda a: ff.dctn(a, 3), in_dims=axis, out_dims=axis)(x)
        expected = torch.stack([ff.dctn(a, 3) for a in x.unbind(axis)], axis)
        torch.testing.assert_close(mapped, expected)
    jacobian = torch.autograd.functional.jacobian(ff.dct, tensor(6), vectorize=True)
    matrix = torch.stack([ff.dct(row) for row in torch.eye(6, dtype=torch.float64)], 1)
    torch.testing.assert_close(jacobian, matrix)


def test_compile_without_graph_breaks():
    torch._dynamo.reset()
    compiled = torch.compile(lambda a: ff.dctn(a * 2, norm="ortho") + 1, fullgraph=True, backend="aot_eager")
    x = tensor(4, 6, requires_grad=True)
    torch.testing.assert_close(compiled(x), ff.dctn(x * 2, norm="ortho") + 1)
    compiled(x).sum().backward()
    assert x.grad is not None


def test_out_and_plans():
    x, out = tensor(4, 6), torch.empty(6, 4, dtype=torch.float64).T
    assert ff.dctn(x, out=out) is out
    torch.testing.assert_close(out, ff.dctn(x))
    with pytest.raises(RuntimeError):
        ff.dctn(x.requires_grad_(), out=out)
    with pytest.raises(ValueError, match="the output has the shape"):
        ff.dctn(x.detach(), out=torch.empty(3, 3, dtype=torch.float64))
    for wrong in (torch.empty(4, 6), [1.0]):
        with pytest.raises(TypeError, match="the output"):
            ff.dctn(x.detach(), out=wrong)
    plan = fourfold.plan("dct2", (4, 6))
    torch.testing.assert_close(plan(x.detach()), ff.dctn(x.detach()))
    assert plan(x.detach(), out) is out
    assert ff.dct(torch.zeros(0, 4)).shape == (0, 4)


@pytest.mark.parametrize("name", ["DCT2", "IDCT2", "IDCT_IDXST", "IDXST_IDCT"])
def test_modules_of_dreamplace(name):
    module, function = getattr(dp, name)(expkM=torch.ones(6), expkN=torch.ones(8)), getattr(dp, name.lower())
    x = tensor(6, 8, dtype=torch.float32, requires_grad=True)
    y = module(x)
    assert isinstance(y, torch.Tensor) and isinstance(module, torch.nn.Module)
    np.testing.assert_allclose(y.detach().numpy(), function(x.detach().numpy()), rtol=1e-5, atol=1e-5)
    y.sum().backward()
    fields = dp.poisson_field(x)
    assert len(fields) == 2 and all(field.dtype == torch.float32 for field in fields)
