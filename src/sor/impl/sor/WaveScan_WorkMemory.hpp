// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright WaveScan contributors

#ifndef WAVESCAN_IMPL_SOR_WORKMEMORY_HPP
#define WAVESCAN_IMPL_SOR_WORKMEMORY_HPP

#include <WaveScan_Concepts.hpp>
#include <impl/WaveScan_Allocate.hpp>
#include <impl/WaveScan_Execution.hpp>

#include <cstddef>

namespace wavescan::Impl::sor {

/// @brief A workspace that grows, for elements of any type: compilers take long for each type of
/// Views that are allocated.
template <ExecutionSpace Exec>
class WorkMemory {
 public:
  /// @brief Room for so many elements, which are zero when it is allocated.
  template <class T>
  T* room(const Exec& exec, const char* name, Index count) const {
    // On devices a View that is made of zeros spares the compiler the kernels that clear one.
    [[maybe_unused]] const bool is_new = grow<!runs_on_host<Exec>>(exec, name, bytes_of<T>(count));
    if constexpr (runs_on_host<Exec>)
      if (is_new) clear(exec);
    return data<T>();
  }
  /// @brief Room for so many elements, of any values.
  template <class T>
  T* uncleared_room(const Exec& exec, const char* name, Index count) const {
    grow<false>(exec, name, bytes_of<T>(count));
    return data<T>();
  }
  /// @brief Lets a pointer point to room for so many elements, of any values.
  template <class T>
  void place(const Exec& exec, const char* name, Index count, T*& elements) const {
    elements = uncleared_room<T>(exec, name, count);
  }
  template <class T>
  T* data() const {
    return reinterpret_cast<T*>(words_.data());
  }
  /// @brief Enqueues that all of it becomes zero.
  void clear(const Exec& exec) const { set_all(exec, words_, 0); }

 private:
  template <class T>
  static std::size_t bytes_of(Index count) {
    return static_cast<std::size_t>(count) * sizeof(T);
  }
  template <bool Cleared>
  bool grow(const Exec& exec, const char* name, std::size_t bytes) const {
    const std::size_t words = (bytes + sizeof(Index) - 1) / sizeof(Index);
    return words > words_.size() && allocate_as<Cleared>(exec, words_, name, words);
  }

  // Made by the first calls that need it, or by those that reserve workspaces.
  mutable Kokkos::View<Index*, typename Exec::memory_space> words_;
};

}  // namespace wavescan::Impl::sor

#endif
