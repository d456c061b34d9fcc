# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Operators for PyTorch: values, gradients, gradients of gradients, compilation."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from torch import library as torch_library  # noqa: E402

import wavescan  # noqa: E402
import wavescan.torch as wt  # noqa: E402

DEVICES = ["cpu"]
if torch.cuda.is_available() and wavescan.show_config("dicts")["device"] != "none":
    DEVICES.append("cuda")


@pytest.fixture(params=DEVICES)
def device(request):
    torch.manual_seed(5)
    return request.param


def tensor(*shape, device, dtype=torch.float64):
    return torch.randn(*shape, dtype=dtype, device=device, requires_grad=True)


def check(function, *inputs):
    assert torch.autograd.gradcheck(function, inputs)
    assert torch.autograd.gradgradcheck(function, inputs)


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, -1])
def test_gradients_of_recurrences(device, dtype, reverse, axis):
    a, x = tensor(3, 5, device=device, dtype=dtype), tensor(3, 5, device=device, dtype=dtype)
    check(lambda a, x: wt.linear_recurrence(a, x, axis=axis, reverse=reverse), a, x)


def test_gradients_of_initial_states_and_resets(device):
    a, x, first = (tensor(*s, device=device) for s in [(3, 6), (3, 6), (3,)])
    check(lambda a, x, f: wt.linear_recurrence(a, x, initial=f), a, x, first)
    check(lambda a, x, f: wt.linear_recurrence(a, x, initial=f, reverse=True), a, x, first)
    heads = torch.tensor([False, False, True, False, True, False], device=device)
    check(lambda a, x: wt.linear_recurrence(a, x, heads=heads), a, x)
    y = wt.linear_recurrence(a, x, heads=heads)
    torch.testing.assert_close(y[:, 2], x[:, 2])


def test_coefficients_are_broadcast(device):
    a, x = tensor(5, device=device), tensor(2, 3, 5, device=device)
    check(lambda a, x: wt.linear_recurrence(a, x), a, x)
    check(lambda x: wt.linear_recurrence(0.5, x), x)


def test_gradients_of_sums(device):
    check(lambda x: wt.cumulative_sum(x, 0), tensor(4, 3, device=device))
    check(lambda x: wt.cumulative_sum(x, reverse=True), tensor(4, device=device))


def test_gradients_of_filters(device):
    b = torch.tensor([0.3, 0.2, 0.1], dtype=torch.float64, requires_grad=True)
    a = torch.tensor([1.5, -0.5, 0.2], dtype=torch.float64, requires_grad=True)
    check(lambda b, a, x: wt.lfilter(b, a, x), b, a, tensor(2, 7, device=device))
    check(lambda b, a, x: wt.lfilter(b, a, x, 0), b, a, tensor(7, 2, device=device))
    sos = torch.tensor([[0.3, 0.2, 0.1, 1, -0.5, 0.2], [1, 0.5, 0, 1, 0.3, 0]], dtype=torch.float64)
    sos.requires_grad_()
    check(lambda s, x: wt.sosfilt(s, x), sos, tensor(2, 7, device=device))
    with torch.no_grad():
        x = torch.randn(2, 50, dtype=torch.float64, device=device)
        torch.testing.assert_close(
            wt.sosfilt(sos, x), wt.lfilter(sos[1, :3], sos[1, 3:], wt.lfilter(sos[0, :3], sos[0, 3:], x))
        )


def test_gradients_of_complex_signals(device):
    b = torch.tensor([0.3, 0.2], dtype=torch.float64, requires_grad=True)
    a = torch.tensor([1.0, -0.5], dtype=torch.float64, requires_grad=True)
    check(lambda b, a, x: wt.lfilter(b, a, x), b, a, tensor(6, device=device, dtype=torch.complex128))


def test_gradients_of_tridiagonal_systems(device):
    dl, du, b = (tensor(2, 5, device=device) for _ in range(3))
    d = (torch.randn(2, 5, dtype=torch.float64, device=device) + 6).requires_grad_()
    check(wt.solve_tridiagonal, dl, d, du, b)
    check(lambda dl, d, du, b: wt.solve_tridiagonal(dl, d, du, b), dl[0].detach().requires_grad_(),
          d[0].detach().requires_grad_(), du[0].detach().requires_grad_(), b)


def test_operators_are_what_pytorch_wants(device):
    opcheck = torch_library.opcheck
    a, x = tensor(3, 5, device=device), tensor(3, 5, device=device)
    opcheck(wt._recurrence, (a, x, 1, False))
    opcheck(wt._sum, (x, 0, True))
    b = torch.tensor([0.3, 0.2], dtype=torch.float64, requires_grad=True)
    opcheck(wt._filter, (b, b, x, 1, False))
    opcheck(wt._solve, (a, x + 9, a, x, 1, False))


def test_compiled(device):
    a, x = tensor(3, 50, device=device), tensor(3, 50, device=device)

    def loss(a, x):
        return (wt.linear_recurrence(torch.sigmoid(a), x) ** 2).sum()

    expected = loss(a, x)
    gradients = torch.autograd.grad(expected, (a, x))
    compiled = torch.compile(loss, backend="aot_eager", fullgraph=True)
    torch.testing.assert_close(compiled(a, x), expected)
    for ours, theirs in zip(torch.autograd.grad(compiled(a, x), (a, x)), gradients):
        torch.testing.assert_close(ours, theirs)


def test_own_streams(device):
    if device == "cpu":
        pytest.skip("needs a GPU")
    stream = torch.cuda.Stream()
    x = torch.randn(1 << 22, device=device)
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        for _ in range(5):
            y = wavescan.scan(x)
            z = y + 1
    stream.synchronize()
    torch.testing.assert_close(z, torch.cumsum(x, 0) + 1, rtol=1e-3, atol=1e-1)


def test_values(device):
    x = torch.randn(4, 100, dtype=torch.float64, device=device)
    expected = np.cumsum(x.cpu().numpy(), axis=1)
    np.testing.assert_allclose(wavescan.scan(x).cpu().numpy(), expected)
    np.testing.assert_allclose(wavescan.scan(x.T, axis=0).cpu().numpy(), expected.T)
