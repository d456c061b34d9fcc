// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SELECT_SELECTCHECKS_HPP
#define WAVESCAN_IMPL_SELECT_SELECTCHECKS_HPP

#include <impl/WaveScan_Footprint.hpp>
#include <impl/WaveScan_Overlap.hpp>
#include <impl/WaveScan_Require.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace wavescan::Impl::select {

/// @brief The names of an operation's Views: one for all, or, where they are those of two
/// arguments, one for the first ones and one for the others.
class ArgumentName {
 public:
  ArgumentName(const char* name)  // NOLINT(google-explicit-constructor)
      : first_(name) {}
  ArgumentName(const char* first, std::size_t views, const char* others)
      : first_(first), views_(views), others_(others) {}
  std::string_view operator[](std::size_t view) const { return view < views_ ? first_ : others_; }

 private:
  std::string_view first_;
  std::size_t views_ = static_cast<std::size_t>(-1);  ///< of the first argument
  std::string_view others_;
};

/// @brief Views as memory, and what the operation calls them.
struct NamedArrays {
  ArgumentName name;
  std::span<const Footprint> arrays;

  /// @brief A View as errors call it.
  std::string text(std::size_t view) const {
    const std::string quoted = "'" + std::string(name[view]) + "'";
    return arrays.size() == 1 ? quoted : "View " + std::to_string(view) + " of " + quoted;
  }
};

/// @brief The arrays of a selection as memory: what is checked does not depend on their types.
struct Arrays {
  std::string_view operation;
  NamedArrays in, out, rejected;
  std::optional<Footprint> flags{}, count{};

  /// @brief Throws unless a plan for so many elements of so many bytes can select.
  void require_valid(std::int64_t elements, std::size_t unit_bytes) const {
    const Footprint& first = in.arrays.front();
    for (std::size_t k = 1; k < in.arrays.size(); ++k)
      require(
          in.arrays[k].extent[0] == first.extent[0], operation, in.name[k],
          "must be Views of the same number of elements (" + std::to_string(first.extent[0]) + ")",
          in.arrays[k].extent[0]);
    require(first.extent[0] <= elements, operation, in.name[0],
            "must hold at most the plan's " + std::to_string(elements) + " elements",
            first.extent[0]);
    std::size_t bytes = 0;
    for (const Footprint& one : in.arrays)
      bytes += one.element * (one.rank == 2 ? static_cast<std::size_t>(one.extent[1]) : 1);
    require(bytes <= unit_bytes, operation, in.name[0],
            "must have elements of at most the plan's " + std::to_string(unit_bytes) + " bytes",
            bytes);
    require_columns(out);
    require_columns(rejected);
    if (flags)
      require(flags->extent[0] == first.extent[0], operation, "predicate",
              "must hold a flag for each of " + std::to_string(first.extent[0]) + " elements",
              flags->extent[0]);
    if (count)
      require(count->begin != 0, operation, "count", "must be allocated", "a View without memory");
    require_memory();
  }

 private:
  void require_columns(const NamedArrays& to) const {
    for (std::size_t k = 0; k < to.arrays.size(); ++k) {
      const Footprint& from = in.arrays[k];
      if (from.rank == 2 && to.arrays[k].extent[1] != from.extent[1])
        reject(
            operation, to.name[k],
            "must have the columns of " + in.text(k) + " (" + std::to_string(from.extent[1]) + ")",
            std::to_string(to.arrays[k].extent[1]));
    }
  }

  /// @brief Returns as many elements of `a` as both have.
  static Footprint common(const Footprint& a, const Footprint& b) {
    Footprint extents = b;
    extents.extent[0] = std::min(a.extent[0], b.extent[0]);
    return a.within(extents);
  }

  /// @brief Requires that outputs are the inputs, element for element, or other memory.
  void require_memory() const {
    const auto require_apart = [&](const NamedArrays& a, std::size_t i, const NamedArrays& b,
                                   std::size_t j, bool may_be_same) {
      const Footprint written = common(b.arrays[j], in.arrays[i]);
      if (may_be_same) {
        if (!same_elements(common(a.arrays[i], written), written))
          require_same_or_disjoint(operation, a.name[i], a.arrays[i], b.name[j], written);
      } else if (may_overlap(a.arrays[i], written)) {
        if (a.name[i] == b.name[j])
          reject(operation, b.name[j], "must be Views that share no memory",
                 "overlapping Views " + std::to_string(i) + " and " + std::to_string(j));
        reject(operation, b.name[j], "must share no memory with " + a.text(i), "overlapping Views");
      }
    };
    const std::size_t views = in.arrays.size();
    for (std::size_t i = 0; i < views; ++i)
      for (std::size_t j = 0; j < views; ++j) {
        if (!out.arrays.empty()) {
          require_apart(in, i, out, j, i == j);
          if (i < j) require_apart(out, i, out, j, false);
        }
        if (!rejected.arrays.empty()) {
          require_apart(in, i, rejected, j, false);
          require_apart(out, i, rejected, j, false);
          if (i < j) require_apart(rejected, i, rejected, j, false);
        }
      }
    for (const NamedArrays* written : {&out, &rejected})
      for (std::size_t k = 0; k < written->arrays.size(); ++k) {
        const Footprint& one = written->arrays[k];
        require_distinct_elements(operation, written->name[k], common(one, in.arrays[k]));
        if (flags && !same_elements(*flags, one))
          require_same_or_disjoint(operation, "predicate", *flags, written->name[k], one);
        if (count) require_disjoint(operation, written->name[k], one, "count", *count);
      }
    if (!count) return;
    for (std::size_t k = 0; k < views; ++k)
      require_disjoint(operation, in.name[k], in.arrays[k], "count", *count);
    if (flags) require_disjoint(operation, "predicate", *flags, "count", *count);
  }
};

}  // namespace wavescan::Impl::select

#endif
