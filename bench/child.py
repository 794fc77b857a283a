"""SciPy and OpenCV for the bench: answers one line of JSON with another. See src/peers/python.rs."""

import json
import sys
import time

import numpy as np
import scipy.fft

try:
    import cv2

    cv2.setNumThreads(1)
except ImportError:
    cv2 = None

SCIPY = {"dct": scipy.fft.dctn, "dst": scipy.fft.dstn}


def scipy_peer(kind, axes, x):
    """SciPy allocates its result."""
    if kind in ("rfft", "fft"):
        transform = {"rfft": scipy.fft.rfftn, "fft": scipy.fft.fftn}[kind]
        return lambda: transform(x, axes=axes, workers=1)
    if kind[:3] not in SCIPY:
        return None
    return lambda: SCIPY[kind[:3]](x, type=int(kind[3]), axes=axes, workers=1)


def opencv_peer(kind, axes, x):
    """OpenCV writes into an array that is there; it has even lengths only."""
    flags = {"dct2": 0, "dct3": 1}.get(kind)
    if cv2 is None or flags is None or x.ndim != 2 or len(axes) != 2 or any(n % 2 for n in x.shape):
        return None
    y = np.empty_like(x)
    expected = scipy.fft.dctn(x, type=int(kind[3]), norm="ortho")
    cv2.dct(x, y, flags)
    error = np.linalg.norm(y - expected) / np.linalg.norm(expected)
    if error > (1e-5 if x.dtype == np.float32 else 1e-11):
        print(f"OpenCV: {kind} {x.dtype} {x.shape} is off by {error}", file=sys.stderr)
    return lambda: cv2.dct(x, y, flags)


def prepare(kind, bits, shape, first):
    """The peers that can solve the problem, and a copy."""
    rng = np.random.default_rng(1)
    x = rng.uniform(-1, 1, shape).astype(f"float{bits}")
    if kind == "fft":
        x = x + 1j * rng.uniform(-1, 1, shape).astype(f"float{bits}")
    axes, y = tuple(range(first, len(shape))), np.zeros_like(x)
    peers = {"SciPy": scipy_peer(kind, axes, x), "OpenCV": opencv_peer(kind, axes, x)}
    peers["memcpy in Python"] = lambda: np.copyto(y, x)
    return {name: peer for name, peer in peers.items() if peer}


def turn(peer, runs):
    """Seconds of all runs, after one that is not timed."""
    peer()
    start = time.perf_counter()
    for _ in range(runs):
        peer()
    return time.perf_counter() - start


peers = {}
for line in sys.stdin:
    command = json.loads(line)
    if "turn" in command:
        answer = turn(peers[command["turn"]], command["runs"])
    else:
        peers = prepare(**command)
        answer = list(peers)
    print(json.dumps(answer), flush=True)
