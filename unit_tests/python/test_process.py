# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Threads, forks and the end of the interpreter."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import wavescan


def run(program):
    """Runs a program in an interpreter of its own; it must end by itself, without a word."""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.strip()


def test_two_threads(rng):
    x = rng.standard_normal((50, 4000))
    expected = np.cumsum(x, axis=1)
    failures = []

    def work():
        for _ in range(20):
            if not np.allclose(wavescan.scan(x), expected):
                failures.append(1)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_the_lock_is_released():
    """While a call runs, another thread of Python goes on."""
    out = run(
        "import threading, time, numpy as np, wavescan\n"
        "x = np.ones(30_000_000); y = np.empty_like(x); wavescan.scan(x, out=y)\n"
        "ticks = []\n"
        "stop = threading.Event()\n"
        "def tick():\n"
        "    while not stop.is_set(): ticks.append(time.perf_counter()); time.sleep(0)\n"
        "thread = threading.Thread(target=tick); thread.start()\n"
        "begin = time.perf_counter(); wavescan.scan(x, out=y); end = time.perf_counter()\n"
        "stop.set(); thread.join()\n"
        "print(sum(begin < t < end for t in ticks) > 0)"
    )
    assert out == "True"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_after_use_is_told():
    out = run(
        "import os, warnings, numpy as np, wavescan\n"
        "warnings.simplefilter('ignore')\n"
        "x = np.ones(1_000_000); wavescan.scan(x)\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    try: wavescan.scan(x)\n"
        "    except RuntimeError as error: os._exit(7 if 'forked' in str(error) else 8)\n"
        "    os._exit(9)\n"
        "status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])\n"
        "wavescan.scan(x)\n"
        "print(status)"
    )
    assert out == "7"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_before_use_works():
    out = run(
        "import os, warnings, numpy as np, wavescan\n"
        "warnings.simplefilter('ignore')\n"
        "child = os.fork()\n"
        "assert wavescan.scan(np.ones(1_000_000))[-1] == 1_000_000\n"
        "if child != 0: print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))"
    )
    assert out == "0"


def test_exit_with_live_arrays():
    run(
        "import numpy as np, wavescan\n"
        "class Late:\n"
        "    def __init__(self): self.x = wavescan.scan(np.ones(100_000))\n"
        "    def __del__(self):\n"
        "        try: wavescan_scan(self.x)\n"
        "        except Exception: pass\n"
        "wavescan_scan = wavescan.scan\n"
        "late = Late()"
    )


def test_exit_while_threads_are_in_calls():
    run(
        "import threading, time, numpy as np, wavescan\n"
        "x = np.ones(3_000_000); y = np.empty_like(x)\n"
        "def work():\n"
        "    while True:\n"
        "        try: wavescan.scan(x, out=y)\n"
        "        except RuntimeError: return\n"
        "for _ in range(3): threading.Thread(target=work, daemon=True).start()\n"
        "time.sleep(0.2)"
    )


def test_after_shut_down():
    out = run(
        "import numpy as np, wavescan\n"
        "wavescan.scan(np.ones(3)); wavescan._core.shut_down(); wavescan._core.shut_down()\n"
        "try: wavescan.scan(np.ones(3))\n"
        "except RuntimeError as error: print('shutting down' in str(error))"
    )
    assert out == "True"


def test_two_users_of_openmp():
    pytest.importorskip("torch")
    run(
        "import numpy as np, torch, wavescan\n"
        "for _ in range(5):\n"
        "    torch.randn(500, 500) @ torch.randn(500, 500)\n"
        "    wavescan.scan(np.ones((100, 10_000)))"
    )


def test_config():
    found = wavescan.show_config("dicts")
    assert found["initialized_by"] == "wavescan" and int(found["threads"]) >= 1
