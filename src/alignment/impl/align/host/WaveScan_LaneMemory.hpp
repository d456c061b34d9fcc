// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_HOST_LANEMEMORY_HPP
#define WAVESCAN_IMPL_ALIGN_HOST_LANEMEMORY_HPP

#include <WaveScan_Concepts.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

/// @file
/// @brief Numbers of lanes in memory. Only inner loops know their type when they are compiled: what
/// is around these is compiled once for all.

namespace wavescan::Impl {

/// @brief An array of numbers of 1, 2, 4 or 8 bytes, of which those of a byte have no sign.
class LaneNumbers {
 public:
  LaneNumbers() = default;
  LaneNumbers(void* data, int bytes) : data_(static_cast<std::byte*>(data)), bytes_(bytes) {}

  Index operator[](Index k) const {
    switch (bytes_) {
      case 1:
        return as<std::uint8_t>()[k];
      case 2:
        return as<std::int16_t>()[k];
      case 4:
        return as<std::int32_t>()[k];
      default:
        return as<Index>()[k];
    }
  }
  /// @brief Stores the low bits of a value.
  void set(Index k, Index value) const {
    switch (bytes_) {
      case 1:
        as<std::uint8_t>()[k] = static_cast<std::uint8_t>(value);
        break;
      case 2:
        as<std::int16_t>()[k] = static_cast<std::int16_t>(value);
        break;
      case 4:
        as<std::int32_t>()[k] = static_cast<std::int32_t>(value);
        break;
      default:
        as<Index>()[k] = value;
    }
  }
  void fill(Index count, Index value) const {
    if (count > 0) set(0, value);
    for (Index done = 1; done < count; done *= 2)
      from(done).copy(*this, std::min(done, count - done));
  }
  void copy(const LaneNumbers& other, Index count) const {
    std::memcpy(data_, other.data_, static_cast<std::size_t>(count * bytes_));
  }
  /// @brief Calls use(pointer to entries of their type), for loops over many.
  template <class Use>
  void visit(const Use& use) const {
    switch (bytes_) {
      case 1:
        return use(as<std::uint8_t>());
      case 2:
        return use(as<std::int16_t>());
      default:
        return use(as<std::int32_t>());
    }
  }
  LaneNumbers from(Index k) const { return {data_ + k * bytes_, bytes_}; }
  const std::byte* data() const { return data_; }
  template <class V>
  V* as() const {
    return reinterpret_cast<V*>(data_);
  }

 private:
  std::byte* data_ = nullptr;
  int bytes_ = 1;
};

/// @brief Memory of a thread, given out in arrays that begin with a cache line. Any thread may make
/// one, also within a kernel.
class LaneMemory {
 public:
  static constexpr Index alignment = 64;

  /// @param bytes of all arrays, each with `alignment` more
  void reserve(Index bytes) {
    const auto size = static_cast<std::size_t>(bytes);
    memory_.reset(static_cast<std::byte*>(::operator new(size, std::align_val_t(alignment))));
    free_ = memory_.get();
  }
  /// @brief An array, not initialized.
  LaneNumbers take(Index count, int bytes) {
    std::byte* const array = free_;
    free_ += (count * bytes + alignment - 1) / alignment * alignment;
    return {array, bytes};
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
