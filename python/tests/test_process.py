"""Threads, forks, the end of the interpreter, and memory."""

import os
import pickle
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import fourfold
import fourfold.fft as ff
from fourfold._numpy import text
from fourfold._spec import parsed


def python(code, timeout=120):
    """Runs a program in another process; returns what it prints."""
    program = [sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(code)]
    done = subprocess.run(program, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_threads_share_plans():
    x = np.random.default_rng(0).standard_normal((40, 50))
    expected = {n: ff.dctn(x[:, :n]) for n in range(20, 50)}
    wrong = []

    def work():
        for n, y in expected.items():
            if not np.array_equal(ff.dctn(x[:, :n], workers=2), y):
                wrong.append(n)

    threads = [threading.Thread(target=work) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not wrong


def test_other_threads_run_while_a_transform_does():
    x, plan = np.ones((2048, 2048)), fourfold.plan("dct2", (2048, 2048))
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1

    thread = threading.Thread(target=count)
    old = sys.getswitchinterval()
    sys.setswitchinterval(0.5)  # so that only a released GIL lets the other thread run
    try:
        thread.start()
        before = counted[0]
        plan(x)
        assert counted[0] > before
    finally:
        done.set()
        sys.setswitchinterval(old)
        thread.join()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_fork_after_use_with_threads():
    assert (
        python("""
        import os, warnings, numpy as np, fourfold, fourfold.fft as ff
        warnings.simplefilter("ignore")
        x = np.random.default_rng(0).standard_normal((100, 80))
        plan = fourfold.plan("dct2", x.shape, workers=4)
        doubled = fourfold.plan("dct2", x.shape, workers=4, multiply=np.full(x.shape, 2.0))
        expected, twice, spectrum = plan(x), doubled(x), ff.rfftn(x, workers=3)
        for _ in range(20):
            child = os.fork()
            if not child:
                same = np.array_equal(plan(x), expected) and np.array_equal(ff.rfftn(x, workers=3), spectrum)
                same = same and np.array_equal(fourfold.plan("dct2", x.shape, workers=2)(x), expected)
                same = same and np.array_equal(doubled(x), twice)
                del plan, doubled
                grandchild = os.fork()
                if grandchild:
                    same = same and os.waitpid(grandchild, 0)[1] == 0
                else:
                    same = np.array_equal(ff.rfftn(x, workers=3), spectrum)
                os._exit(0 if same else 1)
            assert os.waitpid(child, 0)[1] == 0
        assert np.array_equal(plan(x), expected)
        print("done")
    """)
        == "done\n"
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_fork_while_threads_compute():
    assert (
        python("""
        import os, threading, warnings, numpy as np, fourfold.fft as ff
        warnings.simplefilter("ignore")
        x, stop = np.ones((64, 64)), threading.Event()
        expected = ff.dctn(x)
        def work(seed):
            n = 8 + seed
            while not stop.is_set():
                n = n % 60 + 3
                ff.dctn(x[:n], workers=2)
        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        [thread.start() for thread in threads]
        for _ in range(25):
            child = os.fork()
            if not child:
                os._exit(0 if np.array_equal(ff.dctn(x, workers=2), expected) else 1)
            assert os.waitpid(child, 0)[1] == 0
        stop.set()
        [thread.join() for thread in threads]
        print("done")
    """)
        == "done\n"
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_fork_with_an_electrostatic_system():
    assert (
        python("""
        import os, signal, sys, warnings, numpy as np, fourfold
        from fourfold.electrostatics import Electrostatics
        warnings.simplefilter("ignore")
        density = np.random.default_rng(0).random((64, 64))
        systems = [Electrostatics(density.shape, workers=workers) for workers in (2, 3, 4)]
        expected = systems[0].transform(density)
        for workers in range(5, 30):  # so that only the systems keep their threads
            fourfold.plan("dct2", 64, workers=workers)
        for is_used in (True, False):
            child = os.fork()
            if not child:
                signal.alarm(30)
                sys.unraisablehook = lambda raised: os._exit(2)
                for system in systems if is_used else ():
                    np.testing.assert_array_equal(system.transform(density).field_x, expected.field_x)
                system = systems = None
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
        print("done")
    """)
        == "done\n"
    )


@pytest.mark.parametrize("workers", [1, 2])
def test_the_interpreter_ends_while_threads_compute(workers):
    for _ in range(3):
        python(f"""
            import threading, time, numpy as np, fourfold.fft as ff
            x = np.ones((700, 700))
            def work():
                while True:
                    ff.dctn(x, workers={workers})
            for _ in range(4):
                threading.Thread(target=work, daemon=True).start()
            time.sleep(0.1)
        """)


def test_another_interpreter_gets_an_import_error_or_a_module():
    interpreters = pytest.importorskip(
        "_xxsubinterpreters" if sys.version_info < (3, 13) else "_interpreters"
    )
    assert interpreters
    assert (
        python(f"""
        import fourfold, {interpreters.__name__} as interpreters
        code = "try:\\n    import fourfold._fourfold\\nexcept ImportError:\\n    pass\\n"
        for _ in range(3):
            one = interpreters.create()
            interpreters.run_string(one, code)
            interpreters.destroy(one)
        print(fourfold.fft.dct([1.0, 2.0])[0])
    """)
        == "6.0\n"
    )


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="this system does not tell memory")
def test_calls_and_plans_do_not_grow():
    x = np.ones(4096)

    def work(plans, calls):
        for n in range(plans):
            ff.dct(x[: 20 + n % 2500])
        for _ in range(calls):
            ff.dct(x[:64])

    work(5000, 10_000)
    before = resident()
    work(10_000, 100_000)
    assert resident() - before < 20 << 20


def test_plans_pickle_as_text():
    plan = fourfold.plan(("dct2", "dst3"), (5, 6), "float32", norm="ortho", workers=2)
    again = pickle.loads(pickle.dumps(plan))
    assert again == plan and hash(again) == hash(plan) and again.workers == 2
    assert b"dct2,dst3 f32 5x6 ortho" in pickle.dumps(plan)
    x = np.random.default_rng(0).standard_normal((5, 6)).astype("f4")
    np.testing.assert_array_equal(again(x), plan(x))


@pytest.mark.parametrize(
    "kinds, dtype", [("dct2", "f8"), ("rfft", "f4"), ("irfft", "f8"), ("fft", "c16"), ("idxst", "f8")]
)
def test_a_plan_has_an_inverse_and_an_adjoint(kinds, dtype):
    plan = fourfold.plan(kinds, (6, 7), dtype, norm=None if kinds == "idxst" else "ortho")
    rng = np.random.default_rng(1)

    def random(shape, dtype):
        z = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
        return (z if dtype.kind == "c" else z.real).astype(dtype)

    x = random(plan.input_shape, plan.input_dtype)
    y = plan(x)
    assert (y.shape, y.dtype) == (plan.output_shape, plan.output_dtype)
    adjoint, z = plan.adjoint(), random(y.shape, y.dtype)
    left, right = np.vdot(z, y).real, np.vdot(adjoint(z), x).real
    assert abs(left - right) < 1e3 * np.finfo(y.dtype).eps * np.linalg.norm(z) * np.linalg.norm(y)
    if kinds in ("dct2", "rfft", "fft"):
        np.testing.assert_allclose(plan.inverse()(y), x, atol=1e-5)


@pytest.mark.parametrize(
    "options", [{}, {"axes": (1, 0)}, {"norm": "ortho", "orthogonalize": False}, {"scale": 0.1}]
)
@pytest.mark.parametrize("kinds", ["dct2", ("dct1", "idst3"), "rfft", "irfft", ("fft", "ifft")])
def test_the_text_of_a_plan_says_all(kinds, options):
    plan = fourfold.plan(kinds, (4, 5), "f8", **options)
    for one in (plan, plan.adjoint()):
        spec = parsed(one.problem)
        assert text(spec, (4, 5), "f64") == one.problem
        assert spec.output_shape(one.input_shape) == one.output_shape
        assert spec.complex_sides() == (one.input_dtype.kind == "c", one.output_dtype.kind == "c")


def test_a_plan_that_measures_is_right():
    x = np.random.default_rng(0).standard_normal((3, 96))
    plan = fourfold.plan("dct2", x.shape, axes=-1, effort="measure")
    np.testing.assert_allclose(plan(x), ff.dct(x), atol=1e-12)
    assert "dct2" in plan.recipe and plan.isa
    assert fourfold.plan("dct2 f64 3x96 axes=1").problem == plan.problem


def test_a_plan_has_strides():
    plan = fourfold.plan("dct2", (4, 6), strides=((1, 4), (6, 1)))
    assert "in=1,4" in plan.problem and "out" not in plan.problem
    x = np.random.default_rng(2).standard_normal((4, 6))
    for view in (x, np.asfortranarray(x)):
        np.testing.assert_allclose(plan(view), ff.dctn(x), atol=1e-12)
    np.testing.assert_allclose(plan.inverse()(plan(x)), x, atol=1e-12)
    for wrong in (((1,), (6, 1)), ((1, 4),), 5):
        with pytest.raises((ValueError, TypeError)):
            fourfold.plan("dct2", (4, 6), strides=wrong)
    with pytest.raises(ValueError, match="in="):
        fourfold.plan("dct2 f64 4x6", strides=((1, 4), (6, 1)))
    for beside in ({"norm": "ortho"}, {"axes": 0}, {"dtype": "f4"}, {"scale": 2.0}, {"orthogonalize": True}):
        with pytest.raises(ValueError, match=f"{next(iter(beside))} must stand in the text"):
            fourfold.plan("dct2 f64 4x6", **beside)
    assert fourfold.plan("dct2 f64 4x6", dtype=None, scale=1).problem == "dct2 f64 4x6"


def test_a_plan_for_a_device_needs_cuda():
    try:
        plan = fourfold.plan("dct2", (4, 6), device=10_000)
    except RuntimeError as error:
        assert "CUDA" in str(error)
    else:
        raise AssertionError(f"{plan} is for a device that there is not")


@pytest.mark.parametrize("kinds", ["dct2", "rfft", ("dst1", "dct3")])
@pytest.mark.parametrize("is_separable", [False, True])
def test_a_plan_multiplies(kinds, is_separable):
    rng, plain = np.random.default_rng(5), fourfold.plan(kinds, (5, 8))
    factors = [rng.random(n) + 0.5 for n in plain.output_shape]
    table = np.multiply.outer(*factors)
    plan = fourfold.plan(kinds, (5, 8), multiply=factors if is_separable else table, workers=2)
    x = rng.standard_normal((5, 8))
    np.testing.assert_allclose(plan(x), table * plain(x), atol=1e-12)
    np.testing.assert_allclose(plan.inverse()(plan(x)), x, atol=1e-12)
    np.testing.assert_allclose(plan.adjoint()(plan(x)), plain.adjoint()(table * plan(x)), atol=1e-11)
    again = pickle.loads(pickle.dumps(plan))
    assert again == plan and plan != plain and plan.adjoint().adjoint() == plan
    np.testing.assert_array_equal(again(x), plan(x))


def test_factors_that_do_not_fit():
    for wrong in (np.ones((3, 4)), np.ones(12), [np.ones(4), np.ones(4)], [np.ones(4)]):
        with pytest.raises(ValueError):
            fourfold.plan("dct2", (4, 3), multiply=wrong)
    with pytest.raises(ValueError):
        fourfold.plan("dct2", (4, 3), multiply=np.zeros((4, 3))).inverse()
