"""fourfold.electrostatics, fourfold.dreamplace and fourfold.jpeg."""

import warnings

import numpy as np
import pytest

import fourfold.dreamplace as dp
import fourfold.jpeg
from fourfold.electrostatics import Electrostatics, poisson_field


def waves(count, function):
    """The matrix function(pi u (2i+1)/(2 count)), whose rows are i and whose columns are u."""
    n = np.arange(count)
    return function(np.pi * np.outer(2 * n + 1, n) / (2 * count))


def halved(count):
    return np.array([0.5] + [1.0] * (count - 1))


def impulse(shape):
    return np.random.default_rng(3).standard_normal(shape)


@pytest.mark.parametrize("shape", [(6, 8), (5, 7), (3, 6, 8)])
def test_dreamplace_has_its_scale(shape):
    x, (m, n) = impulse(shape), shape[-2:]
    cos_m, cos_n, sin_m, sin_n = waves(m, np.cos), waves(n, np.cos), waves(m, np.sin), waves(n, np.sin)
    np.testing.assert_allclose(dp.dct2(x), 4 / (m * n) * (cos_m.T @ x @ cos_n), atol=1e-13)
    half_m, half_n = np.diag(halved(m)), np.diag(halved(n))
    np.testing.assert_allclose(dp.idct2(x), 4 * (cos_m @ half_m @ x @ half_n @ cos_n.T), atol=1e-12)
    np.testing.assert_allclose(dp.idct_idxst(x), 4 * (cos_m @ half_m @ x @ sin_n.T), atol=1e-12)
    np.testing.assert_allclose(dp.idxst_idct(x), 4 * (sin_m @ x @ half_n @ cos_n.T), atol=1e-12)
    np.testing.assert_allclose(dp.dct(x), 2 / n * (x @ cos_n), atol=1e-13)
    np.testing.assert_allclose(dp.idct(x), 2 * (x @ half_n @ cos_n.T), atol=1e-13)
    np.testing.assert_allclose(dp.idxst(x), x @ sin_n.T, atol=1e-13)
    np.testing.assert_allclose(dp.idct2(dp.dct2(x)) / 4, x, atol=1e-13)


def field_by_sums(density, bin_ratio=1.0):
    """DREAMPlace's steps with matrices: coefficients, division by w^2, waves."""
    m, n = density.shape
    cos_m, cos_n, sin_m, sin_n = waves(m, np.cos), waves(n, np.cos), waves(m, np.sin), waves(n, np.sin)
    a = 4 / (m * n) * (cos_m.T @ density @ cos_n)
    k_u, k_v = np.pi * np.arange(m)[:, None] / m, np.pi * np.arange(n)[None] / n * bin_ratio
    square = k_u**2 + k_v**2
    square[0, 0] = np.inf
    a *= np.outer(halved(m), halved(n))
    fields = [sin_m @ (a * k_u / square) @ cos_n.T, cos_m @ (a * k_v / square) @ sin_n.T]
    return (*fields, cos_m @ (a / square) @ cos_n.T)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_the_field_of_a_density(dtype):
    density = impulse((8, 12)).astype(dtype)
    expected = field_by_sums(density.astype("f8"))
    for found in (poisson_field(density, potential=True), dp.poisson_field(density, potential=True)):
        for map, wanted in zip(found, expected, strict=True):
            assert map.dtype == density.dtype
            np.testing.assert_allclose(map, wanted, atol=300 * np.finfo(dtype).eps)
    assert len(dp.poisson_field(density)) == 2
    found = poisson_field(density, ((0, 0), (16, 12)), potential=True)
    for map, wanted in zip(found, field_by_sums(density.astype("f8"), 2.0)):
        np.testing.assert_allclose(map, wanted, atol=1e3 * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", [">f4", ">f8"])
def test_a_density_in_the_other_byte_order(dtype):
    density = impulse((6, 8)).astype(dtype)
    expected = poisson_field(density.astype(density.dtype.newbyteorder("=")))
    np.testing.assert_array_equal(poisson_field(density), expected)


@pytest.mark.parametrize("bins", [(-1, 8), (1, 8), (8,), (8, 8, 8)])
def test_bins_that_are_no_grid(bins):
    with pytest.raises(ValueError, match="expected two numbers"):
        Electrostatics(bins)


def test_a_complex_density_is_an_error():
    with pytest.raises(TypeError, match="complex"):
        poisson_field(impulse((4, 4)) + 1j)


def test_cells_repel_each_other():
    system = Electrostatics((16, 16), ((0, 0), (8, 8)))
    cells = [3.0, 4.0], [3.5, 3.5], [1.0, 1.0], [1.0, 1.0]
    maps = system.solve(*cells)
    along_x, along_y = system.forces(*cells, maps)
    assert along_x[0] < 0 < along_x[1] and abs(along_x.sum()) < 1e-12 and abs(along_y).max() < 1e-12
    assert maps.energy > 0 and maps.density.sum() == pytest.approx(8)
    np.testing.assert_array_equal(system.transform(maps.density).potential, maps.potential)
    assert system.overflow(maps, 1.0) == pytest.approx(0) and system.overflow(maps, 0.5) > 0
    for wrong in (
        ([9.0], [0.0], [1.0], [1.0]),
        ([1.0, 2.0], [0.0], [1.0], [1.0]),
        ([1.0], [1.0], [-1.0], [1.0]),
    ):
        with pytest.raises(ValueError):
            system.solve(*wrong)
    with pytest.raises(ValueError):
        system.transform(np.ones((3, 3)))
    with pytest.raises((ValueError, TypeError)):
        Electrostatics((16, 0))
    with pytest.raises(TypeError):
        Electrostatics((4, 4), dtype="f2")


def picture():
    y, x = np.mgrid[0:40, 0:56]
    return np.stack([4 * x, 5 * y, 2 * (x + y)], axis=-1).astype("u1")


@pytest.mark.parametrize("mode", ["fast", "exact"])
@pytest.mark.parametrize("sampling", ["4:4:4", "4:2:2", "4:2:0"])
def test_an_image_survives_a_file(mode, sampling):
    image = picture()
    file = fourfold.jpeg.encode(image, 95, sampling=sampling, mode=mode)
    found = fourfold.jpeg.decode(file, mode=mode, workers=2)
    assert found.shape == image.shape and found.dtype == np.uint8
    assert np.abs(found.astype(int) - image).mean() < 3
    grey = fourfold.jpeg.decode(fourfold.jpeg.encode(image[..., 1], 95))
    assert grey.shape == image.shape[:2] and np.abs(grey.astype(int) - image[..., 1]).mean() < 2


def test_a_file_is_bytes_of_any_sort():
    file = fourfold.jpeg.encode(picture())
    for same in (bytearray(file), memoryview(file), np.frombuffer(file, "u1")):
        np.testing.assert_array_equal(fourfold.jpeg.decode(same), fourfold.jpeg.decode(file))
    for wrong in (5, 1 << 60, "name.jpg", None, [255, 216]):
        with pytest.raises(TypeError):
            fourfold.jpeg.decode(wrong)


def test_files_and_images_that_are_wrong():
    file = fourfold.jpeg.encode(picture())
    for pixels in (-1, 1 << 64):
        with pytest.raises(ValueError):
            fourfold.jpeg.decode(file, max_pixels=pixels)
    with pytest.raises(ValueError):
        fourfold.jpeg.decode(b"no file")
    with pytest.raises(ValueError):
        fourfold.jpeg.decode(file, max_pixels=100)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert fourfold.jpeg.decode(file[:-60]).shape == picture().shape
    assert caught
    for image, error in [
        (np.ones((4, 4)), TypeError),
        (np.ones((4, 4, 2), "u1"), ValueError),
        (np.ones(4, "u1"), ValueError),
    ]:
        with pytest.raises(error):
            fourfold.jpeg.encode(image)
    for quality in (0, 101):
        with pytest.raises(ValueError):
            fourfold.jpeg.encode(picture(), quality)
