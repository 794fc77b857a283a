# %% [markdown]
# # Gradients through a transform
#
# The gradient of a transform is its adjoint, which is a transform, too. So a loss of an image may be
# written with its cosine coefficients. This page uses JAX; tensors of PyTorch work in the same way,
# with `loss.backward()`.

# %%
import jax
import jax.numpy as jnp
import numpy as np

import fourfold.fft as ff

jax.config.update("jax_enable_x64", True)

# %% [markdown]
# ## The adjoint
#
# The gradient of half the square of the coefficients. With `norm="ortho"` the matrix is orthogonal,
# so that its adjoint undoes it, and the gradient is the array itself.

# %%
x = jnp.asarray(np.random.default_rng(0).standard_normal((6, 8)))
slope = jax.grad(lambda a: jnp.sum(ff.dctn(a, norm="ortho") ** 2) / 2)(x)
print(f"largest difference {jnp.abs(slope - x).max():.0e}")

# %% [markdown]
# ## Filling in samples
#
# Of a signal with few coefficients, a third of the samples is known. Proximal gradient steps look
# for coefficients that are sparse and agree with them: a step along the gradient, then each
# coefficient moves towards zero.

# %%
rng = np.random.default_rng(1)
n, count = 512, 170
truth = np.zeros(n)
truth[rng.choice(100, 6, replace=False)] = rng.choice([-1, 1], 6) * rng.uniform(3, 6, 6)
known = jnp.asarray(np.sort(rng.choice(n, count, replace=False)))
samples = ff.idct(jnp.asarray(truth), norm="ortho")[known]


def loss(coefficients):
    return jnp.sum((ff.idct(coefficients, norm="ortho")[known] - samples) ** 2) / 2


@jax.jit
def step(coefficients, threshold):
    moved = coefficients - jax.grad(loss)(coefficients)
    return jnp.sign(moved) * jnp.maximum(jnp.abs(moved) - threshold, 0)


found = jnp.zeros(n)
for i in range(801):
    if i % 200 == 0:
        error = jnp.linalg.norm(found - truth) / np.linalg.norm(truth)
        print(f"step {i:3}: loss {loss(found):8.4f}, relative error {error:.3f}")
    found = step(found, 0.3 * 0.99**i)
assert error < 0.01
