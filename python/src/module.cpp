// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#include "capsule.hpp"
#include "operations.hpp"
#include "runtime.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

/// @file
/// @brief The module wavescan._core: capsules and numbers in, no results but what is no array. The
/// Python files beside it make arrays, capsules and streams.

namespace nb = nanobind;

namespace wavescan::python {
namespace {

using Release = nb::gil_scoped_release;
using Maybe = std::optional<nb::handle>;  ///< what may be None

void bind_scans(nb::module_& m) {
  m.def("scan",
        [](const char* function, std::string_view op, nb::handle x, nb::handle out,
           std::int64_t axis, bool exclusive, bool reverse, Maybe initial, std::uintptr_t stream) {
          const Array from = array_of(function, "x", x), to = array_of(function, "out", out);
          const auto start = optional_number_of(function, "initial", initial);
          const Release release;
          scan(function, op, from, to, {axis, exclusive, reverse}, start, stream);
        });
  m.def("weighted_scan",
        [](const char* function, std::string_view algebra, nb::handle x, Maybe weight,
           Maybe weights, nb::handle out, std::int64_t axis, bool exclusive, bool reverse,
           Maybe initial, Maybe initials, std::uintptr_t stream) {
          const Array from = array_of(function, "x", x), to = array_of(function, "out", out);
          const auto w = optional_number_of(function, "a", weight);
          const auto ws = optional_array_of(function, "a", weights);
          const auto start = optional_number_of(function, "initial", initial);
          const auto starts = optional_array_of(function, "initial", initials);
          const Release release;
          weighted_scan(function, algebra, from, w, ws, to, {axis, exclusive, reverse}, start,
                        starts, stream);
        });
}

void bind_filters(nb::module_& m) {
  m.def("lfilter", [](const Coefficients& b, const Coefficients& a, nb::handle x, nb::handle out,
                      Maybe zi, Maybe zf, std::int64_t axis, bool reverse, std::uintptr_t stream) {
    const Array from = array_of("lfilter", "x", x), to = array_of("lfilter", "out", out);
    const auto in = optional_array_of("lfilter", "zi", zi);
    const auto end = optional_array_of("lfilter", "zf", zf);
    const Release release;
    lfilter(b, a, from, to, in, end, axis, reverse, stream);
  });
  m.def("sosfilt", [](const Sections& sos, nb::handle x, nb::handle out, Maybe zi, Maybe zf,
                      std::int64_t axis, std::uintptr_t stream) {
    const Array from = array_of("sosfilt", "x", x), to = array_of("sosfilt", "out", out);
    const auto in = optional_array_of("sosfilt", "zi", zi);
    const auto end = optional_array_of("sosfilt", "zf", zf);
    const Release release;
    sosfilt(sos, from, to, in, end, axis, stream);
  });
  m.def("filtfilt", [](const Coefficients& b, const Coefficients& a, nb::handle x, nb::handle out,
                       std::int64_t axis, const std::string& padding, std::int64_t length,
                       std::uintptr_t stream) {
    const Array from = array_of("filtfilt", "x", x), to = array_of("filtfilt", "out", out);
    const Release release;
    filtfilt(b, a, from, to, axis, padding, length, stream);
  });
  m.def("sosfiltfilt", [](const Sections& sos, nb::handle x, nb::handle out, std::int64_t axis,
                          const std::string& padding, std::int64_t length, std::uintptr_t stream) {
    const Array from = array_of("sosfiltfilt", "x", x), to = array_of("sosfiltfilt", "out", out);
    const Release release;
    sosfiltfilt(sos, from, to, axis, padding, length, stream);
  });
  m.def("lfilter_zi", &lfilter_zi);
  m.def("sosfilt_zi", &sosfilt_zi);
  m.def("lfiltic", &lfiltic);
}

void bind_runtime(nb::module_& m) {
  m.def("shut_down", &shut_down);
  m.def("release_workspaces", &release_workspaces);
  m.def("configuration", &configuration);
  m.def("wait", [](int device, std::uintptr_t stream) {
    const Release release;
    wait({device >= 0, device, stream});
  });
}

}  // namespace

NB_MODULE(_core, m) {
  nb::set_leak_warnings(false);
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const TypeError& error) {
      PyErr_SetString(PyExc_TypeError, error.what());
    }
  });
  bind_runtime(m);
  bind_scans(m);
  bind_filters(m);
}

}  // namespace wavescan::python
