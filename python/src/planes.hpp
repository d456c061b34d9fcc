// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#pragma once

#include "array.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace wavescan::python {

/// @brief Arrays of any rank cut into planes, for operations that take lines of rank 2.
///
/// All dimensions but the axis are merged where every array allows it; the longest of what remains
/// counts the lines of a plane, and the others are gone through one by one. So a batch that lies
/// dense in memory, of whatever rank, is one plane.
template <std::size_t Count>
class Planes {
 public:
  using Strides = std::array<std::int64_t, Count>;

  /// @param arrays of one shape but along the axis; null for one that is not there
  Planes(const std::array<const Array*, Count>& arrays, int axis) {
    for (std::size_t k = 0; k < Count; ++k) {
      if (!arrays[k]) continue;
      data_[k] = arrays[k]->data;
      size_[k] = static_cast<std::int64_t>(size_of(arrays[k]->type));
      step_[k] = arrays[k]->stride[axis];
    }
    const Array& shape = *arrays[0];
    for (int r = 0; r < shape.rank; ++r) {
      if (r == axis || shape.extent[r] == 1) continue;
      if (shape.extent[r] == 0) is_empty_ = true;
      Dimension next{shape.extent[r], {}};
      for (std::size_t k = 0; k < Count; ++k)
        if (arrays[k]) next.stride[k] = arrays[k]->stride[r];
      bool merges = !others_.empty();
      for (std::size_t k = 0; merges && k < Count; ++k)
        merges = others_.back().stride[k] == next.stride[k] * next.extent;
      if (merges)
        others_.back() = {others_.back().extent * next.extent, next.stride};
      else
        others_.push_back(next);
    }
    if (others_.empty()) return;
    const auto longest = std::max_element(
        others_.begin(), others_.end(),
        [](const Dimension& a, const Dimension& b) { return a.extent < b.extent; });
    lines_ = *longest;
    others_.erase(longest);
  }

  std::int64_t lines() const { return lines_.extent; }
  std::int64_t line_stride(std::size_t k) const { return lines_.stride[k]; }
  /// @brief Between elements along the axis.
  std::int64_t stride(std::size_t k) const { return step_[k]; }

  /// @brief Calls use(where each array begins) for each plane.
  template <class Use>
  void for_each(const Use& use) const {
    if (is_empty_) return;
    std::vector<std::int64_t> index(others_.size(), 0);
    std::array<char*, Count> data = data_;
    while (true) {
      use(data);
      std::size_t d = 0;
      for (; d < others_.size(); ++d) {
        const bool wraps = ++index[d] == others_[d].extent;
        const std::int64_t steps = wraps ? 1 - others_[d].extent : 1;
        for (std::size_t k = 0; k < Count; ++k)
          if (data[k]) data[k] += steps * others_[d].stride[k] * size_[k];
        if (!wraps) break;
        index[d] = 0;
      }
      if (d == others_.size()) return;
    }
  }

 private:
  struct Dimension {
    std::int64_t extent = 1;
    Strides stride{};
  };
  std::array<char*, Count> data_{};
  Strides size_{}, step_{};
  Dimension lines_;
  std::vector<Dimension> others_;
  bool is_empty_ = false;
};

}  // namespace wavescan::python
