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

#include <chrono>
#include <thread>

/// @file
/// @brief The module wavescan._core: capsules of what comes in and of results, numbers, and the
/// stream; no results are returned but what is no array. The Python files beside it make arrays,
/// capsules and streams.

namespace nb = nanobind;

namespace wavescan::python {
namespace {

/// A call without the interpreter's lock. The end waits until it has taken the lock again: a thread
/// that wanted it later would be ended by the interpreter, in the middle of C++.
struct Release {
  InCall call;
  nb::gil_scoped_release release;
};
using Maybe = std::optional<nb::handle>;  ///< what may be None

void bind_scans(nb::module_& m) {
  m.def("scan",
        [](nb::handle x, nb::handle out, const char* function, std::string_view op,
           std::int64_t axis, bool exclusive, bool reverse, Maybe initial, std::uintptr_t stream) {
          const Array from = array_of(function, "x", x), to = array_of(function, "out", out);
          const auto start = optional_number_of(function, "initial", initial);
          const Release release;
          scan(function, op, from, to, {axis, exclusive, reverse}, start, stream);
        });
  m.def("weighted_scan",
        [](nb::handle x, Maybe weights, Maybe initials, nb::handle out, const char* function,
           std::string_view algebra, Maybe weight, std::int64_t axis, bool exclusive, bool reverse,
           Maybe initial, std::uintptr_t stream) {
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
  m.def("lfilter",
        [](nb::handle x, Maybe zi, nb::handle out, Maybe zf, const Coefficients& b,
           const Coefficients& a, std::int64_t axis, bool reverse, std::uintptr_t stream) {
          const Array from = array_of("lfilter", "x", x), to = array_of("lfilter", "out", out);
          const auto in = optional_array_of("lfilter", "zi", zi);
          const auto end = optional_array_of("lfilter", "zf", zf);
          const Release release;
          lfilter(b, a, from, to, in, end, axis, reverse, stream);
        });
  m.def("sosfilt", [](nb::handle x, Maybe zi, nb::handle out, Maybe zf, const Sections& sos,
                      std::int64_t axis, std::uintptr_t stream) {
    const Array from = array_of("sosfilt", "x", x), to = array_of("sosfilt", "out", out);
    const auto in = optional_array_of("sosfilt", "zi", zi);
    const auto end = optional_array_of("sosfilt", "zf", zf);
    const Release release;
    sosfilt(sos, from, to, in, end, axis, stream);
  });
  m.def("filtfilt", [](nb::handle x, nb::handle out, const Coefficients& b, const Coefficients& a,
                       std::int64_t axis, const std::string& padding, std::int64_t length,
                       std::uintptr_t stream) {
    const Array from = array_of("filtfilt", "x", x), to = array_of("filtfilt", "out", out);
    const Release release;
    filtfilt(b, a, from, to, axis, padding, length, stream);
  });
  m.def("sosfiltfilt", [](nb::handle x, nb::handle out, const Sections& sos, std::int64_t axis,
                          const std::string& padding, std::int64_t length, std::uintptr_t stream) {
    const Array from = array_of("sosfiltfilt", "x", x), to = array_of("sosfiltfilt", "out", out);
    const Release release;
    sosfiltfilt(sos, from, to, axis, padding, length, stream);
  });
  m.def("lfilter_zi", &lfilter_zi);
  m.def("sosfilt_zi", &sosfilt_zi);
  m.def("lfiltic", &lfiltic);
}

void bind_columns(nb::module_& m) {
  m.def("varying_recurrence", [](nb::handle x, nb::handle a, nb::handle out, std::int64_t axis,
                                 bool reverse, std::uintptr_t stream) {
    const char* const function = "linear_recurrence";
    const Array of = array_of(function, "a", a), from = array_of(function, "x", x),
                to = array_of(function, "out", out);
    const Release release;
    varying_recurrence(of, from, to, axis, reverse, stream);
  });
  m.def("solve_tridiagonal",
        [](nb::handle b, nb::handle dl, nb::handle d, nb::handle du, nb::handle out,
           std::int64_t axis, bool cyclic, bool transposed, std::uintptr_t stream) {
          const char* const function = "solve_tridiagonal";
          const Array lower = array_of(function, "dl", dl), diagonal = array_of(function, "d", d),
                      upper = array_of(function, "du", du), right = array_of(function, "b", b),
                      to = array_of(function, "out", out);
          const Release release;
          solve_tridiagonal(lower, diagonal, upper, right, to, axis, cyclic, transposed, stream);
        });
}

void bind_select(nb::module_& m) {
  m.def("compress", [](nb::handle x, nb::handle condition, nb::handle out, std::uintptr_t stream) {
    const Array flags = array_of("compress", "condition", condition),
                from = array_of("compress", "a", x), to = array_of("compress", "out", out);
    const Release release;
    return compress(flags, from, to, stream);
  });
  m.def("partition", [](nb::handle x, nb::handle condition, nb::handle out, std::uintptr_t stream) {
    const Array flags = array_of("partition", "condition", condition),
                from = array_of("partition", "a", x), to = array_of("partition", "out", out);
    const Release release;
    return partition(flags, from, to, stream);
  });
  m.def("unique_consecutive",
        [](nb::handle x, nb::handle out, Maybe inverse, Maybe counts, std::uintptr_t stream) {
          const char* const function = "unique_consecutive";
          const Array from = array_of(function, "x", x), to = array_of(function, "out", out);
          const auto runs = optional_array_of(function, "inverse", inverse);
          const auto lengths = optional_array_of(function, "counts", counts);
          const Release release;
          return unique_consecutive(from, to, runs, lengths, stream);
        });
}

void bind_segments(nb::module_& m) {
  m.def("segmented_scan",
        [](nb::handle x, Maybe offsets, Maybe heads, nb::handle out, std::string_view op,
           bool exclusive, bool reverse, Maybe initial, std::uintptr_t stream) {
          const char* const function = "segmented_scan";
          const Array from = array_of(function, "x", x), to = array_of(function, "out", out);
          const auto begins = optional_array_of(function, "offsets", offsets);
          const auto flags = optional_array_of(function, "heads", heads);
          const auto start = optional_number_of(function, "initial", initial);
          const Release release;
          segmented_scan(op, from, to, begins, flags, exclusive, reverse, start, stream);
        });
  m.def("segmented_recurrence", [](nb::handle x, nb::handle a, Maybe offsets, Maybe heads,
                                   nb::handle out, bool reverse, std::uintptr_t stream) {
    const char* const function = "segmented_linear_recurrence";
    const Array of = array_of(function, "a", a), from = array_of(function, "x", x),
                to = array_of(function, "out", out);
    const auto begins = optional_array_of(function, "offsets", offsets);
    const auto flags = optional_array_of(function, "heads", heads);
    const Release release;
    segmented_recurrence(of, from, to, begins, flags, reverse, stream);
  });
  m.def("segmented_reduce", [](nb::handle x, nb::handle offsets, nb::handle out,
                               std::string_view op, Maybe initial, std::uintptr_t stream) {
    const char* const function = "segmented_reduce";
    const Array from = array_of(function, "x", x), to = array_of(function, "out", out),
                begins = array_of(function, "offsets", offsets);
    const auto start = optional_number_of(function, "initial", initial);
    const Release release;
    segmented_reduce(op, from, to, begins, start, stream);
  });
}

void bind_images(nb::module_& m) {
  m.def("integral_image", [](nb::handle image, nb::handle out, const char* function,
                             bool zero_border, std::uintptr_t stream) {
    const Array from = array_of(function, "image", image), to = array_of(function, "out", out);
    const Release release;
    integral_image(function, from, to, zero_border, stream);
  });
  m.def("window_moments", [](nb::handle image, nb::handle mean, Maybe variance,
                             const char* function, std::int64_t radius, std::uintptr_t stream) {
    const Array from = array_of(function, "image", image), to = array_of(function, "out", mean);
    const auto second = optional_array_of(function, "variance", variance);
    const Release release;
    window_moments(function, from, radius, to, second, stream);
  });
  m.def("integral_histogram",
        [](nb::handle image, nb::handle out, double lower, double upper, std::uintptr_t stream) {
          const Array from = array_of("integral_histogram", "image", image),
                      to = array_of("integral_histogram", "out", out);
          const Release release;
          integral_histogram(from, lower, upper, to, stream);
        });
}

void bind_relaxation(nb::module_& m) {
  m.def("sor", [](nb::handle x, Maybe rhs, Maybe fixed, double omega, double h,
                  const std::string& order, int sweeps, std::uintptr_t stream) {
    const Array u = array_of("sor", "x", x);
    const auto right = optional_array_of("sor", "rhs", rhs);
    const auto mask = optional_array_of("sor", "fixed", fixed);
    const Release release;
    sor(u, right, mask, {omega, h, order}, sweeps, stream);
  });
  m.def("sor_solve", [](nb::handle x, Maybe rhs, Maybe fixed, const char* function, double omega,
                        double h, const std::string& order, double tolerance, double relative,
                        int max_sweeps, int check_every, std::uintptr_t stream) {
    const Array u = array_of(function, "x", x);
    const auto right = optional_array_of(function, "rhs", rhs);
    const auto mask = optional_array_of(function, "fixed", fixed);
    SolveResult result;
    {
      const Release release;
      result = sor_solve(function, u, right, mask, {omega, h, order},
                         {tolerance, relative, max_sweeps, check_every}, stream);
    }
    return nb::make_tuple(result.converged, result.reason, result.sweeps, result.history);
  });
  m.def("best_omega", &best_omega);
}

auto tuple_of(const AlignmentResult& r) {
  return nb::make_tuple(r.score, r.begin_a, r.end_a, r.begin_b, r.end_b, r.matches, r.mismatches,
                        r.gaps, r.gap_openings, r.cigar);
}

void bind_alignment(nb::module_& m) {
  nb::class_<AlignmentRules>(m, "AlignmentRules")
      .def("__init__", [](AlignmentRules* rules, int match, int mismatch, std::int64_t gap_open,
                          std::int64_t gap_extend, const std::string& matrix,
                          const std::string& mode, std::array<bool, 4> free_ends, bool on_device) {
        new (rules) AlignmentRules{match,  mismatch, gap_open,  gap_extend,
                                   matrix, mode,     free_ends, on_device};
      });
  m.def("align", [](const std::string& a, const std::string& b, const AlignmentRules& rules) {
    AlignmentResult result;
    {
      const Release release;
      result = align(a, b, rules);
    }
    return tuple_of(result);
  });
  m.def("align_score", &align_score, nb::call_guard<Release>());
  m.def("align_many", [](const std::vector<std::string>& a, const std::vector<std::string>& b,
                         const AlignmentRules& rules) {
    std::vector<AlignmentResult> results;
    {
      const Release release;
      results = align_many(a, b, rules);
    }
    nb::list all;
    for (const AlignmentResult& result : results) all.append(tuple_of(result));
    return all;
  });
  m.def("align_scores", &align_scores, nb::call_guard<Release>());
  m.def("format_alignment",
        [](std::int64_t score, const std::array<std::int64_t, 8>& n, const std::string& cigar,
           const std::string& a, const std::string& b, int width) {
          return format_alignment({score, n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], cigar}, a,
                                  b, width);
        });
}

void bind_runtime(nb::module_& m) {
  m.def("shut_down", [] {
    while (refuse_calls()) {
      const nb::gil_scoped_release release;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    shut_down();
  });
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
  bind_columns(m);
  bind_select(m);
  bind_segments(m);
  bind_images(m);
  bind_relaxation(m);
  bind_alignment(m);
}

}  // namespace wavescan::python
