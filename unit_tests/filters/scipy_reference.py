#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
"""Writes SciPyReference.hpp: what SciPy makes of a signal. Needs NumPy and SciPy.

usage: scipy_reference.py > SciPyReference.hpp
"""
import numpy
import scipy
from scipy import signal


def values(x):
    return "{" + ", ".join(f"{float(v):.17g}" for v in numpy.ravel(x)) + "}"


x = numpy.cos(0.9 * numpy.arange(61)) + 0.03 * numpy.arange(61) + 0.5 * (numpy.arange(61) % 7 == 3)
filters = [
    signal.butter(3, 0.2),
    signal.ellip(4, 1, 40, [0.2, 0.5], "bandpass"),  # order 8
    ([2.0, 1.0, 0.5, 0.25], [4.0, -1.0]),
    ([0.5], [1.0, -0.3, 0.2]),
]
cascades = [
    signal.butter(2, 0.3, output="sos"),
    signal.cheby1(7, 0.5, 0.35, output="sos"),  # a section of order one
    signal.ellip(9, 1, 60, [0.2, 0.6], "bandpass", output="sos"),  # nine sections
]

# REUSE-IgnoreStart
print("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")
print("// SPDX-FileCopyrightText: Copyright WaveScan contributors")
# REUSE-IgnoreEnd
print(f"// Written by scipy_reference.py with SciPy {scipy.__version__}.")
print("// clang-format off")
print("#ifndef WAVESCAN_TEST_FILTERS_SCIPYREFERENCE_HPP")
print("#define WAVESCAN_TEST_FILTERS_SCIPYREFERENCE_HPP")
print("#include <WaveScan_Filter.hpp>\n#include <vector>\nnamespace filters::scipy {")
print("using Values = std::vector<double>;")
print("struct FilterValues {\n  Values b, a, lfilter, zi, lfilter_from_zi, zf, lfiltic, filtfilt,"
      "\n      filtfilt_even, filtfilt_constant, filtfilt_none;\n};")
print("struct CascadeValues {\n  std::vector<wavescan::FilterSection> sos;\n"
      "  Values sosfilt, zi, sosfiltfilt;\n};")
print(f"inline const Values signal{values(x)};")
print("inline const std::vector<FilterValues> filters{")
for b, a in filters:
    zi = signal.lfilter_zi(b, a)
    y, zf = signal.lfilter(b, a, x, zi=zi)
    rows = [b, a, signal.lfilter(b, a, x), zi, y, zf,
            signal.lfiltic(b, a, [1, 2, 3], [-1, 0.5]),
            signal.filtfilt(b, a, x),
            signal.filtfilt(b, a, x, padtype="even", padlen=7),
            signal.filtfilt(b, a, x, padtype="constant", padlen=50),
            signal.filtfilt(b, a, x, padtype=None)]
    print("    {" + ",\n     ".join(values(r) for r in rows) + "},")
print("};\ninline const std::vector<CascadeValues> cascades{")
for sos in cascades:
    rows = [signal.sosfilt(sos, x), signal.sosfilt_zi(sos), signal.sosfiltfilt(sos, x)]
    print("    {{" + ", ".join(values(s) for s in sos) + "},\n     " +
          ",\n     ".join(values(r) for r in rows) + "},")
print("};\n}  // namespace filters::scipy\n#endif")
