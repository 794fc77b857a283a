"""The functions of `scipy.fft`, with the same names, order of arguments and defaults."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal

_Array = Any
_Norm = Literal["backward", "ortho", "forward"] | None
_Ints = int | Sequence[int] | None

def dct(
    x: Any,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
    *,
    out: _Array | None = None,
) -> _Array: ...
def dctn(
    x: Any,
    type: int | Sequence[int] = 2,
    s: _Ints = None,
    axes: _Ints = None,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    orthogonalize: bool | None = None,
    out: _Array | None = None,
) -> _Array: ...
def idct(
    x: Any,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
    *,
    out: _Array | None = None,
) -> _Array: ...
def idctn(
    x: Any,
    type: int | Sequence[int] = 2,
    s: _Ints = None,
    axes: _Ints = None,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
    *,
    out: _Array | None = None,
) -> _Array: ...
def dst(
    x: Any,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
    *,
    out: _Array | None = None,
) -> _Array: ...
def dstn(
    x: Any,
    type: int | Sequence[int] = 2,
    s: _Ints = None,
    axes: _Ints = None,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
    *,
    out: _Array | None = None,
) -> _Array: ...
def idst(
    x: Any,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
    *,
    out: _Array | None = None,
) -> _Array: ...
def idstn(
    x: Any,
    type: int | Sequence[int] = 2,
    s: _Ints = None,
    axes: _Ints = None,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    orthogonalize: bool | None = None,
    *,
    out: _Array | None = None,
) -> _Array: ...
def fft(
    x: Any,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Array | None = None,
) -> _Array: ...
def fft2(
    x: Any,
    s: _Ints = None,
    axes: _Ints = (-2, -1),
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Array | None = None,
) -> _Array: ...
def fftn(
    x: Any,
    s: _Ints = None,
    axes: _Ints = None,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Array | None = None,
) -> _Array: ...
def ifft(
    x: Any,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Array | None = None,
) -> _Array: ...
def ifft2(
    x: Any,
    s: _Ints = None,
    axes: _Ints = (-2, -1),
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Array | None = None,
) -> _Array: ...
def ifftn(
    x: Any,
    s: _Ints = None,
    axes: _Ints = None,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Array | None = None,
) -> _Array: ...
def rfft(
    x: Any,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Array | None = None,
) -> _Array: ...
def rfft2(
    x: Any,
    s: _Ints = None,
    axes: _Ints = (-2, -1),
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Array | None = None,
) -> _Array: ...
def rfftn(
    x: Any,
    s: _Ints = None,
    axes: _Ints = None,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Array | None = None,
) -> _Array: ...
def irfft(
    x: Any,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Array | None = None,
) -> _Array: ...
def irfft2(
    x: Any,
    s: _Ints = None,
    axes: _Ints = (-2, -1),
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Array | None = None,
) -> _Array: ...
def irfftn(
    x: Any,
    s: _Ints = None,
    axes: _Ints = None,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Array | None = None,
) -> _Array: ...
def hfft(
    x: Any,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Array | None = None,
) -> _Array: ...
def hfft2(
    x: Any,
    s: _Ints = None,
    axes: _Ints = (-2, -1),
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Array | None = None,
) -> _Array: ...
def hfftn(
    x: Any,
    s: _Ints = None,
    axes: _Ints = None,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Array | None = None,
) -> _Array: ...
def ihfft(
    x: Any,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Array | None = None,
) -> _Array: ...
def ihfft2(
    x: Any,
    s: _Ints = None,
    axes: _Ints = (-2, -1),
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Array | None = None,
) -> _Array: ...
def ihfftn(
    x: Any,
    s: _Ints = None,
    axes: _Ints = None,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    plan: None = None,
    out: _Array | None = None,
) -> _Array: ...
def dht(
    x: Any,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    out: _Array | None = None,
) -> _Array: ...
def idht(
    x: Any,
    n: int | None = None,
    axis: int = -1,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    out: _Array | None = None,
) -> _Array: ...
def idxst(
    x: Any,
    n: int | None = None,
    axis: int = -1,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    out: _Array | None = None,
) -> _Array: ...
def transform(
    x: Any,
    kinds: str | Sequence[str],
    s: _Ints = None,
    axes: _Ints = None,
    norm: _Norm = None,
    overwrite_x: bool = False,
    workers: int | None = None,
    *,
    orthogonalize: bool | None = None,
    out: _Array | None = None,
) -> _Array: ...
def fftfreq(
    n: int,
    d: float = 1.0,
    *,
    xp: Any = None,
    device: Any = None,
    dtype: Any = None,
) -> _Array: ...
def rfftfreq(
    n: int,
    d: float = 1.0,
    *,
    xp: Any = None,
    device: Any = None,
    dtype: Any = None,
) -> _Array: ...
def fftshift(x: Any, axes: _Ints = None) -> _Array: ...
def ifftshift(x: Any, axes: _Ints = None) -> _Array: ...
def next_fast_len(target: int, real: bool = False, *, kind: str | None = None) -> int: ...
def prev_fast_len(target: int, real: bool = False, *, kind: str | None = None) -> int: ...
def get_workers() -> int: ...
def set_workers(workers: int) -> AbstractContextManager[None]: ...
