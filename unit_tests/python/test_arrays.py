# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""What comes in: layouts, dtypes, places, and arrays that are refused."""

import inspect

import numpy as np
import pytest

import wavescan


def layouts(rng):
    base = rng.standard_normal((8, 9, 10))
    yield base
    yield np.asfortranarray(base)
    yield base[::-1]
    yield base[:, ::-1, ::-2]
    yield base[2:5, 1::3, 4:]
    yield base.transpose(2, 0, 1)
    yield np.broadcast_to(base[0, 0], (4, 5, 10))
    yield base[0]
    yield base[::-2, 3]
    yield base[1, 2, ::-1]


def test_layouts_without_copies(rng):
    for x in layouts(rng):
        for axis in range(x.ndim):
            np.testing.assert_allclose(wavescan.scan(x, axis=axis), np.cumsum(x, axis=axis))
            out = np.empty(x.shape[::-1]).T[..., ::-1]
            assert wavescan.scan(x, axis=axis, out=out) is out
            np.testing.assert_allclose(out, np.cumsum(x, axis=axis))


def test_layouts_of_filters_and_images(rng):
    signal = pytest.importorskip("scipy.signal")
    b, a = signal.butter(2, 0.3)
    for x in layouts(rng):
        for axis in range(x.ndim):
            np.testing.assert_allclose(wavescan.lfilter(b, a, x, axis), signal.lfilter(b, a, x, axis), atol=1e-9)
        if x.ndim == 2:
            np.testing.assert_allclose(wavescan.integral_image(x), x.cumsum(0).cumsum(1), atol=1e-9)
            np.testing.assert_allclose(
                wavescan.sor(x), wavescan.sor(np.ascontiguousarray(x)), rtol=0, atol=0
            )


def test_in_place(rng):
    for x in layouts(rng):
        x = x.copy()[::-1] if x.ndim == 1 else x.copy()
        expected = np.cumsum(x, axis=-1)
        assert wavescan.scan(x, out=x) is x
        np.testing.assert_allclose(x, expected)


def test_read_only_arrays_come_in_and_are_not_written(rng):
    x = rng.standard_normal(20)
    x.setflags(write=False)
    np.testing.assert_allclose(wavescan.scan(x), np.cumsum(x))
    with pytest.raises(ValueError, match="'out' must be writable"):
        wavescan.scan(x, out=x)


def test_empty_arrays(lib):
    for shape in [(0,), (0, 3), (3, 0), (2, 0, 4)]:
        x = lib.array(np.zeros(shape))
        for axis in range(len(shape)):
            assert tuple(wavescan.scan(x, axis=axis).shape) == shape
            assert tuple(wavescan.lfilter([1.0], [1.0, 0.5], x, axis).shape) == shape
    assert wavescan.integral_image(lib.array(np.zeros((0, 4)))).shape == (0, 4)


def test_arrays_that_are_refused():
    x = np.zeros((3, 4))
    with pytest.raises(ValueError, match=r"'x' must have 1 or more dimensions, got shape \(\)"):
        wavescan.scan(np.array(1.0))
    with pytest.raises(TypeError, match="'x' must be an array that can be handed over"):
        wavescan.scan(x.astype(">f8"))
    with pytest.raises(TypeError, match="'x' must be an array of NumPy|'x' must be an array"):
        wavescan.scan([1.0, 2.0])
    with pytest.raises(TypeError, match="'x' must be an array"):
        wavescan.scan(np.ma.masked_array(x))
    with pytest.raises(TypeError, match="'x' must be of float32, float64, int32, int64.*; got float16|handed over|another type"):
        wavescan.scan(x.astype(np.float16))
    with pytest.raises(TypeError, match="got bool"):
        wavescan.scan(x > 0)
    with pytest.raises(TypeError, match="handed over"):
        wavescan.scan(np.array(["a"]))
    with pytest.raises(ValueError, match="'axis' must be from -2 to 1"):
        wavescan.scan(x, axis=2)
    with pytest.raises(ValueError, match="'op' must be"):
        wavescan.scan(x, "divide")
    with pytest.raises(ValueError, match=r"'out' must have the shape of 'x' \(3, 4\), got \(4, 3\)"):
        wavescan.scan(x, out=np.zeros((4, 3)))
    with pytest.raises(TypeError, match="'out' must have the dtype of 'x' .float64., got float32"):
        wavescan.scan(x, out=np.zeros((3, 4), np.float32))
    with pytest.raises(TypeError, match="'initial' must be a number"):
        wavescan.scan(np.arange(3), initial=0.5)
    with pytest.raises(TypeError, match="'initial' must be a number"):
        wavescan.scan(x, initial=1j)
    with pytest.raises(TypeError, match="'initial' must be a number"):
        wavescan.scan(x, initial="a")
    with pytest.raises(ValueError, match="fit int32"):
        wavescan.scan(np.arange(3, dtype=np.int32), initial=2**40)
    with pytest.raises(ValueError, match="'a' must have the shape of 'x'"):
        wavescan.linear_recurrence(np.zeros((4, 3)), x)
    with pytest.raises(ValueError, match="a_0|'a'"):
        wavescan.lfilter([1.0], [0.0, 1.0], x)
    with pytest.raises(TypeError, match="'b' must be a sequence of real numbers"):
        wavescan.lfilter(None, [1.0], x)
    with pytest.raises(ValueError, match="'zi' must have the shape"):
        wavescan.lfilter([1.0], [1.0, 0.5], x, zi=np.zeros((3, 2)))
    with pytest.raises(ValueError, match="'offsets' and 'heads'"):
        wavescan.segmented_scan(x[0])
    with pytest.raises(TypeError, match="'condition' must be of bool"):
        wavescan.compress(np.zeros(3), np.zeros(3))
    with pytest.raises(ValueError, match="'image' must have 2 dimensions"):
        wavescan.integral_image(np.zeros(3))
    with pytest.raises(ValueError, match="'gap_open'"):
        wavescan.align("A", "A", gap_open=1, gap_extend=2)
    with pytest.raises(TypeError, match="'query' must be str"):
        wavescan.align(3, "A")


def test_out_that_overlaps(rng):
    base = rng.standard_normal(100)
    with pytest.raises(ValueError, match="'out' must be 'in' itself|'out' must be 'x' itself"):
        wavescan.scan(base[:50], out=base[10:60])
    with pytest.raises(ValueError, match="itself"):
        wavescan.scan(base[:50], out=base[:50][::-1])
    matrix = rng.standard_normal((4, 5, 6))
    with pytest.raises(ValueError, match="itself"):
        wavescan.scan(matrix[:-1], out=matrix[1:])
    repeated = np.lib.stride_tricks.as_strided(base, (5, 5), (0, 8))
    with pytest.raises(ValueError, match="overlap|apart"):
        wavescan.scan(np.zeros((5, 5)), out=repeated)
    columns = rng.standard_normal((10, 2))  # neighbours that do not meet
    expected = np.cumsum(columns[:, 0])
    wavescan.scan(columns[:, 0], out=columns[:, 1])
    np.testing.assert_allclose(columns[:, 1], expected)


def test_two_libraries_do_not_mix():
    torch = pytest.importorskip("torch")
    with pytest.raises(TypeError, match="same library"):
        wavescan.linear_recurrence(torch.zeros(3), np.zeros(3))
    with pytest.raises(TypeError, match="'out' must be an array of numpy"):
        wavescan.scan(np.zeros(3), out=torch.zeros(3, dtype=torch.float64))
    with pytest.raises(TypeError, match="wavescan.torch"):
        wavescan.scan(torch.zeros(3, requires_grad=True))


def test_own_streams_of_cupy():
    cupy = pytest.importorskip("cupy")
    if wavescan.show_config("dicts")["device"] == "none":
        pytest.skip("needs a GPU")
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        x = cupy.ones(1 << 22)
        for _ in range(5):
            y = wavescan.scan(x)
            z = y + 1
    stream.synchronize()
    np.testing.assert_array_equal(cupy.asnumpy(z), np.arange(2, 2 + z.size))


ODD_ONES = [
    None, 0, -1, 3, 2**40, 2**70, 0.5, float("nan"), 1j, "add", b"AC", True, (), [1.0, 0.5], [[1.0] * 6], object(),
    np.array(1.0), np.zeros(0), np.ones(5), np.ones(5, np.float32), np.arange(5), np.ones(5, bool), np.ones((4, 5)),
    np.ones((4, 5), np.uint8), np.ones((3, 4, 5)), np.ones((4, 5), bool), np.ones((1,) * 20), np.ones(5, ">f8"),
    np.ones(5, complex), np.array(["a"]), np.ones((2, 0, 3)), np.ones(5)[::-1], np.broadcast_to(np.ones(1), (5,)),
    np.float64(2), np.array([0, 2, 5]), np.array([5, -2, 9]),
]  # fmt: skip


@pytest.mark.parametrize("name", sorted(n for n in wavescan.__all__ if inspect.isfunction(getattr(wavescan, n))))
def test_whatever_comes_in_nothing_worse_than_an_error(name, capsys):
    function, draw = getattr(wavescan, name), np.random.default_rng(sum(map(ord, name)))
    arguments = inspect.signature(function).parameters.values()
    for _ in range(60):
        given = {}
        for one in arguments:
            if one.kind is not one.VAR_KEYWORD and (one.default is one.empty or draw.random() < 0.4):
                given[one] = ODD_ONES[draw.integers(len(ODD_ONES))]
        try:
            function(
                *(v for one, v in given.items() if one.kind is one.POSITIONAL_ONLY),
                **{one.name: v for one, v in given.items() if one.kind is not one.POSITIONAL_ONLY},
            )
        except (TypeError, ValueError, MemoryError):
            pass


X = np.ones((3, 4))
MISTAKES = {  # what comes after the function's name
    "'axis' must be an integer, got str 'a'": lambda: wavescan.scan(X, axis="a"),
    "'reverse' must be True or False, got int 1": lambda: wavescan.linear_recurrence(X, X, reverse=1),
    "'op' must be a string, got int 3": lambda: wavescan.scan(X, 3),
    "'b' must be a sequence of real numbers": lambda: wavescan.lfilter("ab", [1.0], X),
    "'padlen' must be an integer or None, got ndarray": lambda: wavescan.filtfilt([1], [1], X, padlen=X),
    "'omega' must be a real number, got str 'x'": lambda: wavescan.sor(X, omega="x"),
    "'sweeps' must be a smaller integer, got 1099511627776": lambda: wavescan.sor(X, sweeps=2**40),
    "'condition' must not be None": lambda: wavescan.compress(None, X),
    "'range' must be two numbers": lambda: wavescan.integral_histogram(X.astype("f4"), range=3),
    "'mode' must be a string, got int 3": lambda: wavescan.align("A", "A", mode=3),
    "'match' must be an integer, got float 1.5": lambda: wavescan.align("A", "A", match=1.5),
    "'free_ends' must be a sequence or None": lambda: wavescan.align_score("A", "A", free_ends=3),
    "'free_ends' must be four bools, got 1": lambda: wavescan.align("A", "A", free_ends=[True]),
    "'queries' must be a string or a sequence": lambda: wavescan.align_many(3, "A"),
    "'rows' must be an integer": lambda: wavescan.optimal_omega("a", 3),
    "data type": lambda: wavescan.integral(X, sdepth="add"),
    "'offsets' must ascend from 0 to the length of 'x' (4), got 7 at 1": lambda: wavescan.segmented_scan(
        X[0], offsets=np.array([0, 7])
    ),
    "got 2 at 2": lambda: wavescan.segmented_reduce(X[0], offsets=np.array([0, 3, 2, 4])),
    "got 1 at 0": lambda: wavescan.segmented_linear_recurrence(X[0], X[0], offsets=np.array([1, 4])),
    "'range' must be whole numbers of 32 bits": lambda: wavescan.integral_histogram(
        X.astype("u1"), range=(0.5, 9)
    ),
    "'omega' must lie in (0, 2), got -1": lambda: wavescan.sor(X, omega=-1),
    "'channel_axis' must be from -3 to 2": lambda: wavescan.inpaint_harmonic(
        X[None], X > 2, channel_axis=5
    ),
    "'padlen' must not be negative, got -5": lambda: wavescan.filtfilt([1.0], [1.0], X, padlen=-5),
    "'out' must have no elements that overlap": lambda: wavescan.scan(
        X, out=np.lib.stride_tricks.as_strided(np.ones(1), (3, 4), (0, 0))
    ),
    "'gap_open' must have a penalty": lambda: wavescan.align("A", "A", gap_open=0, gap_extend=0),
    "'references' must have as many": lambda: wavescan.align_many(["A"] * 3, ["A"] * 2),
}


@pytest.mark.parametrize("wanted", MISTAKES)
def test_errors_name_function_and_argument(wanted):
    with pytest.raises((TypeError, ValueError), match=r"wavescan\.\w+: ") as caught:
        MISTAKES[wanted]()
    assert wanted in str(caught.value)


def test_calls_that_do_not_fit_are_told_as_python_does():
    with pytest.raises(TypeError, match=r"scan\(\) got an unexpected keyword argument 'along'"):
        wavescan.scan(X, along=1)


def test_arrays_that_begin_between_elements():
    for n in [5, 3000, 300_000]:
        x, y = (np.frombuffer(bytearray(8 * n + 8), np.float64, n, offset=3) for _ in range(2))
        x[:] = 1
        np.testing.assert_array_equal(wavescan.scan(x, out=y), np.arange(1, n + 1))
        assert wavescan.lfilter([1.0], [1.0, -0.5], x, out=y)[-1] == pytest.approx(2, abs=0.1)
        assert wavescan.compress(x > 0, x, out=y).sum() == n
        square = x.reshape(5, -1)
        assert wavescan.integral_image(square)[-1, -1] == n


@pytest.mark.parametrize("dtype", [">f4", ">f8", ">i4", ">i8", ">c16", ">u2"])
def test_other_byte_orders_are_refused(dtype):
    x = np.ones(8, dtype)
    for call in [
        lambda: wavescan.scan(x),
        lambda: wavescan.scan(np.ones(8), out=x),
        lambda: wavescan.lfilter([1.0], [1.0, 0.5], x),
        lambda: wavescan.compress(np.ones(8, bool), x),
        lambda: wavescan.segmented_scan(np.ones(8), offsets=x),
        lambda: wavescan.unique_consecutive(x, True),
    ]:
        with pytest.raises(TypeError, match="native byte order"):
            call()
