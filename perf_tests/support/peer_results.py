# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""What the programs that time other packages share: results as the benchmark programs write them."""
import json
import sys


class Results:
    """Benchmarks with the counters of the benchmark programs.

    With a path they are written after each, lest a time limit takes them all; without one to
    standard output, by `finish`.
    """

    def __init__(self, path, **context):
        self.path = path
        self.context = context
        self.benchmarks = []

    def add(self, name, seconds, floor, moved):
        """Adds a call's time beside that of a copy (floor) of as many bytes (moved)."""
        us = seconds * 1e6
        self.benchmarks.append({"name": name, "run_type": "iteration", "real_time": us,
                                "time_unit": "us", "us": us, "floor_us": floor * 1e6,
                                "GB/s": moved / seconds / 1e9, "of_copy": floor / seconds})
        print(f"{name:70} {us:12.2f} us {moved / seconds / 1e9:8.1f} GB/s"
              f" {floor / seconds:.4f} of copy", file=sys.stderr, flush=True)
        if self.path:
            with open(self.path, "w", encoding="utf-8") as file:
                self._write(file)

    def finish(self):
        if not self.path:
            self._write(sys.stdout)

    def _write(self, file):
        json.dump({"context": self.context, "benchmarks": self.benchmarks}, file, indent=1)

    def packages(self, names, known):
        """Those of the named packages that work here; their versions go to the context."""
        for name in names.split(","):
            try:
                package = known[name]()
            except Exception as error:  # pylint: disable=broad-except; each package has its own
                print(f"{name} left out: {error}", file=sys.stderr)
                continue
            self.context[name] = package.name()
            yield package
