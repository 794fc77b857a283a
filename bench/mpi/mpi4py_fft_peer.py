"""mpi4py-fft beside fourfold-mpi: DCT-II in f64 by FFTW with FFTW_MEASURE, as slabs.

    mpirun -n 2 /usr/bin/python3 mpi4py_fft_peer.py ROUNDS LENGTH LENGTH [LENGTH]

Prints the least seconds of the rounds, of the slowest rank in each, by rank 0. The output is left as it
comes out.
"""

import functools
import sys

import numpy
from mpi4py import MPI
from mpi4py_fft import PFFT, fftw, newDistArray

rounds, shape = int(sys.argv[1]), [int(length) for length in sys.argv[2:]]
world = MPI.COMM_WORLD
dct, idct = functools.partial(fftw.dctn, type=2), functools.partial(fftw.idctn, type=2)
# mpi4py-fft asks for the number of dimensions of the axes, which new versions of NumPy refuse for tuples
# of different lengths.
axes = numpy.empty(2, dtype=object)
axes[0], axes[1] = (0,), tuple(range(1, len(shape)))
plan = PFFT(
    world, shape, axes=axes, dtype=numpy.double, slab=True, transforms={axis: (dct, idct) for axis in axes}
)
x, y = newDistArray(plan, False), newDistArray(plan, True)
x[:] = numpy.arange(x.size).reshape(x.shape) * 7919 % 1009 / 1009 - 0.5
best = float("inf")
for turn in range(rounds + 1):
    world.Barrier()
    start = MPI.Wtime()
    plan.forward(x, y, normalize=False)
    slowest = world.allreduce(MPI.Wtime() - start, MPI.MAX)
    if turn > 0:
        best = min(best, slowest)
if world.rank == 0:
    print(f"{best:.9f}")
