// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_ALIGN_CALLMEMORY_HPP
#define WAVESCAN_IMPL_ALIGN_CALLMEMORY_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_KeptPlans.hpp>

#include <cstddef>
#include <tuple>
#include <vector>

/// @file
/// @brief Arrays for the time of a call, which the next call finds again.

namespace wavescan::Impl {

/// @name Copies of arrays between a device, which the instance waits for, and the host
/// Of bytes, so that they are compiled once.
/// @{
template <ExecutionSpace Exec>
using DeviceBytes = Kokkos::View<char*, typename Exec::memory_space>;
template <class Byte = char>
using HostBytes = Kokkos::View<Byte*, Kokkos::HostSpace>;

template <ExecutionSpace Exec, class T>
void copy_to_device(const Exec& exec, T* to, const T* from, Index count) {
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
  Kokkos::deep_copy(exec, DeviceBytes<Exec>(reinterpret_cast<char*>(to), bytes),
                    HostBytes<const char>(reinterpret_cast<const char*>(from), bytes));
}
template <ExecutionSpace Exec, class T>
void copy_to_host(const Exec& exec, T* to, const T* from, Index count) {
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
  Kokkos::deep_copy(
      exec, HostBytes<>(reinterpret_cast<char*>(to), bytes),
      DeviceBytes<Exec>(const_cast<char*>(reinterpret_cast<const char*>(from)), bytes));
}
/// @}

/// @brief Takes arrays one after the other, and gives all back at its end; work that uses them may
/// still be enqueued. What a function allocates fits again when it is called again for such
/// lengths.
///
/// A function that needs arrays makes one of its own. Those of functions that call each other lie
/// on the store of kept plans as on a stack: each gets the memory that was as deep in the call
/// before.
template <ExecutionSpace Exec>
class CallMemory {
 public:
  template <class T>
  using Array = Kokkos::View<T*, typename Exec::memory_space>;

  explicit CallMemory(const Exec& exec) : exec_(exec), kept_(kept_plan<Pieces>(exec)) {}

  const Exec& exec() const { return exec_; }

  /// @brief An array, not initialized.
  template <class T>
  Array<T> take(Index count) {
    std::vector<Array<char>>& pieces = kept_->pieces;
    if (next_ == pieces.size()) pieces.emplace_back();
    Array<char>& piece = pieces[next_++];
    allocate(exec_, piece, "WaveScan::align::memory", count * static_cast<Index>(sizeof(T)));
    return Array<T>(reinterpret_cast<T*>(piece.data()), static_cast<std::size_t>(count));
  }
  /// @brief An array of zeros.
  template <class T>
  Array<T> zeros(Index count) {
    const Array<T> array = take<T>(count);
    Kokkos::deep_copy(
        exec_, Array<char>(reinterpret_cast<char*>(array.data()), array.size() * sizeof(T)), 0);
    return array;
  }
  /// @brief An array of values, which must stay until the instance has been waited for.
  template <class T>
  Array<T> copy_of(const std::vector<T>& values) {
    const Array<T> array = take<T>(static_cast<Index>(values.size()));
    copy_to_device(exec_, array.data(), values.data(), static_cast<Index>(values.size()));
    return array;
  }

 private:
  struct Pieces {
    explicit Pieces(const Exec&) {}
    mutable std::vector<Array<char>> pieces;
  };

  Exec exec_;
  KeptPlan<Pieces, Exec, std::tuple<>> kept_;
  std::size_t next_ = 0;
};

/// @brief The values of an array. Waits for the instance.
template <ExecutionSpace Exec, class Array>
auto values_on_host(const Exec& exec, const Array& array) {
  using T = typename Array::non_const_value_type;
  std::vector<T> values(array.extent(0));
  copy_to_host(exec, values.data(), array.data(), static_cast<Index>(values.size()));
  exec.fence("WaveScan::align: values are on the host");
  return values;
}

}  // namespace wavescan::Impl

#endif
