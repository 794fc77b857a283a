"""A plugin of pytest: SciPy's functions go to fourfold, and what falls through goes to SciPy."""

import scipy.fft

import fourfold.fft

scipy.fft.register_backend("scipy")
scipy.fft.set_global_backend(fourfold.fft)
