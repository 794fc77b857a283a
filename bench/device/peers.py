"""Times VkFFT (pyvkfft) and CuPy on a GPU: peers.py PROBLEM…, where a problem is such as "dct2 f32 512x512". Prints JSON.

As in device_bench: arrays of 320 MB taken in turns, medians of nine turns of about 20 ms, enqueued one by one and from a CUDA graph.
"""

import json
import statistics
import sys
import time

import cupy
import numpy

MEMORY, ROUNDS, TURN, LONGEST_GRAPH = 320 << 20, 9, 0.02, 64

try:
    from pyvkfft.cuda import VkFFTApp
except ImportError as error:
    VkFFTApp = None
    print(f"no VkFFT: {error}", file=sys.stderr)

try:
    import cupyx.scipy.fft
except ImportError as error:
    cupyx = None
    print(f"no transforms of CuPy: {error}", file=sys.stderr)


class Sets:
    """Inputs with outputs, taken in turns."""

    def __init__(self, shape, dtype):
        bytes_of_two = 2 * numpy.prod(shape) * numpy.dtype(dtype).itemsize
        count = max(2, -(-MEMORY // int(bytes_of_two)))
        data = numpy.random.default_rng(1).random(shape).astype(dtype) - 0.5
        if numpy.dtype(dtype).kind == "c":
            data = data + 1j * data[::-1]
        data = data.astype(dtype)
        self.sets = [(cupy.asarray(data), cupy.empty(shape, dtype)) for _ in range(count)]
        self.turn = 0

    def next(self):
        self.turn = (self.turn + 1) % len(self.sets)
        return self.sets[self.turn]


def seconds(enqueue, count, stream):
    stream.synchronize()
    start = time.perf_counter()
    for _ in range(count):
        enqueue()
    stream.synchronize()
    return (time.perf_counter() - start) / count


def median(enqueue, runs, stream):
    """Median microseconds of a run."""
    seconds(enqueue, 2, stream)
    count = int(min(5000, max(2, TURN / seconds(enqueue, 2, stream))))
    return 1e6 * statistics.median(seconds(enqueue, count, stream) / runs for _ in range(ROUNDS))


def both(run, sets, stream):
    """Enqueued one by one, and from a graph if it can be captured."""
    with stream:
        enqueued = median(lambda: run(*sets.next()), 1, stream)
        runs = min(LONGEST_GRAPH, max(4, len(sets.sets)))
        try:
            stream.begin_capture()
            for _ in range(runs):
                run(*sets.next())
            graph = stream.end_capture()
            return enqueued, median(lambda: graph.launch(stream), runs, stream)
        except Exception as error:
            print(f"no graph: {error}", file=sys.stderr)
            return enqueued, None


def vkfft(kind, shape, dtype, axes, stream, tune):
    """What transforms an array to another one."""
    options = {"ndim": len(axes), "inplace": False, "stream": stream, "norm": 0}
    if tune:
        options["tune_config"] = {"backend": "cupy"}
    family, number = kind[:3], kind[3:]
    if family in ("dct", "dst") and number in "1234":
        # Type III is the inverse of type II.
        options[family] = 2 if number == "3" else int(number)
        app = VkFFTApp(shape, dtype, **options)
        return app.ifft if number == "3" else app.fft
    if kind == "fft":
        return VkFFTApp(shape, dtype, **options).fft
    raise ValueError(f"VkFFT has no {kind}")


def cupy_transform(kind, axes):
    if kind[:3] in ("dct", "dst") and kind[3:] in "23":
        function = {"dct": cupyx.scipy.fft.dctn, "dst": cupyx.scipy.fft.dstn}[kind[:3]]
        return lambda x, _: function(x, type=int(kind[3:]), axes=axes)
    raise ValueError(f"CuPy has no {kind}")


def contestants(kind, shape, dtype, axes, stream):
    if VkFFTApp is not None:
        for name, tune in (("VkFFT", False), ("VkFFT tuned", True)):
            yield name, lambda tune=tune: vkfft(kind, shape, dtype, axes, stream, tune)
    if cupyx is not None:
        yield "CuPy", lambda: cupy_transform(kind, axes)


def measure(text):
    kind, real, size, *options = text.split()
    shape = tuple(int(n) for n in size.split("x"))
    axes = tuple(range(len(shape)))
    if options:
        (option,) = options
        axes = tuple(int(axis) for axis in option.removeprefix("axes=").split(","))
    # pyvkfft knows these types by themselves, not by their names.
    if kind == "fft":
        dtype = {"f32": numpy.complex64, "f64": numpy.complex128}[real]
    else:
        dtype = {"f32": numpy.float32, "f64": numpy.float64}[real]
    stream = cupy.cuda.Stream(non_blocking=True)
    sets = Sets(shape, dtype)
    copy_stream, copy_graph = both(lambda x, y: cupy.cuda.runtime.memcpyAsync(y.data.ptr, x.data.ptr, x.nbytes, 3, stream.ptr), sets, stream)
    for name, make in contestants(kind, shape, dtype, axes, stream):
        try:
            transform = make()
            enqueued, graph = both(transform, sets, stream)
        except Exception as error:
            print(f"{name}, {text}: {error}", file=sys.stderr)
            continue
        yield {"problem": text, "name": name, "stream": enqueued, "graph": graph, "copy_stream": copy_stream, "copy_graph": copy_graph}


def main():
    results = []
    for text in sys.argv[1:]:
        try:
            results.extend(measure(text))
        except Exception as error:
            print(f"{text}: {error}", file=sys.stderr)
        cupy.get_default_memory_pool().free_all_blocks()
    json.dump(results, sys.stdout)


main()
