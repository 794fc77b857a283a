# %% [markdown]
# # An image and its cosine coefficients
#
# Cosines describe an image well: few of their coefficients hold most of it. This page makes an
# image, leaves out most of its coefficients, and smooths it.

# %%
import numpy as np
from IPython.display import Image

import fourfold
import fourfold.fft as ff


def shown(image):
    """The image as a JPEG file, which notebooks draw."""
    return Image(fourfold.jpeg.encode(np.clip(image, 0, 255).astype("uint8"), quality=90))


y, x = np.mgrid[:192, :256]
rings = 60 * np.cos(np.hypot(x - 90, y - 80) ** 2 / 900)
disc = 70 * (np.hypot(x - 180, y - 110) < 45)
image = 110 + rings + disc
shown(image)

# %% [markdown]
# ## Coefficients
#
# With `norm="ortho"` the transform is orthogonal, so squares of coefficients add up to the squares
# of the samples.

# %%
coefficients = ff.dctn(image, norm="ortho")
assert np.isclose(np.sum(coefficients**2), np.sum(image**2))
order = np.sort(np.abs(coefficients), axis=None)[::-1]
for part in (0.01, 0.05, 0.2):
    most = order[: int(part * order.size)]
    print(f"{100 * part:2.0f} % of the coefficients hold {100 * np.sum(most**2) / np.sum(order**2):.2f} %")

# %% [markdown]
# The image of the largest 5 %. The error is the root of the mean square.

# %%
least = order[int(0.05 * order.size)]
kept = ff.idctn(np.where(np.abs(coefficients) > least, coefficients, 0), norm="ortho")
print(f"error {np.sqrt(np.mean((kept - image) ** 2)):.1f} of 255")
shown(kept)

# %% [markdown]
# ## Filters
#
# `fourfold.signal` multiplies coefficients in the pass that computes them. A cutoff of 1 is half of
# the sampling frequency. The Butterworth filter has no ringing at the edge of the disc.

# %%
from fourfold.signal import low_pass

smooth = low_pass(image, 0.15, "butterworth:2")
print(f"means {image.mean():.3f} and {smooth.mean():.3f}")
shown(smooth)

# %% [markdown]
# ## A larger image
#
# With `s`, the inverse transform reads zeros after the last coefficient: the result has twice as many
# points along each axis. No padded array is made.

# %%
twice = ff.idctn(coefficients, s=(384, 512), norm="ortho") * 2
print(twice.shape, f"mean {twice.mean():.3f}")
assert np.isclose(twice.mean(), image.mean())
