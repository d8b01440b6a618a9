# SPDX-License-Identifier: Apache-2.0
"""`dtype`, `initial`, `where` and `bias`: what elements and results become, of every library's arrays."""

import numpy as np
import pytest
import tally

from .arrays import bits

TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
         "float32", "float64"]


def some(dtype):
    """Numbers that every type has but for their size, and its own ends."""
    if dtype == "bool":
        return np.array([True, False, True])
    ends = np.iinfo(dtype) if np.dtype(dtype).kind in "iu" else np.finfo(dtype)
    small = np.arange(100) / 4 if np.dtype(dtype).kind == "f" else np.arange(100)
    return np.concatenate([small.astype(dtype), np.array([ends.max, ends.min, 1], dtype)])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("to", TYPES[1:])
def test_elements_are_converted_as_numpy_does(dtype, to):
    x = some(dtype)
    if np.dtype(dtype).kind == "f" and np.dtype(to).kind in "iu":  # NumPy has no rule beyond a type
        ends = np.iinfo(to)
        x = x[(x.astype("f8") > ends.min) & (x.astype("f8") < ends.max)]
    with np.errstate(all="ignore"):
        want = x.astype(to)
        if dtype in ("int64", "uint64") and to == "float16":
            want = x.astype(np.float64).astype(to)
    found = tally.cumulative_max(tally.sum(x, axis=(), dtype=to))
    assert found.dtype == to
    assert (bits(found) == bits(np.maximum.accumulate(want))).all()
    if to in ("int64", "uint64", "float16", "float32", "float64"):
        few = np.array([1, 2, 1, 4, 8]).astype(dtype)
        assert (tally.cumulative_prod(few, dtype=to) == np.cumprod(few, dtype=to)).all()


def test_products_of_narrow_integers():
    x = np.array([3, 50, 7, 9], np.int8)
    assert tally.cumulative_prod(x, dtype="int8").tolist() == np.cumprod(x, dtype="int8").tolist()
    assert tally.cumulative_prod(x, dtype="uint16", segments=[0, 2, 3]).tolist() == [3, 150, 7, 0]
    found = tally.cumulative_prod(x, dtype="int16", include_initial=True, reverse=True)
    assert found.tolist() == [9450, 3150, 63, 9, 1]


def test_beyond_integers_there_are_the_nearest_ones():
    x = np.array([np.inf, -np.inf, np.nan, 1e30, -1.9])
    assert tally.sum(x, axis=(), dtype="int8").tolist() == [127, -128, 0, 127, -1]
    assert tally.sum(x, axis=(), dtype="uint64").tolist() == [2**64 - 1, 0, 0, 2**64 - 1, 0]


INT8, FLOATS = np.array([100, 27, 3], np.int8), np.array([1.5, 2.5, np.nan], np.float32)
LARGE = np.array([2**62] * 3)
RIGHT = {
    "tally.sum(INT8, initial=1000)": np.int64(1130),
    "tally.sum(INT8, initial=2**63 - 1)": np.int64(130 + 2**63 - 1 - 2**64),
    "tally.sum(INT8, dtype='i1')": np.int8(-126),
    "tally.sum(INT8, dtype='i1', where=[True, False, False])": np.int8(100),
    "tally.sum(INT8, dtype='i1', initial=100)": np.int8(-26),
    "tally.sum(FLOATS, dtype=int)": np.int64(3),
    "tally.sum(FLOATS[:2], dtype='<f8', initial=1e-17)": np.float64(4),
    "tally.sum(np.float32([1, -1]), dtype='f8', initial=1e-17)": np.float64(1e-17),
    "tally.sum(np.float64([1e300, -1e300, 1]), dtype='f4', initial=-1)": np.float32(0),
    "tally.sum(LARGE, initial=1, dtype=float)": np.float64(3 * 2.0**62),
    "tally.sum(LARGE, initial=np.int8(1), dtype=float)": np.float64(3 * 2.0**62),
    "tally.sum(INT8, initial=0.5, dtype=float)": np.float64(130.5),
    "tally.sum([True, True], initial=3)": np.int64(5),
    "tally.sum(np.float32([]), initial=2)": np.float32(2),
    "tally.prod([2, 3], initial=7)": np.int64(42),
    "tally.prod(INT8, dtype=float, initial=0.5)": np.float64(4050),
    "tally.prod(FLOATS[:2], dtype='float64')": np.float64(3.75),
    "tally.max(INT8, initial=120)": np.int8(120),
    "tally.min(INT8, where=[False, True, False], initial=120)": np.int8(27),
    "tally.max(np.float32([]), initial=-np.inf)": np.float32(-np.inf),
    "tally.mean(FLOATS, where=[True, True, False])": np.float32(2),
    "tally.std(FLOATS, where=[True, False, False])": np.float32(0),
    "tally.any(FLOATS * 0, where=[True, True, False])": np.False_,
    "tally.any(FLOATS * 0, where=[True, True, True])": np.True_,
    "tally.sum(np.float32(3), where=False)": np.float32(0),
    "tally.dot([1, 2], [3, 4], dtype=float)": np.float64(11),
    "tally.sum(np.ones(3, [('a', 'i1'), ('b', 'f8')])['b'])": np.float64(3),
}


@pytest.mark.parametrize("call", RIGHT)
def test_results_and_their_types(call):
    found, want = eval(call), RIGHT[call]
    assert found.dtype == want.dtype and bits(found) == bits(want)


WRONG = {
    "tally.max(INT8, initial=1000)": (ValueError, "max: initial = 1000 is no int8"),
    "tally.sum(INT8, initial=0.5)": (ValueError, "sum: initial = 0.5 is no int64"),
    "tally.sum(INT8, initial=2**64)": (ValueError, "sum: initial = 18446744073709551616 is beyond 64 bits"),
    "tally.sum(LARGE, initial=0.5, dtype=float)": (ValueError, "sum: initial = 0.5 is no integer, as x's"),
    "tally.sum(INT8, initial='a')": (TypeError, "sum: initial is a str"),
    "tally.sum(INT8, initial=[1, 2])": (ValueError, r"sum: initial = \[1, 2\] is no number"),
    "tally.sum(FLOATS, dtype=int, nan='skip')": (TypeError, "sum: nan='skip' is not for dtype = int64"),
    "tally.mean(INT8, dtype=int)": (TypeError, "mean: there are no results of dtype = int64"),
    "tally.max(INT8, where=[True, False, True])": (ValueError, "max: where may leave no element"),
    "tally.sum(INT8, where=np.ones((2, 3), bool))": (ValueError, r"sum: where has the shape \(2, 3\), and x \(3,\)"),
    "tally.top_k(INT8, 1, bias=[0.5, 1, 2])": (TypeError, "top_k: bias holds float64, and x int8"),
    "tally.top_k(INT8, 1, bias=[1, 2])": (ValueError, r"top_k: bias has the shape \(2,\), and x \(3,\)"),
    "tally.sum(INT8, where=True, out=np.zeros(2, 'i8'))": (ValueError, "sum: out has another shape"),
    "tally.sum(INT8, dtype='i1', out=np.zeros((), 'i8'))": (TypeError, "sum: out holds int64, results are int8"),
    "tally.cumulative_sum(FLOATS, dtype=int, nan='skip')": (TypeError, "cumulative_sum: nan='skip' is not"),
}


@pytest.mark.parametrize("call", WRONG)
def test_what_is_wrong_is_named(call):
    kind, text = WRONG[call]
    with pytest.raises(kind, match=text):
        eval(call)


def test_results_go_where_out_says():
    x, mask = np.arange(12, dtype=np.int16).reshape(3, 4), np.tri(3, 4, dtype=bool)
    out = np.full((4, 1, 2), -7, np.int32)[:, :, ::2].transpose(2, 1, 0)
    kept = out[0, 0]
    found = tally.sum(x, axis=0, keepdims=True, where=mask, initial=10, dtype="i4", out=np.zeros((1, 4), "i4"))
    assert tally.sum(x, axis=0, where=mask, initial=10, dtype="i4", out=kept) is kept
    assert (kept == (x * mask).sum(0) + 10).all() and (found[0] == kept).all()


def makers():
    """Functions that make some library's array of NumPy's, and the types whose results come back."""
    yield pytest.param(lambda x: x, np.ndarray, id="numpy")
    for name, make, kind in (
            ("torch", lambda m: m.from_numpy, lambda m: m.Tensor),
            ("jax.numpy", lambda m: m.asarray, lambda m: m.ndarray),
            ("array_api_strict", lambda m: m.asarray, lambda m: type(m.asarray(1))),
            ("pandas", lambda m: m.Series, lambda m: np.ndarray),
            ("polars", lambda m: m.Series, lambda m: np.ndarray),
            ("pyarrow", lambda m: m.array, lambda m: np.ndarray)):
        try:
            module = __import__(name, fromlist=["x"])
        except ImportError:
            continue
        yield pytest.param(make(module), kind(module), id=name)


@pytest.mark.parametrize("make, kind", makers())
def test_every_library_has_them(make, kind):
    x, mask = np.float32([3, 1, 4, 1, 5]), np.array([True, False, True, True, False])
    y = make(x.copy())

    def check(found, want):
        if not np.isscalar(found):
            assert isinstance(found, kind) or np.ndim(want) == 0
        assert (np.asarray(found) == want).all()

    check(tally.sum(y, where=make(mask), initial=2), 10)
    check(tally.sum(y, axis=0, keepdims=True, where=make(mask)), [8])
    check(tally.min(y, initial=0), 0)
    check(tally.prod(y, dtype="int32"), 60)
    check(tally.cumulative_sum(y, dtype="int32"), [3, 4, 8, 9, 14])
    check(tally.cumulative_prod(y), [3, 3, 12, 12, 60])
    best = tally.top_k(y, 2, bias=make(np.float32([0, 9, 0, 0, 0])))
    check(best.values, [1, 5]), check(best.indices, [1, 4])


def test_a_bias_and_nans_that_are_skipped():
    x = np.float32([[1, np.nan, 3], [np.nan, np.nan, 2]])
    values, indices = tally.top_k(x, 2, bias=np.float32([5, 0, 0]), nan="skip")
    assert indices.tolist() == [[0, 2], [2, -1]]
    assert values[0].tolist() == [1, 3] and values[1, 0] == 2


def test_nulls_are_left_out_or_an_error():
    pa = pytest.importorskip("pyarrow", reason="no Arrow")
    x, f = pa.array([1, None, 2**62, 5]), pa.array([1.5, None, 2.0])
    assert tally.sum(x, nan="skip", initial=3) == 2**62 + 9
    assert tally.sum(x, nan="skip", where=[True, True, False, True]) == 6
    assert tally.cumulative_prod(x, nan="skip").tolist() == [1, 1, 2**62, 5 * 2**62 - 2**64]
    assert tally.sum(f, where=[True, False, True]) == 3.5
    assert np.isnan(tally.sum(f, initial=1)) and tally.sum(f, initial=1, nan="skip") == 4.5
    assert tally.ExactSum(x, nan="skip").value == 2**62 + 6
    for call in (lambda: tally.sum(x, initial=3), lambda: tally.ExactSum(x), lambda: tally.Moments(x),
                 lambda: tally.sum([1, 2], segments=pa.array([0, None, 2]))):
        with pytest.raises(ValueError, match="nulls|missing"):
            call()


def test_elements_at_odd_addresses_are_read():
    torch = pytest.importorskip("torch", reason="no PyTorch")
    memory = torch.arange(41, dtype=torch.uint8)
    for x in (np.frombuffer(memory.numpy().tobytes(), np.float64, 5, 1), memory.numpy()[1:].view("u4"),
              memory.numpy()[1:].view("u4")[::-2]):
        assert bits(tally.sum(x)) == bits(tally.sum(x.copy()))
        assert (tally.cumulative_max(x) == np.maximum.accumulate(x)).all()
        assert bits(tally.sum(torch.from_numpy(x.copy()))) == bits(tally.sum(x))


def test_jax_arrays_never_change():
    jnp = pytest.importorskip("jax.numpy", reason="no JAX")
    out = jnp.zeros(3, jnp.float32)
    with pytest.raises(ValueError, match="cumulative_sum: out cannot be written"):
        tally.cumulative_sum(jnp.arange(3, dtype=jnp.float32), out=out)
    assert out.tolist() == [0, 0, 0]


def test_flags_are_whatever_is_true_or_false():
    assert tally.sum([1.0], keepdims=np.True_).shape == tally.sum([1.0], keepdims=1).shape == (1,)
    assert tally.top_k([3, 1, 2], 2, sorted=0).indices.tolist() == [0, 2]
    assert tally.cumulative_sum([1, 2], exclusive=1).tolist() == [0, 1]
    for exclusive in (2, np.True_):
        running = tally.Scanner(exclusive=exclusive)
        assert tally.Scanner.from_bytes(running.to_bytes()).scan([1, 2]).tolist() == [0, 1]
    with pytest.raises(TypeError, match="set_threads: count = 2.0 is no integer"):
        tally.set_threads(2.0)
    for ddof in (-1, 0.5, float("inf")):
        with pytest.raises(ValueError, match="var: ddof = "):
            tally.var([1.0], ddof=ddof)


def test_classes_may_come_and_go():
    import gc
    import weakref
    last = None
    for _ in range(600):
        class Own(np.ndarray):
            pass
        assert tally.sum(np.ones(2).view(Own)) == 2
        last = weakref.ref(Own)
        del Own
    gc.collect()
    assert last() is None


def test_integers_are_not_rounded_before_their_products():
    a, b = np.array([2**24 + 1, -2**24], np.int32), np.ones(2, np.int32)
    for dtype in ("float16", "float32", "float64"):
        found = tally.dot(a, b, dtype=dtype)
        assert found == 1 and found.dtype == dtype
        assert tally.dot(a, b, dtype=dtype, segments=[0, 2]).tolist() == [1]
    assert tally.dot(a.astype(np.int64), b.astype(np.int64), dtype="float32") == 1


def test_bools_of_any_bytes_are_true_unless_they_are_zero():
    given = np.array([2, 0, 255, 1] * 9, np.uint8).view(bool)
    plain = given.view(np.uint8) != 0
    for x, y in ((given, plain), (given[::-2], plain[::-2]), (given.reshape(6, 6).T, plain.reshape(6, 6).T)):
        for name in ("sum", "mean", "var", "argmax", "count_nonzero", "cumulative_sum"):
            axis = {"axis": 0} if name == "cumulative_sum" else {}
            assert np.array_equal(getattr(tally, name)(x, **axis), getattr(tally, name)(y, **axis)), name
        assert tally.sum(np.ones(x.shape), where=x) == y.sum()
        assert np.array_equal(tally.top_k(x, 3).indices, tally.top_k(y, 3).indices)
    out = given[:2].copy()
    assert tally.any(np.array([[0, 1], [0, 0]]), axis=1, out=out) is out and out.tolist() == [True, False]
