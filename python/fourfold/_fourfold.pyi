"""The extension module: plans that run on arrays in memory."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

class Plan:
    """A problem with its tables."""

    def __new__(
        cls,
        problem: str,
        workers: int = 1,
        effort: str = "estimate",
        factors: Sequence[NDArray[np.float64]] | None = None,
        is_separable: bool = False,
        first: bool = False,
    ) -> Plan: ...
    def execute(
        self, x: NDArray[Any], out: NDArray[Any] | None = None, pads: bool = False
    ) -> NDArray[Any] | None:
        """Transforms `x`, where elements that it lacks are zeros if `pads`.

        Returns `None` if that needs an aligned copy in this machine's byte order.
        """
    def inverse(self) -> str: ...
    def adjoint(self) -> str: ...
    @property
    def strides(self) -> tuple[list[int], list[int]]: ...
    @property
    def problem(self) -> str: ...
    @property
    def recipe(self) -> str: ...
    @property
    def workers(self) -> int: ...
    @property
    def isa(self) -> str: ...
    @property
    def input_shape(self) -> list[int]: ...
    @property
    def output_shape(self) -> list[int]: ...
    @property
    def is_complex(self) -> tuple[bool, bool]: ...
    @property
    def precision(self) -> str: ...

class CudaPlan:
    """A problem with its tables and kernels on a CUDA device."""

    def __new__(
        cls,
        problem: str,
        device: int,
        is_complex: bool,
        factors: Sequence[NDArray[np.float64]] | None = None,
        is_separable: bool = False,
        first: bool = False,
        shape: Sequence[int] | None = None,
    ) -> CudaPlan: ...
    def execute(self, input: int, output: int, stream: int, scratch: int) -> None: ...
    @property
    def scratch_bytes(self) -> int: ...

class XlaPlans:
    """Keeps the plans of a problem on CUDA devices, which calls of XLA run."""

    def __new__(cls, problem: str, is_complex: bool, shape: Sequence[int], device: int) -> XlaPlans: ...
    @property
    def scratch_bytes(self) -> int: ...

class PoissonSolver:
    """An equation on a box."""

    def __new__(
        cls,
        shape: Sequence[int],
        boundary: Sequence[str],
        at: Sequence[str],
        spacing: Sequence[float],
        c: float,
        eigenvalues: str,
        heat_step: float | None,
        tolerance: float | None,
        dtype: str,
        workers: int,
    ) -> PoissonSolver: ...
    def solve(self, f: NDArray[Any], values: Sequence[tuple[int, bool, NDArray[Any]]], u: NDArray[Any]) -> None: ...
    @property
    def kinds(self) -> list[str]: ...

class Convolution:
    """A kernel with its spectrum."""

    def __new__(
        cls,
        shape: Sequence[int],
        kernel: NDArray[Any],
        kernel_shape: Sequence[int],
        mode: str,
        boundary: str,
        is_correlation: bool,
        method: str,
        dtype: str,
        workers: int,
    ) -> Convolution: ...
    def apply(self, x: NDArray[Any], out: NDArray[Any]) -> None: ...
    @property
    def output_shape(self) -> list[int]: ...

class FrequencyFilter:
    """A filter by frequency."""

    def __new__(
        cls,
        shape: Sequence[int],
        low: float | None,
        high: float | None,
        rolloff: str,
        dtype: str,
        workers: int,
    ) -> FrequencyFilter: ...
    def apply(self, x: NDArray[Any], out: NDArray[Any]) -> None: ...

_Solved = tuple[list[NDArray[Any]], tuple[NDArray[Any], float] | None]

class System:
    """The electrostatic system of a grid."""

    def __new__(
        cls,
        bins: Sequence[int],
        low: Sequence[float],
        high: Sequence[float],
        dtype: str,
        scaling: str,
        smoothing: float,
        fixed: NDArray[np.float64] | None,
        potential: bool,
        workers: int,
    ) -> System: ...
    def transform(self, density: NDArray[Any]) -> _Solved: ...
    def solve(self, lists: Sequence[NDArray[Any]]) -> _Solved: ...
    def forces(self, lists: Sequence[NDArray[Any]]) -> list[NDArray[Any]]: ...
    def overflow(self, density: NDArray[Any], target: float) -> float: ...

def poisson_steps(
    bins: Sequence[int],
    low: Sequence[float],
    high: Sequence[float],
    dtype: str,
    scaling: str,
    potential: bool,
) -> list[tuple[str, NDArray[np.float64] | tuple[NDArray[np.float64], ...], bool]]:
    """The transforms of a field: problems, their factors, and whether these come first."""

def problem(
    kinds: Sequence[str],
    precision: str,
    shape: Sequence[int],
    axes: Sequence[int],
    norm: str,
    orthogonalize: bool | None = None,
    scale: float = 1.0,
    adjoint: bool = False,
    strides: Sequence[Sequence[int]] | None = None,
) -> str: ...
def decode(
    file: bytes, mode: str, upright: bool, workers: int, pixels: int
) -> tuple[NDArray[np.uint8], list[int], list[str]]: ...
def encode(image: NDArray[np.uint8], quality: int, sampling: str, mode: str, workers: int) -> bytes: ...
def _after_fork_in_child() -> None: ...
def _at_exit() -> None: ...
