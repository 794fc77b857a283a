# %% [markdown]
# # Poisson's equation
#
# `fourfold.poisson` solves −∇·∇u = f on a box. This page solves an equation whose solution is known,
# and then the field of two charges.

# %%
import numpy as np

import fourfold
import fourfold.poisson

# %% [markdown]
# ## A solution that is known
#
# u = sin(πx) cos(2πy) is zero at x = 0 and x = 1, and its derivative along y is zero at y = 0 and
# y = 1. So the conditions are Dirichlet's along x and Neumann's along y, and f = 5π² u. The stencil
# has an error of second order: with twice as many points it is a fourth.

# %%
for n in (32, 64, 128, 256):
    points = (np.arange(n) + 0.5) / n
    u = np.outer(np.sin(np.pi * points), np.cos(2 * np.pi * points))
    solver = fourfold.poisson.Solver((n, n), ["dirichlet", "neumann"], spacing=1 / n)
    print(f"{n:3} x {n:<3}  error {np.abs(solver(5 * np.pi**2 * u) - u).max():.1e}  {solver.kinds}")

# %% [markdown]
# With the eigenvalues of the series, the solution is exact but for rounding.

# %%
spectral = fourfold.poisson.Solver(
    (256, 256), ["dirichlet", "neumann"], spacing=1 / 256, eigenvalues="spectral"
)
print(f"error {np.abs(spectral(5 * np.pi**2 * u) - u).max():.0e}")

# %% [markdown]
# ## Two charges in a grounded box
#
# A solver keeps its tables, so it is made once.

# %%
from IPython.display import Image

charges = np.zeros((192, 256))
charges[96, 80], charges[96, 175] = 1, -1
potential = fourfold.poisson.Solver(charges.shape, "dirichlet")(charges)
assert np.allclose(potential, -potential[:, ::-1], atol=1e-12)
bands = 128 + 127 * np.sin(40 * np.sign(potential) * np.abs(potential) ** 0.5)
Image(fourfold.jpeg.encode(bands.astype("uint8"), quality=90))
