// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_HOST_LANEMEMORY_HPP
#define WAVESCAN_IMPL_ALIGN_HOST_LANEMEMORY_HPP

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

namespace wavescan::Impl {

/// @brief Memory of a thread, given out in pieces that begin with a cache line, all zero. Any
/// thread may make one, also within a kernel.
class LaneMemory {
 public:
  static constexpr std::size_t alignment = 64;

  /// @param bytes of all pieces, each with `alignment` more
  void reserve(std::size_t bytes) {
    memory_.reset(static_cast<std::byte*>(::operator new(bytes, std::align_val_t(alignment))));
    std::fill_n(memory_.get(), bytes, std::byte(0));
    free_ = memory_.get();
  }
  template <class T>
  T* take(std::size_t count) {
    std::byte* const piece = free_;
    free_ += (count * sizeof(T) + alignment - 1) / alignment * alignment;
    return reinterpret_cast<T*>(piece);
  }

 private:
  struct Release {
    void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t(alignment)); }
  };
  std::unique_ptr<std::byte, Release> memory_;
  std::byte* free_ = nullptr;
};

}  // namespace wavescan::Impl

#endif
